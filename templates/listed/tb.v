// {{ module }}: plays every program of {{ top }} in random order, behind its {{ bus_name }}, and compares every word that comes back
//
// A run is broken off before every second call. PASS says how many calls and words were compared.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }};
    localparam integer NODES = {{ nodes }};
    localparam integer WIDTH = {{ width }};
    localparam integer WIDE = (WIDTH > 32) ? WIDTH : 32;  // bits of a word in the bench
    localparam [WIDE-1:0] MASK = {WIDE{1'b1}} >> (WIDE - WIDTH);
    localparam integer CALLS = {{ calls }};
    localparam integer WORDS = {{ words }};  // words compared in all calls
    localparam integer PATIENCE = {{ patience }};  // clocks without an answer before it fails
    localparam [3:0] SCATTER = 4'd1;
    localparam [3:0] WRITE = 4'd2;
    localparam [3:0] COLLECT = 4'd3;
    localparam [3:0] READ = 4'd4;
    // collectives
    localparam [2:0] GOSSIP = 3'd0;
    localparam [2:0] ALL_REDUCE = 3'd1;
    localparam [2:0] REDUCE_SCATTER = 3'd2;
    localparam [2:0] EXCHANGE = 3'd3;
    localparam [2:0] BROADCAST = 3'd4;
    localparam [2:0] SCATTERING = 3'd5;
    localparam [2:0] GATHER = 3'd6;
    localparam [2:0] REDUCE = 3'd7;
    localparam integer MOST = {{ most }};  // words that a node takes, at most

    reg clk;
    reg rst;
{%- include "tb/clock.v" %}

    integer errors;
    integer compared;
    integer called;
    integer chance;  // state of the random numbers that pause and choose

    // Waits a clock; a wait that is too long ends the bench.
    integer waited;
    task patience;
        begin
            @(negedge clk);
            waited = waited + 1;
            if (waited > PATIENCE) begin
                $display("FAIL: no answer in call %0d", called);
                $fatal(1);
            end
        end
    endtask
{% include "listed/tb/bus.v" %}

    // Word w of node u's block d in a call: a hash, so that no two are alike.
    function [WIDE-1:0] value(input integer of_call, input integer u, input integer d, input integer w);
        reg [31:0] x;
        reg [WIDE-1:0] all;
        integer part;
        begin
            all = {WIDE{1'b0}};
            for (part = 0; part < WIDTH; part = part + 32) begin
                x = (of_call * 32'h9e3779b9) ^ (u * 32'h85ebca6b) ^ (d * 32'hc2b2ae35) ^ (w * 32'h27d4eb2f) ^ (part * 32'h632be5ab);
                x = (x ^ (x >> 16)) * 32'h7feb352d;
                x = (x ^ (x >> 15)) * 32'h846ca68b;
                x = x ^ (x >> 16);
                all = (all << 32) | x;
            end
            value = all & MASK;
        end
    endfunction

{%- for float in float %}

    // A whole number as a float: these are so small that sums of all nodes' are exact, in any order.
    function [31:0] number(input integer of_call, input integer u, input integer d, input integer w);
        number = (u < {{ float.most }}) ? value(of_call, u, d, w) % {{ float.largest }} + 1 : 0;
    endfunction

{% include "tb/floated.v" %}

    reg combines;  // words are numbers that are combined
{%- endfor %}

{%- macro combine(operation) %}
{%- match (operation, is_signed) %}
{%- when (Operation::Sum, _) %}x = x + y;
{%- when (Operation::Custom, _) %}x = x + y;
{%- when (Operation::Xor, _) %}x = x ^ y;
{%- when (Operation::And, _) %}x = x & y;
{%- when (Operation::Or, _) %}x = x | y;
{%- when (Operation::Max, true) %}x = ($signed(x[WIDTH-1:0]) > $signed(y[WIDTH-1:0])) ? x : y;
{%- when (Operation::Min, true) %}x = ($signed(x[WIDTH-1:0]) < $signed(y[WIDTH-1:0])) ? x : y;
{%- when (Operation::Max, false) %}x = (x > y) ? x : y;
{%- when (Operation::Min, false) %}x = (x < y) ? x : y;
{%- endmatch %}
{%- endmacro %}
    // First node of a node's group, and the root: the call's if all nodes are one, the node itself if its group has none.
    function [31:0] group_of(input integer program_number, input integer u, input integer root);
        case (program_number)
{%- for program in programs %}
{%- if !program.groups.is_empty() %}
            {{ loop.index0 }}: begin
                case (u)
{%- for member in program.groups %}
                    {{ member.node }}: group_of = {16'd{{ member.first }}, 16'd{{ member.root }}};
{%- endfor %}
                    default: group_of = {16'd0, u[15:0]};
                endcase
            end
{%- endif %}
{%- endfor %}
            default: group_of = {16'd0, root[15:0]};
        endcase
    endfunction

    function integer first_of(input integer program_number, input integer u);
        reg [31:0] group;
        begin
            group = group_of(program_number, u, 0);
            first_of = {16'd0, group[31:16]};
        end
    endfunction

    function integer root_of(input integer program_number, input integer u, input integer root);
        reg [31:0] group;
        begin
            group = group_of(program_number, u, root);
            root_of = {16'd0, group[15:0]};
        end
    endfunction

    // Combination of the values of all nodes of a node's group in a program.
    function [WIDE-1:0] combined(input integer program_number, input integer of_call, input integer v, input integer d, input integer w);
        integer u;
        integer first;
        reg [WIDE-1:0] x;
        reg [WIDE-1:0] y;
        begin
            first = first_of(program_number, v);
            x = {{ term }}(of_call, first, d, w);
            for (u = first + 1; u < NODES; u = u + 1) begin
                y = {{ term }}(of_call, u, d, w);
                if (first_of(program_number, u) == first) case (program_number)
{%- for program in programs %}
{%- for operation in program.operation %}
                    {{ program.number }}: {{ combine(operation) }}
{%- endfor %}
{%- endfor %}
                    default: ;
                endcase
            end
            combined = {% if float.is_some() %}floated(x){% else %}x & MASK{% endif %};
        end
    endfunction

    // Programs: collective, words of a block from one node for another.
    function [2:0] collective(input integer program_number);
        case (program_number)
{%- for program in programs %}
            {{ loop.index0 }}: collective = {{ program.collective }};
{%- endfor %}
            default: collective = GOSSIP;
        endcase
    endfunction

    function integer length(input integer program_number, input integer from, input integer to);
        case (program_number)
{%- for program in programs %}
{%- match program.lengths %}
{%- when Some(lengths) %}
            {{ loop.index0 }}: begin
                case (from * NODES + to)
{%- for (pair, words) in lengths %}
                    {{ pair }}: length = {{ words }};
{%- endfor %}
                    default: length = 0;
                endcase
            end
{%- when None %}
            {{ loop.index0 }}: length = {% if program.groups.is_empty() %}{{ program.words }}{% else %}(first_of(program_number, from) == first_of(program_number, to)) ? {{ program.words }} : 0{% endif %};
{%- endmatch %}
{%- endfor %}
            default: length = 1;
        endcase
    endfunction

    // Blocks have different lengths, or are not of all nodes.
    function is_uneven(input integer program_number);
        case (program_number)
{%- for program in programs %}
{%- if program.lengths.is_some() || !program.groups.is_empty() %}
            {{ loop.index0 }}: is_uneven = 1'b1;
{%- endif %}
{%- endfor %}
            default: is_uneven = 1'b0;
        endcase
    endfunction

    // Vectors are one block, which one node combines.
    function is_whole(input integer program_number);
        case (program_number)
{%- for program in programs %}
{%- if program.is_whole %}
            {{ loop.index0 }}: is_whole = 1'b1;
{%- endif %}
{%- endfor %}
            default: is_whole = 1'b0;
        endcase
    endfunction

    // Blocks that a node takes: one, or one for each node; and the words in all of them.
    function integer blocks_of(input integer program_number);
        case (collective(program_number))
            GOSSIP, BROADCAST, GATHER, REDUCE: blocks_of = 1;
            default: blocks_of = is_whole(program_number) ? 1 : NODES;
        endcase
    endfunction

    // Programs that are played at once, each with its root; other programs are alone.
    function integer parts(input integer program_number);
        case (program_number)
{%- for together in together %}
            {{ together.number }}: parts = {{ together.programs.len() }};
{%- endfor %}
            default: parts = 1;
        endcase
    endfunction

    function integer part_of(input integer program_number, input integer number);
        case ({program_number[15:0], number[15:0]})
{%- for together in together %}
{%- for part in together.programs %}
            {16'd{{ together.number }}, 16'd{{ loop.index0 }}}: part_of = {{ part.program }};
{%- endfor %}
{%- endfor %}
            default: part_of = program_number;
        endcase
    endfunction

    function integer own_root(input integer program_number, input integer root);
        case (program_number)
{%- for program in programs %}
{%- for root in program.root %}
            {{ program.number }}: own_root = {{ root }};
{%- endfor %}
{%- endfor %}
            default: own_root = root;
        endcase
    endfunction

    // Blocks that a node takes of a program that is not for roots alone; and the words in all of them, in all programs of a call.
    function integer blocks_in(input integer program_number, input integer root, input integer u);
        case (collective(program_number))
            BROADCAST, SCATTERING: blocks_in = (u == root_of(program_number, u, root)) ? blocks_of(program_number) : 0;
            default: blocks_in = blocks_of(program_number);
        endcase
    endfunction

    function integer words_in(input integer program_number, input integer root, input integer u, input integer d);
        words_in = length(program_number, u, (blocks_of(program_number) == 1) ? root_of(program_number, u, root) : d);
    endfunction

    function integer total(input integer program_number, input integer root, input integer u);
        integer d;
        integer k;
        integer p;
        begin
            total = 0;
            for (k = 0; k < parts(program_number); k = k + 1) begin
                p = part_of(program_number, k);
                for (d = 0; d < blocks_in(p, own_root(p, root), u); d = d + 1) total = total + words_in(p, own_root(p, root), u, d);
            end
        end
    endfunction

    // Blocks that a node gives, and the words of one.
    function integer blocks_out(input integer program_number);
        case (collective(program_number))
            REDUCE_SCATTER, BROADCAST, SCATTERING, REDUCE: blocks_out = 1;
            default: blocks_out = is_whole(program_number) ? 1 : NODES;
        endcase
    endfunction

    function integer words_out(input integer program_number, input integer root, input integer u, input integer v);
        integer r;
        begin
            r = root_of(program_number, v, root);
            case (collective(program_number))
                REDUCE, GATHER: words_out = (v == r) ? length(program_number, (blocks_out(program_number) == 1) ? r : u, v) : 0;
                default: words_out = length(program_number, (blocks_out(program_number) == 1) ? r : u, v);
            endcase
        end
    endfunction

    // Words of a call: of the programs that are played at once each has others.
    function integer seed_of(input integer of_call, input integer number);
        seed_of = of_call + number * 65536;
    endfunction

    task give(input [3:0] operation, input integer node, input integer each, input integer first, input integer last,
              input integer of_call, input integer program_number, input integer root);
        integer u;
        integer d;
        integer w;
        integer k;
        integer p;
        integer words;
        begin
            push_head(operation, node, each);
{%- if is_uart %}
            announce((last + 1 - first) * total(program_number, root, first));
{%- endif %}
            for (u = first; u <= last; u = u + 1) begin
                for (k = 0; k < parts(program_number); k = k + 1) begin
                    p = part_of(program_number, k);
{%- if float.is_some() %}
                    case (collective(p))
                        ALL_REDUCE, REDUCE_SCATTER, REDUCE: combines = 1'b1;
                        default: combines = 1'b0;
                    endcase
{%- endif %}
                    for (d = 0; d < blocks_in(p, own_root(p, root), u); d = d + 1) begin
                        words = words_in(p, own_root(p, root), u, d);
                        for (w = 0; w < words; w = w + 1) begin
                            push_word({% if float.is_some() %}combines ? floated(number(seed_of(of_call, k), u, d, w)) : {% endif %}value(seed_of(of_call, k), u, d, w));
                        end
                    end
                end
            end
            push_head(4'd0, 0, 0);
        end
    endtask

    // Chooses a program, and gives all nodes what they take.
    task load(input integer program_number, input integer root, input integer of_call);
        integer u;
        reg is_apart;  // nodes take different numbers of words
        begin
            choose(program_number, root);
            is_apart = parts(program_number) > 1 || is_uneven(program_number);
            case (collective(program_number))
                BROADCAST, SCATTERING: is_apart = 1'b1;
                default: ;
            endcase
            if (is_apart) begin
                for (u = 0; u < NODES; u = u + 1) begin
                    if (total(program_number, root, u) != 0) give(WRITE, u, 0, u, u, of_call, program_number, root);
                end
            end else begin
                give(SCATTER, 0, total(program_number, root, 0), 0, NODES - 1, of_call, program_number, root);
            end
        end
    endtask

    // Expects so many words from each of some nodes.
    task await_words(input [3:0] operation, input integer program_number, input integer node, input integer each, input integer nodes);
        begin
            push_head(operation, node, each);
            push_head(4'd0, 0, 0);
{%- if is_uart %}
            announce(nodes * each);
{%- endif %}
        end
    endtask

    // Compares what a node has of a program.
    task take_of(input integer program_number, input integer root, input integer of_call, input integer v);
        integer u;
        integer w;
        integer words;
        reg [WIDE-1:0] got;
        reg [WIDE-1:0] wanted;
        begin
            for (u = 0; u < blocks_out(program_number); u = u + 1) begin
                words = words_out(program_number, root, u, v);
                for (w = 0; w < words; w = w + 1) begin
                    pull_word(got);
                    case (collective(program_number))
                        GOSSIP, GATHER: wanted = value(of_call, u, 0, w);
                        ALL_REDUCE, REDUCE: wanted = combined(program_number, of_call, v, u, w);
                        REDUCE_SCATTER: wanted = combined(program_number, of_call, v, v, w);
                        EXCHANGE: wanted = value(of_call, u, v, w);
                        BROADCAST: wanted = value(of_call, root_of(program_number, v, root), 0, w);
                        default: wanted = value(of_call, root_of(program_number, v, root), v, w);
                    endcase
                    compared = compared + 1;
                    if (got !== wanted) begin
                        errors = errors + 1;
                        if (errors <= 10) begin
                            $display("program %0d, root %0d: word %0d of block %0d at node %0d is %h and not %h",
                                     program_number, root, w, u, v, got, wanted);
                        end
                    end
                end
            end
        end
    endtask

    // Compares what all nodes have, or only the root.
    task take(input integer program_number, input integer root, input integer of_call);
        integer all;
        integer v;
        integer u;
        integer k;
        integer p;
        integer first;
        integer last;
        reg is_apart;  // each node gives another number of words
        begin
            is_apart = parts(program_number) > 1 || is_uneven(program_number);
            first = 0;
            last = NODES - 1;
            if (!is_apart) begin
                case (collective(program_number))
                    REDUCE, GATHER: begin
                        first = root;
                        last = root;
                    end
                    default: ;
                endcase
            end
            for (v = first; v <= last; v = v + 1) begin
                all = 0;
                for (k = 0; k < parts(program_number); k = k + 1) begin
                    p = part_of(program_number, k);
                    for (u = 0; u < blocks_out(p); u = u + 1) all = all + words_out(p, own_root(p, root), u, v);
                end
                if (!is_apart && v == first) await_words((first == last) ? READ : COLLECT, program_number, first, all, last + 1 - first);
                if (is_apart && all != 0) await_words(READ, program_number, v, all, 1);
                for (k = 0; k < parts(program_number); k = k + 1) begin
                    p = part_of(program_number, k);
                    take_of(p, own_root(p, root), seed_of(of_call, k), v);
                end
            end
        end
    endtask

    // Calls: program and root.
    function [31:0] call_at(input integer place);
        case (place)
{%- for call in sequence %}
            {{ loop.index0 }}: call_at = {16'd{{ call.program }}, 16'd{{ call.root }}};
{%- endfor %}
            default: call_at = 32'd0;
        endcase
    endfunction

    // Before every second call the run of the call after it is broken off.
    reg [31:0] chosen_call;
    reg breaks;
    task call(input integer place);
        integer part;
        begin
            for (part = (place % 2 == 1) ? 0 : 1; part < 2; part = part + 1) begin
                breaks = part == 0;
                chosen_call = call_at(breaks ? (place + 1) % CALLS : place);
                load({16'd0, chosen_call[31:16]}, {16'd0, chosen_call[15:0]}, breaks ? place + CALLS : place);
                if (breaks) break_off;
            end
            run;
            take({16'd0, chosen_call[31:16]}, {16'd0, chosen_call[15:0]}, place);
            settle;
            called = called + 1;
        end
    endtask

    integer place;
    initial begin
        errors = 0;
        compared = 0;
        called = 0;
        chance = 1;
        quiet;
        rst = 1'b1;
        repeat (10) @(negedge clk);
        rst = 1'b0;
        greet;
        for (place = 0; place < CALLS; place = place + 1) call(place);
        if (errors == 0 && called == CALLS && compared == WORDS) begin
            $display("PASS %0d %0d", called, compared);
            $finish;
        end else begin
            $display("FAIL: %0d errors in %0d of %0d calls, %0d of %0d words", errors, called, CALLS, compared, WORDS);
            $fatal(1);
        end
    end

endmodule

`default_nettype wire
