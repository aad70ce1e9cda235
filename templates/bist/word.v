// {{ common.name }}_word: data of a flit in a run: a hash of its number and the run's key
//
// Flits have distinct data. Where a word has fewer bits than a number it is a slice of the number,
// a different one in each run.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_word #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer ID = {{ common.id }},  // bits of a flit's number
    parameter integer SLICES = (ID + WIDTH - 1) / WIDTH  // words that all its bits take
) (
    input  wire [ID-1:0]    number,
    input  wire [7:0]       slice,
    input  wire [WIDTH-1:0] key,
    output wire [WIDTH-1:0] word
);

    wire [SLICES*WIDTH-1:0] repeated;
    genvar place;
    generate
        for (place = 0; place < SLICES * WIDTH; place = place + 1) begin : g_repeated
            assign repeated[place] = number[place%ID];
        end
        if (SLICES == 1) begin : g_whole
            wire unused = |slice;
            assign word = repeated ^ key ^ {WIDTH{unused & 1'b0}};
        end else begin : g_sliced
            assign word = repeated[{24'd0, slice}*WIDTH[31:0]+:WIDTH] ^ key;
        end
    endgenerate

endmodule

`default_nettype wire
