

    function [{{ high }}:0] both;
        input [{{ high }}:0] one;
        input [{{ high }}:0] other;
{%- match combines.operation %}
{%- when Operation::Sum | Operation::Custom %}
        both = one + other;
{%- when Operation::Max %}
        both = {% if combines.signed %}$signed(one) > $signed(other){% else %}one > other{% endif %} ? one : other;
{%- when Operation::Min %}
        both = {% if combines.signed %}$signed(one) < $signed(other){% else %}one < other{% endif %} ? one : other;
{%- when Operation::Xor %}
        both = one ^ other;
{%- when Operation::And %}
        both = one & other;
{%- when Operation::Or %}
        both = one | other;
{%- endmatch %}
    endfunction
