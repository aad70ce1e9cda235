// {{ common.name }}_port: compares what arrives at a port with what must
//
// It keeps the first difference, and counts the arrivals that were right. Three registers stand on
// the way, none of them in the fabric's: which flit must arrive, the difference, the record.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_port #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer ID = {{ common.id }},  // bits of a flit's number
    parameter integer TICK = {{ common.tick }},  // bits of a tick
    parameter integer INDEX = {{ common.index }}  // bits of a tick that tell it from the others
) (
    input  wire                         clk,
    input  wire                         rst,
    // what must arrive: for each bit of a flit's number, and for whether there is one, a bit a tick
    input  wire [(ID+1)*(1<<INDEX)-1:0] schedule,
    // the tick that arrives one clock later
    input  wire [INDEX-1:0]             tick,
    input  wire                         playing,
    input  wire [7:0]                   slice,
    input  wire [WIDTH-1:0]             key,
    // what arrives, and whether it is to be spoilt
    input  wire                         flip,
    input  wire [WIDTH-1:0]             data,
    input  wire                         valid,
    // the tick that arrived one clock before
    input  wire [TICK-1:0]              seen_tick,
    input  wire                         watch,
    // the records of all ports are one shift register: bad, expected, odd, tick, number, difference
    input  wire                         shift,
    input  wire [3+TICK+ID+WIDTH-1:0]   next,
    output reg  [3+TICK+ID+WIDTH-1:0]   record,
    // so are the numbers of right arrivals since the program's first tick
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
    reg odd;  // one of the two is there without the other

    wire bad = watch & (odd | (seen_expected & (|difference)));
    wire right = watch & seen_expected & ~odd & ~(|difference);

    always @(posedge clk) begin
        number <= told[ID-1:0];
        expected <= told[ID] & playing;
        difference <= data ^ word ^ spoilt;
        odd <= valid ^ expected;
        seen_number <= number;
        seen_expected <= expected;
        if (shift) begin
            record <= next;
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
