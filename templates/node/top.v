// {{ module }}: {{ headline }}, with a processing element at each node
//
{%- if board.is_some() %}
{%- if has_common_calls %}
// Each board has its coordinates as parameters. Elements of the board at the origin call all boards.
{%- else %}
// Each board has its coordinates as parameters. All boards ask for the same calls, in the same order.
{%- endif %}
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if calls.is_none() %}#(
    parameter integer WIDTH = {{ width }}
) {% endif %}{% if let Some(board) = board %}#(
{%- for axis in board.axes %}
    parameter integer {{ axis.name|upper }} = 0{% if !loop.last %},{% endif %}  // coordinate of the board
{%- endfor %}
) {% endif %}(
    input  wire             clk,
    input  wire             rst,
{%- for board in board %}
    input  wire             restart,  // the run ends, words are forgotten, and all links train anew
{%- for side in board.links %}
    // {{ side.label }}
{%- for signal in side.signals %}
    {% if signal.is_input() %}input {% else %}output{% endif %} wire {% if signal.bits > 1 %}[{{ signal.bits - 1 }}:0] {% endif %}{{ signal.name }},
{%- endfor %}
{%- endfor %}
    output wire             links_ready,
    output wire [31:0]      links,  // up, by port; port and code of a fault
{%- if has_common_calls %}
    // every board can take a call; at another board: it can, and all behind it; else a board that is not ready
    output wire             ready,
{%- for axis in board.axes %}
    output wire {{ axis.range }}{{ axis.range.gap() }}waits_{{ axis.name }},
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- if calls.is_some() %}
    output wire             busy,
    output wire             done,  // high for one clock: all words of a call have gone out
    output wire             absent,  // there is no such program or root; cleared by rst
    output reg              differs,  // elements asked for different calls; cleared by rst
    output wire [{{ nodes - 1 }}:0] astray,  // nodes at which a word is for another program; cleared by rst
{%- if tells %}
    output wire [{{ nodes - 1 }}:0] misframed,  // nodes with a tlast at a wrong place; cleared by rst
{%- endif %}
{%- else %}
    input  wire             start,  // play once every node is ready
    output wire             busy,
    output wire             done,  // high for one clock: all packets have arrived
    output wire             misframed,  // a tlast was misplaced; cleared by rst
{%- endif %}
    // outputs of the elements, node 0 in the lowest bits
    output wire [{{ nodes }}*{% if calls.is_some() %}{{ width }}{% else %}WIDTH{% endif %}-1:0] results
);

{% if calls.is_some() %}    localparam integer WIDTH = {{ width }};
{% endif %}    localparam integer NODES = {{ nodes }};{% if board.is_some() %}  // of the board{% endif %}
{%- if tells %}
    localparam integer USER = {{ user.bits }};
{%- endif %}
{%- for calls in calls %}
    localparam integer PROGRAM = {{ calls.program }};  // bits of a program's number
    localparam integer ROOT = {{ calls.node }};  // bits of a root's number
{%- endfor %}
{%- for bits in address %}
    localparam integer ADDRESS = {{ bits }};
{%- endfor %}
{%- if lanes > 1 %}
    localparam integer LANES = {{ lanes }};
{%- endif %}
{%- for board in board %}

    // number of a node of the board in the network, whose dead nodes have none
    function automatic integer number_of(input integer place);
        integer number;
        begin
            number = 0;
{%- for step in board.steps %}
            number = number * {{ step.side }} + {% for name in step.name %}{{ name|upper }} * {{ step.of_block }} + {% endfor %}(place / {{ step.divisor }}) % {{ step.of_block }};
{%- endfor %}
            number_of = number{% for dead in board.dead %} - ((number > {{ dead }}) ? 1 : 0){% endfor %};
        end
    endfunction
{%- endfor %}
{% if calls.is_some() %}
    // A call is made when all elements {% if has_common_calls %}of the host's board {% endif %}ask for it, node 0 in the lowest bits.
    wire [NODES-1:0] start;
{%- if has_common_calls %}
    wire is_host = {% for board in board %}{% for axis in board.axes %}({{ axis.name|upper }} == 0){% if !loop.last %} && {% endif %}{% endfor %}{% endfor %};
    wire asked = is_host & (&start);
    wire called;
    wire [PROGRAM-1:0] called_program;
    wire [ROOT-1:0] called_root;
{%- else %}
    wire ready;
    wire asked = &start;
{%- endif %}
    wire [NODES*PROGRAM-1:0] program_number;
    wire [NODES*ROOT-1:0] root;
    always @(posedge clk) begin
        differs <= ~rst & (differs | (asked & ((program_number != {NODES{program_number[PROGRAM-1:0]}})
            | (root != {NODES{root[ROOT-1:0]}}))));
    end
{% endif %}
    // streams into all nodes and out of them, node 0 in the lowest bits
    wire [NODES*WIDTH-1:0] in_data;
    wire [NODES-1:0] in_valid;
    wire [NODES-1:0] in_ready;
{%- if tells %}
    wire [NODES-1:0] in_last;
{%- endif %}
{%- if calls.is_some() %}
    wire [NODES*PROGRAM-1:0] in_dest;
    wire [NODES*PROGRAM-1:0] out_dest;
{%- endif %}
    wire [NODES*{{ by_lane }}WIDTH-1:0] out_data;
    wire [NODES-1:0] out_valid;
{%- if tells %}
    wire [NODES*{{ by_lane }}USER-1:0] out_user;
{%- endif %}
{%- if address.is_some() %}
    wire [NODES-1:0] out_full;
    wire [NODES-1:0] out_free;
    wire [NODES-1:0] out_en;
    wire [NODES*ADDRESS-1:0] out_addr;
{%- if calls.is_none() %}
    wire unused = &{1'b0, out_addr};  // short addresses have no high bits
{%- endif %}
{%- else %}
{%- if lanes > 1 %}
    wire [NODES*LANES-1:0] out_keep;
{%- endif %}
    wire [NODES-1:0] out_ready;
    wire [NODES-1:0] out_last;
{%- endif %}

{%- for board in board %}
{%- for axis in board.axes %}
    wire {{ axis.range }}{{ axis.name }} = {{ axis.name|upper }}[{{ axis.bits - 1 }}:0];
{%- endfor %}
{%- endfor %}

    genvar node;
    generate
        for (node = 0; node < NODES; node = node + 1) begin : g_node
            {{ element }} #(
                .WIDTH(WIDTH),
                .NODE({% if board.is_some() %}number_of(node){% else %}node{% endif %})
            ) element (
                .clk(clk),
                .rst(rst),
{%- if calls.is_some() %}
                .start(start[node]),
                .ready(asked & ready),
                .program_number(program_number[node*PROGRAM+:PROGRAM]),
                .root(root[node*ROOT+:ROOT]),
{%- endif %}
{%- if has_common_calls %}
                .called(called),
                .called_program(called_program),
                .called_root(called_root),
{%- endif %}
                .done(done),
                .m_axis_tdata(in_data[node*WIDTH+:WIDTH]),
                .m_axis_tvalid(in_valid[node]),
                .m_axis_tready(in_ready[node]),
{%- if tells %}
                .m_axis_tlast(in_last[node]),
{%- endif %}
{%- if calls.is_some() %}
                .m_axis_tdest(in_dest[node*PROGRAM+:PROGRAM]),
{%- endif %}
{%- if address.is_some() %}
                .s_ram_full(out_full[node]),
                .s_ram_free(out_free[node]),
                .s_ram_en(out_en[node]),
                .s_ram_addr(out_addr[node*ADDRESS+:ADDRESS]),
                .s_ram_valid(out_valid[node]),
                .s_ram_data(out_data[node*WIDTH+:WIDTH]),
{%- if tells %}
                .s_ram_user(out_user[node*USER+:USER]),
{%- endif %}
{%- if calls.is_some() %}
                .s_ram_dest(out_dest[node*PROGRAM+:PROGRAM]),
{%- endif %}
{%- else %}
                .s_axis_tdata(out_data[node*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH]),
{%- if lanes > 1 %}
                .s_axis_tkeep(out_keep[node*LANES+:LANES]),
{%- endif %}
                .s_axis_tvalid(out_valid[node]),
                .s_axis_tready(out_ready[node]),
                .s_axis_tlast(out_last[node]),
{%- if tells %}
                .s_axis_tuser(out_user[node*{{ by_lane }}USER+:{{ by_lane }}USER]),
{%- endif %}
{%- if calls.is_some() %}
                .s_axis_tdest(out_dest[node*PROGRAM+:PROGRAM]),
{%- endif %}
{%- endif %}
                .result(results[node*WIDTH+:WIDTH])
            );
        end
    endgenerate

    {{ system }} {% if calls.is_none() %}#(
        .WIDTH(WIDTH)
    ) {% endif %}system (
        .clk(clk),
        .rst(rst),
{%- for board in board %}
        .restart(restart),
{%- for axis in board.axes %}
        .{{ axis.name }}({{ axis.name }}),
{%- endfor %}
{%- for side in board.links %}
{%- for signal in side.signals %}
        .{{ signal.name }}({{ signal.name }}),
{%- endfor %}
{%- endfor %}
        .links_ready(links_ready),
        .links(links),
{%- endfor %}
{%- if let Some(calls) = calls %}
        .start(asked),
        .ready(ready),
        .program_number(program_number[PROGRAM-1:0]),
        .root(root[ROOT-1:0]),
{%- if has_common_calls %}
{%- for board in board %}
{%- for axis in board.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}),
{%- endfor %}
{%- endfor %}
        .called(called),
        .called_program(called_program),
        .called_root(called_root),
{%- endif %}
        .busy(busy),
        .done(done),
        .absent(absent),
{%- if tells %}
        .misframed(misframed),
{%- endif %}
{%- include "listed/pins.v" %}
        .astray(astray)
{%- else %}
        .start(start),
        .busy(busy),
        .misframed(misframed),
{%- include "listed/pins.v" %}
        .done(done)
{%- endif %}
    );

endmodule

`default_nettype wire
