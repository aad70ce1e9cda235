// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer SKEW = 0  // delay of the clock at every second board
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    output wire             done,
{%- for flit in flit %}
    output wire {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for board in boards() %}
    // node {{ board.place }}
{%- for packet in board.packets %}
    input  wire [WIDTH-1:0] {{ board.name }}_{{ packet }},
{%- endfor %}
{%- for arrival in board.arrivals %}
    output wire [WIDTH-1:0] {{ arrival.name }}_data,
    output wire             {{ arrival.name }}_valid{% if !(loop.last && board.last) %},{% endif %}
{%- endfor %}
{%- endfor %}
);

    wire late;
    assign #(SKEW) late = clk;

    // other outputs must be equal on all boards, or they are unknown
    localparam integer BOARDS = {{ design.program.topology.nodes() }};
    wire [BOARDS-1:0] dones;
    assign done = (dones === {BOARDS{dones[0]}}) ? dones[0] : 1'bx;
{%- for flit in flit %}
    wire [{{ flit.bits }}*BOARDS-1:0] flits;
    wire {{ flit.range }}first_flit = flits[{{ flit.bits - 1 }}:0];
    assign flit = (flits === {BOARDS{first_flit}}) ? first_flit : {{ flit.bits }}'bx;
{%- endfor %}
{%- for board in boards() %}
{%- for arrival in board.arrivals %}
{%- if arrival.tied %}
    assign {{ arrival.name }}_data  = {WIDTH{1'b0}};
    assign {{ arrival.name }}_valid = 1'b0;
{%- endif %}
{%- endfor %}
{%- endfor %}

    // the links: one wire per bit, and the drive signal of each driving end
{%- for link in links() %}
    wire [WIDTH-1:0] {{ link.name }};
{%- for end in link.ends %}
    wire {{ end }}_sends;
{%- endfor %}
{%- endfor %}
{%- for board in boards() %}

    {{ board.module }} #(
        .WIDTH(WIDTH)
    ) {{ board.instance }} (
        .clk({% if board.late %}late{% else %}clk{% endif %}),
        .rst(rst),
        .run(run),
        .done(dones[{{ board.index }}]),
{%- for flit in flit %}
        .flit(flits[{{ flit.bits }}*{{ board.index }}+:{{ flit.bits }}]),
{%- endfor %}
{%- for packet in board.packets %}
        .{{ packet }}({{ board.name }}_{{ packet }}),
{%- endfor %}
{%- for pad in board.pads %}
{%- if pad.hears %}
        .{{ pad.name }}_in_data({{ pad.arrival }}{% if !pad.arrival.is_empty() %}_data{% endif %}),
        .{{ pad.name }}_in_valid({{ pad.arrival }}{% if !pad.arrival.is_empty() %}_valid{% endif %}),
{%- endif %}
        .{{ pad.name }}_pad({{ pad.link }}){% if pad.sends || pad.hears || !loop.last %},{% endif %}
{%- if pad.sends %}
        .{{ pad.name }}_sends({{ pad.end }}){% if pad.hears || !loop.last %},{% endif %}
{%- endif %}
{%- if pad.hears %}
        .{{ pad.name }}_hears({% if pad.other.is_empty() %}1'b0{% else %}{{ pad.other }}{% endif %}){% if !loop.last %},{% endif %}
{%- endif %}
{%- endfor %}
    );
{%- endfor %}
{%- for link in links() %}
{%- if link.ends.len() == 2 %}

    // {{ link.name }}
    {{ module }}_link #(
        .WIDTH(WIDTH)
    ) {{ link.name }}_watched (
        .clk(clk),
        .run(run),
        .pad({{ link.name }}),
        .sends({ {{- link.ends[0] }}_sends, {{ link.ends[1] }}_sends})
    );
{%- endif %}
{%- endfor %}

endmodule

`default_nettype wire
