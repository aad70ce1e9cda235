// {{ module }}: {{ bist }} with the pins of a board
//
// It starts after configuration and after a reset; when it has ended, any byte on the serial line restarts it.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer RUNS = {{ runs }},
    parameter integer INJECT_RUN = 0,
    parameter integer INJECT_TICK = 1,
    parameter integer INJECT_NODE = 0{% if has_ports %},
    parameter integer INJECT_PORT = 0{% endif %}
) (
    input  wire clk,
    input  wire reset,
{%- include "fpga/pins.v" %}
    input  wire serial_in,
    output wire serial_out,
    output wire led,        // passed
    output wire led_failed
);

    // registers are 0 after configuration
    reg [3:0] awake;
    reg [1:0] resets;
    reg [1:0] silent;
    initial begin
        awake = 4'd0;
        resets = 2'd0;
        silent = 2'd0;
    end
{%- for axis in axes %}
    wire [{{ axis.bits - 1 }}:0] {{ axis.name }} = { {%- for bit in (0..axis.bits).rev() %}{{ axis.name }}_{{ bit }}{% if !loop.last %}, {% endif %}{% endfor -%} };
{%- endfor %}

    always @(posedge clk) begin
        if (~awake[3]) awake <= awake + 4'd1;
        resets <= {resets[0], reset};
        silent <= {silent[0], serial_in};
    end

{%- if !links.is_empty() %}
    wire links_ready;
    wire [31:0] link_state;
    wire unused = &{1'b0, links_ready, link_state, 1'b0};

{%- endif %}
    {{ bist }} #(
{%- for width in width %}
        .WIDTH({{ width }}),
{%- endfor %}
        .RUNS(RUNS),
        .CLOCK({{ clock }}),
        .INJECT_RUN(INJECT_RUN),
        .INJECT_TICK(INJECT_TICK),
        .INJECT_NODE(INJECT_NODE){% if has_ports %},
        .INJECT_PORT(INJECT_PORT){% endif %}
    ) bist (
        .clk(clk),
        .rst(~awake[3] | resets[1]),
{%- if !links.is_empty() %}
        .links_ready(links_ready),
        .links(link_state),
{%- include "listed/linked.v" %}
{%- endif %}
        .again(~silent[1]),
        .passed(led),
        .failed(led_failed),
        .tx(serial_out)
    );

endmodule

`default_nettype wire
