// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    output reg              done,
{%- for flit in timing.flit %}
    output reg  {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for packet in packets %}
    input  wire [WIDTH-1:0] {{ packet }},
{%- endfor %}
{%- for pad in pads %}
    // {{ pad.label }}
{%- if pad.hears %}
    output wire [WIDTH-1:0] {{ pad.name }}_in_data,
    output wire             {{ pad.name }}_in_valid,
{%- endif %}
{%- if pad.sends && pad.hears %}
    inout  wire [WIDTH-1:0] {{ pad.name }}_pad,
{%- else if pad.sends %}
    output wire [WIDTH-1:0] {{ pad.name }}_pad,
{%- else %}
    input  wire [WIDTH-1:0] {{ pad.name }}_pad,
{%- endif %}
{%- if pad.sends %}
    output wire             {{ pad.name }}_sends{% if pad.hears || !loop.last %},{% endif %}
{%- endif %}
{%- if pad.hears %}
    input  wire             {{ pad.name }}_hears{% if !loop.last %},{% endif %}
{%- endif %}
{%- endfor %}
);

{{ timing }}

    // pipeline registers, as many as in the fabric
    wire {{ control.range }}word_way;
    wire {{ control.range }}word_row;
    wire {{ word }}word;
    {{ leaf }} #(.BITS({{ control.bits }})) way_leaf (.clk(clk), .d(word_{{ control.class }}), .q(word_way));
    {{ leaf }} #(.BITS({{ control.bits }})) row_leaf (.clk(clk), .d(word_way), .q(word_row));
    {{ leaf }} #(.BITS({{ word_bits }})) node_leaf (.clk(clk), .d({{ told }}), .q(word));
{%- for pad in pads %}

    // {{ pad.label }}
{%- if pad.sends %}
    wire [WIDTH-1:0] {{ pad.name }}_out_data;
    wire {{ pad.name }}_out_valid;
    assign {{ pad.name }}_sends = {{ pad.name }}_out_valid;
{%- if pad.hears %}
    assign {{ pad.name }}_pad = {{ pad.name }}_out_valid ? {{ pad.name }}_out_data : {WIDTH{1'bz}};
{%- else %}
    assign {{ pad.name }}_pad = {{ pad.name }}_out_data;
{%- endif %}
{%- endif %}
{%- if pad.hears %}
    assign {{ pad.name }}_in_data = {{ pad.name }}_pad;
    assign {{ pad.name }}_in_valid = {{ pad.name }}_hears;
{%- endif %}
{%- endfor %}

    {{ router }} #(
        .WIDTH(WIDTH)
    ) router (
        .clk(clk),
        .word(word),
{%- for packet in packets %}
        .{{ packet }}({{ packet }}),
{%- endfor %}
{%- for input in reads %}
        .{{ input.name }}_in_data({{ input.name }}_in_data){% if input.is_heard %}, .{{ input.name }}_in_valid({{ input.name }}_in_valid){% endif %},
{%- endfor %}
{%- for output in drives %}
        .{{ output }}_out_data({{ output }}_out_data), .{{ output }}_out_valid({{ output }}_out_valid){% if !loop.last %},{% endif %}
{%- endfor %}
    );

endmodule

`default_nettype wire
