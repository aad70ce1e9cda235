// {{ module }}: {{ fabric }} on few pins, to measure its area and clock on a device
//
// It plays over and over. Own packets are shifted in bit by bit. Arrivals at a node are summed up in a register of its own,
// and these sums are added up from node to node; the last one is shifted out bit by bit. No register has more than one look-up
// table before it, so none of this limits the clock.
{%- if is_configured %}
// The routers are configured during reset, from the bits that are shifted in then.
{%- endif %}
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

    localparam integer WIDTH = {{ width }};

    reg rst;
    reg run;
    wire done;
{%- for range in flit %}
    wire {{ range }}flit;
{%- endfor %}
{%- if streams %}
    wire [{{ owns.len() - 1 }}:0] take;
    reg taken;

    always @(posedge clk) begin
        taken <= ^take;
    end
{%- endif %}

    always @(posedge clk) begin
        rst <= reset;
        run <= ~done;
        led <= done{% if flit.is_some() %} & ~^flit{% endif %}{% if streams %} & ~taken{% endif %};
    end

{%- if is_configured %}

    // configuration of the routers, and its previous value
    reg config_shift;
    reg config_in;
    reg config_was;
    wire config_out;

    always @(posedge clk) begin
        config_shift <= reset;
        config_in <= serial_in;
        config_was <= config_out;
    end
{%- endif %}

    // own packets
    reg [{{ owns.len() }}*WIDTH-1:0] own;

    always @(posedge clk) begin
        own <= {own[{{ owns.len() }}*WIDTH-2:0], serial_in};
    end
{%- for node in nodes %}

    // arrivals at node {{ node.place }}
{%- for arrival in node.arrivals %}
    wire [WIDTH:0] {{ arrival }};
{%- endfor %}
{%- for group in node.groups %}
    reg [WIDTH:0] {{ group.name }};
{%- endfor %}
    reg [WIDTH:0] {{ node.name }}_sum;

    always @(posedge clk) begin
{%- for group in node.groups %}
        {{ group.name }} <= {{ group.sum }};
{%- endfor %}
        {{ node.name }}_sum <= {{ node.sum }};
    end
{%- endfor %}

    reg [WIDTH:0] out;
    assign serial_out = out[WIDTH];

    always @(posedge clk) begin
        out <= {out[WIDTH-1:0], {% if is_configured %}serial_in ^ config_was{% else %}serial_in{% endif %}} ^ {{ last }}_sum;
    end

    {{ fabric }} #(
        .WIDTH(WIDTH)
    ) fabric (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- if is_configured %}
        .config_shift(config_shift),
        .config_in(config_in),
        .config_out(config_out),
{%- endif %}
{%- if flit.is_some() %}
        .flit(flit),
{%- endif %}
{%- for own in owns %}
{%- if streams %}
        .{{ own }}_take(take[{{ loop.index0 }}]),
{%- endif %}
        .{{ own }}(own[{{ loop.index0 }}*WIDTH+:WIDTH]),
{%- endfor %}
{%- for node in nodes %}
{%- for arrival in node.arrivals %}
        .{{ arrival }}_data({{ arrival }}[WIDTH-1:0]), .{{ arrival }}_valid({{ arrival }}[WIDTH]),
{%- endfor %}
{%- endfor %}
        .done(done)
    );

endmodule

`default_nettype wire
