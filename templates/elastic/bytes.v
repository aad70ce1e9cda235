// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ board.width }},
    parameter integer BYTES = {{ bytes }},  // of a beat
    parameter integer ADDRESS = {{ board.address }},  // log2 of the flits that can wait at an input; {{ board.address }} is enough
    // beats of the longest frame
    parameter integer BEATS = ({{ widest }} + 8 * BYTES - 1) / (8 * BYTES),
    // log2 of the clocks after which a silent link is down: more than 16 frames last, and more than a link there and back
    parameter integer PATIENCE = (BEATS > 64) ? $clog2(16 * BEATS) : 10
) (
{%- include "elastic/pass_ports.v" %}
{%- for side in board.sides %}
    // {{ side.label }}
{%- for lane in side.lanes %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
{%- if crosses %}
    input  wire             {{ side.name }}_aclk,  // of the transceiver, for both directions
{%- endif %}
    input  wire [8*BYTES-1:0] {{ side.name }}_s_axis_tdata,
    input  wire             {{ side.name }}_s_axis_tvalid,
    input  wire             {{ side.name }}_s_axis_tlast,
    output wire [8*BYTES-1:0] {{ side.name }}_m_axis_tdata,
    output wire             {{ side.name }}_m_axis_tvalid,
    input  wire             {{ side.name }}_m_axis_tready,
    output wire             {{ side.name }}_m_axis_tlast{% if !loop.last %},{% endif %}
{%- endfor %}
);
{%- include "elastic/framed.v" %}
{%- for side in board.sides %}

    // {{ side.label }}
{%- include "elastic/beats.v" %}
{%- endfor %}

endmodule

`default_nettype wire
