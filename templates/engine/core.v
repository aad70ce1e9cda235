// {{ module }}: the engine with its registers, for any bus of 32 bits
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    input  wire overrun,
    input  wire strobe,
    input  wire write,
    input  wire [29:0] address,
    input  wire [31:0] wdata,
    output wire ack,
    output wire [31:0] rdata
);

    wire engine_rst;
    wire [{{ sizes.program - 1 }}:0] program_number;
    wire [{{ sizes.node - 1 }}:0] root;
    wire placed;
    wire start;
    wire busy;
    wire done;
    wire short;
    wire [{{ last_node }}:0] misframed;
    wire [32:0] s_data;
    wire s_valid;
    wire s_ready;
    wire [32:0] m_data;
    wire m_valid;
    wire m_ready;
    wire unused = &{1'b0, done};
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
        .engine_rst(engine_rst),
        .program_number(program_number),
        .root(root),
        .placed(placed),
        .start(start),
        .busy(busy),
        .short(short),
        .misframed(misframed),
        .s_data(s_data),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .m_data(m_data),
        .m_valid(m_valid),
        .m_ready(m_ready)
    );
    {{ engine }} engine (
        .clk(clk),
        .rst(engine_rst),
        .program_number(program_number),
        .root(root),
        .placed(placed),
        .start(start),
        .busy(busy),
        .done(done),
        .short(short),
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
