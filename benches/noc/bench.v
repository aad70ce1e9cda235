// bench: a collective on a network whose routers decide (NETWORK: deflection_torus or buffered_torus, FORKS
// if its routers copy words, ADDS if they add as well), by software at the nodes
//
// +collective=all-gather, all-to-all, broadcast, reduce or all-reduce, +way=direct, rows, tree, forks, adds or scattered, and for an all-to-all planned. Processing
// elements take a word per clock, offer a word per clock, and need no time to decide; with COPIES of the network side by side
// they do so at each of them, in turns. Every word is compared. The last line has the clocks from the first offered word to the
// last taken one, and the number of words that were compared.
`default_nettype none

module bench;

    parameter integer ROWS = 4;
    parameter integer COLS = 4;
    // bits of a coordinate; ROWS and COLS are 1 << A
    parameter integer A = 2;
    parameter integer W = 32;
    parameter integer COPIES = 1;

    localparam integer N = ROWS * COLS;
    // phase of the collective, and a node
    localparam integer T = 2 * A + 2;
    localparam integer B = W + T + 2 * A;
    localparam integer ROOM = 4 * N;
    // doors of the networks: those of a node side by side
    localparam integer D = N * COPIES;
    // clocks after which nothing more is expected to come
    localparam integer LIMIT = 100 * N;

    localparam [1:0] GATHER = 0;
    localparam [1:0] REDUCE = 1;
    localparam [1:0] REDUCE_COLUMN = 2;
    // a summand, which routers add up on its way
    localparam [1:0] ADD = 2;
    // a word to all, which routers copy
    localparam [1:0] TO_ALL = 3;

    reg clk = 0;
    reg rst = 1;
    // by copy, in each by node
    wire [D*B-1:0] inject;
    wire [D-1:0] inject_valid;
    wire [D-1:0] inject_ready;
    wire [D*B-1:0] eject;
    wire [D-1:0] eject_valid;

    genvar c;
    generate
        for (c = 0; c < COPIES; c = c + 1) begin : copy
            `NETWORK #(
`ifdef FORKS
                .FORKS(1),
`endif
`ifdef ADDS
                .ADDS(1),
`endif
                .ROWS(ROWS), .COLS(COLS), .W(W), .T(T), .A(A)
            ) network (
                .clk(clk), .rst(rst),
                .inject(inject[c*N*B+:N*B]), .inject_valid(inject_valid[c*N+:N]), .inject_ready(inject_ready[c*N+:N]),
                .eject(eject[c*N*B+:N*B]), .eject_valid(eject_valid[c*N+:N])
            );
        end
    endgenerate

    always #1 clk = ~clk;

    // words that wait at each door, with the clock from which on they may leave
    reg [B-1:0] queue [0:D*ROOM-1];
    integer due [0:D*ROOM-1];
    integer head [0:D-1];
    integer tail [0:D-1];
    reg [D-1:0] offered = 0;
    // copy that took a node's last word
    integer turn [0:N-1];

    genvar g;
    generate
        for (g = 0; g < D; g = g + 1) begin : node
            reg [B-1:0] first;
            assign inject[g*B+:B] = first;
            assign inject_valid[g] = offered[g];
        end
        for (g = 0; g < D; g = g + 1) begin : offer
            always @(negedge clk) begin
                node[g].first = queue[g*ROOM+head[g]];
                offered[g] = !rst && head[g] != tail[g] && due[g*ROOM+head[g]] <= clocks;
            end
        end
    endgenerate

    // words that a node has received by phase and the node in the tag
    integer seen [0:4*N*N-1];
    // sums of a node, a word per chunk: along its row, and along its column as well
    reg [W-1:0] row_sum [0:N*N-1];
    reg [W-1:0] column_sum [0:N*N-1];
    reg [N*N-1:0] is_row_done = 0;
    reg [N*N-1:0] is_column_here = 0;
    reg [W-1:0] total [0:N-1];
    integer summands [0:N-1];

    reg [8*16-1:0] collective = 0;
    reg [8*16-1:0] way = 0;
    integer expected = 0;
    integer taken = 0;
    integer clocks = 0;
    integer last = 0;
    integer is_bad = 0;
    integer i, j, k, at, from, door;
    // clock from which on the next word that is sent may leave
    integer from_clock = 0;
    integer planned = 0;
    integer copy_at;
    integer seed = 1;

    // the word of a node for another node, or the own word of a node
    function [W-1:0] value(input integer source, input integer chunk);
        value = (source * 997 + chunk + 1) * 32'h9E3779B1 ^ (chunk << 7);
    endfunction

    // the sum that chunk has in the end
    function [W-1:0] sum(input integer chunk);
        integer source;
        begin
            sum = 0;
            for (source = 0; source < N; source = source + 1) sum = sum + value(source, chunk);
        end
    endfunction

    task fail(input integer here, input integer id, input [1:0] phase);
        begin
            $display("FAIL node %0d, phase %0d, node of the tag %0d, clock %0d", here, phase, id, clocks);
            is_bad = 1;
        end
    endtask

    task send(input integer here, input integer to, input [1:0] phase, input integer id, input [W-1:0] word);
        reg [A-1:0] row, column;
        reg [2*A-1:0] name;
        begin
            row = to / COLS;
            column = to % COLS;
            name = id;
            // a plan has a copy of its own, and all summands of a chunk have one; else it is that with the fewest words waiting, in turns
            door = adds(way) ? id % COPIES : planned;
            if (way != "planned" && !(adds(way) && phase == ADD)) begin
                turn[here] = (turn[here] + 1) % COPIES;
                door = turn[here];
                for (copy_at = 0; copy_at < COPIES; copy_at = copy_at + 1)
                    if (waiting(copy_at, here) < waiting(door, here)) door = copy_at;
            end
            door = door * N + here;
            queue[door*ROOM+tail[door]] = {word, phase, name, row, column};
            due[door*ROOM+tail[door]] = from_clock;
            tail[door] = tail[door] + 1;
        end
    endtask

    function integer waiting(input integer of_copy, input integer here);
        waiting = tail[of_copy*N+here] - head[of_copy*N+here];
    endfunction

    function integer east_of(input integer here, input integer steps);
        east_of = here / COLS * COLS + (here + steps) % COLS;
    endfunction

    function integer south_of(input integer here, input integer steps);
        south_of = (here + steps * COLS) % N;
    endfunction

    // how far a node is to the east or south of another
    function integer columns_from(input integer source, input integer here);
        columns_from = (here % COLS + COLS - source % COLS) % COLS;
    endfunction

    function integer rows_from(input integer source, input integer here);
        rows_from = (here / COLS + ROWS - source / COLS) % ROWS;
    endfunction

    // passes a word of `source` on to the neighbours that get it from here; `reach` is how far words go to the east and south.
    // On networks with links both ways the others get it from the west and north.
    task pass(input integer here, input integer source, input [W-1:0] word);
        integer dx, dy;
        begin
            dx = columns_from(source, here);
            dy = rows_from(source, here);
`ifdef BOTH_WAYS
            if (dy == 0 && dx < COLS / 2) send(here, east_of(here, 1), GATHER, source, word);
            if (dy == 0 && (dx == 0 || dx > COLS / 2 + 1)) send(here, east_of(here, COLS - 1), GATHER, source, word);
            if (dy < ROWS / 2) send(here, south_of(here, 1), GATHER, source, word);
            if (dy == 0 || dy > ROWS / 2 + 1) send(here, south_of(here, ROWS - 1), GATHER, source, word);
`else
            if (dy == 0 && dx < COLS - 1) send(here, east_of(here, 1), GATHER, source, word);
            if (dy < ROWS - 1) send(here, south_of(here, 1), GATHER, source, word);
`endif
        end
    endtask

    // sends to the subtrees of a binomial tree from node 0, the largest one first
    task branch(input integer here, input [W-1:0] word);
        integer step;
        begin
            step = N / 2;
            while (step > 0) begin
                if (here % (2 * step) == 0) send(here, here + step, GATHER, 0, word);
                step = step / 2;
            end
        end
    endtask

    // gathers the own word of a node
    task share(input integer here, input [W-1:0] word);
        integer other;
        begin
            if (way == "rows") pass(here, here, word);
            else if (way == "forks") send(here, here, TO_ALL, here, word);
            else begin
                for (other = 1; other < N; other = other + 1)
                    send(here, (here / COLS + other / COLS) % ROWS * COLS + (here + other) % COLS, GATHER, here, word);
            end
        end
    endtask

    // goes on with a chunk whose sum along the row and along the column so far are both here
    task join_sums(input integer here, input integer chunk);
        integer is_first;
        begin
            // the node south of the chunk's begins
            is_first = rows_from(chunk, here) == 1;
            if (is_row_done[here*N+chunk] && (is_first || is_column_here[here*N+chunk])) begin
                if (!is_first) row_sum[here*N+chunk] = row_sum[here*N+chunk] + column_sum[here*N+chunk];
                if (chunk == here) begin
                    total[here] = row_sum[here*N+chunk];
                    if (total[here] !== sum(here)) fail(here, chunk, REDUCE_COLUMN);
                    share(here, total[here]);
                end else send(here, south_of(here, 1), REDUCE_COLUMN, chunk, row_sum[here*N+chunk]);
            end
        end
    endtask

    // routers add
    function adds(input [8*16-1:0] named);
        adds = named == "adds" || named == "scattered";
    endfunction

    // node that has the sum of a chunk first: node 0, or one after the other by neighbours
    function integer root(input integer chunk);
        if (way == "adds") root = 0;
        else root = chunk / COLS % 2 == 0 ? chunk : chunk / COLS * COLS + COLS - 1 - chunk % COLS;
    endfunction

    // next node on the way to node 0
    function integer parent(input integer here);
        if (way == "direct") parent = 0;
        else if (way == "tree") parent = here - (here & -here);
`ifdef BOTH_WAYS
        else if (here % COLS != 0) parent = east_of(here, here % COLS > COLS / 2 ? 1 : COLS - 1);
        else parent = south_of(here, here / COLS > ROWS / 2 ? 1 : ROWS - 1);
`else
        else if (here % COLS != 0) parent = east_of(here, 1);
        else parent = south_of(here, 1);
`endif
    endfunction

    // goes on with a reduction to node 0, if all summands of a node are here
    task reduce_on(input integer here);
        if (summands[here] == 0) begin
            if (here != 0) send(here, parent(here), REDUCE, here, total[here]);
            else if (total[0] !== sum(0)) fail(0, 0, REDUCE);
        end
    endtask

    // takes a word at a node
    task take(input integer here, input [W-1:0] word, input [1:0] phase, input integer id);
        begin
            seen[(phase*N+here)*N+id] = seen[(phase*N+here)*N+id] + 1;
            if (seen[(phase*N+here)*N+id] != 1) fail(here, id, phase);
            case (phase)
                GATHER, TO_ALL: begin
                    if (collective == "all-to-all") begin
                        if (word !== value(id, here)) fail(here, id, phase);
                    end else if (collective == "all-reduce") begin
                        if (word !== sum(id)) fail(here, id, phase);
                    end else if (word !== value(id, id)) fail(here, id, phase);
                    if (collective != "all-to-all" && way == "rows") pass(here, id, word);
                    // forwards to the subtrees below the lowest bit
                    if (way == "tree") for (k = here & -here; k > 1; k = k / 2) send(here, here + k / 2, GATHER, id, word);
                end
                REDUCE: begin
                    if (collective == "reduce") begin
                        total[here] = total[here] + word;
                        summands[here] = summands[here] - 1;
                        reduce_on(here);
                    end else if (way == "rows" || way == "forks") begin
                        // the tag is the chunk
                        row_sum[here*N+id] = word + value(here, id);
                        if (id % COLS == here % COLS) begin
                            is_row_done[here*N+id] = 1;
                            join_sums(here, id);
                        end else send(here, east_of(here, 1), REDUCE, id, row_sum[here*N+id]);
                    end else begin
                        if (word !== value(id, here)) fail(here, id, phase);
                        total[here] = total[here] + word;
                        summands[here] = summands[here] + 1;
                        if (summands[here] == N) share(here, total[here]);
                    end
                end
                // ADD has the same code
                REDUCE_COLUMN: if (adds(way)) begin
                    if (here != root(id) || word + value(here, id) !== sum(id)) fail(here, id, phase);
                    if (collective == "all-reduce") send(here, here, TO_ALL, id, word + value(here, id));
                end else begin
                    column_sum[here*N+id] = word;
                    is_column_here[here*N+id] = 1;
                    join_sums(here, id);
                end
                default: fail(here, id, phase);
            endcase
        end
    endtask

    // words of an all-to-all that goes (dx, dy) at every node, to the east and to the south
    task exchange(input integer dx, input integer dy);
        integer here, to;
        for (here = 0; here < N; here = here + 1) begin
            to = south_of(east_of(here, dx), dy);
            send(here, to, GATHER, here, value(here, to));
        end
    endtask

    // plans of an all-to-all: all nodes send as far at the same time
    integer a, b, preceding, row_free, column_free;

`ifdef BOTH_WAYS
    localparam integer SPAN = 8 * N;
    // hops in a random order, the longest first
    integer order [0:N-1];
    // what is taken in each clock: the doors in, by pairs the links to the west, east, north and south of nodes with even and odd
    // places, and the doors out
    reg [9:0] taken_at [0:COPIES*SPAN-1];
    // hops that leave in a clock, 0 for none
    integer leaves_at [0:COPIES*SPAN-1];
    integer dx, dy, start, hops;
    reg [9:0] wanted;
    reg fits, is_marking;

    function integer shortest(input integer steps, input integer side);
        shortest = steps <= side - steps ? steps : side - steps;
    endfunction

    function integer reach(input integer steps);
        reach = shortest(steps % COLS, COLS) + shortest(steps / COLS, ROWS);
    endfunction

    // Links that a hop takes. Half a round leads either way: from even places up, and from odd ones down.
    function [3:0] links(input integer steps, input integer side, input integer hop);
        if (2 * steps == side) links = hop % 2 == 0 ? 4'b0110 : 4'b1001;
        else links = 2 * steps < side ? 4'b1100 : 4'b0011;
    endfunction

    // A hop takes two clocks.
    task way_from(input integer begin_at);
        integer clock, hop, turns, ends;
        begin
            fits = 1;
            clock = begin_at;
            turns = shortest(dx, COLS);
            ends = turns + shortest(dy, ROWS);
            for (hop = 0; hop <= ends; hop = hop + 1) begin
                wanted = 10'd0;
                if (hop < turns) wanted[4:1] = links(dx, COLS, hop);
                else if (hop < ends) wanted[8:5] = links(dy, ROWS, hop - turns);
                else wanted[9] = 1'b1;
                wanted[0] = hop == 0;
                if (is_marking) taken_at[planned*SPAN+clock] = taken_at[planned*SPAN+clock] | wanted;
                else if (taken_at[planned*SPAN+clock] & wanted) fits = 0;
                clock = clock + 2;
            end
        end
    endtask

    // each takes the first clock, of any copy, from which on all that it needs is free
    task plan;
        begin
            for (i = 0; i < COPIES * SPAN; i = i + 1) begin
                taken_at[i] = 0;
                leaves_at[i] = 0;
            end
            for (i = 1; i < N; i = i + 1) order[i] = i;
            for (i = N - 1; i > 1; i = i - 1) begin
                seed = seed * 1664525 + 1013904223;
                j = 1 + ((seed >> 8) & 24'hFFFFFF) % i;
                k = order[i];
                order[i] = order[j];
                order[j] = k;
            end
            for (hops = COLS / 2 + ROWS / 2; hops > 0; hops = hops - 1)
                for (i = 1; i < N; i = i + 1) if (reach(order[i]) == hops) begin
                    dx = order[i] % COLS;
                    dy = order[i] / COLS;
                    start = 0;
                    planned = 0;
                    is_marking = 0;
                    way_from(0);
                    while (!fits) begin
                        planned = (planned + 1) % COPIES;
                        if (planned == 0) start = start + 1;
                        way_from(start);
                    end
                    is_marking = 1;
                    way_from(start);
                    leaves_at[planned*SPAN+start] = order[i];
                end
            for (i = 0; i < COPIES * SPAN; i = i + 1) if (leaves_at[i] != 0) begin
                planned = i / SPAN;
                from_clock = i % SPAN;
                exchange(leaves_at[i] % COLS, leaves_at[i] / COLS);
            end
            from_clock = 0;
        end
    endtask
`else
    // A word that goes (dx, dy) takes dx clocks of the links to the east, and then at once dy + 1 of those to the south, the last
    // of them to leave. Words follow each other so that dx is the dy of the one before, a walk through all pairs: then there is
    // no pause on the links to the south.
    task visit(input integer dy);
        begin
            if (preceding != 0 || dy != 0) begin
                from_clock = row_free > column_free - preceding ? row_free : column_free - preceding;
                exchange(preceding, dy);
                row_free = from_clock + preceding;
                column_free = row_free + dy + 1;
                // each copy has a part of the walk
                if (column_free * COPIES >= N - 1 + N * (ROWS - 1) / 2 && planned < COPIES - 1) begin
                    planned = planned + 1;
                    row_free = 0;
                    column_free = 0;
                end
            end
            preceding = dy;
        end
    endtask

    task plan;
        begin
            row_free = 0;
            column_free = 0;
            preceding = 0;
            for (a = 0; a < COLS; a = a + 1) begin
                if (a != 0) visit(a);
                for (b = a + 1; b < COLS; b = b + 1) begin
                    visit(a);
                    visit(b);
                end
            end
            visit(0);
            from_clock = 0;
        end
    endtask
`endif

    reg [B-1:0] word;

    always @(posedge clk) if (!rst) begin
        clocks = clocks + 1;
        for (i = 0; i < D; i = i + 1) begin
            if (inject_ready[i] === 1'b1) head[i] = head[i] + 1;
            if (inject_ready[i] === 1'bx || eject_valid[i] === 1'bx) fail(i % N, 0, 3);
        end
        for (i = 0; i < D; i = i + 1) if (eject_valid[i] === 1'b1) begin
            word = eject[i*B+:B];
            taken = taken + 1;
            // the clock in which it was written into the last register
            last = clocks - 1;
            // a router may drop the address, for it is the node's
            take(i % N, word[2*A+T+:W], word[2*A+T-2+:2], word[2*A+:2*A]);
        end
        if (is_bad || clocks == LIMIT || taken >= expected && clocks > last + 8 * (ROWS + COLS)) begin
            if (taken != expected) $display("FAIL %0d words of %0d", taken, expected);
            else if (!is_bad) $display("PASS %0d %0d", last, taken);
            $finish;
        end
    end

    initial begin
        if (!$value$plusargs("collective=%s", collective) || !$value$plusargs("way=%s", way)) begin
            $display("FAIL: +collective and +way are required");
            $finish;
        end
        for (i = 0; i < D; i = i + 1) begin
            head[i] = 0;
            tail[i] = 0;
        end
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        for (i = 0; i < N; i = i + 1) begin
            turn[i] = i % COPIES;
            total[i] = value(i, i);
            summands[i] = 1;
        end
        for (i = 0; i < 4 * N * N; i = i + 1) seen[i] = 0;
        case (collective)
            "all-gather": begin
                for (at = 0; at < N; at = at + 1) share(at, value(at, at));
                expected = N * (N - 1);
            end
            "all-to-all": begin
                if (way == "planned") plan;
                else for (at = 0; at < N; at = at + 1)
                    for (j = 1; j < N; j = j + 1) begin
                        from = (at / COLS + j / COLS) % ROWS * COLS + (at + j) % COLS;
                        send(at, from, GATHER, at, value(at, from));
                    end
                expected = N * (N - 1);
            end
            "broadcast": begin
                if (way == "tree") branch(0, value(0, 0));
                else share(0, value(0, 0));
                expected = N - 1;
            end
            "reduce": begin
                for (at = 0; at < N; at = at + 1) begin
                    total[at] = value(at, 0);
                    summands[at] = 0;
                end
                if (way == "adds") for (at = 1; at < N; at = at + 1) send(at, 0, ADD, 0, value(at, 0));
                else begin
                    for (at = 1; at < N; at = at + 1) summands[parent(at)] = summands[parent(at)] + 1;
                    for (at = 1; at < N; at = at + 1) reduce_on(at);
                end
                expected = way == "adds" ? 1 : N - 1;
            end
            "all-reduce": if (adds(way)) begin
                for (at = 0; at < N; at = at + 1)
                    for (j = 0; j < N; j = j + 1) if (at != root(j)) send(at, root(j), ADD, j, value(at, j));
                // the sums at roots, and then at all others
                expected = N * N;
            end else begin
                for (at = 0; at < N; at = at + 1) begin
                    if (way == "rows" || way == "forks") begin
                        // a chunk goes round its row from the node east of its column, then round its column
                        for (j = 0; j < ROWS; j = j + 1) begin
                            k = j * COLS + (at + COLS - 1) % COLS;
                            send(at, east_of(at, 1), REDUCE, k, value(at, k));
                        end
                    end else begin
                        for (j = 1; j < N; j = j + 1) begin
                            from = (at / COLS + j / COLS) % ROWS * COLS + (at + j) % COLS;
                            send(at, from, REDUCE, at, value(at, from));
                        end
                    end
                end
                expected = 2 * N * (N - 1);
            end
            default: begin
                $display("FAIL: unknown collective");
                $finish;
            end
        endcase
        repeat (4) @(posedge clk);
        #0.5 rst = 0;
    end

endmodule

`default_nettype wire
