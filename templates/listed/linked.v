
{%- for axis in axes %}
        .{{ axis.name }}({{ axis.name }}),
{%- endfor %}
{%- for side in links %}
{%- for signal in side.signals %}
        .{{ signal.name }}({{ signal.name }}),
{%- endfor %}
{%- endfor %}