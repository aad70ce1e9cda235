// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ board.width }},
    parameter integer DIVISOR = {{ divisor }},  // clocks per bit on a wire, at least 4
    parameter integer ADDRESS = {{ board.address }},  // log2 of the flits that can wait at an input; {{ board.address }} is enough
    // log2 of the clocks after which a silent link is down: more than 16 frames last on a wire
    parameter integer PATIENCE = $clog2(16 * (({{ widest }}) * DIVISOR + 2))
) (
{%- include "elastic/pass_ports.v" %}
{%- for side in board.sides %}
    // {{ side.label }}
{%- for lane in side.lanes %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
    input  wire             {{ side.name }}_rx,
    output wire             {{ side.name }}_tx{% if !loop.last %},{% endif %}
{%- endfor %}
);
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
        .{{ side.name }}_s_axis_tdata({{ side.name }}_in_tdata),
        .{{ side.name }}_s_axis_tvalid({{ side.name }}_in_tvalid),
        .{{ side.name }}_s_axis_tready({{ side.name }}_in_tready),
        .{{ side.name }}_m_axis_tdata({{ side.name }}_out_tdata),
        .{{ side.name }}_m_axis_tvalid({{ side.name }}_out_tvalid),
        .{{ side.name }}_m_axis_tready({{ side.name }}_out_tready){% if !loop.last %},{% endif %}
{%- endfor %}
    );
{%- for side in board.sides %}

    // {{ side.label }}
{%- include "elastic/pins.v" %}
{%- endfor %}

endmodule

`default_nettype wire
