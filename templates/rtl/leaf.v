// {{ module }}: pipeline register for control signals
//
// There is one for each row of nodes and one for each node, all with the same contents. Tools would merge them
// into one register with a large fan-out, but they do not merge across the boundary of a module with keep_hierarchy.
//
// {{ generated }}
`default_nettype none

(* keep_hierarchy = "yes" *)
module {{ module }} #(
    parameter integer BITS = 1
) (
    input  wire            clk,
    input  wire [BITS-1:0] d,
    output reg  [BITS-1:0] q
);

    always @(posedge clk) begin
        q <= d;
    end

endmodule

`default_nettype wire
