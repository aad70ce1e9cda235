{%- match self %}
{%- when Self::Zeros %}{WIDTH{1'b0}}
{%- when Self::Ones %}{WIDTH{1'b1}}
{%- when Self::Chosen %}neutral
{%- when Self::Least %}{1'b1, {(WIDTH-1){1'b0}}}
{%- when Self::Most %}{1'b0, {(WIDTH-1){1'b1}}}
{%- when Self::NegativeZero %}{1'b1, {(WIDTH-1){1'b0}}}
{%- when Self::Infinity { is_negative, exponent, fraction } %}{1'b{% if *is_negative %}1{% else %}0{% endif %}, { {{- exponent }}{1'b1}}, { {{- fraction }}{1'b0}}}
{%- endmatch %}