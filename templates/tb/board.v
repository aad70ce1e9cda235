// {{ bench.module }}: plays {{ per_board }}, on links of any latency in clocks
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ bench.module }}{% if cables.check.is_some() %} #(
{%- include "tb/cables/parameters.v" %}
){% endif %};
    localparam integer WIDTH = {{ bench.width }};
    localparam integer TICKS = {{ bench.ticks }};
    localparam integer BOARDS = {{ kinds.of.len() }};
    localparam integer SITES = {{ kinds.blocks.sites() }};  // nodes per board
    localparam integer PORTS = {{ bench.place.ports }};  // per node
    localparam integer ARRIVALS = BOARDS * SITES * PORTS;
{%- include "tb/cables/sizes.v" %}
{%- if bench.streams %}
    localparam integer WORDS = {{ bench.words }};  // flits of all nodes together
    localparam integer PACKETS = {{ bench.packets }};  // own inputs of all nodes together
{%- else %}
    localparam integer FLITS = {{ bench.flits }};
    localparam integer PACKETS = {{ bench.packets }};  // all nodes together
{%- endif %}
    localparam integer ENDS = {{ bench.ticks_compared.ends }};  // ticks compared at the beginning and at the end
    localparam integer EVERY = {{ bench.ticks_compared.every }};  // and every n-th tick between
    localparam integer COMPARED = {{ bench.ticks_compared.count() }};  // number of compared ticks
    localparam integer VALID = {{ bench.valid }};  // valid bit of an expected word
    localparam integer COPIES = (WIDTH + 63) / 64;
{%- if cables.check.is_some() %}
    // clocks without arrivals, besides a link's latency
    localparam integer PATIENCE = 1000 + {% if cables.serial.is_some() || cables.transceiver.is_some() %}16{% else %}4{% endif %} * (1 << WAITS);
{%- else %}
    localparam integer PATIENCE = 1000;  // clocks without arrivals, besides a link's latency
{%- endif %}

    reg clk;
    reg rst = 1'b1;
{%- let sums = bench.sums() %}
{%- include "tb/cables/clock.v" %}

    reg [WIDTH-1:0] own [1:{% if bench.combines() %}2*WORDS{% else if bench.streams %}WORDS{% else %}PACKETS*FLITS{% endif %}];
    reg [VALID:0] expected [1:{% if bench.combines() %}2*{% endif %}COMPARED*ARRIVALS];

    // by board
    reg start [1:BOARDS];
    reg stall [1:BOARDS];
    wire busy [1:BOARDS];
    wire done [1:BOARDS];
    wire arrived [1:BOARDS];
{%- include "tb/cables/signals.v" %}
{%- for common in cables.common %}
    wire [WIDTH-1:0] word [1:BOARDS];
    // word that comes with the start, at the host's board, and the one that a run began with
    reg [WIDTH-1:0] start_word;
    reg [WIDTH-1:0] wanted_word;
{%- endfor %}
{%- if bench.counted && !bench.streams %}
    wire [31:0] flit [1:BOARDS];
{%- endif %}
    // by {% if bench.streams %}own input{% else %}packet{% endif %}
    reg [WIDTH-1:0] present [1:PACKETS];
{%- if bench.streams %}
    wire take [1:PACKETS];
{%- if has_strays() %}
    // by node and input: inputs that are never sent
    wire stray [1:{{ strays }}];
{%- endif %}
{%- endif %}
    // by node and port: arrivals
    wire [WIDTH-1:0] data [1:ARRIVALS];
    wire valid [1:ARRIVALS];
{%- for own in each() %}
{%- let board = own.cabled %}

{%- if bench.counted && !bench.streams %}

    assign flit[{{ board.number }}][31:{{ bench.flit_bits }}] = 0;
{%- endif %}
{%- for check in cables.check %}

    assign error_port[{{ board.number }}][31:{{ check.port_bits }}] = 0;
{%- endfor %}
{%- include "tb/cables/tied.v" %}
{%- for arrival in own.missing() %}
    assign data[{{ arrival }}] = 0;
    assign valid[{{ arrival }}] = 1'b0;
{%- endfor %}
    // {{ board.label }}
    {{ cables.module }} #(
        .WIDTH(WIDTH){% if cables.serial.is_some() %},
        .DIVISOR(DIVISOR){% endif %}{% if cables.transceiver.is_some() %},
        .BYTES(BYTES){% endif %}{% if cables.check.is_some() %},
        .PATIENCE(WAITS){% endif %}
    ) {{ board.name }} (
        .clk({% if cables.own_clocks %}board_clock[{{ board.number }}]{% else %}clk{% endif %}),
{%- if cables.check.is_some() %}
        .rst(rst | reset[{{ board.number }}]),
{%- else %}
        .rst(rst),
{%- endif %}
{%- for coordinate in board.coordinates %}
        .{{ coordinate.name }}({{ coordinate.bits }}'d{{ coordinate.at }}),
{%- endfor %}
        .start(start[{{ board.number }}]),
{%- for common in cables.common %}
        .start_word({% if board.number == common.host %}start_word{% else %}{WIDTH{1'bx}}{% endif %}),
        .word(word[{{ board.number }}]),
{%- for axis in common.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}[{{ board.number }}][{{ axis.bits - 1 }}:0]),
{%- endfor %}
{%- endfor %}
{%- include "tb/cables/ports.v" %}
        .stall(stall[{{ board.number }}]),
        .done(done[{{ board.number }}]),
        .arrived(arrived[{{ board.number }}]),
{%- for check in cables.check %}
        .ready(ready[{{ board.number }}]),
        .links_up(links_up[{{ board.number }}]),
        .error(error[{{ board.number }}]),
        .error_code(error_code[{{ board.number }}]),
        .error_port(error_port[{{ board.number }}][{{ check.port_bits - 1 }}:0]),
        .restart(restart[{{ board.number }}]),
{%- endfor %}
{%- if bench.counted && !bench.streams %}
        .flit(flit[{{ board.number }}][{{ bench.flit_bits - 1 }}:0]),
{%- endif %}
{%- for packet in own.packets %}
{%- if packet.is_sent %}
        .{{ packet.name }}(present[{{ packet.index }}]),
{%- if bench.streams %}
        .{{ packet.name }}_take(take[{{ packet.index }}]),
{%- endif %}
{%- else %}
        .{{ packet.name }}({WIDTH{1'bx}}),
{%- if bench.streams %}
        .{{ packet.name }}_take(stray[{{ packet.stray }}]),
{%- endif %}
{%- endif %}
{%- endfor %}
{%- for arrival in own.linked() %}
        .{{ arrival.name }}_in_data(data[{{ arrival.index }}]),
        .{{ arrival.name }}_in_valid(valid[{{ arrival.index }}]),
{%- endfor %}
        .busy(busy[{{ board.number }}])
    );
{%- endfor %}

    integer board, link, packet, site, clocks, still, port, began, last;

    // nodes of each board
    integer member [1:BOARDS*SITES];
{%- if bench.streams %}

    // each own input shows its next flit once one is taken
    integer first [1:PACKETS];
    integer flits [1:PACKETS];
    integer sent [1:PACKETS];
{%- if has_strays() %}
    reg absent [1:{{ strays }}];
{%- endif %}
{%- endif %}
    // origin of the flit
    integer owner [1:PACKETS];
    initial begin
        for (packet = 1; packet <= PACKETS; packet = packet + 1) owner[packet] = 0;
{%- if has_strays() %}
        for (packet = 1; packet <= {{ strays }}; packet = packet + 1) absent[packet] = 1'b1;
{%- endif %}
{%- for board in each() %}
{%- for node in board.nodes %}
        member[{{ node.at }}] = {{ node.number }};
{%- endfor %}
{%- for packet in board.packets %}
{%- if packet.is_sent %}
        owner[{{ packet.index }}] = {{ board.cabled.number }};
{%- if has_strays() %}
        absent[{{ packet.stray }}] = 1'b0;
{%- endif %}
{%- endif %}
{%- endfor %}
{%- endfor %}
{%- if bench.streams %}
{%- for input in bench.inputs() %}
        first[{{ input.index }}] = {{ input.first }};
        flits[{{ input.index }}] = {{ input.flits }};
{%- endfor %}
{%- endif %}
    end
{% include "tb/draw.v" %}

    // own data of a run: that of the first run with these bits inverted
    reg [63:0] mixed;
    reg [64*COPIES-1:0] wide;
    task automatic mix(input integer of_run);
        begin
{%- if bench.combines() %}
            mixed = 64'd0 & {32'd0, of_run};
{%- else %}
            mixed = {32'd0, of_run} * 64'hd1b54a32d192ed03;
{%- endif %}
            wide = {COPIES{mixed}};
        end
    endtask

    integer runs, seed, least, most, stalls;
    // by board: rate of stalls, runs begun and ended, ticks of this run that have arrived, and those compared
    integer slow [1:BOARDS];
    integer begun [1:BOARDS];
    integer over [1:BOARDS];
    integer dones [1:BOARDS];
    integer tick [1:BOARDS];
    integer seen [1:BOARDS];
    // and the inverted bits of its own data
    reg [WIDTH-1:0] inverted [1:BOARDS];
    integer left;
    reg good;
{%- include "tb/cables/links.v" %}
{%- if cables.check.is_some() %}

    // all boards begin anew, with a run that none of them has begun
    task automatic renew;
        begin
            base = 0;
            for (board = 1; board <= BOARDS; board = board + 1) if (begun[board] > base) base = begun[board];
            for (board = 1; board <= BOARDS; board = board + 1) begin
                begun[board] = base;
                over[board] = base;
                dones[board] = base;
                tick[board] = 0;
                seen[board] = 0;
            end
        end
    endtask
{%- endif %}
{%- if cables.common.is_some() %}

    reg was_busy [1:BOARDS];
    reg [64*COPIES-1:0] fresh;
    // after an edge of a board: the host's word changes in every clock, and another board has begun
    task automatic watch_start;
        begin
            if (board == HOST) begin
                draw;
                fresh = {(2*COPIES){chance}};
                start_word = fresh[WIDTH-1:0];
            end else if (busy[board] === 1'b1 && !was_busy[board]) begin
                mix(begun[board]);
                inverted[board] = wide[WIDTH-1:0];
                begun[board] = begun[board] + 1;
                still = 0;
                if (begun[board] != begun[HOST]) begin
                    $display("FAIL board %0d begins run %0d, the host's board %0d", board - 1, begun[board], begun[HOST]);
                    good = 1'b0;
                end
            end
            was_busy[board] = busy[board] === 1'b1;
        end
    endtask
{%- endif %}

    initial begin
        if (!$value$plusargs("runs=%d", runs)) runs = {{ runs }};
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        read_settings;
{%- if cables.check.is_some() %}
        if (faults != 0) runs = NEVER;
{%- endif %}
        $readmemh("{{ bench.own_path }}", own);
        $readmemh("{{ bench.expected_path }}", expected);
        chance = 32'h2545f491 ^ seed;
{%- if cables.own_clocks %}
        choose_clocks;
{%- endif %}
        clocks = 0;
        still = 0;
        last = 0;
        began = -1;
        good = 1'b1;
        left = BOARDS;
        for (board = 1; board <= BOARDS; board = board + 1) begin
            draw_below(stalls + 1);
            slow[board] = drawn;
            begun[board] = 0;
            over[board] = 0;
            dones[board] = 0;
            tick[board] = 0;
            seen[board] = 0;
            start[board] = 1'b0;
            stall[board] = 1'b0;
{%- if cables.common.is_some() %}
            was_busy[board] = 1'b0;
{%- endif %}
        end
{%- if cables.common.is_some() %}
        start_word = {WIDTH{1'b0}};
        wanted_word = {WIDTH{1'b0}};
{%- endif %}
        lay_cables;
        repeat (8{% if cables.ports_cross() %} * COUNTED{% else if cables.own_clocks %} * (BOARDS + 1){% endif %}) @(negedge clk);
        rst = 1'b0;
    end

    // between two edges: arrivals over links, and the boards that wait or begin in the next clock
    task automatic drive;
        begin
            drive_links;
            judge_starts;
            for (board = 1; board <= BOARDS; board = board + 1) {% if cables.own_clocks %}if (rises[board]) {% endif %}begin
                draw_below(100);
                stall[board] = drawn < slow[board];
                // boards begin at random times
                drawn = {24'd0, chance[7:0]};
{%- if cables.common.is_some() %}
                watch_start;
{%- endif %}
                start[board] = may_start && begun[board] < runs && drawn % 100 >= slow[board];
            end
{%- if cables.check.is_some() %}
            disturb;
{%- endif %}
        end
    endtask

    // own inputs are unknown while a board is idle
{%- if bench.streams || bench.counted %}
    integer place;
{%- endif %}
    always @(negedge clk) begin
        if (!rst) drive;
        for (packet = 1; packet <= PACKETS; packet = packet + 1) {% if cables.own_clocks %}if (owner[packet] == 0 || rises[owner[packet]]) {% endif %}begin
            board = owner[packet];
            if (board != 0{% if bench.streams %} && flits[packet] != 0{% endif %} && busy[board] === 1'b1) begin
{%- if bench.streams %}
                place = {% if bench.combines() %}((begun[board] - 1) % 2) * WORDS + {% endif %}sent[packet] % flits[packet];
                present[packet] = own[first[packet]+place] ^ inverted[board];
{%- else if bench.counted %}
                place = flit[board];
                present[packet] = own[(packet-1)*FLITS+place+1] ^ inverted[board];
{%- else %}
                present[packet] = own[packet] ^ inverted[board];
{%- endif %}
            end else begin
                present[packet] = {WIDTH{1'bx}};
            end
        end
    end

    task automatic fail_at;
        begin
            $write("FAIL run %0d, tick %0d, node ", over[board], tick[board]);
{%- for axis in bench.place.axes %}
            $write("%0d{{ axis.comma }}", (link - 1) / {{ axis.step }} % {{ axis.side }});
{%- endfor %}
            $write(", port ");
            case ((link - 1) % PORTS)
{%- for port in bench.port_names %}
                {{ port.index }}: $write("{{ port.label }}");
{%- endfor %}
                default: $write("?");
            endcase
            good = 1'b0;
        end
    endtask

    // expected arrivals at a board in a tick
    reg [VALID:0] want;
    reg [WIDTH-1:0] want_data;
    task automatic compare;
        begin
            tick[board] = tick[board] + 1;
            if (tick[board] <= ENDS || tick[board] > TICKS - ENDS || tick[board] % EVERY == 0) begin
                mix(over[board]);
                for (site = 1; site <= SITES; site = site + 1) begin
                    for (port = 1; good && port <= PORTS; port = port + 1) begin
                        link = (member[(board-1)*SITES+site] - 1) * PORTS + port;
                        want = expected[{% if bench.combines() %}(over[board]%2)*COMPARED*ARRIVALS+{% endif %}seen[board]*ARRIVALS+link];
                        want_data = want[WIDTH-1:0] ^ wide[WIDTH-1:0];
                        if (valid[link] !== want[VALID]
                            || (want[VALID] && data[link] !== want_data)) begin
                            fail_at;
                            $display(": expected %h (valid %b), got %h (valid %b)",
                                want_data, want[VALID], data[link], valid[link]);
                        end
                    end
                end
                seen[board] = seen[board] + 1;
            end
            if (tick[board] == TICKS) begin
                tick[board] = 0;
                seen[board] = 0;
                over[board] = over[board] + 1;
                if (over[board] == runs) left = left - 1;
            end
        end
    endtask

    always @(posedge clk) begin
        if (!rst && good) begin
            {% if cables.own_clocks %}if (rises[COUNTED]) {% endif %}still = still + 1;
            watch_links;
            for (board = 1; board <= BOARDS; board = board + 1) {% if cables.own_clocks %}if (rises[board]) {% endif %}begin
                if (good && arrived[board] !== 1'b0) begin
                    still = 0;
                    last = clocks;
                    if (stall[board]) begin
                        $display("FAIL board %0d does not stall", board - 1);
                        good = 1'b0;
                    end
                    compare;
                end
                if (done[board] !== 1'b0) dones[board] = dones[board] + 1;
{%- if cables.common.is_some() %}
                if (busy[board] === 1'b1 && word[board] !== wanted_word) begin
                    $display("FAIL board %0d plays with %h, not %h", board - 1, word[board], wanted_word);
                    good = 1'b0;
                end
                if (board == HOST && start[board] && ready[board] === 1'b1) begin
                    wanted_word = start_word;
                    for (at_board = 1; at_board <= BOARDS; at_board = at_board + 1) begin
                        if (busy[at_board] !== 1'b0) begin
                            $display("FAIL the host's board begins while board %0d plays", at_board - 1);
                            good = 1'b0;
                        end
                    end
{%- else %}
                if (start[board] && busy[board] === 1'b0{% if cables.check.is_some() %} && ready[board] === 1'b1{% endif %}) begin
{%- endif %}
                    mix(begun[board]);
                    inverted[board] = wide[WIDTH-1:0];
                    begun[board] = begun[board] + 1;
                    still = 0;
                    if (began < 0) began = clocks;
                end
            end
{%- if bench.streams %}
            for (packet = 1; packet <= PACKETS; packet = packet + 1) begin
                if (owner[packet] == 0 || busy[owner[packet]] !== 1'b1) sent[packet] = 0;
                else if ({% if cables.own_clocks %}rises[owner[packet]] && {% endif %}take[packet] !== 1'b0) sent[packet] = sent[packet] + 1;
            end
{%- if has_strays() %}
            for (packet = 1; packet <= {{ strays }}; packet = packet + 1) begin
                if (absent[packet] && stray[packet] !== 1'b0) begin
                    $display("FAIL a board takes what it never sends");
                    good = 1'b0;
                end
            end
{%- endif %}
{%- endif %}
{%- if cables.check.is_some() %}
            watch_errors;
{%- endif %}
            {% if cables.own_clocks %}if (rises[COUNTED]) {% endif %}clocks = clocks + 1;
{%- if cables.check.is_some() %}
            if (left == 0 && still > 64) watch_idle;
            // as many clocks more as a link may be silent, to see that nothing further arrives
            if (good && still == ((left == 0) ? 128 + 2 * most + (2 << WAITS) : PATIENCE + most)) begin
{%- else %}
            // some clocks more, to see that nothing further arrives
            if (good && still == ((left == 0) ? 64 : PATIENCE + most)) begin
{%- endif %}
                for (board = 1; good && board <= BOARDS; board = board + 1) begin
                    if (over[board] != runs || dones[board] != runs || busy[board] !== 1'b0) begin
                        $display("FAIL board %0d: %0d done, %0d of %0d runs and %0d ticks compared",
                            board - 1, dones[board], over[board], runs, tick[board]);
                        good = 1'b0;
                    end
                end
{%- if cables.check.is_some() && cables.serial.is_none() && cables.transceiver.is_none() %}
                for (link = 1; good && link <= LINKS; link = link + 1) begin
                    if (there[link] != 0 && parts_sent[link] != (33'd1 << parts(link)) - 33'd1) begin
                        $display("FAIL output %0d has sent parts %b of its identity, which has %0d", link, parts_sent[link], parts(link));
                        good = 1'b0;
                    end
                end
{%- endif %}
{%- if cables.check.is_none() %}
                for (link = 1; good && link <= LINKS; link = link + 1) begin
                    if (put[link] != brought[link]) begin
                        $display("FAIL link %0d: %0d never come", link, put[link] - brought[link]);
                        good = 1'b0;
                    end
                end
{%- endif %}
                if (good) begin
                    $display("PASS %0d run%s of {{ ticks }} on {{ boards }}, %0d clocks, %0d.%0d a tick",
                        runs, (runs == 1) ? "" : "s", last - began, (last - began) / (runs * TICKS),
                        (last - began) * 10 / (runs * TICKS) % 10);
                    $finish(0);  // without a word
                end
            end
            // both set the exit status of the simulator to failure
            if (!good) begin
`ifdef __ICARUS__
                $finish_and_return(1);
`else
                $stop;
`endif
            end
        end
{%- if cables.check.is_some() %}
        // a fault between two edges
        if (!rst && !good) begin
`ifdef __ICARUS__
            $finish_and_return(1);
`else
            $stop;
`endif
        end
{%- endif %}
    end

endmodule

`default_nettype wire
