// buffered_router: router of a torus with buffers and credits. Dimension order, the short way round; round-robin arbiters;
// bubble flow control after V. Puente et al., "The adaptive bubble router", Journal of Parallel and Distributed
// Computing 61 (2001)
//
// Links lead both ways. A packet is one word. It goes along its row first, then along its column. Each of the four inputs
// from neighbours has a FIFO, and the sender counts its free places: credits. A packet that stays on its ring requires one
// free place, one that enters a ring requires two. So a ring is never full, and cannot deadlock, without virtual channels.
`default_nettype none

// buffered_fifo: DEPTH words in distributed memory
module buffered_fifo #(
    parameter integer B = 42,
    parameter integer LOG = 3
) (
    input  wire clk,
    input  wire rst,
    input  wire push,
    input  wire [B-1:0] in,
    input  wire pop,
    output wire [B-1:0] out,
    output reg  valid
);

    reg [B-1:0] memory [0:(1<<LOG)-1];
    reg [LOG-1:0] tail;
    reg [LOG-1:0] head;
    wire [LOG-1:0] next = head + {{LOG - 1{1'b0}}, pop};

    assign out = memory[head];

    always @(posedge clk) begin
        if (push) memory[tail] <= in;
        tail <= rst ? {LOG{1'b0}} : tail + {{LOG - 1{1'b0}}, push};
        head <= rst ? {LOG{1'b0}} : next;
        // the sender never fills the last place
        valid <= ~rst & (push | (next != tail));
    end

endmodule

// buffered_output: round-robin arbiter of up to four requests, and the credits of the input at the other end
module buffered_output #(
    parameter integer LOG = 3,
    // requests that stay on the ring
    parameter [3:0] STAY = 4'b0001,
    // without credits: the processing element always takes a word
    parameter integer IS_EJECT = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire [3:0] request,
    // request that goes before the others
    input  wire first,
    input  wire credit,
    output wire [3:0] grant,
    output wire first_grant,
    output reg  valid
);

    reg [LOG-1:0] credits;
    // requests behind the one that was granted last
    reg [3:0] behind;
    wire one = IS_EJECT != 0 || credits != 0;
    wire two = IS_EJECT != 0 || credits > 1;
    wire [3:0] allowed = first_grant ? 4'b0000 : request & (STAY & {4{one}} | {4{two}});
    wire [3:0] preferred = allowed & behind;
    wire [3:0] among = preferred != 0 ? preferred : allowed;

    assign first_grant = first & one;
    assign grant = among & (~among + 4'd1);
    wire is_granted = first_grant | grant != 0;

    always @(posedge clk) begin
        valid <= ~rst & is_granted;
        credits <= rst ? {LOG{1'b1}} : credits + {{LOG - 1{1'b0}}, credit} - {{LOG - 1{1'b0}}, is_granted};
        if (rst) behind <= 4'b0000;
        else if (grant != 0) behind <= {grant[2] | grant[1] | grant[0], grant[1] | grant[0], grant[0], 1'b0};
    end

endmodule

// With FORKS a packet whose tag ends in 11 goes to all nodes: along its row both ways, and from each node of it along the column both ways.
// Its address is then that of the last node on its way. A copy leaves as soon as its output takes it; the packet goes when
// all have left.
//
// With ADDS, which requires FORKS, packets whose tag ends in 10 are summands for the node of their address, the root. They go along the
// column first, then along the row of the root: the way of a word to all, backwards. A router waits until the words of all its children are the
// heads of their FIFOs, and the own word is offered. Then it adds all of them, and forwards the sum. The root offers no own word. All nodes
// offer the words of a root in the same order. Summands for one root and its words to all are on opposite links, so that none waits for the
// other; with several roots at a time they would require FIFOs of their own.
module buffered_router #(
    parameter integer FORKS = 0,
    parameter integer ADDS = 0,
    parameter integer W = 32,
    parameter integer T = 6,
    parameter integer A = 2,
    parameter integer X = 0,
    parameter integer Y = 0,
    parameter integer ROWS = 4,
    parameter integer COLS = 4,
    parameter integer LOG = 3
) (
    input  wire clk,
    input  wire rst,
    // from the west, east, north and south; packets: data, tag, row and column of the destination
    input  wire [4*(W+T+2*A)-1:0] in,
    input  wire [3:0] in_valid,
    output reg  [3:0] in_credit,
    input  wire [W+T+2*A-1:0] inject,
    input  wire inject_valid,
    output wire inject_ready,
    // to the west, east, north and south
    output reg  [4*(W+T+2*A)-1:0] out,
    output wire [3:0] out_valid,
    input  wire [3:0] out_credit,
    output reg  [W+T+2*A-1:0] eject,
    output wire eject_valid
);

    localparam integer B = W + T + 2 * A;
    localparam [A-1:0] COLUMN = X;
    localparam [A-1:0] ROW = Y;
    localparam [A-1:0] HALF_COLS = COLS / 2;
    localparam [A-1:0] HALF_ROWS = ROWS / 2;
    // last nodes of packets to all that begin here
    localparam [A-1:0] LAST_WEST = X - COLS / 2 + 1;
    localparam [A-1:0] LAST_EAST = X + COLS / 2;
    localparam [A-1:0] LAST_NORTH = Y - ROWS / 2 + 1;
    localparam [A-1:0] LAST_SOUTH = Y + ROWS / 2;

    // heads of the four inputs, then the packet to inject
    wire [5*B-1:0] heads;
    wire [4:0] valid;
    wire [4:0] pop;
    // packets to all
    wire [4:0] is_all;
    // outputs that have taken a copy of the head, and those that take one now
    reg [24:0] served;
    wire [24:0] grants;
    // outputs that the heads want: west, east, north, south, and the processing element
    wire [24:0] want;
    // summands
    wire [4:0] is_summand;
    // sum that was added up, and the output that it wants; other nodes' sums leave in the place of the packet to inject
    reg [B-1:0] sum;
    reg [4:0] sum_want;
    wire is_sum_ejected;
    wire is_sum_first = sum_want[3:0] != 0;
    wire [B-1:0] own = is_sum_first ? sum : inject;
    // heads that are added now
    wire [4:0] added;

    assign heads[4*B+:B] = inject;
    assign valid[4] = inject_valid;
    assign inject_ready = pop[4];

    genvar i;
    generate
        for (i = 0; i < 5; i = i + 1) begin : input_port
            // distances to the east and to the south; sides are powers of two
            wire [A-1:0] dx = heads[i*B+:A] - COLUMN;
            wire [A-1:0] dy = heads[i*B+A+:A] - ROW;
            // half a round: from even nodes to the east and to the south
            wire to_east = dx < HALF_COLS || dx == HALF_COLS && X % 2 == 0;
            wire to_south = dy < HALF_ROWS || dy == HALF_ROWS && Y % 2 == 0;
            // what moves on a column stays on it, what moves on a ring keeps its direction
            wire is_along_row = i != 2 && i != 3 && dx != 0;
            wire east = i == 0 || i == 4 && to_east;
            wire south = i == 2 || i != 3 && to_south;

            wire [4:0] one = is_along_row ? {3'b000, east, ~east} : dy != 0 ? {1'b0, south, ~south, 2'b00} : 5'b10000;

            assign is_summand[i] = ADDS != 0 && valid[i] && heads[i*B+2*A+T-2+:2] == 2'b10;
            assign is_all[i] = !(i == 4 && is_sum_first) && FORKS != 0 && heads[i*B+2*A+T-2+:2] == 2'b11;
            if (FORKS != 0) begin : forks
                wire [4:0] all = i == 4 ? {1'b0, 1'b1, ROWS > 2, 1'b1, COLS > 2} : i > 1
                    ? {1'b1, i == 2 && dy != 0, i == 3 && dy != 0, 2'b00}
                    : {1'b1, 1'b1, ROWS > 2, i == 0 && dx != 0, i == 1 && dx != 0};

                // the router's own output for a sum, which is no copy
                wire is_sum = i == 4 && is_sum_first;
                assign want[i*5+:5] = is_sum ? sum_want
                    : {5{valid[i] & ~is_summand[i]}} & (is_all[i] ? all : one) & ~served[i*5+:5];
                assign pop[i] = is_summand[i] ? added[i]
                    : valid[i] & ~is_sum & (want[i*5+:5] & ~grants[i*5+:5]) == 0;
                always @(posedge clk)
                    served[i*5+:5] <= rst | pop[i] ? 5'd0 : served[i*5+:5] | grants[i*5+:5] & {5{~is_sum}};
            end else begin : passes
                assign want[i*5+:5] = {5{valid[i]}} & one;
                assign pop[i] = grants[i*5+:5] != 0;
            end
        end
        for (i = 0; i < 4; i = i + 1) begin : buffer
            buffered_fifo #(
                .B(B), .LOG(LOG)
            ) fifo (
                .clk(clk), .rst(rst), .push(in_valid[i]), .in(in[i*B+:B]), .pop(pop[i]), .out(heads[i*B+:B]), .valid(valid[i])
            );
        end
    endgenerate

    wire [3:0] west_grant;
    wire [3:0] east_grant;
    wire [3:0] north_grant;
    wire [3:0] south_grant;
    wire [3:0] eject_grant;

    buffered_output #(.LOG(LOG)) west_output (
        .clk(clk), .rst(rst), .request({2'b00, want[20], want[5]}), .first(1'b0), .credit(out_credit[0]),
        .grant(west_grant), .first_grant(), .valid(out_valid[0])
    );
    buffered_output #(.LOG(LOG)) east_output (
        .clk(clk), .rst(rst), .request({2'b00, want[21], want[0*5+1]}), .first(1'b0), .credit(out_credit[1]),
        .grant(east_grant), .first_grant(), .valid(out_valid[1])
    );
    buffered_output #(.LOG(LOG)) north_output (
        .clk(clk), .rst(rst), .request({want[22], want[7], want[2], want[17]}), .first(1'b0), .credit(out_credit[2]),
        .grant(north_grant), .first_grant(), .valid(out_valid[2])
    );
    buffered_output #(.LOG(LOG)) south_output (
        .clk(clk), .rst(rst), .request({want[23], want[8], want[3], want[13]}), .first(1'b0), .credit(out_credit[3]),
        .grant(south_grant), .first_grant(), .valid(out_valid[3])
    );
    buffered_output #(.LOG(LOG), .IS_EJECT(1)) eject_output (
        .clk(clk), .rst(rst), .request({want[19], want[14], want[9], want[4]}), .first(sum_want[4]), .credit(1'b0),
        .grant(eject_grant), .first_grant(is_sum_ejected), .valid(eject_valid)
    );

    // by input: ejected, south, north, east, west
    assign grants[0*5+:5] = {eject_grant[0], south_grant[1], north_grant[1], east_grant[0], 1'b0};
    assign grants[1*5+:5] = {eject_grant[1], south_grant[2], north_grant[2], 1'b0, west_grant[0]};
    assign grants[2*5+:5] = {eject_grant[2], south_grant[0], 3'b000};
    assign grants[3*5+:5] = {eject_grant[3], 1'b0, north_grant[0], 2'b00};
    assign grants[4*5+:5] = {1'b0, south_grant[3], north_grant[3], east_grant[1], west_grant[1]};

    wire [B-1:0] from_west = heads[0*B+:B];
    wire [B-1:0] from_east = heads[1*B+:B];
    wire [B-1:0] from_north = heads[2*B+:B];
    wire [B-1:0] from_south = heads[3*B+:B];

    // copies that turn have another last node
    wire [2*A-1:0] to_west = is_all[4] ? {own[A+:A], LAST_WEST} : own[0+:2*A];
    wire [2*A-1:0] to_east = is_all[4] ? {own[A+:A], LAST_EAST} : own[0+:2*A];
    wire [3*A-1:0] rows_north = {
        is_all[4] ? LAST_NORTH : own[A+:A], is_all[1] ? LAST_NORTH : from_east[A+:A], is_all[0] ? LAST_NORTH : from_west[A+:A]
    };
    wire [3*A-1:0] rows_south = {
        is_all[4] ? LAST_SOUTH : own[A+:A], is_all[1] ? LAST_SOUTH : from_east[A+:A], is_all[0] ? LAST_SOUTH : from_west[A+:A]
    };

    generate
        if (ADDS != 0) begin : adds
            // distances of the root of the own word; half a round: to the west and to the north
            wire [A-1:0] dx = inject[0+:A] - COLUMN;
            wire [A-1:0] dy = inject[A+:A] - ROW;
            wire [4:0] leads = dy != 0 ? {1'b0, dy < HALF_ROWS, dy >= HALF_ROWS, 2'b00}
                : {3'b000, dx < HALF_COLS, dx >= HALF_COLS};
            wire [3:0] children = {
                dy == 0 | dy > HALF_ROWS, dy < HALF_ROWS - 1, dy == 0 & (dx == 0 | dx > HALF_COLS), dy == 0 & dx < HALF_COLS - 1
            };
            localparam [3:0] OF_ROOT = {1'b1, ROWS > 2, 1'b1, COLS > 2};
            // heads that are summands of the own word's root, and those of this root
            wire [3:0] like_own;
            wire [3:0] for_here;
            for (i = 0; i < 4; i = i + 1) begin : head
                assign like_own[i] = is_summand[i] && heads[i*B+:2*A] == inject[0+:2*A];
                assign for_here[i] = is_summand[i] && heads[i*B+:2*A] == {ROW, COLUMN};
            end
            wire is_root = (OF_ROOT & ~for_here) == 0;
            wire is_complete = is_root | is_summand[4] & (children & ~like_own) == 0;
            wire is_free = sum_want[4] ? is_sum_ejected : ~is_sum_first | grants[4*5+:5] != 0;
            wire [4:0] chosen = is_root ? {1'b0, OF_ROOT} : {1'b1, children};
            // at most four words: a root has no own one, and on other nodes of a row one comes along the row
            wire [W-1:0] west = heads[0*B+2*A+T+:W];
            wire [W-1:0] east = heads[1*B+2*A+T+:W];
            wire [W-1:0] north = heads[2*B+2*A+T+:W] & {W{chosen[2]}};
            wire [W-1:0] south = heads[3*B+2*A+T+:W] & {W{chosen[3]}};
            wire [W-1:0] along_row = chosen[1] ? east : west & {W{chosen[0]}};
            wire [W-1:0] other = !is_root ? inject[2*A+T+:W] : COLS > 2 ? west : {W{1'b0}};

            assign added = {5{is_complete & is_free}} & chosen;
            always @(posedge clk) begin
                if (is_free) sum <= {(north + south) + (along_row + other), is_root ? heads[1*B+:2*A+T] : inject[0+:2*A+T]};
                if (rst) sum_want <= 5'd0;
                else if (is_free) sum_want <= {5{is_complete}} & (is_root ? 5'b10000 : leads);
            end
        end else begin : adds_nothing
            assign added = 5'd0;
            always @(posedge clk) begin
                sum <= {B{1'b0}};
                sum_want <= 5'd0;
            end
        end
    endgenerate

    always @(posedge clk) begin
        in_credit <= {4{~rst}} & pop[3:0];
        out[0*B+:B] <= west_grant[1] ? {own[B-1:2*A], to_west} : from_east;
        out[1*B+:B] <= east_grant[1] ? {own[B-1:2*A], to_east} : from_west;
        out[2*B+:B] <= north_grant[3] ? {own[B-1:2*A], rows_north[2*A+:A], own[0+:A]}
            : north_grant[2] ? {from_east[B-1:2*A], rows_north[A+:A], from_east[0+:A]}
            : north_grant[1] ? {from_west[B-1:2*A], rows_north[0+:A], from_west[0+:A]} : from_south;
        out[3*B+:B] <= south_grant[3] ? {own[B-1:2*A], rows_south[2*A+:A], own[0+:A]}
            : south_grant[2] ? {from_east[B-1:2*A], rows_south[A+:A], from_east[0+:A]}
            : south_grant[1] ? {from_west[B-1:2*A], rows_south[0+:A], from_west[0+:A]} : from_north;
        eject <= is_sum_ejected ? sum : eject_grant[3] ? from_south : eject_grant[2] ? from_north : eject_grant[1] ? from_east : from_west;
    end

endmodule

// buffered_torus: ROWS by COLS of these routers
module buffered_torus #(
    parameter integer FORKS = 0,
    parameter integer ADDS = 0,
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

    wire [4*ROWS*COLS*B-1:0] out;
    wire [4*ROWS*COLS-1:0] out_valid;
    wire [4*ROWS*COLS-1:0] credit;

    genvar y, x;
    generate
        for (y = 0; y < ROWS; y = y + 1) begin : row
            for (x = 0; x < COLS; x = x + 1) begin : column
                localparam integer HERE = y * COLS + x;
                localparam integer WEST = 4 * (y * COLS + (x + COLS - 1) % COLS);
                localparam integer EAST = 4 * (y * COLS + (x + 1) % COLS);
                localparam integer NORTH = 4 * ((y + ROWS - 1) % ROWS * COLS + x);
                localparam integer SOUTH = 4 * ((y + 1) % ROWS * COLS + x);

                buffered_router #(
                    .FORKS(FORKS), .ADDS(ADDS), .W(W), .T(T), .A(A), .X(x), .Y(y), .ROWS(ROWS), .COLS(COLS)
                ) router (
                    .clk(clk),
                    .rst(rst),
                    .in({out[(SOUTH+2)*B+:B], out[(NORTH+3)*B+:B], out[(EAST+0)*B+:B], out[(WEST+1)*B+:B]}),
                    .in_valid({out_valid[SOUTH+2], out_valid[NORTH+3], out_valid[EAST+0], out_valid[WEST+1]}),
                    .in_credit(credit[4*HERE+:4]),
                    .inject(inject[HERE*B+:B]), .inject_valid(inject_valid[HERE]), .inject_ready(inject_ready[HERE]),
                    .out(out[4*HERE*B+:4*B]),
                    .out_valid(out_valid[4*HERE+:4]),
                    .out_credit({credit[SOUTH+2], credit[NORTH+3], credit[EAST+0], credit[WEST+1]}),
                    .eject(eject[HERE*B+:B]), .eject_valid(eject_valid[HERE])
                );
            end
        end
    endgenerate

endmodule

`default_nettype wire
