// {{ common.name }}_port: compares the arrivals at a port with the expected ones
//
// It records the first difference and counts the correct arrivals. Its three pipeline registers
// (expected flit, difference, record) do not lie on a path of the fabric. `spoil` and `stray` make
// the errors by which it proves that it sees.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_port #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer ID = {{ common.id }},  // bits of a flit's number
    parameter integer TICK = {{ common.tick }},  // bits of a tick
    parameter integer INDEX = {{ common.index }}  // low bits of a tick that identify it
) (
    input  wire                         clk,
    input  wire                         rst,
    // expected arrivals: one bit per tick for each bit of a flit's number, and for its presence
    input  wire [(ID+1)*(1<<INDEX)-1:0] schedule,
    // tick that arrives one clock later
    input  wire [INDEX-1:0]             tick,
    input  wire                         playing,
    input  wire [7:0]                   slice,
    input  wire [WIDTH-1:0]             key,
{%- if let Some(marks) = common.marks %}
    input  wire {{ marks.range }}{{ marks.gap() }}            marked,
    input  wire [WIDTH-1:0]             mark,
{%- endif %}
    // arrival, and whether to inject a fault
    input  wire                         flip,
    // errors of a proof: bits of the data to flip, and valid to invert
    input  wire [WIDTH-1:0]             spoil,
    input  wire                         stray,
    input  wire [WIDTH-1:0]             data,
    input  wire                         valid,
{%- if common.combines %}
    // after the run: the output of this port took too many or too few values
    input  wire                         unspent,
{%- endif %}
    // tick that arrived one clock before
    input  wire [TICK-1:0]              seen_tick,
    input  wire                         watch,
    // the records of all ports form one shift register: bad, expected, odd, tick, number, difference
    input  wire                         shift,
    input  wire [3+TICK+ID+WIDTH-1:0]   next,
    output reg  [3+TICK+ID+WIDTH-1:0]   record,
    // and so do the counts of correct arrivals since the program's first tick
    input  wire [TICK-1:0]              next_count,
    output reg  [TICK-1:0]              count
);

    localparam integer DEPTH = 1 << INDEX;

    wire [ID:0] told;
    genvar place;
    generate
        for (place = 0; place <= ID; place = place + 1) begin : g_column
            wire [DEPTH-1:0] column = schedule[place*DEPTH+:DEPTH];
            assign told[place] = column[tick];
        end
    endgenerate

    reg [ID-1:0] number;
    reg expected;
    wire [WIDTH-1:0] word;

    {{ common.name }}_word #(
        .WIDTH(WIDTH),
        .ID(ID)
    ) hash (
        .number(number),
        .slice(slice),
        .key(key),
{%- if common.marks.is_some() %}
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word(word)
    );

    wire [WIDTH-1:0] spoilt;
    generate
        if (WIDTH == 1) begin : g_bit
            assign spoilt = flip;
        end else begin : g_word
            assign spoilt = { {(WIDTH-1){1'b0}}, flip};
        end
    endgenerate

    reg [WIDTH-1:0] difference;
    reg [ID-1:0] seen_number;
    reg seen_expected;
    reg odd;  // exactly one of arrival and expectation is present

    wire bad = watch & (odd | (seen_expected & (|difference)));
    wire right = watch & seen_expected & ~odd & ~(|difference);

    always @(posedge clk) begin
        number <= told[ID-1:0];
        expected <= told[ID] & playing;
        difference <= data ^ word ^ spoilt ^ spoil;
        odd <= valid ^ expected ^ stray;
        seen_number <= number;
        seen_expected <= expected;
        if (shift) begin
            record <= next;
{%- if common.combines %}
        end else if (unspent & ~record[3+TICK+ID+WIDTH-1]) begin
            record <= {3'b100, {{ common.tick }}'d{{ common.ticks + 1 }}, {(ID+WIDTH){1'b0}}};
{%- endif %}
        end else if (~record[3+TICK+ID+WIDTH-1]) begin
            record <= {bad, seen_expected, odd, seen_tick, seen_number, difference};
        end
        if (rst) record[3+TICK+ID+WIDTH-1] <= 1'b0;
        if (rst) begin
            count <= {TICK{1'b0}};
        end else if (shift) begin
            count <= next_count;
        end else if (seen_tick == {{ common.tick }}'d1) begin
            count <= { {{- common.tick - 1 }}'d0, right};
        end else begin
            count <= count + { {{- common.tick - 1 }}'d0, right};
        end
    end

endmodule

`default_nettype wire
