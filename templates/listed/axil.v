// {{ module }}: the design behind AXI4-Lite
//
// One access at a time. Every response is OKAY: what went wrong is in STATUS.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if !links.is_empty() %}#(
    parameter integer PATIENCE = {{ patience }}  // log2 of the clocks after which a silent link is down
) {% endif %}(
    input  wire aclk,
    input  wire aresetn,
{%- if !links.is_empty() %}
{%- include "listed/links.v" %}
{%- endif %}
    // write address
    input  wire [11:0] s_axi_awaddr,
    input  wire [2:0] s_axi_awprot,
    input  wire s_axi_awvalid,
    output wire s_axi_awready,
    // write data
    input  wire [31:0] s_axi_wdata,
    input  wire [3:0] s_axi_wstrb,
    input  wire s_axi_wvalid,
    output wire s_axi_wready,
    // write response
    output wire [1:0] s_axi_bresp,
    output reg  s_axi_bvalid,
    input  wire s_axi_bready,
    // read address
    input  wire [11:0] s_axi_araddr,
    input  wire [2:0] s_axi_arprot,
    input  wire s_axi_arvalid,
    output wire s_axi_arready,
    // read data
    output reg  [31:0] s_axi_rdata,
    output wire [1:0] s_axi_rresp,
    output reg  s_axi_rvalid,
    input  wire s_axi_rready
);

    assign s_axi_bresp = 2'b00;
    assign s_axi_rresp = 2'b00;
    wire unused = &{1'b0, s_axi_awprot, s_axi_arprot, s_axi_wstrb, s_axi_awaddr[1:0], s_axi_araddr[1:0]};

    // Writes go before reads.
    wire writes = s_axi_awvalid & s_axi_wvalid & ~s_axi_bvalid;
    wire reads = s_axi_arvalid & ~s_axi_rvalid;
    wire goes_on;
    reg under_way;
    reg is_write;
    wire write = under_way ? is_write : writes;
    wire strobe = under_way | writes | reads;
    wire ack;
    wire [31:0] rdata;
    assign goes_on = strobe & ~ack;
    assign s_axi_awready = ack & write;
    assign s_axi_wready = ack & write;
    assign s_axi_arready = ack & ~write;

    always @(posedge aclk) begin
        under_way <= goes_on;
        is_write <= write;
        s_axi_bvalid <= (ack & write) | (s_axi_bvalid & ~s_axi_bready);
        s_axi_rvalid <= (ack & ~write) | (s_axi_rvalid & ~s_axi_rready);
        if (ack & ~write) s_axi_rdata <= rdata;
        if (~aresetn) begin
            under_way <= 1'b0;
            s_axi_bvalid <= 1'b0;
            s_axi_rvalid <= 1'b0;
        end
    end

    {{ core }} {% if !links.is_empty() %}#(
        .PATIENCE(PATIENCE)
    ) {% endif %}core (
        .clk(aclk),
{%- if !links.is_empty() %}
{%- include "listed/linked.v" %}
{%- endif %}
        .rst(~aresetn),
        .overrun(1'b0),
        .strobe(strobe),
        .write(write),
        .address({20'd0, write ? s_axi_awaddr[11:2] : s_axi_araddr[11:2]}),
        .wdata(s_axi_wdata),
        .ack(ack),
        .rdata(rdata)
    );

endmodule

`default_nettype wire
