// {{ module }}: the design behind a stream of bytes in and one out, as a serial line or a USB FIFO brings them
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if !links.is_empty() %}#(
    parameter integer PATIENCE = {{ patience }}  // log2 of the clocks after which a silent link is down
) {% endif %}(
    input  wire clk,
    input  wire rst,
{%- if !links.is_empty() %}
{%- include "listed/links.v" %}
{%- endif %}
    input  wire overrun,
    input  wire [7:0] s_axis_tdata,
    input  wire s_axis_tvalid,
    output wire s_axis_tready,
    output wire [7:0] m_axis_tdata,
    output wire m_axis_tvalid,
    input  wire m_axis_tready
);

    wire strobe;
    wire write;
    wire [29:0] address;
    wire [31:0] wdata;
    wire ack;
    wire [31:0] rdata;
    {{ bridge }} bridge (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .strobe(strobe),
        .write(write),
        .address(address),
        .wdata(wdata),
        .ack(ack),
        .rdata(rdata)
    );
    {{ core }} {% if !links.is_empty() %}#(
        .PATIENCE(PATIENCE)
    ) {% endif %}core (
        .clk(clk),
{%- if !links.is_empty() %}
{%- include "listed/linked.v" %}
{%- endif %}
        .rst(rst),
        .overrun(overrun),
        .strobe(strobe),
        .write(write),
        .address(address),
        .wdata(wdata),
        .ack(ack),
        .rdata(rdata)
    );

endmodule

`default_nettype wire
