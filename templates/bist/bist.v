// {{ common.name }}: self-test of {{ fabric }}
//
// Every run has different data, a hash of the flit's number and the run. A checker at every port knows
// the flit to expect in every tick, or that none may arrive, also before and after the program. The
// first difference is recorded and sent over a serial line: `PASS runs ticks arrivals checkers`, or
// `FAIL run tick node port want got`. The checkers count the correct arrivals of every run: a run
// passes only with {{ arrivals }} of them. A run begins at once, or after one that was
// interrupted by a tick of run low, of rst high, or of both; a run that begins at once holds run beyond
// the last tick.
//
// After the first run the checkers prove that they see. One after the other, errors are made for all of them:
// valid inverted, then each bit of the data{% if common.combines %}, then the balance of taken values{% endif %}. Every checker must report each.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }} #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer RUNS = 1000,
    parameter integer CLOCK = {{ common.clock }},  // Hz, for the serial line
    parameter integer BAUD = {{ common.baud }},
    // fault injection: in this run (from 1), tick, node and port one bit of the arrival is flipped
    parameter integer INJECT_RUN = 0,
    parameter integer INJECT_TICK = 1,
    parameter integer INJECT_NODE = 0,  // row-major
    parameter integer INJECT_PORT = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire again,  // when it has ended: high restarts it
    output reg  passed,
    output reg  failed,
    output wire tx
);

    localparam integer TICK = {{ common.tick }};  // bits of a tick
    localparam integer INDEX = {{ common.index }};  // low bits of a tick that identify it
    localparam integer ID = {{ common.id }};  // bits of a flit's number
    localparam integer BELOW = ID + WIDTH;  // bits of a record below its tick
    localparam integer RECORD = 3 + TICK + BELOW;
    localparam integer SPOILS = WIDTH;  // bits that proofs flip
{%- if let Some(marks) = common.marks %}
    localparam integer DATA = WIDTH{% if marks.fixed > 0 %} - {{ marks.fixed }}{% endif %};  // bits of a word that differ
    localparam integer SLICES = ({{ common.hash }} + DATA - 1) / DATA;
{%- else %}
    localparam integer SLICES = (ID + WIDTH - 1) / WIDTH;
{%- endif %}
    localparam integer CHECKERS = {{ checkers }};  // ports with a link
{%- if common.combines %}
    localparam integer BALANCES = {{ balances }};  // outputs whose values are counted
{%- endif %}
    // bits of `proof`: nothing is played; first run; valid and done inverted; a bit of the data{% if common.combines %}; balance{% endif %}
    localparam integer PROOFS = WIDTH + {% if common.combines %}4{% else %}3{% endif %};

    // 0: reset; a run: 1: up to an interruption; 2: the interruption; 3: the whole program and some ticks more, all of
    // a proof;
    // 4: run low; 5: read the records; 6: prepare the next run's data; 7: report
    reg [2:0] state;
    reg [23:0] number;  // number of the run
    reg [{{ count - 1 }}:0] count;
    reg over;
    reg [{{ common.tick - 1 }}:0] first_ticks;  // ticks before the interruption
    reg [31:0] seed;
    reg looked;  // all records are read
    reg counted;  // one clock later
    reg found;
    reg miscounted;  // the number of correct arrivals is not that of the program
    reg done_bad;
    wire said;

    wire [23:0] all_arrivals = 24'd{{ arrivals }};  // in one program, at all ports
    wire [23:0] all_receivers = 24'd{{ receivers }};  // ports at which anything arrives
    wire anew = again;

{% include "bist/proof.v" %}
    wire misjudged = (found != is_proof) | (done_bad != proof[2]) | (miscounted != proof[0]);

    wire is_last = ({8'd0, number} >= RUNS[31:0]) & ~(|proof[PROOFS-2:0]);

    always @(posedge clk) begin
        count <= count - {{ count }}'d1;
        over <= count == {{ count }}'d1;
        case (state)
            3'd0: begin
                number <= 24'd0;
                proof <= { {(PROOFS-1){1'b0}}, 1'b1};
                seed <= 32'h5eed_0001;
                first_ticks <= {{ common.tick }}'d1;
                passed <= 1'b0;
                failed <= 1'b0;
                if (over) begin
                    state <= 3'd4;
                    count <= {{ count }}'d{{ low }};
                    over <= 1'b0;
                end
            end
            3'd1: if (over) state <= 3'd2;
            3'd2: begin
                state <= 3'd3;
                count <= {{ count }}'d{{ play }};
                over <= 1'b0;
            end
            3'd3: if (over) begin
                state <= 3'd4;
                count <= {{ count }}'d{{ low }};
                over <= 1'b0;
            end
            3'd4: if (over) state <= 3'd5;
{% include "bist/judged.v" %}
            3'd6: begin
                seed <= {1'b0, seed[31:1]} ^ (seed[0] ? 32'h80200003 : 32'd0);
                if (over & is_proof) begin
                    state <= 3'd3;
                    count <= {{ count }}'d{{ play }};
                    over <= 1'b0;
                end else if (over) begin
                    state <= 3'd1;
                    number <= number + 24'd1;
                    if (number[1:0] == 2'd3) begin
                        first_ticks <= first_ticks + {{ common.tick }}'d1;
                        if (first_ticks == {{ common.tick }}'d{{ common.ticks + 1 }}) first_ticks <= {{ common.tick }}'d1;
                    end
                    count <= { {{ count - common.tick }}'d0, first_ticks};
                    over <= 1'b0;
                end
            end
{% include "bist/again.v" %}

    // four kinds of interruption: none, run low, rst with run high, both
    reg go;
    reg clear;
    reg go_1;
    reg clear_1;
    reg run;
    reg rst_fabric;
    wire done;

    always @(posedge clk) begin
        go <= (state == 3'd1) | (state == 3'd3) | ((state == 3'd2) & ~number[0]);
        clear <= rst_of_all | ((state == 3'd2) & number[1]);
        {run, go_1} <= {go_1, go};
        {rst_fabric, clear_1} <= {clear_1, clear};
    end
{%- if delay > 0 %}

    // clocks from the rise of run to the fabric's first tick
    localparam integer DELAY = {{ delay }};
    reg [DELAY-1:0] later;
    reg [DELAY-1:0] unsettled;
    reg went;
    wire goes = later[DELAY-1];
    wire settled = ~(|unsettled) & ~clear & ~(went & ~go);

    always @(posedge clk) begin
        went <= go;
        later <= clear ? {DELAY{1'b0}} : (later << 1) | { {(DELAY-1){1'b0}}, go};
        unsettled <= (clear | (went & ~go)) ? {DELAY{1'b1}} : unsettled << 1;
    end
{%- else %}
    wire goes = go;
    wire settled = 1'b1;
{%- endif %}

    // tick of the program, two ticks ahead of the arrivals, so that pipeline registers fit in between
    reg [TICK-1:0] tick;
    reg playing;
    reg ended;
    reg watch;
    reg flip;
    reg [TICK-1:0] tick_1;
    reg [TICK-1:0] tick_2;
    reg [1:0] watches;
    reg [1:0] ends;
    reg [TICK-1:0] done_tick;

    always @(posedge clk) begin
        if (clear | ~goes) begin
            tick <= {TICK{1'b0}};
            playing <= 1'b0;
            ended <= 1'b0;
        end else begin
            if (tick != {{ common.tick }}'d{{ common.ticks + 1 }}) tick <= tick + {{ common.tick }}'d1;
            playing <= tick < {{ common.tick }}'d{{ common.ticks }};
            ended <= ended | (tick == {{ common.tick }}'d{{ common.ticks - 1 }});
        end
        watch <= settled & ~rst_of_all;
        flip <= (INJECT_RUN != 0) & ({8'd0, number} == INJECT_RUN[31:0])
            & ({ {(32-TICK){1'b0}}, tick} == INJECT_TICK[31:0]);
        {tick_2, tick_1} <= {tick_1, tick};
        watches <= {watches[0], watch & ~rst_of_all};
        ends <= {ends[0], ended};
        if (clears) begin
            done_bad <= 1'b0;
        end else if (~done_bad) begin
            done_bad <= watches[1] & ((done ^ proof[2]) != ends[1]);
            done_tick <= tick_2;
        end
    end

    wire turns = (state == 3'd6) & over;  // other data

{% include "bist/data.v" %}
{%- if common.combines %}

    // at the end of a run: have all values been taken?
    wire closes = (state == 3'd4) & over & ~proof[0];
{%- endif %}

    // valid is inverted up to the readout of the records, in which no new one may be made
    wire strays = proof[2] & (state != 3'd5);

    // broadcast to every node
    localparam integer TOLD = INDEX + TICK + PROOFS - 2 + {% if common.combines %}6{% else %}5{% endif %} + 8 + WIDTH{% if let Some(marks) = common.marks %} + WIDTH + {{ marks.bits }}{% endif %};
    reg shift;
    wire [TOLD-1:0] told;
    assign told = {
{%- if common.marks.is_some() %}
        marked, mark,
{%- endif %}
{%- if common.combines %}
        closes,
{%- endif %}
        proof[PROOFS-1:3], strays, clears, slice, key, shift, flip, watches[1], playing, tick_2, tick[INDEX-1:0]
    };
{%- for range in flit %}
    wire {{ range }}{% if common.combines %}unused_{% endif %}flit;
{%- endfor %}

    // records and counts of all ports; while they shift, each port shows the next one's
{%- for node in nodes %}
{%- for input in node.ports %}
    wire [RECORD-1:0] {{ input.name }}_record;
    wire [TICK-1:0] {{ input.name }}_count;
{%- endfor %}
{%- endfor %}
{%- for node in nodes %}

    // node {{ node.place }}
    wire [TOLD-1:0] {{ node.name }}_told;
    wire {{ node.name }}_rst;
    wire {{ node.name }}_stray;
    wire [WIDTH-1:0] {{ node.name }}_spoil;
    wire {{ node.name }}_shift;
    wire {{ node.name }}_flip;
    wire {{ node.name }}_watch;
    wire {{ node.name }}_playing;
    wire [7:0] {{ node.name }}_slice;
    wire [WIDTH-1:0] {{ node.name }}_key;
    wire [TICK-1:0] {{ node.name }}_seen;
    wire [INDEX-1:0] {{ node.name }}_tick;
{%- if common.combines %}
    wire {{ node.name }}_closes;
    wire {{ node.name }}_inverts;
{%- endif %}
{%- if let Some(marks) = common.marks %}
    wire {{ marks.range }}{{ node.name }}_marked;
    wire [WIDTH-1:0] {{ node.name }}_mark;
{%- endif %}
    assign {
{%- if common.marks.is_some() %}
        {{ node.name }}_marked, {{ node.name }}_mark,
{%- endif %}
{%- if common.combines %}
        {{ node.name }}_closes, {{ node.name }}_inverts,
{%- endif %}
        {{ node.name }}_spoil, {{ node.name }}_stray, {{ node.name }}_rst, {{ node.name }}_slice, {{ node.name }}_key,
        {{ node.name }}_shift, {{ node.name }}_flip, {{ node.name }}_watch,
        {{ node.name }}_playing, {{ node.name }}_seen, {{ node.name }}_tick
    } = {{ node.name }}_told;

    {{ leaf }} #(
        .BITS(TOLD)
    ) {{ node.name }}_leaf (
        .clk(clk),
        .d(told),
        .q({{ node.name }}_told)
    );
{%- for own in node.owns %}
    wire [WIDTH-1:0] {{ own.name }};
{%- if let Some(values) = own.values %}
    wire {{ own.name }}_take;
    wire {{ own.name }}_unspent;

    {{ common.name }}_value #(
        .WIDTH(WIDTH),
        .ID(ID),
{%- if common.marks.is_none() %}
        .OPERANDS({{ values.operands }}),
{%- endif %}
        .COUNT({{ values.count }}),
        .INDEX({{ values.index }})
    ) {{ own.name }}_value (
        .clk(clk),
        .run(run & ~rst_fabric),
        .take({{ own.name }}_take),
        .values({
{%- for line in values.table %}
            {% for piece in line %}{{ piece.bits }}'h{{ piece.digits }}{{ piece.comma }}{% endfor %}
{%- endfor %}
        }),
        .slice({{ node.name }}_slice),
        .key({{ node.name }}_key),
{%- if common.marks.is_some() %}
        .marked({{ node.name }}_marked),
        .mark({{ node.name }}_mark),
{%- endif %}
        .value({{ own.name }}),
        .unspent({{ own.name }}_unspent)
    );
{%- else %}
    wire [ID-1:0] {{ own.name }}_number;
{%- if streams %}
    wire {{ own.name }}_take;

    {{ common.name }}_source #(
        .ID(ID)
    ) {{ own.name }}_source (
        .clk(clk),
        .run(run & ~rst_fabric),
        .take({{ own.name }}_take),
        .first({{ common.id }}'d{{ own.first }}),
        .last({{ common.id }}'d{{ own.last }}),
        .number({{ own.name }}_number)
    );
{%- else if flit.is_some() %}
    assign {{ own.name }}_number = { {{ common.id - common.flit_bits }}'d{{ own.first }}, flit};
{%- else %}
    assign {{ own.name }}_number = {{ common.id }}'d{{ own.first }};
{%- endif %}

    {{ common.name }}_word #(
        .WIDTH(WIDTH),
        .ID(ID)
    ) {{ own.name }}_word (
        .number({{ own.name }}_number),
        .slice({{ node.name }}_slice),
        .key({{ node.name }}_key),
        .word({{ own.name }})
    );
{%- endif %}
{%- endfor %}
{%- for input in node.ports %}
    wire [WIDTH-1:0] {{ input.name }}_data;
    wire {{ input.name }}_valid;
{%- if !input.linked %}
    assign {{ input.name }}_data = {WIDTH{1'b0}};
    assign {{ input.name }}_valid = 1'b0;
{%- endif %}

    {{ common.name }}_port #(
        .WIDTH(WIDTH)
    ) {{ input.name }}_check (
        .clk(clk),
        .rst({{ node.name }}_rst),
        .schedule({
{%- for line in input.schedule %}
            {% for piece in line %}{{ piece.bits }}'h{{ piece.digits }}{{ piece.comma }}{% endfor %}
{%- endfor %}
        }),
        .tick({{ node.name }}_tick),
        .playing({{ node.name }}_playing),
        .slice({{ node.name }}_slice),
        .key({{ node.name }}_key),
{%- if common.marks.is_some() %}
        .marked({{ node.name }}_marked),
        .mark({{ node.name }}_mark),
{%- endif %}
        .flip(
            {{ node.name }}_flip & (INJECT_NODE == {{ node.index }}) & (INJECT_PORT == {{ input.index }})
        ),
        .spoil({{ node.name }}_spoil),
        .stray({% if input.linked %}{{ node.name }}_stray{% else %}1'b0{% endif %}),
        .data({{ input.name }}_data),
        .valid({{ input.name }}_valid),
{%- if common.combines %}
        .unspent({% if let Some(own) = input.own %}{{ node.name }}_closes & ({{ own }}_unspent ^ {{ node.name }}_inverts){% else %}1'b0{% endif %}),
{%- endif %}
        .seen_tick({{ node.name }}_seen),
        .watch({{ node.name }}_watch),
        .shift({{ node.name }}_shift),
{%- for next in input.next %}
        .next({{ next }}_record),
        .next_count({{ next }}_count),
{%- endfor %}
{%- if input.next.is_none() %}
        .next({RECORD{1'b0}}),
        .next_count({TICK{1'b0}}),
{%- endif %}
        .record({{ input.name }}_record),
        .count({{ input.name }}_count)
    );
{%- endfor %}
{%- endfor %}

    {{ fabric }} #(
        .WIDTH(WIDTH)
    ) fabric (
        .clk(clk),
        .rst(rst_fabric),
        .run(run),
{%- if flit.is_some() %}
        .flit({% if common.combines %}unused_{% endif %}flit),
{%- endif %}
{%- for node in nodes %}
{%- for own in node.owns %}
        .{{ own.name }}({{ own.name }}),
{%- if streams %}
        .{{ own.name }}_take({{ own.name }}_take),
{%- endif %}
{%- endfor %}
{%- for input in node.ports %}
{%- if input.linked %}
        .{{ input.name }}_data({{ input.name }}_data), .{{ input.name }}_valid({{ input.name }}_valid),
{%- endif %}
{%- endfor %}
{%- endfor %}
        .done(done)
    );

{% include "bist/records.v" %}
    wire is_wanted = kept[RECORD-2];
    wire [WIDTH-1:0] want;
    reg at_done;
    reg at_count;
    wire [TICK-1:0] last_tick = at_count ? {{ common.tick }}'d{{ common.ticks }} : kept_tick;
    wire [TICK-1:0] said_tick = at_done ? done_tick : last_tick;
    reg saying;

    always @(posedge clk) begin
        saying <= state == 3'd7;
        at_done <= (done_bad ^ proof[2]) & (~found | is_proof | (done_tick < kept_tick));
        at_count <= (~found | is_proof) & ~(done_bad ^ proof[2]);
    end

    {{ common.name }}_word #(
        .WIDTH(WIDTH),
        .ID(ID)
    ) wanted (
        .number(kept[WIDTH+:ID]),
        .slice(slice),
        .key(key),
{%- if common.marks.is_some() %}
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word(want)
    );

    {{ common.name }}_report #(
        .WIDTH(WIDTH),
        .CLOCK(CLOCK),
        .BAUD(BAUD)
    ) report (
        .clk(clk),
        .rst(rst_of_all),
        .start((state == 3'd7) & ~saying),
        .finished(said),
        .failed(failed),
        .at_done(at_done),
        .at_count(at_count),
        .is_proof(is_proof),
        .arrivals(arrivals),
        .checkers(checkers),
        .run(number),
        .tick(said_tick),
{%- for axis in axes %}
        .{{ axis.name }}(kept_{{ axis.name }}),
{%- endfor %}
        .port(kept_port),
        .is_wanted(is_wanted),
        .is_got(is_wanted ^ kept[RECORD-3]),
        .want(want),
        .got(kept[WIDTH-1:0] ^ want),
        .tx(tx)
    );

endmodule

`default_nettype wire
