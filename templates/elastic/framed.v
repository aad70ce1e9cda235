
{%- for side in board.sides %}
{%- include "elastic/inside.v" %}
{%- endfor %}

    {{ board.module }} #(
        .WIDTH(WIDTH),
        .ADDRESS(ADDRESS),
        .PATIENCE(PATIENCE)
    ) board (
{%- include "elastic/pass_board.v" %}
{%- for side in board.sides %}
{%- for lane in side.lanes %}
        .{{ lane.name }}_in_data({{ lane.name }}_in_data),
        .{{ lane.name }}_in_valid({{ lane.name }}_in_valid),
{%- endfor %}
{%- if board.crosses %}
        .{{ side.name }}_s_axis_aclk({{ side.name }}_aclk),
{%- endif %}
        .{{ side.name }}_s_axis_tdata({{ side.name }}_in_tdata),
        .{{ side.name }}_s_axis_tvalid({{ side.name }}_in_tvalid),
        .{{ side.name }}_s_axis_tready({{ side.name }}_in_tready),
        .{{ side.name }}_m_axis_tdata({{ side.name }}_out_tdata),
        .{{ side.name }}_m_axis_tvalid({{ side.name }}_out_tvalid),
        .{{ side.name }}_m_axis_tready({{ side.name }}_out_tready){% if !loop.last %},{% endif %}
{%- endfor %}
    );