{% if !is_parameter %}[{{ (word + 1) * bits - 1 }}:{{ word * bits }}]{% else if word == 0 %}[WIDTH-1:0]{% else %}[{{ word }}*WIDTH+:WIDTH]{% endif %}
