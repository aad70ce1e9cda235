// {{ module }}: the design behind a serial line
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer DIVISOR = {{ divisor }}{% if !links.is_empty() %},{% endif %}  // clocks per bit
{%- if !links.is_empty() %}
    parameter integer PATIENCE = {{ patience }}  // log2 of the clocks after which a silent link is down
{%- endif %}
) (
    input  wire clk,
    input  wire rst,
{%- if !links.is_empty() %}
{%- include "listed/links.v" %}
{%- endif %}
    input  wire rx,
    output wire tx
);

    wire overrun;
    wire [7:0] in_tdata;
    wire in_tvalid;
    wire in_tready;
    wire [7:0] out_tdata;
    wire out_tvalid;
    wire out_tready;
    {{ serial }} #(
        .DIVISOR(DIVISOR)
    ) serial (
        .clk(clk),
        .rst(rst),
        .rx(rx),
        .tx(tx),
        .overrun(overrun),
        .m_axis_tdata(in_tdata),
        .m_axis_tvalid(in_tvalid),
        .m_axis_tready(in_tready),
        .s_axis_tdata(out_tdata),
        .s_axis_tvalid(out_tvalid),
        .s_axis_tready(out_tready)
    );
    {{ host }} {% if !links.is_empty() %}#(
        .PATIENCE(PATIENCE)
    ) {% endif %}host (
        .clk(clk),
{%- if !links.is_empty() %}
{%- include "listed/linked.v" %}
{%- endif %}
        .rst(rst),
        .overrun(overrun),
        .s_axis_tdata(in_tdata),
        .s_axis_tvalid(in_tvalid),
        .s_axis_tready(in_tready),
        .m_axis_tdata(out_tdata),
        .m_axis_tvalid(out_tvalid),
        .m_axis_tready(out_tready)
    );

endmodule

`default_nettype wire
