{%- macro combined(operation) %}
{%- match operation %}
{%- when Operation::Sum | Operation::Custom %}{{ one }} + {{ other }}
{%- when Operation::Max %}({% if signed %}$signed({{ one }}) < $signed({{ other }}){% else %}{{ one }} < {{ other }}{% endif %}) ?
        {{ other }} : {{ one }}
{%- when Operation::Min %}({% if signed %}$signed({{ other }}) < $signed({{ one }}){% else %}{{ other }} < {{ one }}{% endif %}) ?
        {{ other }} : {{ one }}
{%- when Operation::Xor %}{{ one }} ^ {{ other }}
{%- when Operation::And %}{{ one }} & {{ other }}
{%- when Operation::Or %}{{ one }} | {{ other }}
{%- endmatch %}
{%- endmacro %}
{%- for operation in operations %}
{%- if operations.len() == 1 %}{{- combined(operation) -}}
{%- else if !loop.last %}(operation == {{ bits() }}'d{{ loop.index0 }}) ? ({{- combined(operation) -}}) :
        {% else %}({{- combined(operation) -}})
{%- endif %}
{%- endfor %}