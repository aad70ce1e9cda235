// {{ module }}: all boards, joined by cables, for simulation: {% if is_common %}one takes the calls of all{% else %}each gets every call{% endif %}, and all nodes have their streams
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // a call, taken by {% if is_common %}the host's board{% else %}all boards{% endif %} in a clock in which both are high
    input  wire start,
    output wire ready,
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [{{ sizes.node - 1 }}:0] root,
    output wire busy,
    output wire [{{ boards.len() - 1 }}:0] done,  // boards that are done with a call
    output wire absent,
{%- include "listed/streams.v" %}
    output wire [{{ nodes.len() - 1 }}:0] astray
);

    wire [{{ boards.len() - 1 }}:0] ready_each;
    wire [{{ boards.len() - 1 }}:0] busy_each;
    wire [{{ boards.len() - 1 }}:0] absent_each;
{%- if is_common %}
    assign ready = ready_each[0];
    wire ready_unused = &{1'b0, ready_each};
{%- else %}
    assign ready = &ready_each;
{%- endif %}
    assign busy = |busy_each;
    assign absent = |absent_each;

{% include "listed/frames.v" %}
{%- for board in boards %}

    // Board {{ board.place }}.
    wire {{ board.name }}_links_ready;
    wire [31:0] {{ board.name }}_links;
{%- if is_common %}
{%- for axis in axes %}
    wire {{ axis.range }}{{ board.name }}_waits_{{ axis.name }};
{%- endfor %}
    wire {{ board.name }}_called;
    wire [{{ sizes.program - 1 }}:0] {{ board.name }}_called_program;
    wire [{{ sizes.node - 1 }}:0] {{ board.name }}_called_root;
    wire {{ board.name }}_call_unused = &{1'b0{% for axis in axes %}, {{ board.name }}_waits_{{ axis.name }}{% endfor %}, {{ board.name }}_called, {{ board.name }}_called_program, {{ board.name }}_called_root};
{%- endif %}
    wire [{{ board.sites.len() - 1 }}:0] {{ board.name }}_astray;
{%- if sizes.has_blocks() %}
    wire [{{ board.sites.len() - 1 }}:0] {{ board.name }}_misframed;
{%- endif %}
{%- for site in board.sites %}
{%- if site.node.is_none() %}
{%- for port in sizes.stream_ports() %}
{%- if !port.is_input %}
    wire{{ port.vector() }} {{ board.name }}_{{ site.name }}_{{ port.name }};
{%- endif %}
{%- endfor %}
    wire {{ board.name }}_{{ site.name }}_dead_unused = &{1'b0{% for port in sizes.stream_ports() %}{% if !port.is_input %}, {{ board.name }}_{{ site.name }}_{{ port.name }}{% endif %}{% endfor %}, {{ board.name }}_astray[{{ loop.index0 }}]{% if sizes.has_blocks() %}, {{ board.name }}_misframed[{{ loop.index0 }}]{% endif %}};
{%- endif %}
{%- endfor %}
    wire {{ board.name }}_unused = &{1'b0, {{ board.name }}_links_ready, {{ board.name }}_links{% for cable in board.cables %}{% if cable.is_loose %}, {{ board.name }}_{{ cable.signal }}{% endif %}{% endfor %}};
    {{ host }} {{ board.name }} (
        .clk(clk),
        .rst(rst),
        .restart(1'b0),
        .links_ready({{ board.name }}_links_ready),
        .links({{ board.name }}_links),
{%- for axis in board.at %}
        .{{ axis.name }}({{ axis.bits }}'d{{ axis.at }}),
{%- endfor %}
{% include "listed/cables.v" %}
{%- if is_common %}
        .ready(ready_each[{{ loop.index0 }}]),
{%- if loop.first %}
        .start(start),
        .program_number(program_number),
        .root(root),
{%- else %}
        .start(1'b0),
        .program_number({{ sizes.program }}'d0),
        .root({{ sizes.node }}'d0),
{%- endif %}
{%- for axis in axes %}
        .waits_{{ axis.name }}({{ board.name }}_waits_{{ axis.name }}),
{%- endfor %}
        .called({{ board.name }}_called),
        .called_program({{ board.name }}_called_program),
        .called_root({{ board.name }}_called_root),
{%- else %}
        .start(start & ready),
        .ready(ready_each[{{ loop.index0 }}]),
        .program_number(program_number),
        .root(root),
{%- endif %}
        .busy(busy_each[{{ loop.index0 }}]),
        .done(done[{{ loop.index0 }}]),
        .absent(absent_each[{{ loop.index0 }}]),
{%- for site in board.sites %}
{%- for port in sizes.stream_ports() %}
        .{{ site.name }}_{{ port.name }}({% match site.node %}{% when Some((node, _)) %}{{ node }}_{{ port.name }}{% when None %}{% if port.is_input %}{{ port.width() }}'d0{% else %}{{ board.name }}_{{ site.name }}_{{ port.name }}{% endif %}{% endmatch %}),
{%- endfor %}
{%- endfor %}
{%- if sizes.has_blocks() %}
        .misframed({{ board.name }}_misframed),
{%- endif %}
        .astray({{ board.name }}_astray)
    );
{%- for site in board.sites %}
{%- if let Some((_, number)) = site.node %}
    assign astray[{{ number }}] = {{ board.name }}_astray[{{ loop.index0 }}];
{%- if sizes.has_blocks() %}
    assign misframed[{{ number }}] = {{ board.name }}_misframed[{{ loop.index0 }}];
{%- endif %}
{%- endif %}
{%- endfor %}
{%- endfor %}

endmodule

`default_nettype wire
