{{ before }}module {{ chip }} ({% for port in ports %}{{ port.direction }} wire pin_{{ port.name }}{% if !loop.last %}, {% endif %}{% endfor %});
{{ body }}
{%- for port in ports %}
{%- if port.direction == "input" %}
assign {{ port.name }} = pin_{{ port.name }};
{%- else %}
assign pin_{{ port.name }} = {{ port.name }};
{%- endif %}
{%- endfor %}
{{ after }}
