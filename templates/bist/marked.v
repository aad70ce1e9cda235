// {{ common.name }}_word: data of a partial in a run: a hash of its flit's number and the run's key, and a mark
//
{%- if marks.sum.is_some() %}
// In every run two values of each sum, one after the other, are that word; all others are zero. A partial that has
// both is twice the word.
{%- else if marks.zero %}
// In every run one value of each result is that word; all others are zero.
{%- else %}
// In every run one value of each result is marked: one bit, another one in each run, is {% if marks.falls %}low{% else %}high{% endif %} in it
// and {% if marks.falls %}high{% else %}low{% endif %} in all others, which are equal otherwise. So this value decides.
{%- endif %}
{%- if marks.fixed > 0 %}
// Words are positive floats, neither subnormal nor large.
{%- endif %}
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_word #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer ID = {{ common.id }}  // bits of a partial's number
) (
    // number of the flit, and the first and the last of the values that the partial has
    input  wire [ID-1:0]    number,
    input  wire [7:0]       slice,
    input  wire [WIDTH-1:0] key,
    // value that is marked, and the bit that marks it
    input  wire {{ marks.range }}{{ marks.gap() }}marked,
    input  wire [WIDTH-1:0] mark,
    output wire [WIDTH-1:0] word
);

    localparam integer HASH = {{ common.hash }};  // bits of the flit's number
    localparam integer DATA = WIDTH{% if marks.fixed > 0 %} - {{ marks.fixed }}{% endif %};
    localparam integer SLICES = (HASH + DATA - 1) / DATA;

    wire [HASH-1:0] flit = number[ID-1-:HASH];
    wire {{ marks.range }}first = number[{{ 2 * marks.bits - 1 }}:{{ marks.bits }}];
    wire {{ marks.range }}last = number[{{ marks.bits - 1 }}:0];
    wire is_marked = (first <= marked) & (marked <= last);

    wire [SLICES*DATA-1:0] repeated;
    wire [DATA-1:0] data;
    genvar place;
    generate
        for (place = 0; place < SLICES * DATA; place = place + 1) begin : g_repeated
            assign repeated[place] = flit[place%HASH];
        end
        if (SLICES == 1) begin : g_whole
            wire unused = |slice;
            assign data = repeated ^ key[DATA-1:0] ^ {DATA{unused & 1'b0}};
        end else begin : g_sliced
            assign data = repeated[{24'd0, slice}*DATA[31:0]+:DATA] ^ key[DATA-1:0];
        end
    endgenerate
{%- if marks.fixed > 0 %}
    wire unused_bits = |key[WIDTH-1:DATA] | |mark{% if !marks.zero %}[WIDTH-1:DATA]{% endif %};
{%- endif %}
{%- if let Some(exponent) = marks.sum %}

    // the value after the marked one; the last one has none
    wire follows = ({1'b0, first} <= {1'b0, marked} + {{ marks.bits + 1 }}'d1) & (marked < last);
    wire is_double = is_marked & follows;
    wire [WIDTH-1:0] single = {3'b001, data} & ~({ {(WIDTH-1){1'b0}}, 1'b1} << {{ exponent }});
    assign word = (single | ({ {(WIDTH-1){1'b0}}, is_double} << {{ exponent }}))
        & {WIDTH{is_marked | follows | (unused_bits & 1'b0)}};
{%- else if marks.zero && marks.fixed == 0 %}

    assign word = data & {WIDTH{is_marked | (|mark & 1'b0)}};
{%- else if marks.zero %}

    assign word = {3'b001, data} & {WIDTH{is_marked | (unused_bits & 1'b0)}};
{%- else if marks.fixed > 0 %}

    assign word = {
        3'b001, (data & ~mark[DATA-1:0]) | (mark[DATA-1:0] & {DATA{% raw %}{{% endraw %}{% if marks.falls %}~{% endif %}is_marked ^ (unused_bits & 1'b0)}})
    };
{%- else if marks.signed %}

    // a word with the highest bit set is less than one without
    wire is_high = {% if marks.falls %}~{% endif %}is_marked;
    assign word = (data & ~mark) | (mark & {~is_high, {(WIDTH-1){is_high}}});
{%- else %}

    assign word = (data & ~mark) | (mark & {WIDTH{% raw %}{{% endraw %}{% if marks.falls %}~{% endif %}is_marked}});
{%- endif %}

endmodule

`default_nettype wire
