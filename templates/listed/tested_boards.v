// {{ module }}: all boards with their self-tests, joined by cables, for simulation
//
// Vectors have what each board says, row by row, the first board in the lowest bits.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer RUNS = 1000,
    parameter integer CLOCK = 12000000,
    parameter integer BAUD = 115200,
    parameter integer INJECT_RUN = 0,
    parameter integer INJECT_TICK = 1,
    parameter integer INJECT_NODE = 0
) (
    input  wire clk,
    input  wire rst,
    input  wire [{{ boards.len() - 1 }}:0] again,
    output wire [{{ boards.len() - 1 }}:0] passed,
    output wire [{{ boards.len() - 1 }}:0] failed,
    output wire [{{ 32 * boards.len() - 1 }}:0] links,
    output wire [{{ boards.len() - 1 }}:0] tx
);

{% include "listed/frames.v" %}
{%- for board in boards %}

    // Board {{ board.place }}.
    wire {{ board.name }}_links_ready;
    wire {{ board.name }}_unused = &{1'b0, {{ board.name }}_links_ready{% for cable in board.cables %}{% if cable.is_loose %}, {{ board.name }}_{{ cable.signal }}{% endif %}{% endfor %}};
    {{ bist }} #(
        .RUNS(RUNS),
        .CLOCK(CLOCK),
        .BAUD(BAUD),
        .INJECT_RUN(INJECT_RUN),
        .INJECT_TICK(INJECT_TICK),
        .INJECT_NODE(INJECT_NODE)
    ) {{ board.name }} (
        .clk(clk),
        .rst(rst),
        .links_ready({{ board.name }}_links_ready),
        .links(links[{{ 32 * loop.index0 }}+:32]),
{%- for axis in board.at %}
        .{{ axis.name }}({{ axis.bits }}'d{{ axis.at }}),
{%- endfor %}
{%- include "listed/cables.v" %}
        .again(again[{{ loop.index0 }}]),
        .passed(passed[{{ loop.index0 }}]),
        .failed(failed[{{ loop.index0 }}]),
        .tx(tx[{{ loop.index0 }}])
    );
{%- endfor %}

endmodule

`default_nettype wire
