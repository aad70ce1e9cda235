// {{ module }}: all boards with their elements, joined by cables, for simulation
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // boards, row by row, the first in the lowest bits
    output wire [{{ boards.len() - 1 }}:0] busy,
    output wire [{{ boards.len() - 1 }}:0] done,
    output wire [{{ boards.len() - 1 }}:0] absent,
    output wire [{{ boards.len() - 1 }}:0] differs,
    output wire [{{ boards.len() * sites - 1 }}:0] astray,
{%- if sizes.has_blocks() %}
    output wire [{{ boards.len() * sites - 1 }}:0] misframed,
{%- endif %}
    output wire [{{ boards.len() * sites }}*{{ sizes.width.bits }}-1:0] results
);

{% include "listed/frames.v" %}
{%- for board in boards %}

    // Board {{ board.place }}.
    wire {{ board.name }}_links_ready;
    wire [31:0] {{ board.name }}_links;
{%- if is_common %}
    wire {{ board.name }}_ready;
{%- for axis in axes %}
    wire {{ axis.range }}{{ board.name }}_waits_{{ axis.name }};
{%- endfor %}
    wire {{ board.name }}_call_unused = &{1'b0, {{ board.name }}_ready{% for axis in axes %}, {{ board.name }}_waits_{{ axis.name }}{% endfor %}};
{%- endif %}
    wire {{ board.name }}_unused = &{1'b0, {{ board.name }}_links_ready, {{ board.name }}_links{% for cable in board.cables %}{% if cable.is_loose %}, {{ board.name }}_{{ cable.signal }}{% endif %}{% endfor %}};
    {{ top }} #(
{%- for axis in board.at %}
        .{{ axis.name|upper }}({{ axis.at }}){% if !loop.last %},{% endif %}
{%- endfor %}
    ) {{ board.name }} (
        .clk(clk),
        .rst(rst),
        .restart(1'b0),
        .links_ready({{ board.name }}_links_ready),
        .links({{ board.name }}_links),
{%- include "listed/cables.v" %}
{%- if is_common %}
        .ready({{ board.name }}_ready),
{%- for axis in axes %}
        .waits_{{ axis.name }}({{ board.name }}_waits_{{ axis.name }}),
{%- endfor %}
{%- endif %}
        .busy(busy[{{ loop.index0 }}]),
        .done(done[{{ loop.index0 }}]),
        .absent(absent[{{ loop.index0 }}]),
        .differs(differs[{{ loop.index0 }}]),
        .astray(astray[{{ sites * loop.index0 }}+:{{ sites }}]),
{%- if sizes.has_blocks() %}
        .misframed(misframed[{{ sites * loop.index0 }}+:{{ sites }}]),
{%- endif %}
        .results(results[{{ sites * loop.index0 }}*{{ sizes.width.bits }}+:{{ sites }}*{{ sizes.width.bits }}])
    );
{%- endfor %}

endmodule

`default_nettype wire
