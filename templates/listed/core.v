// {{ module }}: the design with its registers, for any bus of 32 bits
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
    input  wire strobe,
    input  wire write,
    input  wire [29:0] address,
    input  wire [31:0] wdata,
    output wire ack,
    output wire [31:0] rdata
);

    wire system_rst;
    wire [{{ sizes.program - 1 }}:0] program_number;
    wire [{{ sizes.node - 1 }}:0] root;
    wire placed;
    wire start;
    wire busy;
    wire done;
    wire lacking;
    wire [{{ last_node }}:0] misframed;
    wire [32:0] s_data;
    wire s_valid;
    wire s_ready;
    wire [32:0] m_data;
    wire m_valid;
    wire m_ready;
{%- if links.is_empty() %}
    wire unused = &{1'b0, done};
{%- else %}
    wire restart;
    wire links_ready;
    wire [31:0] links;
    wire unused = &{1'b0, system_rst};
{%- endif %}
    {{ registers }} registers (
        .clk(clk),
        .rst(rst),
        .strobe(strobe),
        .write(write),
        .address(address),
        .wdata(wdata),
        .ack(ack),
        .rdata(rdata),
        .overrun(overrun),
        .system_rst(system_rst),
        .program_number(program_number),
        .root(root),
        .placed(placed),
        .start(start),
        .busy(busy),
{%- if !links.is_empty() %}
        .place({ {%- for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .finished(done),
        .restart(restart),
        .links_ready(links_ready),
        .links(links),
{%- endif %}
        .lacking(lacking),
        .misframed(misframed),
        .s_data(s_data),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .m_data(m_data),
        .m_valid(m_valid),
        .m_ready(m_ready)
    );
    {{ system }} {% if !links.is_empty() %}#(
        .PATIENCE(PATIENCE)
    ) {% endif %}system (
        .clk(clk),
{%- if !links.is_empty() %}
{%- include "listed/linked.v" %}
{%- endif %}
{%- if links.is_empty() %}
        .rst(system_rst),
{%- else %}
        .rst(rst),
        .restart(restart),
        .links_ready(links_ready),
        .links(links),
{%- endif %}
        .program_number(program_number),
        .root(root),
        .placed(placed),
        .start(start),
        .busy(busy),
        .done(done),
        .lacking(lacking),
        .misframed(misframed),
        .s_data(s_data),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .m_data(m_data),
        .m_valid(m_valid),
        .m_ready(m_ready)
    );

endmodule

`default_nettype wire
