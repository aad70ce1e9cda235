module {{ module }} #(
    parameter integer WIDTH = 2
) (
    input  wire             clk,
    input  wire             ce,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output wire [WIDTH-1:0] y
);

    // function that all units compute: connected below
    wire [15:0] any_function;
{% include "formal/function.v" %}

    // results, one for each clock that a unit takes, the latest in the lowest bits
    reg [{{ 2 * ticks }}-1:0] held;
    assign y = held[{{ 2 * ticks }}-1 -: 2];

    always @(posedge clk) if (ce) held <= {held, both(a, b)};

endmodule
