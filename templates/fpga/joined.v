// {{ module }}: the chips of all boards, joined pin to pin, for simulation
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
    // lines of the hosts: board 0 in the lowest bit
    input  wire [{{ boards.len() - 1 }}:0] serial_in,
    output wire [{{ boards.len() - 1 }}:0] serial_out
);

    // Wires that the ports drive.
{%- for board in boards %}
{%- for wire in board.wires %}
    wire {{ board.name }}_{{ wire.port }}_tx;
{%- endfor %}
{%- endfor %}
{%- for board in boards %}

    {{ chip }} {{ board.name }} (
        .pin_clk(clk),
        .pin_reset(reset),
{%- for pin in board.pins %}
        .pin_{{ pin.name }}(1'b{{ pin.level }}),
{%- endfor %}
{%- for wire in board.wires %}
        .pin_{{ wire.port }}_rx({% match wire.from %}{% when Some with (from) %}{{ from }}_tx{% when None %}1'b1{% endmatch %}),
        .pin_{{ wire.port }}_tx({{ board.name }}_{{ wire.port }}_tx),
{%- endfor %}
        .pin_led(),
        .pin_serial_in(serial_in[{{ loop.index0 }}]),
        .pin_serial_out(serial_out[{{ loop.index0 }}])
    );
{%- endfor %}

endmodule

`default_nettype wire
