// {{ module }}: bytes to registers, framed as LiteX's UARTBone does it
//
// Command, number of words, address of the first word, then the words; big-endian. Commands: 1 writes words one after the
// other, 2 reads them, 3 writes all to one address, 4 reads all from one. Other bytes between commands are passed over.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // bytes in
    input  wire [7:0] s_axis_tdata,
    input  wire s_axis_tvalid,
    output wire s_axis_tready,
    // bytes out
    output wire [7:0] m_axis_tdata,
    output wire m_axis_tvalid,
    input  wire m_axis_tready,
    // registers
    output wire strobe,
    output wire write,
    output wire [29:0] address,
    output wire [31:0] wdata,
    input  wire ack,
    input  wire [31:0] rdata
);

    // 0 command, 1 number of words, 2 address, 3 word that comes in, 4 access, 5 word that goes out.
    reg [2:0] state;
    reg [1:0] byte_number;
    reg [2:0] command;
    reg [7:0] left;
    reg [31:0] at;
    reg [31:0] word;

    assign s_axis_tready = state < 3'd4;
    wire comes = s_axis_tvalid & s_axis_tready;
    assign m_axis_tvalid = state == 3'd5;
    assign m_axis_tdata = word[31:24];
    wire leaves = m_axis_tvalid & m_axis_tready;
    assign strobe = state == 3'd4;
    assign write = command[0];
    assign address = at[29:0];
    assign wdata = word;
    wire steps = ~command[2] & (command[1:0] != 2'd3);
    wire is_last = left == 8'd1;
    wire unused = &{1'b0, at[31:30]};

    always @(posedge clk) begin
        if (comes | leaves) byte_number <= byte_number + 2'd1;
        case (state)
            3'd0: begin
                byte_number <= 2'd0;
                command <= s_axis_tdata[2:0];
                if (comes & (s_axis_tdata != 8'd0) & (s_axis_tdata <= 8'd4)) state <= 3'd1;
            end
            3'd1: begin
                byte_number <= 2'd0;
                left <= s_axis_tdata;
                if (comes) state <= 3'd2;
            end
            3'd2: if (comes) begin
                at <= {at[23:0], s_axis_tdata};
                if (byte_number == 2'd3) state <= (left == 8'd0) ? 3'd0 : command[0] ? 3'd3 : 3'd4;
            end
            3'd3: if (comes) begin
                word <= {word[23:0], s_axis_tdata};
                if (byte_number == 2'd3) state <= 3'd4;
            end
            3'd4: if (ack) begin
                if (steps) at <= at + 32'd1;
                if (command[0]) begin
                    left <= left - 8'd1;
                    state <= is_last ? 3'd0 : 3'd3;
                end else begin
                    word <= rdata;
                    state <= 3'd5;
                end
            end
            default: if (leaves) begin
                word <= {word[23:0], 8'd0};
                if (byte_number == 2'd3) begin
                    left <= left - 8'd1;
                    state <= is_last ? 3'd0 : 3'd4;
                end
            end
        endcase
        if (rst) begin
            state <= 3'd0;
            byte_number <= 2'd0;
        end
    end

endmodule

`default_nettype wire
