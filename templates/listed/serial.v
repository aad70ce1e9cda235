// {{ module }}: a serial line of 8 bits, no parity, one stop bit, with room for the bytes that come while others are answered
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer DIVISOR = {{ divisor }}  // clocks per bit, at least 4
) (
    input  wire clk,
    input  wire rst,
    input  wire rx,
    output reg  tx,
    output reg  overrun,
    output wire [7:0] m_axis_tdata,
    output reg  m_axis_tvalid,
    input  wire m_axis_tready,
    input  wire [7:0] s_axis_tdata,
    input  wire s_axis_tvalid,
    output wire s_axis_tready
);

    // The line in: three registers, then bits in their middle.
    reg [2:0] line;
    reg listens;
    reg [31:0] in_wait;
    reg [3:0] in_bit;
    reg [7:0] in_byte;
    reg came;
    always @(posedge clk) begin
        line <= {line[1:0], rx};
        came <= 1'b0;
        if (~listens) begin
            in_wait <= DIVISOR + DIVISOR / 2 - 1;
            in_bit <= 4'd0;
            listens <= ~line[2];
        end else if (in_wait != 32'd0) begin
            in_wait <= in_wait - 32'd1;
        end else begin
            in_wait <= DIVISOR - 1;
            in_bit <= in_bit + 4'd1;
            if (in_bit == 4'd8) begin
                listens <= 1'b0;
                came <= line[2];
            end else begin
                in_byte <= {line[2], in_byte[7:1]};
            end
        end
        if (rst) begin
            line <= 3'b111;
            listens <= 1'b0;
            came <= 1'b0;
        end
    end

    // Bytes wait in a memory of 512.
    localparam integer FIRST = 0;
    localparam integer LAST = 511;
    reg [7:0] waiting [FIRST:LAST];
    reg [9:0] put;
    reg [9:0] get;
    reg [7:0] read;
    wire full = (put[8:0] == get[8:0]) & (put[9] != get[9]);
    wire loads = (put != get) & (~m_axis_tvalid | m_axis_tready);
    assign m_axis_tdata = read;
    always @(posedge clk) begin
        overrun <= came & full;
        if (came & ~full) begin
            waiting[put[8:0]] <= in_byte;
            put <= put + 10'd1;
        end
        if (loads) begin
            read <= waiting[get[8:0]];
            get <= get + 10'd1;
        end
        m_axis_tvalid <= loads | (m_axis_tvalid & ~m_axis_tready);
        if (rst) begin
            put <= 10'd0;
            get <= 10'd0;
            m_axis_tvalid <= 1'b0;
            overrun <= 1'b0;
        end
    end

    // The line out.
    reg [31:0] out_wait;
    reg [3:0] out_left;
    reg [8:0] out_bits;
    assign s_axis_tready = out_left == 4'd0;
    always @(posedge clk) begin
        if (out_left == 4'd0) begin
            tx <= ~s_axis_tvalid;
            if (s_axis_tvalid) begin
                out_bits <= {1'b1, s_axis_tdata};
                out_left <= 4'd10;
                out_wait <= DIVISOR - 1;
            end
        end else if (out_wait != 32'd0) begin
            out_wait <= out_wait - 32'd1;
        end else begin
            out_wait <= DIVISOR - 1;
            out_left <= out_left - 4'd1;
            tx <= out_bits[0];
            out_bits <= {1'b1, out_bits[8:1]};
        end
        if (rst) begin
            tx <= 1'b1;
            out_left <= 4'd0;
        end
    end

endmodule

`default_nettype wire
