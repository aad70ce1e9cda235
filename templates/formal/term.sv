{%- match self %}
{%- when Self::Value(name) %}{{ name }}
{%- when Self::Both(one, other) %}both({{ one }}, {{ other }})
{%- when Self::Alone(one) %}both({{ one }}, NOTHING)
{%- endmatch %}
