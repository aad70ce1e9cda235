// {{ module }}: {{ system }} on few pins, to measure its area and clock on a device
//
// It plays over and over. Inputs {% if !call.is_empty() %}and calls {% endif %}are shifted in bit by bit. Outputs are summed up from node to
// node; the last sum is shifted out bit by bit. No register has more than one look-up table before it, so none of this limits
// the clock.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
    input  wire serial_in,
    output wire serial_out,
    output reg  led
);

    // bits of the inputs of a node, and of its outputs
    localparam integer IN = {{ inputs }};
    localparam integer OUT = {{ outputs }};

    reg rst;
{%- for (name, range) in told %}
    wire {{ range }}{{ name }};
{%- endfor %}
    reg [{{ told_bits - 1 }}:0] told;

    always @(posedge clk) begin
        rst <= reset;
        told <= {told[{{ told_bits - 2 }}:0], serial_in} ^ { {%- for (name, _) in told %}{{ name }}{% if !loop.last %}, {% endif %}{% endfor -%} };
        led <= told[{{ told_bits - 1 }}];
    end

    reg [{{ streams.len() }}*IN-1:0] in;

    always @(posedge clk) begin
        in <= {in[{{ streams.len() }}*IN-2:0], serial_in};
    end
{%- if !call.is_empty() %}

    reg [{{ call_bits - 1 }}:0] call;

    always @(posedge clk) begin
        call <= {call[{{ call_bits - 2 }}:0], serial_in};
    end
{%- endif %}
{%- for stream in streams %}

    wire [OUT-1:0] {{ stream.name }}out;
    reg [OUT-1:0] {{ stream.name }}sum;

    always @(posedge clk) begin
        {{ stream.name }}sum <= {{ stream.name }}out{% if !loop.first %} ^ {{ stream.before }}{% endif %};
    end
{%- endfor %}

    reg [OUT-1:0] shown;
    assign serial_out = shown[OUT-1];

    always @(posedge clk) begin
{%- for stream in streams %}
{%- if loop.last %}
        shown <= {shown[OUT-2:0], serial_in} ^ {{ stream.name }}sum;
{%- endif %}
{%- endfor %}
    end

    {{ system }} system (
        .clk(clk),
        .rst(rst),
        .start(1'b1),
{%- for port in call %}
        .{{ port.name }}(call{{ port.bits }}),
{%- endfor %}
{%- for stream in streams %}
{%- for port in stream.inputs %}
        .{{ stream.name }}{{ port.name }}(in{{ port.bits }}),
{%- endfor %}
{%- for port in stream.outputs %}
        .{{ stream.name }}{{ port.name }}({{ stream.name }}out{{ port.bits }}),
{%- endfor %}
{%- endfor %}
{%- for (name, _) in told %}
        .{{ name }}({{ name }}){% if !loop.last %},{% endif %}
{%- endfor %}
    );

endmodule

`default_nettype wire
