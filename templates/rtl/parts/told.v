{% if parts.len() == 1 -%}
{{ name }}
{%- else if is_repeated() -%}
{{ "{" }}{{ parts.len() }}{{ "{" }}{{ name }}{{ "}}" }}
{%- else if let [line] = lines().as_slice() -%}
{{ "{" }}{{ line }}{{ "}" }}
{%- else -%}
{{ "{" }}
{%- for line in lines() %}
        {{ line }}
{%- endfor %}
    {{ "}" }}
{%- endif %}