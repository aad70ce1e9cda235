// {{ module }}: configuration register of a node, one part of the chain through all nodes
//
// While shift is high, each clock shifts one bit into the lowest place; the highest goes to the next node. Neither a reset
// nor run changes its contents.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = 1
) (
    input  wire            clk,
    input  wire            shift,
    input  wire            in,
    output wire            out,
    output reg  [BITS-1:0] configuration
);

    wire [BITS:0] moved = {configuration, in};
    assign out = moved[BITS];

    always @(posedge clk) begin
        if (shift) configuration <= moved[BITS-1:0];
    end

endmodule

`default_nettype wire
