// SB_RAM40_4K: block memory of the iCE40, for bitstreams in simulation
//
// 256 words of 16 bits. In mode m a word is one of 2^m fields of a row: bit k of the field is one of the 2^m bits of group k.
`default_nettype none

module SB_RAM40_4K #(
    parameter integer READ_MODE = 0,
    parameter integer WRITE_MODE = 0,
    parameter [255:0] INIT_0 = 256'd0,
    parameter [255:0] INIT_1 = 256'd0,
    parameter [255:0] INIT_2 = 256'd0,
    parameter [255:0] INIT_3 = 256'd0,
    parameter [255:0] INIT_4 = 256'd0,
    parameter [255:0] INIT_5 = 256'd0,
    parameter [255:0] INIT_6 = 256'd0,
    parameter [255:0] INIT_7 = 256'd0,
    parameter [255:0] INIT_8 = 256'd0,
    parameter [255:0] INIT_9 = 256'd0,
    parameter [255:0] INIT_A = 256'd0,
    parameter [255:0] INIT_B = 256'd0,
    parameter [255:0] INIT_C = 256'd0,
    parameter [255:0] INIT_D = 256'd0,
    parameter [255:0] INIT_E = 256'd0,
    parameter [255:0] INIT_F = 256'd0
) (
    input  wire [10:0] WADDR,
    input  wire [10:0] RADDR,
    input  wire [15:0] MASK,
    input  wire [15:0] WDATA,
    output reg  [15:0] RDATA,
    input  wire WE,
    input  wire WCLKE,
    input  wire WCLK,
    input  wire RE,
    input  wire RCLKE,
    input  wire RCLK
);

    localparam integer WGROUP = 1 << WRITE_MODE;
    localparam integer RGROUP = 1 << READ_MODE;
    // the pin of a group that carries its data
    localparam integer WPIN = WGROUP / 2 - (WRITE_MODE == 0 ? 0 : 1);
    localparam integer RPIN = RGROUP / 2 - (READ_MODE == 0 ? 0 : 1);

    reg [15:0] memory [0:255];
    integer row;
    initial begin
        RDATA = 16'd0;
        for (row = 0; row < 16; row = row + 1) begin
            memory[0 + row] = INIT_0[16 * row +: 16];
            memory[16 + row] = INIT_1[16 * row +: 16];
            memory[32 + row] = INIT_2[16 * row +: 16];
            memory[48 + row] = INIT_3[16 * row +: 16];
            memory[64 + row] = INIT_4[16 * row +: 16];
            memory[80 + row] = INIT_5[16 * row +: 16];
            memory[96 + row] = INIT_6[16 * row +: 16];
            memory[112 + row] = INIT_7[16 * row +: 16];
            memory[128 + row] = INIT_8[16 * row +: 16];
            memory[144 + row] = INIT_9[16 * row +: 16];
            memory[160 + row] = INIT_A[16 * row +: 16];
            memory[176 + row] = INIT_B[16 * row +: 16];
            memory[192 + row] = INIT_C[16 * row +: 16];
            memory[208 + row] = INIT_D[16 * row +: 16];
            memory[224 + row] = INIT_E[16 * row +: 16];
            memory[240 + row] = INIT_F[16 * row +: 16];
        end
    end

    integer into;
    always @(posedge WCLK) begin
        if (WE & WCLKE) begin
            for (into = 0; into < 16; into = into + 1) begin
                if (WRITE_MODE == 0 ? ~MASK[into] : into % WGROUP == {29'd0, WADDR[10:8]} % WGROUP) begin
                    memory[WADDR[7:0]][into] <= WDATA[into - into % WGROUP + WPIN];
                end
            end
        end
    end

    integer from;
    always @(posedge RCLK) begin
        if (RE & RCLKE) begin
            for (from = 0; from < 16; from = from + 1) begin
                RDATA[from] <= from % RGROUP == RPIN ? memory[RADDR[7:0]][from - RPIN + {29'd0, RADDR[10:8]} % RGROUP] : 1'b0;
            end
        end
    end

endmodule

`default_nettype wire
