// {{ bench.module }}: plays {{ per_board }}, on links of any latency in clocks
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ bench.module }}{% if check.is_some() %} #(
{%- match serial %}
{%- when Some(serial) %}
    parameter integer DIVISOR = {{ serial.divisor }},  // clocks per bit on a wire
    // log2 of the clocks after which a silent link is down: more than 16 frames last on a wire
    parameter integer WAITS = {{ serial.patience }}
{%- when None %}
{%- for transceiver in transceiver %}
    parameter integer BYTES = {{ transceiver.bytes }},  // of a beat
{%- endfor %}
    // log2 of the clocks after which a silent link is down: more than a link there and back
    parameter integer WAITS = {% match transceiver %}{% when Some(transceiver) %}{{ transceiver.patience }}{% when None %}8{% endmatch %}
{%- endmatch %}
){% endif %};
    localparam integer WIDTH = {{ bench.width }};
    localparam integer TICKS = {{ bench.ticks }};
    localparam integer BOARDS = {{ kinds.of.len() }};
    localparam integer SITES = {{ kinds.blocks.sites() }};  // nodes per board
    localparam integer PORTS = {{ bench.place.ports }};  // per node
    localparam integer ARRIVALS = BOARDS * SITES * PORTS;
    localparam integer SIDES = {{ sides.len() }};  // ports per board
    localparam integer LINKS = BOARDS * SIDES;
{%- if serial.is_some() %}
    localparam integer ROOM = 512;  // most clocks that a wire takes
{%- else if check.is_some() %}
    localparam integer ROOM = 512;  // most {% if transceiver.is_some() %}beats{% else %}frames{% endif %} in flight on a link
{%- else %}
    localparam integer ROOM = {{ 2 * latency }};  // most flits in flight on a link
{%- endif %}
{%- if bench.streams %}
    localparam integer WORDS = {{ bench.words }};  // flits of all nodes together
    localparam integer PACKETS = {{ bench.packets }};  // own inputs of all nodes together
{%- else %}
    localparam integer FLITS = {{ bench.flits }};
    localparam integer PACKETS = {{ bench.packets }};  // all nodes together
{%- endif %}
    localparam integer ALL = (LINKS + 1) * ROOM;
    localparam integer ENDS = {{ bench.ticks_compared.ends }};  // ticks compared at the beginning and at the end
    localparam integer EVERY = {{ bench.ticks_compared.every }};  // and every n-th tick between
    localparam integer COMPARED = {{ bench.ticks_compared.count() }};  // number of compared ticks
    localparam integer VALID = {{ bench.valid }};  // valid bit of an expected word
    localparam integer COPIES = (WIDTH + 63) / 64;
{%- if check.is_some() %}
    // clocks without arrivals, besides a link's latency
    localparam integer PATIENCE = 1000 + {% if serial.is_some() || transceiver.is_some() %}16{% else %}4{% endif %} * (1 << WAITS);
{%- else %}
    localparam integer PATIENCE = 1000;  // clocks without arrivals, besides a link's latency
{%- endif %}
{%- if transceiver.is_some() %}
    // bits on a link: a beat, and above it whether it is the last of a frame
    localparam integer FRAME = 8 * BYTES + 1;
{%- else %}
    // bits on a link: {% if widest > 1 %}up to {{ widest }} flits{% else %}a flit{% endif %}, each with a valid bit{% if check.is_some() %}, in a frame{% endif %}
    localparam integer FRAME = {% if widest > 1 %}{{ widest }} * {% endif %}(WIDTH + 1){% for check in check %} + {{ check.overhead }}{% endfor %};
{%- endif %}
    localparam integer NEVER = 32'h7fffffff;  // a clock that never comes
{%- for common in common %}
    localparam integer HOST = {{ common.host }};  // the board that starts all
{%- endfor %}

    reg clk;
    reg rst = 1'b1;
{%- if own_clocks %}
{%- if crosses %}
    // the clock of each board, and by the input of a link that of the board that sends
    reg [BOARDS:1] board_clock;
    reg [LINKS:1] cable_clock;
{%- else %}
    reg [BOARDS:1] board_clock;
{%- if ports_cross() %}
    // and of the transceivers of each board
    reg [BOARDS:1] port_clock;
{%- endif %}
{%- endif %}
{%- else %}
{%- let sums = bench.sums() %}
{%- include "tb/clock.v" %}
{%- endif %}

    reg [WIDTH-1:0] own [1:{% if bench.combines() %}2*WORDS{% else if bench.streams %}WORDS{% else %}PACKETS*FLITS{% endif %}];
    reg [VALID:0] expected [1:{% if bench.combines() %}2*{% endif %}COMPARED*ARRIVALS];

    // by board
    reg start [1:BOARDS];
    reg stall [1:BOARDS];
    wire busy [1:BOARDS];
    wire done [1:BOARDS];
    wire arrived [1:BOARDS];
{%- if check.is_some() %}
    reg reset [1:BOARDS];
    reg restart [1:BOARDS];
    wire ready [1:BOARDS];
    wire error [1:BOARDS];
    wire [3:0] error_code [1:BOARDS];
    wire [31:0] error_port [1:BOARDS];
    wire [SIDES-1:0] links_up [1:BOARDS];
{%- endif %}
{%- for common in common %}
    wire [WIDTH-1:0] word [1:BOARDS];
{%- for axis in common.axes %}
    wire [31:0] waits_{{ axis.name }} [1:BOARDS];
{%- endfor %}
    // word that comes with the start, at the host's board, and the one that a run began with
    reg [WIDTH-1:0] start_word;
    reg [WIDTH-1:0] wanted_word;

    // number of the board that a board names
    function automatic integer named_board(input integer of_board);
        named_board = 1{% for axis in common.axes %} + waits_{{ axis.name }}[of_board] * {{ axis.step }}{% endfor %};
    endfunction
{%- endfor %}
{%- if check.is_some() %}
{%- endif %}
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
    // by board and port: inputs, outputs
{%- if serial.is_some() %}
    reg rx [1:LINKS];
    wire tx [1:LINKS];
{%- else %}
    reg [FRAME-1:0] in_data [1:LINKS];
    reg in_valid [1:LINKS];
{%- if transceiver.is_none() %}
    wire in_ready [1:LINKS];
{%- endif %}
    wire [FRAME-1:0] out_data [1:LINKS];
    wire out_valid [1:LINKS];
    reg out_ready [1:LINKS];
{%- endif %}
{%- for board in each() %}

{%- if bench.counted && !bench.streams %}

    assign flit[{{ board.number }}][31:{{ bench.flit_bits }}] = 0;
{%- endif %}
{%- for check in check %}

    assign error_port[{{ board.number }}][31:{{ check.port_bits }}] = 0;
{%- endfor %}
{%- for common in common %}
{%- for axis in common.axes %}
    assign waits_{{ axis.name }}[{{ board.number }}][31:{{ axis.bits }}] = 0;
{%- endfor %}
{%- endfor %}
{%- for side in board.sides %}
{%- if side.is_narrow() && serial.is_none() && transceiver.is_none() %}
    assign out_data[{{ side.index }}][FRAME-1:{{ side.links }}*(WIDTH+1){% for check in check %}+{{ check.overhead }}{% endfor %}] = 0;
{%- endif %}
{%- endfor %}
{%- for arrival in board.missing() %}
    assign data[{{ arrival }}] = 0;
    assign valid[{{ arrival }}] = 1'b0;
{%- endfor %}
    // {{ board.label }}
    {% match serial %}{% when Some(serial) %}{{ serial.module }}{% when None %}{% match transceiver %}{% when Some(transceiver) %}{{ transceiver.module }}{% when None %}{{ bench.name }}{% endmatch %}{% endmatch %} #(
        .WIDTH(WIDTH){% if serial.is_some() %},
        .DIVISOR(DIVISOR){% endif %}{% if transceiver.is_some() %},
        .BYTES(BYTES){% endif %}{% if check.is_some() %},
        .PATIENCE(WAITS){% endif %}
    ) {{ board.name }} (
        .clk({% if own_clocks %}board_clock[{{ board.number }}]{% else %}clk{% endif %}),
{%- if check.is_some() %}
        .rst(rst | reset[{{ board.number }}]),
{%- else %}
        .rst(rst),
{%- endif %}
{%- for coordinate in board.coordinates %}
        .{{ coordinate.name }}({{ coordinate.bits }}'d{{ coordinate.at }}),
{%- endfor %}
        .start(start[{{ board.number }}]),
{%- for common in common %}
        .start_word({% if board.number == common.host %}start_word{% else %}{WIDTH{1'bx}}{% endif %}),
        .word(word[{{ board.number }}]),
{%- for axis in common.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}[{{ board.number }}][{{ axis.bits - 1 }}:0]),
{%- endfor %}
{%- endfor %}
        .stall(stall[{{ board.number }}]),
        .busy(busy[{{ board.number }}]),
        .done(done[{{ board.number }}]),
        .arrived(arrived[{{ board.number }}]),
{%- for check in check %}
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
{%- for packet in board.packets %}
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
{%- for arrival in board.linked() %}
        .{{ arrival.name }}_in_data(data[{{ arrival.index }}]),
        .{{ arrival.name }}_in_valid(valid[{{ arrival.index }}]),
{%- endfor %}
{%- for side in board.sides %}
{%- if serial.is_some() %}
        .{{ side.name }}_rx(rx[{{ side.index }}]),
        .{{ side.name }}_tx(tx[{{ side.index }}]){% if !loop.last %},{% endif %}
{%- else if transceiver.is_some() %}
{%- if ports_cross() %}
        .{{ side.name }}_aclk(port_clock[{{ board.number }}]),
{%- endif %}
        .{{ side.name }}_s_axis_tdata(in_data[{{ side.index }}][FRAME-2:0]),
        .{{ side.name }}_s_axis_tvalid(in_valid[{{ side.index }}]),
        .{{ side.name }}_s_axis_tlast(in_data[{{ side.index }}][FRAME-1]),
        .{{ side.name }}_m_axis_tdata(out_data[{{ side.index }}][FRAME-2:0]),
        .{{ side.name }}_m_axis_tvalid(out_valid[{{ side.index }}]),
        .{{ side.name }}_m_axis_tready(out_ready[{{ side.index }}]),
        .{{ side.name }}_m_axis_tlast(out_data[{{ side.index }}][FRAME-1]){% if !loop.last %},{% endif %}
{%- else %}
{%- if crosses %}
        .{{ side.name }}_s_axis_aclk(cable_clock[{{ side.index }}]),
{%- endif %}
        .{{ side.name }}_s_axis_tdata(in_data[{{ side.index }}]{% if side.is_narrow() %}[{{ side.links }}*(WIDTH+1){% for check in check %}+{{ check.overhead }}{% endfor %}-1:0]{% endif %}),
        .{{ side.name }}_s_axis_tvalid(in_valid[{{ side.index }}]),
        .{{ side.name }}_s_axis_tready(in_ready[{{ side.index }}]),
        .{{ side.name }}_m_axis_tdata(out_data[{{ side.index }}]{% if side.is_narrow() %}[{{ side.links }}*(WIDTH+1){% for check in check %}+{{ check.overhead }}{% endfor %}-1:0]{% endif %}),
        .{{ side.name }}_m_axis_tvalid(out_valid[{{ side.index }}]),
        .{{ side.name }}_m_axis_tready(out_ready[{{ side.index }}]){% if !loop.last %},{% endif %}
{%- endif %}
{%- endfor %}
    );
{%- endfor %}

    integer board, link, packet, site, clocks, still, port, began, last;

    // input at the other end of an output's link; none without a link
    integer there [1:LINKS];
{%- if check.is_some() %}
    // bits of a frame
    integer bits [1:LINKS];
{%- endif %}
{%- if common.is_some() %}
    // inputs over which starts come
    reg brings_starts [1:LINKS];
{%- endif %}
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
{%- for side in board.sides %}
        there[{{ side.index }}] = {{ side.there }};
{%- if check.is_some() %}
        bits[{{ side.index }}] = {{ side.links }}*(WIDTH+1){% for check in check %}+{{ check.overhead }}{% endfor %};
{%- endif %}
{%- if common.is_some() %}
        brings_starts[{{ side.index }}] = 1'b{{ side.starts }};
{%- endif %}
{%- endfor %}
{%- for node in board.nodes %}
        member[{{ node.at }}] = {{ node.number }};
{%- endfor %}
{%- for packet in board.packets %}
{%- if packet.is_sent %}
        owner[{{ packet.index }}] = {{ board.number }};
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

    // random number below a bound
    integer drawn;
    task automatic draw_below(input integer bound);
        begin
            draw;
            drawn = {8'd0, chance[31:8]};
            drawn = drawn % bound;
        end
    endtask

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
{%- if serial.is_some() %}
    // by link, numbered by its input: clocks that the wire takes, and its levels in the last clocks of the sender
    integer latency [1:LINKS];
    reg wired [1:ALL];
{%- else %}
    // by link, numbered by its output: rate of waiting
    integer pause [1:LINKS];
    reg blocked [1:LINKS];
    // numbered by its input: latency, flits in flight, and arrival time of the next
    integer latency [1:LINKS];
    integer put [1:LINKS];
    integer got [1:LINKS];
{%- if transceiver.is_none() %}
    integer wake [1:LINKS];
{%- endif %}
    reg [FRAME-1:0] token [1:ALL];
    integer due [1:ALL];
{%- endif %}
{%- if check.is_some() %}
    // links that bring nothing, or the same {% if serial.is_some() %}level{% else %}frame{% endif %} for ever
    reg cut [1:LINKS];
    reg stuck [1:LINKS];
    reg {% if serial.is_none() %}[FRAME-1:0] {% endif %}stands [1:LINKS];
{%- endif %}
    integer left;
    integer slot, now;
    reg good;
{%- if own_clocks %}
{%- include "tb/clocks.v" %}
{%- endif %}
{%- if check.is_some() %}
{%- include "tb/faults.v" %}
{%- endif %}
{%- if common.is_some() %}
{%- include "tb/common.v" %}
{%- endif %}

    initial begin
        if (!$value$plusargs("runs=%d", runs)) runs = {{ runs }};
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("least=%d", least)) least = 1;
        if (!$value$plusargs("most=%d", most)) most = 20;
        if (!$value$plusargs("stalls=%d", stalls)) stalls = 50;
        if (most < least) most = least;
{%- if check.is_some() %}
        if (!$value$plusargs("faults=%d", faults)) faults = 0;
        if (!$value$plusargs("fault=%d", only)) only = 0;
        if (faults != 0) runs = NEVER;
        phase = 0;
        kind = 0;
        named = 0;
        tokens = 0;
        struck = 0;
        slowest = 0;
        victim = 1;
        second = 1;
        base = 0;
        mixed_up = 0;
        armed = 1'b0;
{%- if serial.is_some() %}
        hit = 0;
        glitch = 0;
        of_token = 1'b0;
{%- else if transceiver.is_some() %}
        hit = 0;
        of_token = 1'b1;
{%- else %}
        holds = 1'b0;
{%- endif %}
{%- endif %}
        $readmemh("{{ bench.own_path }}", own);
        $readmemh("{{ bench.expected_path }}", expected);
        chance = 32'h2545f491 ^ seed;
{%- if own_clocks %}
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
{%- if check.is_some() %}
            reset[board] = 1'b0;
            restart[board] = 1'b0;
{%- endif %}
{%- if transceiver.is_some() %}
            broken[board] = 1'b1;
{%- endif %}
{%- if common.is_some() %}
            was_busy[board] = 1'b0;
{%- endif %}
        end
        for (link = 1; link <= LINKS; link = link + 1) begin
            draw_below(most + 1 - least);
            latency[link] = least + drawn;
{%- if serial.is_some() %}
            rx[link] = 1'b1;
            of_frame[link] = 0;
            clear_link(link);
{%- else %}
            draw_below(stalls + 1);
            pause[link] = drawn;
            blocked[link] = 1'b0;
            put[link] = 0;
            got[link] = 0;
{%- if transceiver.is_some() %}
            of_frame[link] = 0;
            waited[link] = 1'b0;
{%- else %}
            wake[link] = NEVER;
{%- endif %}
            in_valid[link] = 1'b0;
            in_data[link] = {FRAME{1'bx}};
            out_ready[link] = 1'b0;
{%- endif %}
{%- if check.is_some() %}
            cut[link] = 1'b0;
            stuck[link] = 1'b0;
{%- if serial.is_none() && transceiver.is_none() %}
            parts_sent[link] = 33'd0;
{%- endif %}
{%- endif %}
        end
{%- if check_training() %}
        choose_spoiled;
{%- endif %}
{%- if common.is_some() %}
        choose_held;
{%- endif %}
        repeat (8{% if ports_cross() %} * COUNTED{% else if own_clocks %} * (BOARDS + 1){% endif %}) @(negedge clk);
        rst = 1'b0;
    end

    // an input shows what has arrived over its link
    task automatic bring;
        begin
{%- if transceiver.is_some() %}
            // in the clock of the board that receives
            now = beats[OFFSET+(link-1)/SIDES+1];
            if (stuck[link]) begin
                in_valid[link] = 1'b1;
                in_data[link] = stands[link];
            end else begin
                if (in_valid[link]) got[link] = got[link] + 1;
                slot = link * ROOM + got[link] % ROOM;
                in_valid[link] = got[link] < put[link] && due[slot] <= now;
                // now and then there is a gap within a frame
                draw;
                if (stalls != 0 && chance[11:8] == 4'd0) in_valid[link] = 1'b0;
                in_data[link] = in_valid[link] ? token[slot] : {FRAME{1'bx}};
            end
        end
    endtask
{%- else %}
            // in the clock of the board that sends
            now = {% if own_clocks %}beats[(there[link]-1)/SIDES+1]{% else %}clocks{% endif %};
{%- if serial.is_some() %}
            slot = link * ROOM + (now + ROOM - latency[link]) % ROOM;
            rx[link] = cut[link] ? 1'b1 : stuck[link] ? stands[link] : wired[slot];
        end
    endtask
{%- else %}
{%- if check.is_some() %}
            if (stuck[link]) begin
                in_valid[link] = 1'b1;
                in_data[link] = stands[link];
            end else if (wake[link] <= now) begin
{%- else %}
            if (wake[link] <= now) begin
{%- endif %}
                if (in_valid[link]) got[link] = got[link] + 1;
                slot = link * ROOM + got[link] % ROOM;
                in_valid[link] = got[link] < put[link] && due[slot] <= now;
                in_data[link] = in_valid[link] ? token[slot] : {FRAME{1'bx}};
                wake[link] = (got[link] < put[link]) ? due[slot] : NEVER;
            end
        end
    endtask
{%- endif %}
{%- endif %}

    // between two edges: arrivals over links, and the boards that wait or begin in the next clock
    task automatic drive;
        begin
{%- if serial.is_none() %}
            // sometimes a link waits longer than its latency
            if ({% if own_clocks %}rises[COUNTED] && {% endif %}clocks % 32 == 0 && stalls != 0) begin
                for (link = 1; link <= LINKS; link = link + 1) begin
                    draw_below(32);
                    blocked[link] = drawn == 0;
                end
            end
{%- endif %}
{%- if own_clocks %}
            for (at = 1; at <= outputs; at = at + 1) begin
{%- if transceiver.is_some() %}
                // both directions of a port have one clock
                link = risen[at];
                bring;
{%- else %}
                // an input has the clock of the board that sends
                link = there[risen[at]];
                if (link != 0) bring;
                link = risen[at];
{%- endif %}
{%- else %}
            for (link = 1; link <= LINKS; link = link + 1) begin
                bring;
{%- endif %}
{%- if serial.is_none() %}
{%- if transceiver.is_some() %}
                port = there[link];
                out_ready[link] = port != 0;
                if (port != 0) begin
                    draw_below(100);
                    // the channel is down, or takes beats faster than they come out
                    out_ready[link] = drawn >= pause[link] && !blocked[link] && !cut[port] && put[port] - got[port] <= latency[port] + 8;
                    // a clock in 33 goes to the headers of blocks, and 8 in 512 to the compensation of clocks
                    now = now + link;
                    if (stalls != 0 && (now % 33 == 0 || now % 512 < 8)) out_ready[link] = 1'b0;
                end
{%- else %}
                if (out_valid[link] !== 1'b0) begin
                    draw_below(100);
                    out_ready[link] = drawn >= pause[link] && !blocked[link];
                end
{%- endif %}
{%- endif %}
            end
            for (board = 1; board <= BOARDS; board = board + 1) {% if own_clocks %}if (rises[board]) {% endif %}begin
                draw_below(100);
                stall[board] = drawn < slow[board];
                // boards begin at random times
                drawn = {24'd0, chance[7:0]};
{%- if common.is_some() %}
                watch_start;
{%- endif %}
                start[board] = begun[board] < runs && drawn % 100 >= slow[board];
{%- if common.is_some() %}
                // until the host's board can see what is held back
                if (held_kind != 0 && faults == 0 && begun[HOST] == 1 && (!held_again || (holding && settled <= enough / 2))) start[board] = 1'b0;
{%- endif %}
{%- if check.is_some() %}
                if (faults != 0 && (phase == 0 || phase == 5)) start[board] = 1'b0;
{%- if check_training() %}
                if (faults == 0 && !trained) start[board] = 1'b0;
{%- endif %}
{%- if common.is_some() %}
                // a board that was reset has not ended its run
                if (faults != 0 && phase >= 3 && (kind == 7 || kind == 14)) start[board] = 1'b0;
{%- endif %}
{%- endif %}
            end
{%- if check.is_some() %}
            if (faults != 0 && good{% if own_clocks %} && rises[COUNTED]{% endif %}) strike;
{%- if check_training() %}
            if (faults == 0 && good && !trained) watch_training;
{%- endif %}
{%- if common.is_some() %}
            if (holding && good{% if own_clocks %} && rises[COUNTED]{% endif %}) hold_back;
            if (!holding && !held_again && held_kind != 0 && faults == 0 && good{% if own_clocks %} && rises[COUNTED]{% endif %}) hold_again;
{%- endif %}
{%- endif %}
        end
    endtask

    // own inputs are unknown while a board is idle
{%- if bench.streams || bench.counted %}
    integer place;
{%- endif %}
    always @(negedge clk) begin
        if (!rst) drive;
        for (packet = 1; packet <= PACKETS; packet = packet + 1) {% if own_clocks %}if (owner[packet] == 0 || rises[owner[packet]]) {% endif %}begin
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
{%- if check.is_none() %}

    // a link accepts a flit
    task automatic pass;
        begin
            port = there[link];
            if (put[port] - got[port] == ROOM) begin
                $display("FAIL link %0d: more than %0d on its way", port, ROOM);
                good = 1'b0;
            end
            slot = port * ROOM + put[port] % ROOM;
            token[slot] = out_data[link];
            due[slot] = {% if own_clocks %}beats[(link-1)/SIDES+1]{% else %}clocks{% endif %} + latency[port];
            put[port] = put[port] + 1;
            if (wake[port] == NEVER) wake[port] = due[slot];
        end
    endtask
{%- endif %}

    always @(posedge clk) begin
        if (!rst && good) begin
            {% if own_clocks %}if (rises[COUNTED]) {% endif %}still = still + 1;
{%- if own_clocks %}
            for (at = 1; at <= outputs; at = at + 1) begin
                link = risen[at];
{%- else %}
            for (link = 1; link <= LINKS; link = link + 1) begin
{%- endif %}
                if ({% if serial.is_some() %}(there[link] != 0 || tx[link] !== 1'b1){% else %}out_valid[link] !== 1'b0{% endif %} && good) begin
                    if (there[link] == 0) begin
                        $display("FAIL output %0d sends where no link leads", link);
                        good = 1'b0;
                    end else {% if serial.is_none() %}if (out_ready[link]) {% endif %}begin
                        {% if check.is_some() %}pass_or_fail{% else %}pass{% endif %};
                    end
                end
{%- if serial.is_some() %}
            end
{%- else if transceiver.is_some() %}
                watch_output;
            end
{%- else %}
{%- if own_clocks %}
                link = there[link];
                if (link != 0 && in_valid[link] && in_ready[link] !== 1'b1 && good) begin
{%- else %}
                if (in_valid[link] && in_ready[link] !== 1'b1 && good) begin
{%- endif %}
                    $display("FAIL link %0d: no room for what it brings", link);
                    good = 1'b0;
                end
            end
{%- endif %}
            for (board = 1; board <= BOARDS; board = board + 1) {% if own_clocks %}if (rises[board]) {% endif %}begin
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
{%- if common.is_some() %}
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
                if (start[board] && busy[board] === 1'b0{% if check.is_some() %} && ready[board] === 1'b1{% endif %}) begin
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
                else if ({% if own_clocks %}rises[owner[packet]] && {% endif %}take[packet] !== 1'b0) sent[packet] = sent[packet] + 1;
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
{%- if check.is_some() %}
            if (faults != 0) begin
                {% if own_clocks %}if (rises[COUNTED]) {% endif %}judge;
            end else begin
                for (board = 1; board <= BOARDS; board = board + 1) begin
                    if (good && error[board] !== 1'b0 && clocks > 0) begin
                        $display("FAIL board %0d: code %0d at port %0d without a fault", board - 1,
                            error_code[board], error_port[board]);
                        good = 1'b0;
                    end
                end
            end
{%- endif %}
            {% if own_clocks %}if (rises[COUNTED]) {% endif %}clocks = clocks + 1;
{%- if check.is_some() %}
            // links stay up while nothing is played
            for (link = 1; good && link <= LINKS; link = link + 1) begin
                if (left == 0 && still > 64 && there[link] != 0 && links_up[(link-1)/SIDES+1][(link-1)%SIDES] !== 1'b1) begin
                    $display("FAIL the link of input %0d goes down without a fault", link);
                    good = 1'b0;
                end
            end
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
{%- if check.is_some() && serial.is_none() && transceiver.is_none() %}
                for (link = 1; good && link <= LINKS; link = link + 1) begin
                    if (there[link] != 0 && parts_sent[link] != (33'd1 << parts(link)) - 33'd1) begin
                        $display("FAIL output %0d has sent parts %b of its identity, which has %0d", link, parts_sent[link], parts(link));
                        good = 1'b0;
                    end
                end
{%- endif %}
{%- if check.is_none() %}
                for (link = 1; good && link <= LINKS; link = link + 1) begin
                    if (put[link] != got[link]) begin
                        $display("FAIL link %0d: %0d never come", link, put[link] - got[link]);
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
{%- if check.is_some() %}
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
