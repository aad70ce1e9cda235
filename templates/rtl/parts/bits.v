[{% if count > 1 %}{{ low + count - 1 }}:{% endif %}{{ low }}]
