// deflection_router: router of a bufferless torus, after N. Kapre and J. Gray, "Hoplite: Building austere overlay NoCs
// for FPGAs", FPL 2015
//
// Links lead one way, to the east and to the south. Packets go east first, then south. The packet from the north always
// goes on south or leaves. The packet from the west turns south if nobody comes from the north, else it is deflected east
// and comes back after a round of its row. The processing element injects into an output that is left. Packets leave
// through the register of the southern output.
`default_nettype none

module deflection_router #(
    parameter integer W = 32,
    parameter integer T = 6,
    parameter integer A = 2,
    parameter integer X = 0,
    parameter integer Y = 0
) (
    input  wire clk,
    input  wire rst,
    // packets: data, tag, row and column of the destination
    input  wire [W+T+2*A-1:0] west,
    input  wire west_valid,
    input  wire [W+T+2*A-1:0] north,
    input  wire north_valid,
    input  wire [W+T+2*A-1:0] inject,
    input  wire inject_valid,
    output wire inject_ready,
    output reg  [W+T+2*A-1:0] east,
    output reg  east_valid,
    output reg  [W+T+2*A-1:0] south,
    output reg  south_valid,
    // what leaves is in south
    output reg  eject_valid
);

    localparam [A-1:0] COLUMN = X;
    localparam [A-1:0] ROW = Y;

    wire west_south = west_valid & (west[A-1:0] == COLUMN) & ~north_valid;
    wire west_east = west_valid & ~west_south;
    wire is_column = inject[A-1:0] == COLUMN;
    wire inject_south = inject_valid & is_column & ~north_valid & ~west_south;
    wire inject_east = inject_valid & ~is_column & ~west_east;
    wire leaves = (north_valid & (north[2*A-1:A] == ROW)) | (west_south & (west[2*A-1:A] == ROW));

    assign inject_ready = inject_south | inject_east;

    always @(posedge clk) begin
        east_valid <= ~rst & (west_east | inject_east);
        east <= west_east ? west : inject;
        south_valid <= ~rst & (north_valid | west_south | inject_south) & ~leaves;
        eject_valid <= ~rst & leaves;
        south <= north_valid ? north : west_south ? west : inject;
    end

endmodule

// deflection_torus: ROWS by COLS of these routers
module deflection_torus #(
    parameter integer ROWS = 4,
    parameter integer COLS = 4,
    parameter integer W = 32,
    parameter integer T = 6,
    parameter integer A = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire [ROWS*COLS*(W+T+2*A)-1:0] inject,
    input  wire [ROWS*COLS-1:0] inject_valid,
    output wire [ROWS*COLS-1:0] inject_ready,
    output wire [ROWS*COLS*(W+T+2*A)-1:0] eject,
    output wire [ROWS*COLS-1:0] eject_valid
);

    localparam integer B = W + T + 2 * A;

    wire [ROWS*COLS*B-1:0] east;
    wire [ROWS*COLS-1:0] east_valid;
    wire [ROWS*COLS-1:0] south_valid;

    genvar y, x;
    generate
        for (y = 0; y < ROWS; y = y + 1) begin : row
            for (x = 0; x < COLS; x = x + 1) begin : column
                localparam integer HERE = y * COLS + x;
                localparam integer WEST = y * COLS + (x + COLS - 1) % COLS;
                localparam integer NORTH = (y + ROWS - 1) % ROWS * COLS + x;

                deflection_router #(
                    .W(W), .T(T), .A(A), .X(x), .Y(y)
                ) router (
                    .clk(clk),
                    .rst(rst),
                    .west(east[WEST*B+:B]), .west_valid(east_valid[WEST]),
                    .north(eject[NORTH*B+:B]), .north_valid(south_valid[NORTH]),
                    .inject(inject[HERE*B+:B]), .inject_valid(inject_valid[HERE]), .inject_ready(inject_ready[HERE]),
                    .east(east[HERE*B+:B]), .east_valid(east_valid[HERE]),
                    .south(eject[HERE*B+:B]), .south_valid(south_valid[HERE]), .eject_valid(eject_valid[HERE])
                );
            end
        end
    endgenerate

endmodule

`default_nettype wire
