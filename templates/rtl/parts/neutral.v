{%- match self %}
{%- when Self::Zero %}{WIDTH{1'b0}}
{%- when Self::NegativeZero %}{1'b1, {(WIDTH-1){1'b0}}}
{%- when Self::Infinity { is_negative, exponent, fraction } %}{1'b{% if *is_negative %}1{% else %}0{% endif %}, { {{- exponent }}{1'b1}}, { {{- fraction }}{1'b0}}}
{%- endmatch %}
