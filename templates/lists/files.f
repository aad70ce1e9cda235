{%- for path in rtl -%}
{{ path }}{% if !loop.last %}
{% endif %}
{%- endfor %}
