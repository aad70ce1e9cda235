// {{ module }}: a register on the way from the control to the routers
//
// Each row of nodes has one, and each node. They hold the same, and tools would gladly merge them again: then one
// register would have to reach the whole fabric within a clock.
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
