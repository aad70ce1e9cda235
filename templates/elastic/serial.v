// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ board.width }},
    parameter integer DIVISOR = {{ divisor }},  // clocks per bit on a wire, at least 4
    parameter integer ADDRESS = {{ board.address }},  // log2 of the flits that can wait at an input; {{ board.address }} is enough
    // log2 of the clocks after which a silent link is down: more than 16 frames last on a wire
    parameter integer PATIENCE = $clog2(16 * (({{ widest }}) * DIVISOR + 2))
) (
{%- include "elastic/pass_ports.v" %}
{%- for side in board.sides %}
    // {{ side.label }}
{%- for lane in side.lanes %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
    input  wire             {{ side.name }}_rx,
    output wire             {{ side.name }}_tx{% if !loop.last %},{% endif %}
{%- endfor %}
);
{%- include "elastic/framed.v" %}
{%- for side in board.sides %}

    // {{ side.label }}
{%- include "elastic/pins.v" %}
{%- endfor %}

endmodule

`default_nettype wire
