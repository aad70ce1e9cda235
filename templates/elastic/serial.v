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
{% for side in board.sides %}
    // frames at {{ side.label }}
    wire [{{ side.high }}{{ board.beyond }}:0] {{ side.name }}_s_axis_tdata;
    wire {{ side.name }}_s_axis_tvalid;
    wire {{ side.name }}_s_axis_tready;
    wire [{{ side.high }}{{ board.beyond }}:0] {{ side.name }}_m_axis_tdata;
    wire {{ side.name }}_m_axis_tvalid;
    wire {{ side.name }}_m_axis_tready;
    wire [{{ side.high }}{{ board.beyond }}:0] {{ side.name }}_passed_tdata;
    wire {{ side.name }}_passed_tvalid;
    wire {{ side.name }}_passed_tready;
{%- endfor %}

    {{ board.module }} #(
        .WIDTH(WIDTH),
        .ADDRESS(ADDRESS),
        .PATIENCE(PATIENCE)
    ) board (
{%- include "elastic/pass_board.v" %}
{%- for side in board.sides %}
{%- for lane in side.lanes %}
        .{{ lane.name }}_in_data({{ lane.name }}_in_data),
        .{{ lane.name }}_in_valid({{ lane.name }}_in_valid),
{%- endfor %}
        .{{ side.name }}_s_axis_tdata({{ side.name }}_s_axis_tdata),
        .{{ side.name }}_s_axis_tvalid({{ side.name }}_s_axis_tvalid),
        .{{ side.name }}_s_axis_tready({{ side.name }}_s_axis_tready),
        .{{ side.name }}_m_axis_tdata({{ side.name }}_m_axis_tdata),
        .{{ side.name }}_m_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .{{ side.name }}_m_axis_tready({{ side.name }}_m_axis_tready){% if !loop.last %},{% endif %}
{%- endfor %}
    );
{%- for side in board.sides %}

    // {{ side.label }}
    {{ throttle }} #(
        .BITS({{ side.high }}{{ board.beyond }}+1),
        .INTERVAL(PATIENCE - {{ intervals }})
    ) {{ side.name }}_throttle (
        .clk(clk),
        .rst(rst),
        .up(links_up[{{ side.number }}]),
        .s_axis_tdata({{ side.name }}_m_axis_tdata),
        .s_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .s_axis_tready({{ side.name }}_m_axis_tready),
        .m_axis_tdata({{ side.name }}_passed_tdata),
        .m_axis_tvalid({{ side.name }}_passed_tvalid),
        .m_axis_tready({{ side.name }}_passed_tready)
    );

    {{ wire_out }} #(
        .BITS({{ side.high }}{{ board.beyond }}+1),
        .DIVISOR(DIVISOR)
    ) {{ side.name }}_wire_out (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({{ side.name }}_passed_tdata),
        .s_axis_tvalid({{ side.name }}_passed_tvalid),
        .s_axis_tready({{ side.name }}_passed_tready),
        .tx({{ side.name }}_tx)
    );

    {{ wire_in }} #(
        .BITS({{ side.high }}{{ board.beyond }}+1),
        .DIVISOR(DIVISOR)
    ) {{ side.name }}_wire_in (
        .clk(clk),
        .rst(rst),
        .rx({{ side.name }}_rx),
        .m_axis_tdata({{ side.name }}_s_axis_tdata),
        .m_axis_tvalid({{ side.name }}_s_axis_tvalid)
    );

    wire {{ side.name }}_unused = &{1'b0, {{ side.name }}_s_axis_tready};
{%- endfor %}

endmodule

`default_nettype wire
