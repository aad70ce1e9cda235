
{%- for axis in axes %}
{%- for bit in 0..axis.bits %}
    input  wire {{ axis.name }}_{{ bit }},  // bit {{ bit }} of the board's coordinate
{%- endfor %}
{%- endfor %}
{%- for side in links %}
{%- for signal in side.signals %}
    {% if signal.is_input() %}input {% else %}output{% endif %} wire {{ signal.name }},
{%- endfor %}
{%- endfor %}