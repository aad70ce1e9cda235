// {{ common.name }}_source: presents the flits of a node's packets; advances when one is taken
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_source #(
    parameter integer ID = {{ common.id }}  // bits of a flit's number
) (
    input  wire          clk,
    input  wire          run,
    input  wire          take,
    input  wire [ID-1:0] first,
    input  wire [ID-1:0] last,
    output reg  [ID-1:0] number
);

    always @(posedge clk) begin
        if (~run | (take & (number == last))) begin
            number <= first;
        end else if (take) begin
            number <= number + { {(ID-1){1'b0}}, 1'b1};
        end
    end

endmodule

`default_nettype wire
