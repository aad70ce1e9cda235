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
{% for side in board.sides %}
    // frames at {{ side.label }}
    wire [{{ side.high }}{{ board.beyond }}:0] {{ side.name }}_in_tdata;
    wire {{ side.name }}_in_tvalid;
    wire {{ side.name }}_in_tready;
    wire [{{ side.high }}{{ board.beyond }}:0] {{ side.name }}_out_tdata;
    wire {{ side.name }}_out_tvalid;
    wire {{ side.name }}_out_tready;
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
{%- if crosses %}
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
{%- for side in board.sides %}

    // {{ side.label }}
    {{ beats_out }} #(
        .BITS({{ side.high }}{{ board.beyond }}+1),
        .BYTES(BYTES),
        .INTERVAL(PATIENCE - {{ intervals }})
    ) {{ side.name }}_beats_out (
        .clk(clk),
        .rst(rst),
        .up(links_up[{{ side.number }}]),
        .s_axis_tdata({{ side.name }}_out_tdata),
        .s_axis_tvalid({{ side.name }}_out_tvalid),
        .s_axis_tready({{ side.name }}_out_tready),
{%- if crosses %}
        .aclk({{ side.name }}_aclk),
{%- endif %}
        .m_axis_tdata({{ side.name }}_m_axis_tdata),
        .m_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .m_axis_tready({{ side.name }}_m_axis_tready),
        .m_axis_tlast({{ side.name }}_m_axis_tlast)
    );

    {{ beats_in }} #(
        .BITS({{ side.high }}{{ board.beyond }}+1),
        .BYTES(BYTES)
    ) {{ side.name }}_beats_in (
{%- if crosses %}
        .aclk({{ side.name }}_aclk),
{%- else %}
        .clk(clk),
        .rst(rst),
{%- endif %}
        .s_axis_tdata({{ side.name }}_s_axis_tdata),
        .s_axis_tvalid({{ side.name }}_s_axis_tvalid),
        .s_axis_tlast({{ side.name }}_s_axis_tlast),
        .m_axis_tdata({{ side.name }}_in_tdata),
        .m_axis_tvalid({{ side.name }}_in_tvalid)
    );

    wire {{ side.name }}_unused = &{1'b0, {{ side.name }}_in_tready};
{%- endfor %}

endmodule

`default_nettype wire
