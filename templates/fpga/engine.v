// {{ module }}: {{ engine }} with the pins of a board
//
// It is reset after configuration and by its pin.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
    input  wire serial_in,
    output wire serial_out,
    output reg  led  // a bit 0 is on its way
);

    // registers are 0 after configuration
    reg [3:0] awake;
    reg [1:0] resets;
    initial begin
        awake = 4'd0;
        resets = 2'd0;
    end

    always @(posedge clk) begin
        if (~awake[3]) awake <= awake + 4'd1;
        resets <= {resets[0], reset};
        led <= ~serial_in | ~serial_out;
    end

    {{ engine }} engine (
        .clk(clk),
        .rst(~awake[3] | resets[1]),
        .rx(serial_in),
        .tx(serial_out)
    );

endmodule

`default_nettype wire
