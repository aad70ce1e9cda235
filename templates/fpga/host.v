// {{ module }}: {{ system }} with the pins of a board
//
// It is reset after configuration and by its pin.
{%- if !sides.is_empty() %}
// Two wires join a port to that of another board: tx to rx, and rx to tx.
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
{%- for axis in axes %}
{%- for bit in 0..axis.bits %}
    input  wire {{ axis.name }}_{{ bit }},  // bit {{ bit }} of the board's coordinate
{%- endfor %}
{%- endfor %}
{%- for side in sides %}
    input  wire {{ side.name }}_rx,
    output wire {{ side.name }}_tx,
{%- endfor %}
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
{%- if !sides.is_empty() %}
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
{%- for side in sides %}

    // {{ side.label }}: a frame in, and one out; frames of kinds up to {{ ready }}, and restarts, are of a link that is not up
    wire [{{ side.bits - 1 }}:0] {{ side.name }}_s_axis_tdata;
    wire {{ side.name }}_s_axis_tvalid;
    wire {{ side.name }}_s_axis_tready;
    wire [{{ side.bits - 1 }}:0] {{ side.name }}_m_axis_tdata;
    wire {{ side.name }}_m_axis_tvalid;
    wire {{ side.name }}_m_axis_tready;
    wire [{{ side.bits - 1 }}:0] {{ side.name }}_passed_tdata;
    wire {{ side.name }}_passed_tvalid;
    wire {{ side.name }}_passed_tready;
    wire [2:0] {{ side.name }}_kind = {{ side.name }}_m_axis_tdata[{{ side.bits - 1 }}:{{ side.bits - 3 }}];
    wire {{ side.name }}_unused = &{1'b0, {{ side.name }}_s_axis_tready};

    {{ throttle }} #(
        .BITS({{ side.bits }}),
        .INTERVAL({{ interval }})
    ) {{ side.name }}_throttle (
        .clk(clk),
        .rst(rst),
        .up(({{ side.name }}_kind > 3'd{{ ready }}) & ({{ side.name }}_kind != 3'd{{ restart }})),
        .s_axis_tdata({{ side.name }}_m_axis_tdata),
        .s_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .s_axis_tready({{ side.name }}_m_axis_tready),
        .m_axis_tdata({{ side.name }}_passed_tdata),
        .m_axis_tvalid({{ side.name }}_passed_tvalid),
        .m_axis_tready({{ side.name }}_passed_tready)
    );

    {{ wire_out }} #(
        .BITS({{ side.bits }})
    ) {{ side.name }}_wire_out (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({{ side.name }}_passed_tdata),
        .s_axis_tvalid({{ side.name }}_passed_tvalid),
        .s_axis_tready({{ side.name }}_passed_tready),
        .tx({{ side.name }}_tx)
    );

    {{ wire_in }} #(
        .BITS({{ side.bits }})
    ) {{ side.name }}_wire_in (
        .clk(clk),
        .rst(rst),
        .rx({{ side.name }}_rx),
        .m_axis_tdata({{ side.name }}_s_axis_tdata),
        .m_axis_tvalid({{ side.name }}_s_axis_tvalid)
    );
{%- endfor %}

    {{ system }} {% if !sides.is_empty() %}#(
        .PATIENCE({{ patience }})
    ) {% endif %}system (
        .clk(clk),
{%- if sides.is_empty() %}
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
