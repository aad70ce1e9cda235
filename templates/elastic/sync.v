// {{ module }}: brings bits of another clock into this one, by two registers in a row
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = 1
) (
    input  wire            clk,
    input  wire [BITS-1:0] d,  // registers of the other clock
    output wire [BITS-1:0] q
);

    (* ASYNC_REG = "TRUE" *) reg [BITS-1:0] early;
    (* ASYNC_REG = "TRUE" *) reg [BITS-1:0] late;
    initial begin
        early = {BITS{1'b0}};
        late = {BITS{1'b0}};
    end
    assign q = late;

    always @(posedge clk) begin
        early <= d;
        late <= early;
    end

endmodule

`default_nettype wire
