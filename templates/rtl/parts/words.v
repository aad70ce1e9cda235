[{% if end > 1 %}{{ end }}*{% endif %}WIDTH-1:{% if low > 1 %}{{ low }}*{% endif %}{% if low > 0 %}WIDTH{% else %}0{% endif %}]
