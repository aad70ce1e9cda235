module {{ module }} #(
    parameter integer BITS = 1
) (
    input  wire            clk,
    input  wire [BITS-1:0] d,
    output wire [BITS-1:0] q
);

    (* gclk *) reg step;
    reg [BITS-1:0] before;
    reg [BITS-1:0] early;
    reg [BITS-1:0] late;
    wire [BITS-1:0] slow;  // connected below
    assign q = late;

    always @(posedge step) before <= d;

    always @(posedge clk) begin
        early <= (d & ~slow) | (before & slow);
        late <= early;
    end

endmodule
