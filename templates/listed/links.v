
    // board, by its coordinates
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.name }},
{%- endfor %}
{%- for side in links %}
    // {{ side.label }}
{%- for signal in side.signals %}
    {% if signal.is_input() %}input {% else %}output{% endif %} wire {% if signal.bits > 1 %}[{{ signal.bits - 1 }}:0] {% endif %}{{ signal.name }},
{%- endfor %}
{%- endfor %}