// {{ module }}: a register on the way of what all nodes are told
//
// There are many that hold the same, one for each row of nodes and one for each node. Tools would gladly merge them, across
// the border of a module that is kept they do not: then one register would have to reach everywhere within a clock.
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
