{% if parts.len() == 1 -%}
{{ name }}
{%- else if is_repeated() -%}
{{ "{" }}{{ parts.len() }}{{ "{" }}{{ name }}{{ "}}" }}
{%- else -%}
{{ "{" }}{% for part in parts.iter().rev() %}{{ name }}{% if part.bits < bits %}{{ Bits::of(**part) }}{% endif %}{% if !loop.last %}, {% endif %}{% endfor %}{{ "}" }}
{%- endif %}