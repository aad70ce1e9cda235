// {{ module }}: {{ system }} with the pins of a board
//
// It is reset after configuration and by its pin.
{%- if !links.is_empty() %}
// Two wires join a port to that of another board: tx to rx, and rx to tx.
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
{%- include "fpga/pins.v" %}
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
{%- if !links.is_empty() %}
    wire rst = ~awake[3] | resets[1];
{%- for axis in axes %}
    wire [{{ axis.bits - 1 }}:0] {{ axis.name }} = { {%- for bit in (0..axis.bits).rev() %}{{ axis.name }}_{{ bit }}{% if !loop.last %}, {% endif %}{% endfor -%} };
{%- endfor %}
{%- endif %}

    always @(posedge clk) begin
        if (~awake[3]) awake <= awake + 4'd1;
        resets <= {resets[0], reset};
        led <= ~serial_in | ~serial_out;
    end

    {{ system }} system (
        .clk(clk),
{%- if links.is_empty() %}
        .rst(~awake[3] | resets[1]),
{%- else %}
        .rst(rst),
{%- include "listed/linked.v" %}
{%- endif %}
        .rx(serial_in),
        .tx(serial_out)
    );

endmodule

`default_nettype wire
