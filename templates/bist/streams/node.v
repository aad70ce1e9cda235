// {{ common.name }}_node: gives a node its words, takes those that it has in the end, and compares them
//
// Streams pause by chance. Each word that goes out is compared with all that stands beside it: {{ order }}. The first difference is recorded, and right words are counted. `spoil` and `stray` make the errors by which it
// proves that it sees.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_node #(
    parameter integer WIDTH = {{ common.width }}
) (
    input  wire clk,
{%- if boards.bits > 0 %}
    // number of the board; what follows is of all boards, the first one in the lowest bits
    input  wire [{{ boards.bits - 1 }}:0] board,
{%- endif %}
    // numbers of words that come in and go out, and tables of these words, the first one in the lowest bits
    input  wire [{{ boards.all }}{{ common.tick }}-1:0] takes,
    input  wire [{{ boards.all }}{{ common.tick }}-1:0] gives,
    input  wire [{{ boards.all }}{{ tables.taken }}*(1<<{{ common.tick }})-1:0] taken,
    input  wire [{{ boards.all }}{{ tables.given }}*(1<<{{ common.tick }})-1:0] given,
{%- if let Some(asked) = tables.asked %}
    // addresses of the words that go out, above them a bit for the last word of a call
    input  wire [{{ boards.all }}{{ asked }}*(1<<{{ common.tick }})-1:0] asked,
{%- endif %}
    // all of this is told a clock before: records and counts are cleared; all begins anew; words may go in
    input  wire clears,
    input  wire restarts,
    input  wire goes,
    input  wire [1:0] pauses,
    input  wire [7:0] slice,
    input  wire [WIDTH-1:0] key,
{%- if let Some(marks) = common.marks %}
    input  wire [{{ boards.all }}{{ marks.bits }}-1:0] rank,
    input  wire {{ marks.range }}marked,
    input  wire [WIDTH-1:0] mark,
{%- endif %}
    // word whose lowest bit is flipped, from 1; errors of a proof
    input  wire [{{ common.tick - 1 }}:0] inject,
    input  wire [WIDTH+{{ beside - 1 }}:0] spoil,
    input  wire stray,
    // streams of the node
    output reg  [WIDTH-1:0] in_data,
    output reg  in_valid,
    input  wire in_ready,
{%- if sizes.has_blocks() %}
    output reg  in_last,
{%- endif %}
    output reg  [{{ sizes.program - 1 }}:0] in_dest,
{%- if let Some(asked) = tables.asked %}
    // read port
    input  wire out_full,
    output wire out_enable,
    output wire [{{ asked - 2 }}:0] out_address,
    output wire out_free,
    input  wire [{{ sizes.program - 1 }}:0] out_program,
    input  wire [WIDTH-1:0] out_word,
{%- if sizes.has_blocks() %}
    input  wire [{{ sizes.user() - 1 }}:0] out_user,
{%- endif %}
    input  wire out_valid,
{%- else %}
    // word with what stands beside it
    input  wire [WIDTH+{{ beside - 1 }}:0] out,
    input  wire out_valid,
    output reg  out_ready,
{%- endif %}
    output reg  moves,  // a word has come or gone
    // the records of all nodes form one shift register: bad, expected, odd, word, difference, word as it was
    input  wire shift,
    input  wire [{{ common.tick + 2 }}+2*(WIDTH+{{ beside }}):0] next,
    output reg  [{{ common.tick + 2 }}+2*(WIDTH+{{ beside }}):0] record,
    // and so do the counts of right words
    input  wire [{{ common.tick - 1 }}:0] next_count,
    output reg  [{{ common.tick - 1 }}:0] count
);

    localparam integer BITS = WIDTH + {{ beside }};
    localparam integer TICK = {{ common.tick }};  // bits of a word's number

    // words in: one waits at the stream
    reg [TICK-1:0] at_in;
    wire loads = goes & (~in_valid | in_ready) & (at_in != {{ boards.of("takes", "TICK") }}) & ~pauses[0];
    wire [TICK-1:0] next_in = restarts ? {TICK{1'b0}} : at_in + { {(TICK-1){1'b0}}, loads};
    reg [{{ tables.taken - 1 }}:0] entry_in;
    wire [WIDTH-1:0] word_in;
    {{ common.name }}_value #(
        .WIDTH(WIDTH)
    ) value_in (
        .number(entry_in[{{ common.id - 1 }}:0]),
        .program_number(entry_in[{{ common.id }}+:{{ sizes.program }}]),
        .slice(slice),
        .key(key),
{%- if let Some(marks) = common.marks %}
        .first({{ boards.of("rank", marks.bits) }}),
        .last({{ boards.of("rank", marks.bits) }}),
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word(word_in)
    );

    always @(posedge clk) begin
        at_in <= next_in;
        entry_in <= taken[{{ boards.place("next_in") }}*{{ tables.taken }}+:{{ tables.taken }}];
        if (loads) begin
            in_data <= word_in;
            in_dest <= entry_in[{{ common.id }}+:{{ sizes.program }}];
{%- if sizes.has_blocks() %}
            in_last <= entry_in[{{ tables.taken - 1 }}];
{%- endif %}
        end
        in_valid <= (loads | (in_valid & ~in_ready)) & ~restarts;
    end
{%- if let Some(asked) = tables.asked %}

    // words out: the node is asked for each, three clocks before it comes, and is free with the last of a call
    reg asks;
    reg [TICK-1:0] at_ask;
    wire [TICK-1:0] next_ask = restarts ? {TICK{1'b0}} : at_ask + { {(TICK-1){1'b0}}, out_enable};
    reg [{{ asked - 1 }}:0] entry_ask;
    reg [{{ 3 * sizes.program - 1 }}:0] programs;
    assign out_enable = out_full & asks & (at_ask != {{ boards.of("gives", "TICK") }});
    assign out_address = entry_ask[{{ asked - 2 }}:0];
    assign out_free = out_enable & entry_ask[{{ asked - 1 }}];
    wire comes = out_valid;
    wire [BITS-1:0] out = { {%- if sizes.has_blocks() %}out_user, {% endif %}programs[{{ 3 * sizes.program - 1 }}:{{ 2 * sizes.program }}], out_word};
    always @(posedge clk) begin
        asks <= ~pauses[1];
        at_ask <= next_ask;
        entry_ask <= asked[{{ boards.place("next_ask") }}*{{ asked }}+:{{ asked }}];
        programs <= {programs[{{ 2 * sizes.program - 1 }}:0], out_program};
    end
{%- else %}

    // words out
    wire comes = out_valid & out_ready;
    always @(posedge clk) out_ready <= ~pauses[1];
{%- endif %}
    always @(posedge clk) moves <= (in_valid & in_ready) | comes;
    reg took;
    reg [BITS-1:0] got;
    reg [TICK-1:0] at_out;
    wire beyond = at_out == {{ boards.of("gives", "TICK") }};
    wire [TICK-1:0] next_out = restarts ? {TICK{1'b0}} : at_out + { {(TICK-1){1'b0}}, took & ~beyond};
    reg [{{ tables.given - 1 }}:0] entry_out;
    wire [WIDTH-1:0] word_out;
    {{ common.name }}_value #(
        .WIDTH(WIDTH)
    ) value_out (
        .number(entry_out[{{ common.id - 1 }}:0]),
        .program_number(entry_out[{{ common.id }}+:{{ sizes.program }}]),
        .slice(slice),
        .key(key),
{%- if let Some(marks) = common.marks %}
        .first({{ marks.bits }}'d0),
        .last({{ marks.bits }}'d{{ marks.last }}),
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word(word_out)
    );

    wire [BITS-1:0] wanted = {entry_out[{{ tables.given - 1 }}:{{ common.id }}], word_out};
    wire flips = at_out + { {(TICK-1){1'b0}}, 1'b1} == inject;
    wire [BITS-1:0] spoilt = spoil ^ { {(BITS-1){1'b0}}, flips};
    reg seen;
    reg seen_beyond;
    reg [TICK-1:0] seen_at;
    reg [BITS-1:0] seen_got;
    reg [BITS-1:0] difference;
    wire differs = |difference;
    wire bad = seen & (seen_beyond | differs);

    always @(posedge clk) begin
        took <= (comes ^ stray) & ~restarts;
        got <= out;
        at_out <= next_out;
        entry_out <= given[{{ boards.place("next_out") }}*{{ tables.given }}+:{{ tables.given }}];
        seen <= took & ~restarts;
        seen_beyond <= beyond;
        seen_at <= at_out;
        seen_got <= got ^ spoilt;
        difference <= got ^ spoilt ^ wanted;
        if (shift) record <= next;
        else if (~record[2*BITS+TICK+2]) record <= {bad, ~seen_beyond, seen_beyond, seen_at, difference, seen_got};
        if (clears) record[2*BITS+TICK+2] <= 1'b0;
        if (restarts) count <= {TICK{1'b0}};
        else if (shift) count <= next_count;
        // an unknown word in a simulation is no right one
        else if (seen & ~seen_beyond & (difference == {BITS{1'b0}})) count <= count + { {(TICK-1){1'b0}}, 1'b1};
    end

endmodule

`default_nettype wire
