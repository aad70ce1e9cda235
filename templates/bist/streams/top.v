// {{ common.name }}: self-test of {{ system }}, through the streams of its nodes
//
// A run plays every program, with its first, middle and last root, in {{ calls.len() }} call{% if calls.len() != 1 %}s{% endif %}. Every word has other data in each run, and every word that
// goes out is compared with all that stands beside it{% if common.marks.is_some() %}. Where values are combined, another node's decides in each run{% endif %}. The
// first difference is recorded and sent over a serial line: `PASS runs calls words nodes`, or
// `FAIL run word node m want got`: the number of the word at that node, and the word as {{ order }}.
// A run passes only with all words right.
{%- match board %}
{%- when Some(board) %} The boards' calls keep their self-tests together: each needs what the others send
// in the same run, and a fault of one ends all.{% if board.is_common %} The board at the origin calls all.{% endif %}
{%- when None %} Every second run begins with one that a reset interrupts.
{%- endmatch %}
//
// After the first run the checkers prove that they see. One after the other, errors are made for all of them: valid
// inverted, then each bit of the word. Every checker must report each.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }} #(
    parameter integer RUNS = 1000,
    parameter integer CLOCK = {{ common.clock }},  // Hz, for the serial line
    parameter integer BAUD = {{ common.baud }},
    // fault injection: in this run (from 1) one bit of a word (from 1) that goes out of a node is flipped
    parameter integer INJECT_RUN = 0,
    parameter integer INJECT_TICK = 1,  // number of the word
    parameter integer INJECT_NODE = 0  // row-major
) (
    input  wire clk,
    input  wire rst,
{%- if let Some(board) = board %}
{%- let axes = board.axes.as_slice() %}
{%- let links = board.links.as_slice() %}
{%- include "listed/links.v" %}
    output wire links_ready,
    output wire [31:0] links,  // up, by port; port and code of a fault
    input  wire again,  // when it has ended: high restarts it, at all boards
{%- else %}
    input  wire again,  // when it has ended: high restarts it
{%- endif %}
    output reg  passed,
    output reg  failed,
    output wire tx
);

    localparam integer WIDTH = {{ common.width }};
    localparam integer BITS = WIDTH + {{ beside }};  // of a word with what stands beside it
    localparam integer TICK = {{ common.tick }};  // bits of a word's number at its node
    localparam integer BELOW = 2 * BITS;  // bits of a record below its word's number
    localparam integer RECORD = 3 + TICK + BELOW;
    localparam integer DATA = WIDTH{% if fixed > 0 %} - {{ fixed }}{% endif %};  // bits of a word that differ
    localparam integer SLICES = ({{ common.hash }} + DATA - 1) / DATA;
    localparam integer CALLS = {{ calls.len() }};
    localparam integer CHECKERS = {{ nodes.len() }};
    localparam integer PATIENCE = {{ patience }};  // clocks without any word before a run has failed
    localparam integer QUIET = 64;  // clocks without any word after the last call
{%- if let Some(board) = board %}
{%- if board.is_common %}
    localparam integer APART = {{ apart }};  // clocks before the first call, so that all boards have ended the run before
{%- endif %}
{%- endif %}
    localparam integer SPOILS = BITS;  // bits that proofs flip
    // bits of `proof`: nothing is played; first run; valid inverted; a bit of the word
    localparam integer PROOFS = SPOILS + 3;
{% if board.is_some() %}
    // 0: reset, up to links that are ready; 3: all calls of a run; 4: words settle; 5: read the records; 6: prepare the
    // next run's data; 7: report
{%- else %}
    // 0: reset; a run: 1: up to a reset; 2: the reset; 3: all calls; 4: words settle; 5: read the records; 6: prepare the
    // next run's data; 7: report
{%- endif %}
    reg [2:0] state;
    reg [23:0] number;  // number of the run
    reg [{{ count - 1 }}:0] count;
    reg over;
    reg [31:0] seed;
    reg [31:0] chance;
    reg looked;  // all records are read
    reg counted;  // one clock later
    reg found;
    reg miscounted;  // the number of right words is not that of the calls
    reg flagged;  // an output that says what went wrong was high
    wire said;

{%- if let Some(board) = board %}

    wire [{{ boards.bits - 1 }}:0] board = {% for term in board.number %}{{ term }}{% if !loop.last %} + {% endif %}{% else %}1'd0{% endfor %};  // row by row
    wire [{{ boards.all }}24-1:0] arrivals_each = {{ words }};
    wire [{{ boards.all }}24-1:0] receivers_each = {{ receivers }};
    wire [23:0] all_arrivals = arrivals_each[board*24+:24];  // words that go out in a run
    wire [23:0] all_receivers = receivers_each[board*24+:24];  // nodes that words go out of
    // links that have trained anew begin anew
    reg were_ready;
    reg trained;
    wire anew = again | trained;
    reg restart;
{%- else %}
    wire [23:0] all_arrivals = {{ words }};  // words that go out in a run
    wire [23:0] all_receivers = {{ receivers }};  // nodes that words go out of
    wire anew = again;
{%- endif %}

{% include "bist/proof.v" %}
    wire misjudged = (found != is_proof) | flagged | (miscounted != proof[0]);

    reg is_last;

    // calls, one after the other
    reg [{{ call.bits - 1 }}:0] call;
    reg [{{ call.bits - 1 }}:0] dones;
    reg plays;
{%- if let Some(board) = board %}
    wire broken = plays & ~links_ready;
    reg met;  // a run has ended: until then boards may be switched on
{%- if board.is_common %}
    wire is_host = {% for axis in board.axes %}({{ axis.name }} == {{ axis.bits }}'d0){% if !loop.last %} & {% endif %}{% endfor %};
    reg begun;  // all boards have ended the run before
    wire counts = met | (is_host & ~begun);
{%- else %}
    wire counts = met;
{%- endif %}
{%- endif %}
    reg all_done;
    reg still;  // no word for so long that none will come
    reg [{{ wait - 1 }}:0] waited;
    wire start = plays & (call != CALLS[{{ call.bits - 1 }}:0]){%- if let Some(board) = board %}{% if board.is_common %} & is_host & begun{% endif %}{% endif %};
    wire done;
    wire ready;
    wire [{{ sizes.program - 1 }}:0] program_number;
    wire [{{ sizes.node - 1 }}:0] root;
    wire absent;
    wire [{{ told - 1 }}:0] astray;
{%- if sizes.has_blocks() %}
    wire [{{ told - 1 }}:0] misframed;
{%- endif %}
    wire busy;
    wire [{{ nodes.len() - 1 }}:0] moves;
    reg moved;
{%- if board.is_none() %}
    reg rst_of_system;
{%- endif %}

    always @(posedge clk) begin
        is_last <= ({8'd0, number} >= RUNS[31:0]) & ~(|proof[PROOFS-2:0]);
        count <= count - {{ count }}'d1;
{%- if board.is_some() %}
        if (rst_of_all & ~links_ready) count <= {{ count }}'d8;
{%- endif %}
        over <= count == {{ count }}'d1;
        case (state)
            3'd0: begin
                number <= 24'd0;
                proof <= { {(PROOFS-1){1'b0}}, 1'b1};
                seed <= 32'h5eed_0001;
                passed <= 1'b0;
                failed <= 1'b0;
                if (over) begin
                    state <= 3'd4;
                    count <= {{ count }}'d8;
                    over <= 1'b0;
                end
            end
{%- if board.is_none() %}
            3'd1: if (over) begin
                state <= 3'd2;
                count <= {{ count }}'d8;
                over <= 1'b0;
            end
            3'd2: if (over) state <= 3'd3;
{%- endif %}
            3'd3: if (still) begin
                state <= 3'd4;
                count <= {{ count }}'d8;
                over <= 1'b0;
            end
            3'd4: if (over) state <= 3'd5;
{% include "bist/judged.v" %}
            3'd6: begin
                seed <= {1'b0, seed[31:1]} ^ (seed[0] ? 32'h80200003 : 32'd0);
{%- if board.is_some() %}
                if (over) state <= 3'd3;
{%- else %}
                if (over & (is_proof | ~number[0])) begin
                    state <= 3'd3;
                end else if (over) begin
                    state <= 3'd1;
                    count <= { {{ count - cut }}'d1, chance[{{ cut - 1 }}:0]};
                    over <= 1'b0;
                end
{%- endif %}
                if (over & ~is_proof) number <= number + 24'd1;
            end
{% include "bist/again.v" %}

    always @(posedge clk) begin
{%- if board.is_some() %}
        plays <= state == 3'd3;
        were_ready <= links_ready;
        trained <= ~rst_of_all & (trained | (links_ready & ~were_ready));
        restart <= (state == 3'd7) & said & again;
{%- else %}
        plays <= (state == 3'd1) | (state == 3'd3);
        rst_of_system <= rst_of_all | (state == 3'd2) | (is_proof & (state == 3'd6));
{%- endif %}
        moved <= (|moves) | done | (start & ready);
        chance <= {1'b0, chance[31:1]} ^ (chance[0] ? 32'h80200003 : 32'd0);
        if (rst_of_all) chance <= 32'h2545_f491{% if boards.bits > 0 %} ^ { {{- 32 - boards.bits }}'d0, board}{% endif %};
        if (start & ready) call <= call + {{ call.bits }}'d1;
        if (done) dones <= dones + {{ call.bits }}'d1;
        if (~plays) begin
            call <= {{ call.bits }}'d0;
            dones <= {{ call.bits }}'d0;
        end
        all_done <= dones == CALLS[{{ call.bits - 1 }}:0];
        waited <= (moved | ~plays{% if board.is_some() %} | ~counts{% endif %}) ? {{ wait }}'d0 : waited + {{ wait }}'d1;
{%- if board.is_some() %}
        met <= ~rst_of_all & (met | all_done);
{%- endif %}
        still <= {% if board.is_some() %}broken | {% endif %}plays & ~moved & (waited == (all_done ? QUIET[{{ wait - 1 }}:0] : PATIENCE[{{ wait - 1 }}:0]));
{%- if let Some(board) = board %}
{%- if board.is_common %}
        begun <= plays & (begun | (waited == APART[{{ wait - 1 }}:0]));
{%- endif %}
{%- endif %}
        if (clears) flagged <= 1'b0;
        // it is not busy when all calls are over
        else if (state == 3'd4) flagged <= flagged | busy;
        else if (plays{% if board.is_none() %} & ~rst_of_system{% endif %}) flagged <= flagged{% if board.is_some() %} | broken{% endif %} | absent | (|astray){% if sizes.has_blocks() %} | (|misframed){% endif %};
    end

    function automatic [{{ sizes.program + sizes.node - 1 }}:0] nth_call(input reg [{{ call.bits - 1 }}:0] of_call);
        case (of_call)
{%- for it in calls %}
            {{ call.bits }}'d{{ loop.index0 }}: nth_call = { {{- sizes.program }}'d{{ it.program }}, {{ sizes.node }}'d{{ it.root }}};
{%- endfor %}
            default: nth_call = {{ sizes.program + sizes.node }}'d0;
        endcase
    endfunction
    assign {program_number, root} = nth_call(call);

    wire turns = (state == 3'd6) & over;  // other data

{% include "bist/data.v" %}

    // broadcast to every node
    reg node_clears;
    reg node_restarts;
    reg node_goes;
    reg [SPOILS-1:0] node_spoil;
    reg node_stray;
    reg node_injects;
    reg shift;

    always @(posedge clk) begin
        node_clears <= clears;
        node_restarts <= clears{% if board.is_none() %} | (state == 3'd2){% endif %};
        node_goes <= plays;
        node_spoil <= proof[PROOFS-1:3];
        // valid is inverted up to the readout of the records, in which no new one may be made
        node_stray <= proof[2] & (state == 3'd3);
        node_injects <= (INJECT_RUN != 0) & ({8'd0, number} == INJECT_RUN[31:0]) & ~is_proof;
    end

    // records and counts of all nodes; while they shift, each node shows the next one's
{%- for node in nodes %}
    wire [RECORD-1:0] {{ node.name }}_record;
    wire [TICK-1:0] {{ node.name }}_count;
{%- endfor %}
{%- for node in nodes %}

    // node {{ node.label }}
{%- if boards.bits > 0 %}
    wire [{{ boards.all }}32-1:0] {{ node.name }}_number = {{ node.number }};
{%- endif %}
    wire [WIDTH-1:0] {{ node.name }}_in_data;
    wire {{ node.name }}_in_valid;
    wire {{ node.name }}_in_ready;
{%- if sizes.has_blocks() %}
    wire {{ node.name }}_in_last;
{%- endif %}
    wire [{{ sizes.program - 1 }}:0] {{ node.name }}_in_dest;
{%- if sizes.has_read_port() %}
    wire {{ node.name }}_out_full;
    wire {{ node.name }}_out_enable;
    wire [{{ sizes.ram() - 1 }}:0] {{ node.name }}_out_address;
    wire {{ node.name }}_out_free;
    wire [{{ sizes.program - 1 }}:0] {{ node.name }}_out_program;
    wire [WIDTH-1:0] {{ node.name }}_out_word;
{%- if sizes.has_blocks() %}
    wire [{{ sizes.user() - 1 }}:0] {{ node.name }}_out_user;
{%- endif %}
    wire {{ node.name }}_out_valid;
{%- else %}
    wire [BITS-1:0] {{ node.name }}_out;
    wire {{ node.name }}_out_valid;
    wire {{ node.name }}_out_ready;
{%- endif %}
{%- if !node.has_streams %}
    assign {{ node.name }}_in_ready = 1'b0;
    assign {{ node.name }}_out_valid = 1'b0;
{%- if sizes.has_read_port() %}
    assign {{ node.name }}_out_full = 1'b0;
    assign {{ node.name }}_out_program = {{ sizes.program }}'d0;
    assign {{ node.name }}_out_word = {WIDTH{1'b0}};
{%- if sizes.has_blocks() %}
    assign {{ node.name }}_out_user = {{ sizes.user() }}'d0;
{%- endif %}
{%- else %}
    assign {{ node.name }}_out = {BITS{1'b0}};
{%- endif %}
    wire {{ node.name }}_unused = &{1'b0, {{ node.name }}_in_data, {{ node.name }}_in_valid, {{ node.name }}_in_dest, {% if sizes.has_read_port() %}{{ node.name }}_out_enable, {{ node.name }}_out_address, {{ node.name }}_out_free{% else %}{{ node.name }}_out_ready{% endif %}{% if sizes.has_blocks() %}, {{ node.name }}_in_last{% endif %}, 1'b0};
{%- endif %}
{%- if sizes.lanes() > 1 && node.has_streams %}
    wire [{{ sizes.lanes() }}*WIDTH-1:0] {{ node.name }}_row_data;
    wire [{{ sizes.lanes() - 1 }}:0] {{ node.name }}_row_keep;
    wire [{{ sizes.lanes() * sizes.user() - 1 }}:0] {{ node.name }}_row_user;
    wire {{ node.name }}_row_last;
    wire [{{ sizes.program - 1 }}:0] {{ node.name }}_row_dest;
    wire {{ node.name }}_row_valid;
    wire {{ node.name }}_row_ready;
    {{ common.name }}_row #(
        .WIDTH(WIDTH)
    ) {{ node.name }}_row (
        .clk(clk),
        .restarts(node_restarts),
        .row_data({{ node.name }}_row_data),
        .row_keep({{ node.name }}_row_keep),
        .row_user({{ node.name }}_row_user),
        .row_last({{ node.name }}_row_last),
        .row_dest({{ node.name }}_row_dest),
        .row_valid({{ node.name }}_row_valid),
        .row_ready({{ node.name }}_row_ready),
        .out({{ node.name }}_out),
        .out_valid({{ node.name }}_out_valid),
        .out_ready({{ node.name }}_out_ready)
    );
{%- endif %}
    {{ common.name }}_node #(
        .WIDTH(WIDTH)
    ) {{ node.name }}_streams (
        .clk(clk),
{%- if boards.bits > 0 %}
        .board(board),
{%- endif %}
        .takes({{ node.takes }}),
        .gives({{ node.gives }}),
{%- for table in node.tables %}
        .{{ table.name }}({
{%- for part in table.parts %}
            {{ part.rest }}'d0{% for entry in part.entries %}, {{ table.bits }}'h{{ entry }}{% endfor %}{% if !loop.last %},{% endif %}
{%- endfor %}
        }),
{%- endfor %}
        .clears(node_clears),
        .restarts(node_restarts),
        .goes(node_goes),
        .pauses({chance[{{ node.pause_out.0 }}] & chance[{{ node.pause_out.1 }}], chance[{{ node.pause_in.0 }}] & chance[{{ node.pause_in.1 }}]}),
        .slice(slice),
        .key(key),
{%- if let Some(marks) = common.marks %}
        .rank({{ node.rank }}),
        .marked(marked),
        .mark(mark),
{%- endif %}
        .inject(((INJECT_NODE[31:0] == {% if boards.bits > 0 %}{{ node.name }}_number[board*32+:32]{% else %}{{ node.number }}{% endif %}) & node_injects) ? INJECT_TICK[TICK-1:0] : {TICK{1'b0}}),
        .spoil(node_spoil),
        .stray(node_stray),
        .in_data({{ node.name }}_in_data),
        .in_valid({{ node.name }}_in_valid),
        .in_ready({{ node.name }}_in_ready),
{%- if sizes.has_blocks() %}
        .in_last({{ node.name }}_in_last),
{%- endif %}
        .in_dest({{ node.name }}_in_dest),
{%- if sizes.has_read_port() %}
        .out_full({{ node.name }}_out_full),
        .out_enable({{ node.name }}_out_enable),
        .out_address({{ node.name }}_out_address),
        .out_free({{ node.name }}_out_free),
        .out_program({{ node.name }}_out_program),
        .out_word({{ node.name }}_out_word),
{%- if sizes.has_blocks() %}
        .out_user({{ node.name }}_out_user),
{%- endif %}
        .out_valid({{ node.name }}_out_valid),
{%- else %}
        .out({{ node.name }}_out),
        .out_valid({{ node.name }}_out_valid),
        .out_ready({{ node.name }}_out_ready),
{%- endif %}
        .moves(moves[{{ loop.index0 }}]),
        .shift(shift),
{%- match node.next %}
{%- when Some(next) %}
        .next({{ next }}_record),
        .next_count({{ next }}_count),
{%- when None %}
        .next({RECORD{1'b0}}),
        .next_count({TICK{1'b0}}),
{%- endmatch %}
        .record({{ node.name }}_record),
        .count({{ node.name }}_count)
    );
{%- endfor %}

{%- if let Some(board) = board %}
{%- if board.is_common %}
{%- for axis in board.axes %}
    wire {{ axis.range }}waits_{{ axis.name }};
{%- endfor %}
    wire called;
    wire [{{ sizes.program - 1 }}:0] called_program;
    wire [{{ sizes.node - 1 }}:0] called_root;
    wire call_unused = &{1'b0{% for axis in board.axes %}, waits_{{ axis.name }}{% endfor %}, called, called_program, called_root, 1'b0};
{%- endif %}
{%- endif %}

    {{ system }} system (
        .clk(clk),
        .rst({% if board.is_some() %}rst{% else %}rst_of_system{% endif %}),
{%- if let Some(board) = board %}
        .restart(restart),
        .links_ready(links_ready),
        .links(links),
{%- let axes = board.axes.as_slice() %}
{%- let links = board.links.as_slice() %}
{%- include "listed/linked.v" %}
{%- if board.is_common %}
{%- for axis in board.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}),
{%- endfor %}
        .called(called),
        .called_program(called_program),
        .called_root(called_root),
{%- endif %}
{%- endif %}
        .start(start),
        .ready(ready),
        .program_number(program_number),
        .root(root),
        .absent(absent),
        .astray(astray),
        .busy(busy),
{%- if sizes.has_blocks() %}
        .misframed(misframed),
{%- endif %}
{%- for node in nodes %}{% if node.has_streams %}
        .{{ node.name }}_s_axis_tdata({{ node.name }}_in_data),
        .{{ node.name }}_s_axis_tvalid({{ node.name }}_in_valid),
        .{{ node.name }}_s_axis_tready({{ node.name }}_in_ready),
{%- if sizes.has_blocks() %}
        .{{ node.name }}_s_axis_tlast({{ node.name }}_in_last),
{%- endif %}
        .{{ node.name }}_s_axis_tdest({{ node.name }}_in_dest),
{%- if sizes.has_read_port() %}
        .{{ node.name }}_m_ram_full({{ node.name }}_out_full),
        .{{ node.name }}_m_ram_free({{ node.name }}_out_free),
        .{{ node.name }}_m_ram_en({{ node.name }}_out_enable),
        .{{ node.name }}_m_ram_addr({{ node.name }}_out_address),
        .{{ node.name }}_m_ram_valid({{ node.name }}_out_valid),
        .{{ node.name }}_m_ram_data({{ node.name }}_out_word),
{%- if sizes.has_blocks() %}
        .{{ node.name }}_m_ram_user({{ node.name }}_out_user),
{%- endif %}
        .{{ node.name }}_m_ram_dest({{ node.name }}_out_program),
{%- else if sizes.lanes() > 1 %}
        .{{ node.name }}_m_axis_tdata({{ node.name }}_row_data),
        .{{ node.name }}_m_axis_tkeep({{ node.name }}_row_keep),
        .{{ node.name }}_m_axis_tuser({{ node.name }}_row_user),
        .{{ node.name }}_m_axis_tlast({{ node.name }}_row_last),
        .{{ node.name }}_m_axis_tdest({{ node.name }}_row_dest),
        .{{ node.name }}_m_axis_tvalid({{ node.name }}_row_valid),
        .{{ node.name }}_m_axis_tready({{ node.name }}_row_ready),
{%- else %}
        .{{ node.name }}_m_axis_tdata({{ node.name }}_out[WIDTH-1:0]),
        .{{ node.name }}_m_axis_tvalid({{ node.name }}_out_valid),
        .{{ node.name }}_m_axis_tready({{ node.name }}_out_ready),
        .{{ node.name }}_m_axis_tlast({{ node.name }}_out[WIDTH+{{ sizes.program }}]),
{%- if sizes.has_blocks() %}
        .{{ node.name }}_m_axis_tuser({{ node.name }}_out[BITS-1:WIDTH+{{ sizes.program + 1 }}]),
{%- endif %}
        .{{ node.name }}_m_axis_tdest({{ node.name }}_out[WIDTH+:{{ sizes.program }}]),
{%- endif %}
{%- endif %}{% endfor %}
        .done(done)
    );

{% include "bist/records.v" %}

{%- for it in coordinates %}{% if it.bits > 0 %}
    wire [{{ it.bits - 1 }}:0] kept_{{ it.name }} = {% for term in it.terms %}{{ term }}{% if !loop.last %} + {% endif %}{% endfor %};
{%- endif %}{% endfor %}
    wire is_wanted = kept[RECORD-2];
    reg at_flag;
    reg at_count;
    reg [TICK-1:0] said_tick;
    reg saying;

    always @(posedge clk) begin
        saying <= state == 3'd7;
        at_flag <= flagged & (~found | is_proof);
        at_count <= (~found | is_proof) & ~flagged;
        said_tick <= (~found | is_proof) ? CALLS[TICK-1:0] : kept_tick + { {(TICK-1){1'b0}}, 1'b1};
    end

    {{ common.name }}_report #(
        .WIDTH(BITS),
        .CLOCK(CLOCK),
        .BAUD(BAUD)
    ) report (
        .clk(clk),
        .rst(rst_of_all),
        .start((state == 3'd7) & ~saying),
        .finished(said),
        .failed(failed),
        .at_done(at_flag),
        .at_count(at_count),
        .is_proof(is_proof),
        .arrivals(arrivals),
        .checkers(checkers),
        .run(number),
        .tick(said_tick),
{%- for it in coordinates %}
        .{{ it.name }}(kept_{{ it.name }}),
{%- endfor %}
        .port(kept_port),
        .is_wanted(is_wanted),
        .is_got(1'b1),
        .want(kept[BITS-1:0] ^ kept[2*BITS-1:BITS]),
        .got(kept[BITS-1:0]),
        .tx(tx)
    );
    wire unused = &{1'b0, kept[RECORD-1], kept[RECORD-3], 1'b0};

endmodule

`default_nettype wire
