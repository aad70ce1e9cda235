// {{ common.name }}_value: presents a node's own values for an output; the next one when one is taken
//
{%- if is_difference %}
// A value is the word of the partial that the output sends, less the words of the partials that it is
// combined with: so every partial has a word of its own.
{%- else %}
// A value is a word that is marked, or not, in this run.
{%- endif %}
// Two registers lie before the value, and are filled while the control is on its way.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_value #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer ID = {{ common.id }},  // bits of a partial's number
{%- if is_difference %}
    parameter integer OPERANDS = 1,  // most partials that a value is combined with
{%- endif %}
    parameter integer COUNT = 1,  // number of values
    parameter integer INDEX = 2  // bits of a value's place
) (
    input  wire             clk,
    input  wire             run,
    input  wire             take,
    // by place: number of the partial that is sent{% if is_difference %}, and of those combined{% endif %}; one column per bit
    input  wire [{% if is_difference %}(ID+OPERANDS*(ID+1)){% else %}ID{% endif %}*(1<<INDEX)-1:0] values,
    input  wire [7:0]       slice,
    input  wire [WIDTH-1:0] key,
{%- if let Some(marks) = common.marks %}
    input  wire {{ marks.range }}{{ marks.gap() }}marked,
    input  wire [WIDTH-1:0] mark,
{%- endif %}
    output reg  [WIDTH-1:0] value,
    // once a run has ended: high if not every value was taken, or more
    output reg              unspent
);

    localparam integer BITS = ID{% if is_difference %} + OPERANDS * (ID + 1){% endif %};
    localparam integer DEPTH = 1 << INDEX;
    localparam integer SPENT = COUNT + 2;

    reg [INDEX-1:0] place;
    reg [1:0] fill;
    wire [BITS-1:0] told;
    reg [BITS-1:0] entry;
    genvar bit_;
    generate
        for (bit_ = 0; bit_ < BITS; bit_ = bit_ + 1) begin : g_column
            wire [DEPTH-1:0] column = values[bit_*DEPTH+:DEPTH];
            assign told[bit_] = column[place];
        end
    endgenerate

    // word of {% if is_difference %}the partial that is sent{% else %}this value{% endif %}
    wire [WIDTH-1:0] sent;

    {{ common.name }}_word #(
        .WIDTH(WIDTH),
        .ID(ID)
    ) sent_word (
        .number(entry[ID-1:0]),
        .slice(slice),
        .key(key),
{%- if common.marks.is_some() %}
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word(sent)
    );
{%- if is_difference %}

    // less the words of those combined, one after the other
    genvar operand;
    generate
        for (operand = 0; operand < OPERANDS; operand = operand + 1) begin : g_operand
            localparam integer LOW = ID + operand * (ID + 1);
            wire [WIDTH-1:0] combined;
            wire [WIDTH-1:0] whole;
            wire [WIDTH-1:0] rest;

            {{ common.name }}_word #(
                .WIDTH(WIDTH),
                .ID(ID)
            ) combined_word (
                .number(entry[LOW+:ID]),
                .slice(slice),
                .key(key),
                .word(combined)
            );

            if (operand == 0) begin : g_first
                assign whole = sent;
            end else begin : g_later
                assign whole = g_operand[operand-1].rest;
            end
            assign rest = whole {{ less }} ({WIDTH{entry[LOW+ID]}} & combined);
        end
    endgenerate
{%- endif %}

    always @(posedge clk) begin
        if (~run) begin
            if (~fill[0]) unspent <= place != SPENT[INDEX-1:0];
            place <= {INDEX{1'b0}};
            fill <= 2'b11;
        end else if (take | fill[0]) begin
            place <= place + { {(INDEX-1){1'b0}}, 1'b1};
            entry <= told;
            value <= {% if is_difference %}g_operand[OPERANDS-1].rest{% else %}sent{% endif %};
            fill <= {1'b0, fill[1]};
        end
    end

endmodule

`default_nettype wire
