{% if vector %}[{{ bits - 1 }}:0] {% endif %}
