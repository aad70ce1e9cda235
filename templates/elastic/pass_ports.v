
    input  wire             clk,
    input  wire             rst,
{%- for axis in board.axes %}
    input  wire {{ axis.range }}{{ axis.range.gap() }}{{ axis.name }},
{%- endfor %}
    input  wire             start,{% if board.common.is_some() %}  // at the host's board{% endif %}
{%- if board.common.is_some() %}
    input  wire [WIDTH-1:0] start_word,  // goes with the start
    output wire [WIDTH-1:0] word,  // of the last start
{%- endif %}
    input  wire             stall,
    output wire             busy,
    output wire             done,
    output wire             arrived,
{%- for check in board.check %}
    // links: all are up; up, by port; fault, its code and port; train all boards anew
    output wire             ready,
    output wire {{ check.ports.range }}{{ check.ports.range.gap() }}links_up,
    output wire             error,
    output wire [3:0]       error_code,
    output wire {{ check.port.range }}{{ check.port.gap() }}error_port,
    input  wire             restart,
{%- endfor %}
{%- if board.common.is_some() %}
    // board that is not ready
{%- for axis in board.axes %}
    output wire {{ axis.range }}{{ axis.range.gap() }}waits_{{ axis.name }},
{%- endfor %}
{%- endif %}
{%- for flit in board.flit %}
    output wire {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for site in board.sites %}
{%- for place in site.place %}
    // node {{ place }}
{%- endfor %}
{%- for packet in site.packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},
{%- if board.streams %}
    output wire             {{ packet.name }}_take,
{%- endif %}
{%- endfor %}
{%- for lane in site.inner %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
{%- endfor %}
