[{% if is_parameter %}{% if more > 0 %}{{ more }}+{% endif %}{% if words > 1 %}{{ words }}*{% endif %}WIDTH-1{% else %}{{ more + words * bits - 1 }}{% endif %}:0]
