
{%- for cable in board.cables %}
        .{{ cable.signal }}({% match cable.end %}{% when CableEnd::Wire(wire) %}{{ wire }}{% when CableEnd::Valid(wire) %}{{ wire }} & ~rst{% when CableEnd::Clock %}clk{% when CableEnd::Idle(bits) %}{{ bits }}'d0{% when CableEnd::High %}1'b1{% endmatch %}),
{%- endfor %}