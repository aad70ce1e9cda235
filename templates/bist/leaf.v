// {{ common.name }}_leaf: a register at the far end of a long wire
//
// Synthesis merges copies of a register, whose one wire then crosses the whole device; it does not
// across the border of a module that is kept.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

(* keep_hierarchy *)
module {{ common.name }}_leaf #(
    parameter integer BITS = 1
) (
    input  wire            clk,
    input  wire [BITS-1:0] from,
    output reg  [BITS-1:0] to
);

    always @(posedge clk) begin
        to <= from;
    end

endmodule

`default_nettype wire
