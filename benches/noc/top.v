// top: a network (NETWORK) on few pins, to measure its clock. Words to inject are shifted in bit by bit; what is ejected is added
// up from node to node, with one look-up table between two registers, and shifted out.
`default_nettype none

module top #(
    parameter integer ROWS = 4,
    parameter integer COLS = 4,
    parameter integer W = 32,
    parameter integer T = 6,
    parameter integer A = 2
) (
    input  wire clk,
    input  wire reset,
    input  wire serial_in,
    output wire serial_out
);

    localparam integer N = ROWS * COLS;
    localparam integer B = W + T + 2 * A;

    reg rst;
    reg [N*(B+1)-1:0] own;
    reg [N*(B+1)-1:0] sums;
    reg [B:0] out;
    wire [N*B-1:0] eject;
    wire [N-1:0] eject_valid;
    wire [N-1:0] ready;

    assign serial_out = out[B];

    always @(posedge clk) begin
        rst <= reset;
        own <= {own[N*(B+1)-2:0], serial_in};
        out <= {out[B-1:0], serial_in} ^ sums[(N-1)*(B+1)+:B+1];
    end

    genvar g;
    generate
        for (g = 0; g < N; g = g + 1) begin : node
            wire [B:0] before;
            if (g == 0) begin : first
                assign before = {B + 1{1'b0}};
            end else begin : later
                assign before = sums[(g-1)*(B+1)+:B+1];
            end
            always @(posedge clk) begin
                sums[g*(B+1)+:B+1] <= {eject_valid[g] ^ ready[g], eject[g*B+:B]} ^ before;
            end
        end
    endgenerate

    `NETWORK #(
`ifdef FORKS
        .FORKS(1),
`endif
`ifdef ADDS
        .ADDS(1),
`endif
        .ROWS(ROWS), .COLS(COLS), .W(W), .T(T), .A(A)
    ) network (
        .clk(clk),
        .rst(rst),
        .inject(own[N*B-1:0]),
        .inject_valid(own[N*B+:N]),
        .inject_ready(ready),
        .eject(eject),
        .eject_valid(eject_valid)
    );

endmodule

`default_nettype wire
