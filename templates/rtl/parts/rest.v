{%- match self %}
{%- when Self::Zeros %}{WIDTH{1'b0}}
{%- when Self::Ones %}{WIDTH{1'b1}}
{%- when Self::Least %}{1'b1, {(WIDTH-1){1'b0}}}
{%- when Self::Most %}{1'b0, {(WIDTH-1){1'b1}}}
{%- endmatch %}
