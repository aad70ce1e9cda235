// {{ module }}: all boards of a design, joined by cables, for simulation
//
// Each board has the streams of bytes of its host: board 0 in the lowest bits.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    input  wire [{{ boards.len() - 1 }}:0] overrun,
    input  wire [{{ 8 * boards.len() - 1 }}:0] s_axis_tdata,
    input  wire [{{ boards.len() - 1 }}:0] s_axis_tvalid,
    output wire [{{ boards.len() - 1 }}:0] s_axis_tready,
    output wire [{{ 8 * boards.len() - 1 }}:0] m_axis_tdata,
    output wire [{{ boards.len() - 1 }}:0] m_axis_tvalid,
    input  wire [{{ boards.len() - 1 }}:0] m_axis_tready
);

{% include "listed/frames.v" %}
{%- for board in boards %}

    // Board {{ board.place }}.
    wire {{ board.name }}_unused = &{1'b0{% for cable in board.cables %}{% if cable.is_loose %}, {{ board.name }}_{{ cable.signal }}{% endif %}{% endfor %}};
    {{ host }} {{ board.name }} (
        .clk(clk),
        .rst(rst),
{%- for axis in board.at %}
        .{{ axis.name }}({{ axis.bits }}'d{{ axis.at }}),
{%- endfor %}
{% include "listed/cables.v" %}
        .overrun(overrun[{{ loop.index0 }}]),
        .s_axis_tdata(s_axis_tdata[{{ 8 * loop.index0 }}+:8]),
        .s_axis_tvalid(s_axis_tvalid[{{ loop.index0 }}]),
        .s_axis_tready(s_axis_tready[{{ loop.index0 }}]),
        .m_axis_tdata(m_axis_tdata[{{ 8 * loop.index0 }}+:8]),
        .m_axis_tvalid(m_axis_tvalid[{{ loop.index0 }}]),
        .m_axis_tready(m_axis_tready[{{ loop.index0 }}])
    );
{%- endfor %}

endmodule

`default_nettype wire
