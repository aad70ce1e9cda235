{%- for cable in board.cables %}
{%- match cable.from %}
{%- when Some with (from) %}
        .{{ cable.port }}_s_axis_tdata({{ from }}_data),
        .{{ cable.port }}_s_axis_tvalid({{ from }}_valid),
{%- when None %}
        .{{ cable.port }}_s_axis_tdata({{ cable.bits }}'d0),
        .{{ cable.port }}_s_axis_tvalid(1'b0),
{%- endmatch %}
        .{{ cable.port }}_s_axis_tready({{ board.name }}_{{ cable.port }}_ready),
        .{{ cable.port }}_m_axis_tdata({{ board.name }}_{{ cable.port }}_data),
        .{{ cable.port }}_m_axis_tvalid({{ board.name }}_{{ cable.port }}_valid),
        .{{ cable.port }}_m_axis_tready(1'b1),
{%- endfor %}