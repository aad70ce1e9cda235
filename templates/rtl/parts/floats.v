//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             ce,  // high in a clock that counts
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output reg  [WIDTH-1:0] y
);

    localparam integer E = {{ sizes.exponent }};  // bits of an exponent
    localparam integer M = {{ sizes.fraction }};  // bits of a fraction
