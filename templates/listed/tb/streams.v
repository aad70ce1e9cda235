// {{ module }}: plays {% if sizes.is_one %}{{ system }} many times{% else %}every program of {{ system }}, one call after the other{% endif %}, with streams that pause at random
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }}{% for cables in cables %} #(
{%- include "tb/cables/parameters.v" %}
){% endfor %};
    localparam integer WIDTH = {{ width }};
    localparam integer NODES = {{ nodes }};
    localparam integer STREAMS = {% if chain %}1{% else %}NODES{% endif %};
    localparam integer BOARDS = {{ boards }};  // each is {% if sizes.is_one %}played{% else %}called{% endif %} by itself
    localparam integer SITES = {{ sites }};  // nodes per board
{%- for cables in cables %}
    localparam integer TICKS = {{ ticks }};  // of the longest program
{%- include "tb/cables/sizes.v" %}
{%- endfor %}
    localparam integer KINDS = {{ kinds.len() }};  // different calls
    localparam integer ALLGIVEN = {{ given }};  // output words of all calls, at all nodes
{%- if sizes.has_blocks() %}
    localparam integer USER = {{ user.bits }};
{%- endif %}
{%- if !sizes.is_one %}
    localparam integer PROGRAM = {{ sizes.program }};  // bits of a program's number
    localparam integer ROOT = {{ sizes.node }};  // bits of a root's number
{%- endif %}
{%- if lanes > 1 %}
    localparam integer LANES = {{ lanes }};  // words of an output per clock
{%- endif %}
{%- for (bits, _) in groups %}
    localparam integer GROUPS = {{ bits }};  // bits of a group's number
{%- endfor %}
{%- for bits in address %}
    localparam integer ADDRESS = {{ bits }};
{%- endfor %}
{%- if !operations.is_empty() %}
    localparam integer HIGH = {% if numbers.is_some() %}31{% else %}WIDTH - 1{% endif %};  // highest bit of a word that is combined
{%- endif %}
    localparam integer COPIES = (WIDTH + 63) / 64;
{%- for cables in cables %}
    // clocks without any word before it fails: ticks of a call, links that train, and pauses
    localparam integer PATIENCE = {{ patience }} * {% if cables.serial.is_some() %}4 * FRAME * DIVISOR{% else if cables.transceiver.is_some() %}80{% else %}40{% endif %} + 2000 + 16 * (1 << WAITS);
    localparam integer REST = 200 + ({% if cables.own_clocks %}2{% else %}1{% endif %} << WAITS);  // clocks in which no further word may follow
{%- endfor %}
{%- if cables.is_none() %}
    localparam integer PATIENCE = {{ patience }};  // clocks without any word before it fails
    localparam integer REST = 200;  // clocks in which no further word may follow
{%- endif %}
    localparam integer RESETS = {% if is_serial() %}2{% else %}4{% endif %};  // in the middle of runs, before those that are counted
    localparam integer SPAN = {{ span }};  // most clocks {% if !sizes.is_one %}from the first call {% endif %}up to such a reset
    localparam integer HELD = 1;  // clocks of the first reset, and at most of a later one
    localparam integer FIRST = 4;  // {{ unit }} that fill the banks, before clocks are counted

    reg clk;
    reg rst;
{%- for cables in cables %}
{%- include "tb/cables/clock.v" %}
{%- endfor %}
{%- if cables.is_none() %}
{%- include "tb/clock.v" %}
{%- endif %}

    // by board
    reg start [1:BOARDS];
{%- if !sizes.is_one %}
    wire can_call [1:BOARDS];
    reg [PROGRAM-1:0] program_number [1:BOARDS];
    reg [ROOT-1:0] root [1:BOARDS];
    wire absent [1:BOARDS];
    wire [SITES-1:0] astray [1:BOARDS];
{%- endif %}
    wire busy [1:BOARDS];
    wire done [1:BOARDS];
{%- if sizes.has_blocks() %}
    wire {% if !sizes.is_one %}[SITES-1:0] {% endif %}misframed [1:BOARDS];
{%- endif %}
{%- for cables in cables %}
    wire arrived [1:BOARDS];  // words come out
    wire links_ready [1:BOARDS];
    wire [31:0] links [1:BOARDS];
{%- if cables.common.is_some() %}
    wire called [1:BOARDS];
    wire [PROGRAM-1:0] called_program [1:BOARDS];
    wire [ROOT-1:0] called_root [1:BOARDS];
{%- endif %}
{%- include "tb/cables/signals.v" %}
{%- endfor %}

    // concatenated, stream 0 in the lowest bits
    reg [STREAMS*WIDTH-1:0] in_data;
    reg [STREAMS-1:0] in_valid;
    reg [STREAMS-1:0] in_last;
{%- if !sizes.is_one %}
    reg [STREAMS*PROGRAM-1:0] in_dest;
    wire [STREAMS*PROGRAM-1:0] out_dest;
{%- endif %}
    wire [STREAMS-1:0] in_ready;
    wire [STREAMS*{{ by_lane }}WIDTH-1:0] out_data;
{%- if lanes > 1 %}
    wire [STREAMS*LANES-1:0] out_keep;
{%- endif %}
    wire [STREAMS-1:0] out_valid;
{%- if address.is_some() %}
    wire [STREAMS-1:0] out_full;
    reg [STREAMS-1:0] out_free;
    reg [STREAMS-1:0] out_en;
    reg [STREAMS*ADDRESS-1:0] out_addr;
{%- else %}
    wire [STREAMS-1:0] out_last;
{%- endif %}
{%- if sizes.has_blocks() %}
    wire [STREAMS*{{ by_lane }}USER-1:0] out_user;
{%- endif %}
{%- if address.is_none() %}
    reg [STREAMS-1:0] out_ready;
    reg [STREAMS-1:0] word_waited;  // word that was not taken at the last edge
{%- endif %}

{%- if cables.is_none() %}
    {{ system }} {% if sizes.is_one %}#(
        .WIDTH(WIDTH)
    ) {% endif %}system (
        .clk(clk),
        .rst(rst),
        .start(start[1]),
{%- if !sizes.is_one %}
        .ready(can_call[1]),
        .program_number(program_number[1]),
        .root(root[1]),
        .absent(absent[1]),
        .astray(astray[1]),
{%- endif %}
        .busy(busy[1]),
{%- if sizes.has_blocks() %}
        .misframed(misframed[1]),
{%- endif %}
{%- if chain %}
        .s_axis_tdata(in_data),
        .s_axis_tvalid(in_valid),
        .s_axis_tready(in_ready),
        .s_axis_tlast(in_last),
        .m_axis_tdata(out_data),
        .m_axis_tvalid(out_valid),
        .m_axis_tready(out_ready),
        .m_axis_tlast(out_last),
        .m_axis_tuser(out_user),
{%- endif %}
{%- for device in devices %}
{%- let pins = device.pins %}
{%- include "listed/pins.v" %}
{%- endfor %}
        .done(done[1])
    );
{%- endif %}
{%- for cables in cables %}
{%- for (board, device) in cables.boards.iter().zip(devices.iter()) %}
{%- let pins = device.pins %}
{%- include "listed/tb/board.v" %}
{%- endfor %}
{%- endfor %}
{% include "tb/draw.v" %}

    // data of a flit in a run, flits counted over all nodes
    reg [63:0] mixed;
    reg [64*COPIES-1:0] wide;
{%- if let Some(float) = numbers %}
    // a whole number as a float: these are so small that sums of all nodes' are exact, in any order
    reg [31:0] whole;
{%- if !always_combines() %}
    reg combines;  // words are combined
{%- endif %}

{% include "tb/floated.v" %}
{% endif %}
    task automatic mix(input integer of_run, input integer number);
        begin
            mixed = {32'd0, number} + ({32'd0, of_run} * 64'hd1b54a32d192ed03);
            mixed = mixed * 64'h9e3779b97f4a7c15;
            wide = {COPIES{mixed}};
{%- if let Some(numbers) = numbers %}
{% if !always_combines() %}            if (combines) begin
{% endif %}            whole = {% if nodes > numbers.most %}(mixed[63:32] % {{ nodes }} >= {{ numbers.most / 2 }}) ? 0 : {% endif %}mixed[31:0] % {{ numbers.largest }} + 1;
            wide[31:0] = floated(whole);
{%- if !always_combines() %}
            end
{%- endif %}
{%- endif %}
        end
    endtask
{%- if !operations.is_empty() && !always_combines() %}

    // calls that combine
    function automatic is_combined(input integer of_kind);
        case (program_of(of_kind))
{%- for (number, _) in operations %}
            {{ number }}: is_combined = 1'b1;
{%- endfor %}
            default: is_combined = 1'b0;
        endcase
    endfunction
{%- endif %}
{%- if !sizes.is_one %}

    // program and root of a call
    function automatic integer program_of(input integer of_kind);
        case (of_kind)
{%- for kind in kinds %}
            {{ loop.index0 }}: program_of = {{ kind.program }};
{%- endfor %}
            default: program_of = 0;
        endcase
    endfunction

    function automatic integer root_of(input integer of_kind);
        case (of_kind)
{%- for kind in kinds %}
            {{ loop.index0 }}: root_of = {{ kind.root }};
{%- endfor %}
            default: root_of = 0;
        endcase
    endfunction
{%- endif %}

{%- if !sizes.is_one %}

    function automatic [PROGRAM-1:0] number_of(input integer of_kind);
        reg [31:0] number;
        begin
            number = program_of(of_kind);
            number_of = number[PROGRAM-1:0];
        end
    endfunction

    function automatic [ROOT-1:0] root_number(input integer of_kind);
        reg [31:0] number;
        begin
            number = root_of(of_kind);
            root_number = number[ROOT-1:0];
        end
    endfunction
{%- endif %}

    // Every other call is played twice, so that some follow themselves and some do not.
    function automatic integer kind_of(input integer run);
        integer at;
        begin
            at = run / 3 * 2 + (run % 3 == 2 ? 1 : 0);
            kind_of = (at + (KINDS % 2 == 0 ? at / KINDS : 0)) % KINDS;
        end
    endfunction

    // per output word: {% if groups.is_some() %}its group, {% endif %}{% if address.is_some() %}its address, {% endif %}{% if sizes.has_blocks() %}its origin, {% endif %}whether it ends a block, and the number of the input word
    reg [{{ entry() - 1 }}:0] listed [1:ALLGIVEN];
    // per input word: whether it ends a block
    reg ends [1:{{ taken }}];
{%- if groups.is_some() %}
    // per call{% if most > 1 %}, program of the call{% endif %} and node: its group, and the words in {% if most > 1 %}before it{% else %}of nodes before it{% endif %}
    localparam integer MEMBERS = {% if most > 1 %}{{ most }} * {% endif %}NODES;
    reg [63:0] members [1:KINDS*MEMBERS];
{%- endif %}
    // per call and stream: input words, those of the streams before it, output words, and those of the streams before it
    reg [127:0] lengths [1:KINDS*STREAMS];
    function automatic integer taken(input integer of_kind, input integer of_stream);
        taken = lengths[of_kind*STREAMS+of_stream][127:96];
    endfunction
    function automatic integer before_in(input integer of_kind, input integer of_stream);
        before_in = lengths[of_kind*STREAMS+of_stream][95:64];
    endfunction
    function automatic integer given(input integer of_kind, input integer of_stream);
        given = lengths[of_kind*STREAMS+of_stream][63:32];
    endfunction
    function automatic integer before_out(input integer of_kind, input integer of_stream);
        before_out = lengths[of_kind*STREAMS+of_stream][31:0];
    endfunction

    integer runs, seed, clocks, still, stream, words, wanted_words, ended, resets, since, cut_at, in_reset, reset_length, first_done, last_done, full, rate, board, call, place{% if lanes > 1 %}, lane{% endif %};
    integer salt;  // number of the first run's data: after each reset others
    // by board: runs that it has begun and ended
    integer begun [1:BOARDS];
    integer over [1:BOARDS];
    integer dones [1:BOARDS];
{%- for cables in cables %}
{%- if cables.common.is_some() %}
    integer heard [1:BOARDS];  // calls that it was told of
    integer slow_board;  // 0: none is
{%- endif %}
    integer link, port, least, most, stalls;
{%- endfor %}
    // board of a stream, and whether it has words in any run
    integer board_of [1:STREAMS];
    reg feeds [1:STREAMS];
    reg gives [1:STREAMS];
    // run whose words go in, words of it that have, and the same of those that come out
    integer in_run [1:STREAMS];
    integer fed [1:STREAMS];
    integer out_run [1:STREAMS];
    integer got [1:STREAMS];
    reg [7:0] in_pause [1:STREAMS];
    reg [7:0] out_pause [1:STREAMS];
    reg [7:0] start_pause;
    reg good;
    reg interrupts;  // all boards are reset
    reg all_over;
{%- if cables.is_some() %}
    reg off;  // the board of the stream has met a fault
{%- endif %}
    reg [STREAMS*WIDTH-1:0] next_data;
    reg [STREAMS-1:0] next_valid;
    reg [STREAMS-1:0] next_last;
{%- if !sizes.is_one %}
    reg [STREAMS*PROGRAM-1:0] next_dest;
{%- endif %}
{%- if address.is_none() %}
    reg [STREAMS-1:0] next_ready;
{%- endif %}
{%- if address.is_some() %}
    // words that were asked for in the run that is read, from the first one on, up or down
    integer ask_run [1:STREAMS];
    integer asked [1:STREAMS];
    integer first [1:STREAMS];
    reg down [1:STREAMS];
    // words on their way out, the first one in the lowest bits
    integer lag;
    integer late [1:4*STREAMS];
    reg [3:0] due_words [1:STREAMS];
{%- endif %}
{%- for cables in cables %}
{% include "tb/cables/links.v" %}
{%- endfor %}

    initial begin
        if (!$value$plusargs("runs=%d", runs)) runs = {{ runs }};
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $readmemh("{{ streams }}", lengths);
        $readmemh("{{ words }}", listed);
        $readmemh("{{ ends }}", ends);
{%- for (_, groups) in groups %}
        $readmemh("{{ groups }}", members);
{%- endfor %}
        wanted_words = 0;
        for (clocks = 0; clocks < runs; clocks = clocks + 1) begin
            for (stream = 1; stream <= STREAMS; stream = stream + 1) wanted_words = wanted_words + given(kind_of(clocks), stream);
        end
        for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
            board_of[stream] = 1;
            feeds[stream] = 1'b0;
            gives[stream] = 1'b0;
            for (call = 0; call < KINDS; call = call + 1) begin
                feeds[stream] = feeds[stream] || taken(call, stream) != 0;
                gives[stream] = gives[stream] || given(call, stream) != 0;
            end
        end
        if (!$value$plusargs("full=%d", full)) full = 0;
        resets = (full != 0) ? 0 : RESETS;  // neither resets nor pauses
        chance = 32'h2545f491 ^ seed;
{%- for cables in cables %}
{%- for device in devices %}
{%- for stream in device.streams %}
        board_of[{{ stream + 1 }}] = {{ device.number }};
{%- endfor %}
{%- endfor %}
        read_settings;
        if (full != 0) stalls = 0;
        if (faults != 0) begin
            runs = NEVER;
            resets = 0;
        end
{%- if cables.own_clocks %}
        choose_clocks;
{%- endif %}
{%- endfor %}
        clocks = 0;
        cut_at = SPAN;
        in_reset = 0;
        reset_length = HELD;
        rst = 1'b1;
        good = 1'b1;
        interrupts = 1'b0;
        in_valid = 0;
        next_valid = 0;
        salt = 0;
{%- if address.is_some() %}
        out_free = 0;
        out_en = 0;
        out_addr = 0;
{%- else %}
        out_ready = 0;
        next_ready = 0;
        word_waited = 0;
{%- endif %}
{%- if is_common() %}
        slow_board = 0;
{%- endif %}
        start_pause = 8'd0;
        for (board = 1; board <= BOARDS; board = board + 1) start[board] = 1'b0;
{%- for cables in cables %}
        lay_cables;
{%- endfor %}
        rewind;
        for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
            in_pause[stream] = 8'd0;
            out_pause[stream] = 8'd0;
        end
    end

    // runs that a stream has no words in are passed over
    task automatic go_in;
        if (!feeds[stream]) in_run[stream] = runs;
        else while (in_run[stream] < runs && taken(kind_of(in_run[stream]), stream) == 0) in_run[stream] = in_run[stream] + 1;
    endtask

    task automatic go_out;
        if (!gives[stream]) out_run[stream] = runs;
        else while (out_run[stream] < runs && given(kind_of(out_run[stream]), stream) == 0) out_run[stream] = out_run[stream] + 1;
    endtask
{%- if address.is_some() %}

    task automatic go_ask;
        if (!gives[stream]) ask_run[stream] = runs;
        else while (ask_run[stream] < runs && given(kind_of(ask_run[stream]), stream) == 0) ask_run[stream] = ask_run[stream] + 1;
    endtask
{%- endif %}

    // a collective is over
    task automatic ends_run;
        begin
{%- if !sizes.is_one && address.is_none() %}
            for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
                if (good && {% if boards > 1 %}board_of[stream] == board && {% endif %}{% if cables.is_some() %}faults == 0 && {% endif %}out_run[stream] <= dones[board]) begin
                    $display("FAIL stream %0d, run %0d: done comes before its words have gone out", stream - 1, out_run[stream]);
                    good = 1'b0;
                end
            end
{%- endif %}
            dones[board] = dones[board] + 1;
            over[board] = dones[board];
            ended = ended + 1;
            if (ended == FIRST * BOARDS) first_done = clocks;
            last_done = clocks;
        end
    endtask

    // the first run, and no word yet
    task automatic rewind;
        begin
            still = 0;
            words = 0;
            ended = 0;
            since = 0;
{%- if cables.is_some() %}
            base = 0;
            for (board = 1; board <= BOARDS; board = board + 1) if (faults != 0 && begun[board] > base) base = begun[board];
{%- endif %}
            for (board = 1; board <= BOARDS; board = board + 1) begin
                begun[board] = {{ first_run() }};
                over[board] = {{ first_run() }};
                dones[board] = {{ first_run() }};
{%- for cables in cables %}
{%- if cables.common.is_some() %}
                heard[board] = base;
{%- endif %}
{%- endfor %}
            end
            for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
                in_run[stream] = {{ first_run() }};
                fed[stream] = 0;
                go_in;
                out_run[stream] = {{ first_run() }};
                got[stream] = 0;
                go_out;
{%- if address.is_some() %}
                ask_run[stream] = {{ first_run() }};
                asked[stream] = 0;
                due_words[stream] = 4'd0;
                go_ask;
{%- endif %}
            end
        end
    endtask

    // a reset in the middle of a run: all begins anew, and nothing of before is left
    task automatic interrupt;
        begin
            interrupts = 1'b1;
            resets = resets - 1;
            draw;
            cut_at = {8'd0, chance[31:8]};
            cut_at = 1 + cut_at % SPAN;
            draw;
            reset_length = {24'd0, chance[31:24]};
            reset_length = 1 + reset_length % HELD;
            salt = salt + 1000;
            rewind;
            next_valid = 0;
{%- if address.is_none() %}
            next_ready = 0;
            word_waited = 0;
{%- endif %}
{%- for cables in cables %}
{%- if cables.transceiver.is_some() %}
            for (board = 1; board <= BOARDS; board = board + 1) broken[board] = 1'b1;
{%- endif %}
{%- endfor %}
        end
    endtask

{%- macro combine(operation) %}
{%- match operation %}
{%- when Operation::Sum | Operation::Custom %}combined = combined + {{ term() }}[HIGH:0];
{%- when Operation::Max %}if ({% if is_signed %}$signed({{ term() }}[HIGH:0]) > $signed(combined){% else %}{{ term() }}[HIGH:0] > combined{% endif %}) combined = {{ term() }}[HIGH:0];
{%- when Operation::Min %}if ({% if is_signed %}$signed({{ term() }}[HIGH:0]) < $signed(combined){% else %}{{ term() }}[HIGH:0] < combined{% endif %}) combined = {{ term() }}[HIGH:0];
{%- when Operation::Xor %}combined = combined ^ wide[WIDTH-1:0];
{%- when Operation::And %}combined = combined & wide[WIDTH-1:0];
{%- when Operation::Or %}combined = combined | wide[WIDTH-1:0];
{%- endmatch %}
{%- endmacro %}
{%- macro combine_all() %}
{%- if sizes.is_one %}
{%- for (_, operation) in operations %}
                {{ combine(operation) }}
{%- endfor %}
{%- else %}
                case (program_of(call))
{%- for (number, operation) in operations %}
                    {{ number }}: {{ combine(operation) }}
{%- endfor %}
                    default: ;
                endcase
{%- endif %}
{%- endmacro %}
    // expected output word
    reg [{{ entry() - 1 }}:0] entry;
{%- if !operations.is_empty() %}
    integer node;
{%- if groups.is_some() %}
    reg [63:0] member;
    reg first_of;  // of its group
{%- else %}
    integer each;
{%- endif %}
    reg [HIGH:0] combined;
{%- endif %}
    reg [WIDTH-1:0] got_data;
{%- if address.is_none() %}
    reg [WIDTH-1:0] kept_data;
    reg all_last;  // every word of a row is the last of its block
{%- endif %}
{%- if sizes.has_blocks() %}
    reg [USER-1:0] got_user;
    reg [USER-1:0] want_user;
{%- endif %}
{%- if !operations.is_empty() %}

{%- if groups.is_some() %}
    // result of the words of all nodes of a group: the n-th of each of their streams is for the same one
    task automatic combine;
        begin
            first_of = 1'b1;
            for (node = 1; node <= MEMBERS; node = node + 1) begin
                member = members[call*MEMBERS+node];
                if (member[32+:GROUPS] == entry[{{ entry() - 1 }}-:GROUPS]) begin
                    mix(salt + out_run[stream], member[31:0] + entry[31:0]);
                    if (first_of) begin
                        combined = {{ term() }}[HIGH:0];
                    end else begin
                        {{ combine_all() }}
                    end
                    first_of = 1'b0;
                end
            end
{%- else %}
    // result of all nodes' words: the n-th of every stream is for the same one
    task automatic combine;
        begin
            each = taken(call, 1){% if chain %} / NODES{% endif %};
            mix(salt + out_run[stream], before_in(call, 1) + entry[31:0]);
            combined = {{ term() }}[HIGH:0];
            for (node = 2; node <= NODES; node = node + 1) begin
                mix(salt + out_run[stream], before_in(call, 1) + (node - 1) * each + entry[31:0]);
                {{- combine_all() }}
            end
{%- endif %}
            wide[HIGH:0] = {% if numbers.is_some() %}floated(combined){% else %}combined{% endif %};
        end
    endtask
{%- endif %}

    task automatic compare;
        begin
            call = kind_of(out_run[stream]);
            place = {% if address.is_some() %}late[4*stream-3]{% else %}got[stream]{% endif %};
            entry = (out_run[stream] < runs) ? listed[before_out(call, stream)+place+1] : { {{- entry() }}{1'b0}};
{%- if operations.is_empty() %}
            mix(salt + out_run[stream], entry[31:0]);
{%- else if always_combines() %}
            combine;
{%- else %}
{%- if numbers.is_some() %}
            combines = is_combined(call);
{%- endif %}
            if (is_combined(call){% if most > 1 && groups.is_some() %} && (program_of(call) < {{ alone }} || entry[{{ entry() - 1 }}-:GROUPS] != 0){% endif %}) combine;
            else mix(salt + out_run[stream], entry[31:0]);
{%- endif %}
{%- if sizes.has_blocks() %}
            want_user = entry[33+:USER];
            got_user = out_user[{% if lanes > 1 %}((stream-1)*LANES+lane){% else %}(stream-1){% endif %}*USER+:USER];
{%- endif %}
            if (out_run[stream] >= runs || got_data !== wide[WIDTH-1:0]{% if sizes.has_blocks() %} || got_user !== want_user{% endif %}) begin
                $display("FAIL stream %0d, run %0d, word %0d: got %h{% if sizes.has_blocks() %} of %h{% endif %}",
                    stream - 1, out_run[stream], place, got_data{% if sizes.has_blocks() %}, got_user{% endif %});
                $display("expected %h{% if sizes.has_blocks() %} of %h{% endif %}", wide[WIDTH-1:0]{% if sizes.has_blocks() %}, want_user{% endif %});
                good = 1'b0;
            end
{%- if address.is_none() %}
            all_last = all_last & entry[32];
{%- endif %}
{%- if !sizes.is_one %}
            if (out_dest[(stream-1)*PROGRAM+:PROGRAM] !== number_of(call){% if address.is_some() %} && asked[stream] != 0 && ask_run[stream] == out_run[stream]{% endif %}) begin
                $display("FAIL stream %0d, run %0d: a word of program %0d", stream - 1, out_run[stream], out_dest[(stream-1)*PROGRAM+:PROGRAM]);
                good = 1'b0;
            end
{%- endif %}
            got[stream] = got[stream] + 1;
            words = words + 1;
            if (got[stream] == given(call, stream)) begin
                got[stream] = 0;
                out_run[stream] = out_run[stream] + 1;
                go_out;
            end
        end
    endtask

{%- if address.is_none() %}

    // a word that waited must be stable
    reg [STREAMS*{{ by_lane }}WIDTH-1:0] waiting;
{%- endif %}
{%- if lanes > 1 %}
    reg [LANES*WIDTH-1:0] got_row;
    reg [LANES*WIDTH-1:0] kept_row;
{%- endif %}
{%- if address.is_some() %}

    // words are asked for in the clock in which they are there; a reset goes before
    task automatic ask;
        begin
            for (stream = 1; stream <= STREAMS; stream = stream + 1) {% if own_clocks() %}if (rst || rises[board_of[stream]]) {% endif %}begin
                out_en[stream-1] = 1'b0;
                out_free[stream-1] = 1'b0;
                draw;
                out_addr[(stream-1)*ADDRESS+:ADDRESS] = {ADDRESS{1'bx}};
                if (rst) begin
                    {out_en[stream-1], out_free[stream-1]} = chance[1:0];
{%- if cables.is_some() %}
                end else if (is_off(board_of[stream])) begin
                    // words of a call that is broken off
                    asked[stream] = 0;
                    due_words[stream] = 4'd0;
{%- endif %}
                end else if (out_full[stream-1] !== 1'b0 && ask_run[stream] == runs) begin
                    $display("FAIL stream %0d: words of another run", stream - 1);
                    good = 1'b0;
                end else if (out_full[stream-1] !== 1'b0 && chance[7:0] >= out_pause[stream]) begin
                    call = kind_of(ask_run[stream]);
                    place = given(call, stream);
                    if (asked[stream] == 0) begin
                        first[stream] = {16'd0, chance[31:16]};
                        first[stream] = first[stream] % place;
                        down[stream] = chance[8];
                    end
                    if (asked[stream] < place) begin
                        late[4*stream] = (first[stream] + (down[stream] ? place - asked[stream] : asked[stream])) % place;
                        due_words[stream] = due_words[stream] | 4'd8;
                        asked[stream] = asked[stream] + 1;
                        entry = listed[before_out(call, stream)+late[4*stream]+1];
                        out_en[stream-1] = 1'b1;
                        out_addr[(stream-1)*ADDRESS+:ADDRESS] = entry[{% if sizes.has_blocks() %}USER+{% endif %}33+:ADDRESS];
                    end
                    // with the last word, or later
                    if (asked[stream] == place && (full != 0 || chance[9])) begin
                        out_free[stream-1] = 1'b1;
                        asked[stream] = 0;
                        ask_run[stream] = ask_run[stream] + 1;
                        go_ask;
                    end
                end
            end
        end
    endtask
{%- endif %}
{%- if cables.is_some() %}

    // after a fault boards train anew
    function automatic is_renewed(input integer unused);
        is_renewed = faults != 0 && (phase == 0 || phase == 5);
    endfunction

    // a board has met a fault, or is to be started anew: it has no words
    function automatic is_off(input integer of_board);
        is_off = reset[of_board] || is_renewed(0) || (faults != 0 && error[of_board] !== 1'b0);
    endfunction

    // all boards begin anew, with a run that none of them has begun
    task automatic renew;
        rewind;
    endtask
{%- endif %}
{%- if !sizes.is_one %}

    // at an edge of a board: calls that it takes
    task automatic watch_calls;
        begin
{%- if is_common() %}
            if (called[board] !== 1'b0) begin
                if (heard[board] == begun[HOST] || called_program[board] !== number_of(kind_of(heard[board]))
                    || called_root[board] !== root_number(kind_of(heard[board]))) begin
                    $display("FAIL board %0d hears of a call of program %0d, root %0d", board - 1, called_program[board], called_root[board]);
                    good = 1'b0;
                end
                heard[board] = heard[board] + 1;
                if (board != HOST) begun[board] = heard[board];
            end
            if (board == HOST && start[board] && can_call[board] === 1'b1) begun[board] = begun[board] + 1;
{%- else %}
            if (start[board] && can_call[board] === 1'b1) begun[board] = begun[board] + 1;
{%- endif %}
        end
    endtask
{%- endif %}

    // between two edges: calls in the next clock
    task automatic drive_calls;
        begin
            for (board = 1; board <= BOARDS; board = board + 1) {% if own_clocks() %}if (rst || rises[board]) {% endif %}begin
                draw;
                start[board] = !rst && chance[7:0] >= start_pause{% if !sizes.is_one %} && begun[board] < runs{% endif %}{% if cables.is_some() %} && may_start{% endif %};
{%- if !sizes.is_one %}
                program_number[board] = number_of(kind_of(begun[board]));
                root[board] = root_number(kind_of(begun[board]));
{%- if is_common() %}
                // other boards take the host's call, whatever is at their own inputs
                if (board != HOST) {program_number[board], root[board]} = ~{program_number[board], root[board]};
{%- endif %}
{%- endif %}
            end
        end
    endtask

    // inputs change in the middle of a clock
    always @(negedge clk) begin
        if (interrupts) begin
            rst = 1'b1;
            in_reset = 0;
            interrupts = 1'b0;
        end else if (rst && in_reset >= reset_length) begin
            rst = 1'b0;
        end
        in_data = next_data;
        in_valid = next_valid;
        in_last = next_last;
{%- if !sizes.is_one %}
        in_dest = next_dest;
{%- endif %}
{%- if address.is_none() %}
        out_ready = next_ready;
{%- endif %}
{%- if cables.is_some() %}
        if (!rst) drive_links;
        judge_starts;
{%- endif %}
        drive_calls;
{%- if address.is_some() %}
        if (good) ask;
{%- endif %}
{%- if cables.is_some() %}
        if (!rst) disturb;
{%- endif %}
    end

    always @(posedge clk) begin
        if (rst{% if own_clocks() %} && rises[COUNTED]{% endif %}) in_reset = in_reset + 1;
        if (!rst && good) begin
            {% if own_clocks() %}if (rises[COUNTED]) {% endif %}still = still + 1;
{%- if cables.is_some() %}
            watch_links;
{%- endif %}
            for (board = 1; board <= BOARDS; board = board + 1) {% if own_clocks() %}if (rises[board]) {% endif %}begin
{%- if !sizes.is_one %}
                watch_calls;
{%- endif %}
                if (done[board] !== 1'b0) ends_run;
            end
            next_data = in_data;
            next_valid = in_valid;
            next_last = in_last;
{%- if !sizes.is_one %}
            next_dest = in_dest;
{%- endif %}
{%- if address.is_none() %}
            next_ready = out_ready;
{%- endif %}
            for (stream = 1; stream <= STREAMS; stream = stream + 1) {% if own_clocks() %}if (rises[board_of[stream]]) {% endif %}begin
{%- if cables.is_some() %}
                off = is_off(board_of[stream]);
{%- endif %}
{%- if !sizes.is_one %}
                // words come and go in calls
                if ({% if cables.is_some() %}!off && {% endif %}busy[board_of[stream]] !== 1'b1
                    && ((in_valid[stream-1] && in_ready[stream-1] === 1'b1){% if address.is_none() %} || out_valid[stream-1] === 1'b1{% endif %})) begin
                    $display("FAIL stream %0d: a word comes or goes, and busy is low", stream - 1);
                    good = 1'b0;
                end
{%- endif %}
{%- if address.is_some() %}
                got_data = out_data[(stream-1)*WIDTH+:WIDTH];
{%- if cables.is_some() %}
                if (off) due_words[stream] = 4'd0;
                if (!off && out_valid[stream-1] !== due_words[stream][0]) begin
{%- else %}
                if (out_valid[stream-1] !== due_words[stream][0]) begin
{%- endif %}
                    $display("FAIL stream %0d: valid is %b, expected %b", stream - 1, out_valid[stream-1], due_words[stream][0]);
                    good = 1'b0;
                end
                if (good && due_words[stream][0]) begin
                    still = 0;
                    compare;
                end
                for (lag = 4 * stream - 3; lag < 4 * stream; lag = lag + 1) late[lag] = late[lag+1];
                due_words[stream] = due_words[stream] >> 1;
{%- else %}
{%- if lanes > 1 %}
                got_row = out_data[(stream-1)*LANES*WIDTH+:LANES*WIDTH];
                kept_row = waiting[(stream-1)*LANES*WIDTH+:LANES*WIDTH];
                if (word_waited[stream-1]{% if cables.is_some() %} && !off{% endif %}
                    && (out_valid[stream-1] !== 1'b1 || got_row !== kept_row)) begin
{%- else %}
                got_data = out_data[(stream-1)*WIDTH+:WIDTH];
                kept_data = waiting[(stream-1)*WIDTH+:WIDTH];
                if (word_waited[stream-1]{% if cables.is_some() %} && !off{% endif %}
                    && (out_valid[stream-1] !== 1'b1 || got_data !== kept_data)) begin
{%- endif %}
                    $display("FAIL stream %0d: a word that waited has changed", stream - 1);
                    good = 1'b0;
                end
                if (good && out_valid[stream-1] !== 1'b0 && out_ready[stream-1]) begin
                    still = 0;
                    all_last = 1'b1;
{%- if lanes > 1 %}
                    if (out_keep[(stream-1)*LANES+:LANES] === {LANES{1'b0}}) begin
                        $display("FAIL stream %0d: a row without a word", stream - 1);
                        good = 1'b0;
                    end
                    for (lane = 0; lane < LANES; lane = lane + 1) begin
                        got_data = out_data[((stream-1)*LANES+lane)*WIDTH+:WIDTH];
                        if (good && out_keep[(stream-1)*LANES+lane] !== 1'b0) compare;
                    end
{%- else %}
                    compare;
{%- endif %}
                    if (good && out_last[stream-1] !== all_last) begin
                        $display("FAIL stream %0d, run %0d: last is %b, expected %b", stream - 1, out_run[stream], out_last[stream-1], all_last);
                        good = 1'b0;
                    end
                end
{%- endif %}
                if (clocks % 64 == 0) begin
                    // each end runs at full speed for a while, or pauses sometimes, or often
                    draw;
                    in_pause[stream] = chance[0] ? 8'd0 : (chance[1] ? 8'd128 : 8'd250);
                    out_pause[stream] = chance[2] ? 8'd0 : (chance[3] ? 8'd128 : 8'd250);
                    start_pause = chance[4] ? 8'd0 : 8'd240;
{%- if is_common() %}
                    // one board alone may be late to take its words, while calls follow at once
                    if (stream == 1) begin
                        draw_below(2 * BOARDS);
                        slow_board = (drawn < BOARDS) ? drawn + 1 : 0;
                    end
                    if (slow_board != 0) begin
                        out_pause[stream] = (board_of[stream] == slow_board) ? 8'd250 : 8'd0;
                        start_pause = 8'd0;
                    end
{%- endif %}
                    if (full != 0) {in_pause[stream], out_pause[stream], start_pause} = 24'd0;
                end
                draw;
{%- if address.is_none() %}
                next_ready[stream-1] = chance[7:0] >= out_pause[stream];
{%- endif %}
                if (in_valid[stream-1] && in_ready[stream-1]) begin
                    still = 0;
                    fed[stream] = fed[stream] + 1;
                    if (fed[stream] == taken(kind_of(in_run[stream]), stream)) begin
                        fed[stream] = 0;
                        in_run[stream] = in_run[stream] + 1;
                        go_in;
                    end
                end
                if (!in_valid[stream-1] || in_ready[stream-1]{% if cables.is_some() %} || is_renewed(0){% endif %}) begin
                    next_valid[stream-1] = 1'b0;
                    next_data[(stream-1)*WIDTH+:WIDTH] = {WIDTH{1'bx}};
                    next_last[stream-1] = 1'bx;
{%- if !sizes.is_one %}
                    next_dest[(stream-1)*PROGRAM+:PROGRAM] = {PROGRAM{1'bx}};
{%- endif %}
                    if ({% if cables.is_some() %}!is_renewed(0) && {% endif %}in_run[stream] < runs && chance[15:8] >= in_pause[stream]) begin
                        call = kind_of(in_run[stream]);
{%- if numbers.is_some() && !always_combines() %}
                        combines = {% if operations.is_empty() %}1'b0{% else %}is_combined(call){% endif %};
{%- endif %}
                        mix(salt + in_run[stream], before_in(call, stream) + fed[stream]);
                        next_data[(stream-1)*WIDTH+:WIDTH] = wide[WIDTH-1:0];
                        next_last[stream-1] = ends[before_in(call, stream)+fed[stream]+1];
{%- if !sizes.is_one %}
                        next_dest[(stream-1)*PROGRAM+:PROGRAM] = number_of(call);
{%- endif %}
                        next_valid[stream-1] = 1'b1;
                    end
                end
            end
{%- if address.is_none() %}
            for (stream = 1; stream <= STREAMS; stream = stream + 1) {% if own_clocks() %}if (rises[board_of[stream]]) {% endif %}begin
                word_waited[stream-1] = out_valid[stream-1] & ~out_ready[stream-1];
                waiting[(stream-1)*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH] = out_data[(stream-1)*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH];
            end
{%- endif %}
            for (board = 1; board <= BOARDS; board = board + 1) begin
{%- if sizes.has_blocks() %}
                if (good && misframed[board] !== {% if sizes.is_one %}1'b0{% else %}{SITES{1'b0}}{% endif %}) begin
                    $display("FAIL misframed is %b", misframed[board]);
                    good = 1'b0;
                end
{%- endif %}
{%- if !sizes.is_one %}
                if (good && (absent[board] !== 1'b0 || astray[board] !== {SITES{1'b0}})) begin
                    $display("FAIL absent is %b, astray %b", absent[board], astray[board]);
                    good = 1'b0;
                end
{%- endif %}
            end
{%- for cables in cables %}
            watch_errors;
            if (faults == 0 && words == wanted_words && still > 64) watch_idle;
{%- endfor %}
            {% if own_clocks() %}if (rises[COUNTED]) {% endif %}begin
                clocks = clocks + 1;
                {% if !sizes.is_one %}if (begun[1] > {{ first_run() }}{% if is_common() %} && (held_kind == 0 || (held_again && !holding)){% endif %}) {% endif %}since = since + 1;
            end
            // some clocks more, to see that no further word follows
            if (good && still == ((resets == 0 && words == wanted_words) ? REST : PATIENCE)) begin
                all_over = words == wanted_words;
                for (board = 1; board <= BOARDS; board = board + 1) all_over = all_over && dones[board] == runs && busy[board] === 1'b0;
                if (all_over) begin
                    if (full != 0 && runs > FIRST) begin
                        rate = 100 * (last_done - first_done) / (runs - FIRST);
                        $display("%0d.%02d clocks per {% if sizes.is_one %}collective{% else %}call{% endif %}", rate / 100, rate % 100);
                    end
                    $display("PASS %0d {{ unit }}, %0d words", runs, words);
                    $finish(0);  // without a word
                end else begin
                    $display("FAIL %0d words and %0d {{ unit }}, expected %0d and %0d",
                        words, ended, wanted_words, runs * BOARDS);
                    good = 1'b0;
                end
            end
            if (good && resets != 0 && since == cut_at) interrupt;
        end
        // a fault, also between two edges; both set the exit status of the simulator to failure
        if (!rst && !good) begin
`ifdef __ICARUS__
            $finish_and_return(1);
`else
            $stop;
`endif
        end
    end

endmodule

`default_nettype wire
