{%- for path in rtl -%}
${ {{- name }}}/{{ path }}{% if !loop.last %}
{% endif %}
{%- endfor %}
