{%- macro counted(name, up, down) %}
            {{ name }}[0] <= {{ up }} | {{ name }}[1] | ({{ name }}[0] & ~{{ down }});
            {{ name }}[1] <= ({{ name }}[1] & ~{{ down }}) | ({{ up }} & ({{ name }}[1] | ({{ name }}[0] & ~{{ down }})));
{%- endmacro -%}
// {{ module }}: memories for a node's own packets and the received ones, with their streams
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}{% if tables.len() > 1 || fills.len() > 1 || is_placed() %},{% endif %}
{%- if fills.len() > 1 %}
    parameter integer FILL = {{ fills[0].number }}{% if tables.len() > 1 || is_placed() %},{% endif %}  // table of the banks for input words
{%- endif %}
{%- if tables.len() > 1 %}
    parameter integer TABLE = {{ tables[0].number }}{% if is_placed() %},{% endif %}  // table of the packets' addresses
{%- endif %}
{%- if is_placed() %}
{%- for axis in axes %}
    parameter integer {{ axis.constant }} = 0{% if !loop.last %},{% endif %}
{%- endfor %}
{%- endif %}
) (
    input  wire             clk,
    input  wire             rst,
    // one collective
    output wire             ready,  // own packets are stored, and there is room for others
{%- if arrivals.len() > 0 %}
    input  wire             write,  // step of the arrivals
    input  wire {{ step.range }}{{ step.gap() }}step,
{%- for flit in flit %}
    input  wire {{ flit.range }}{{ flit.gap() }}step_flit,
{%- endfor %}
{%- endif %}
    input  wire             play,  // a collective begins in the next bank
    input  wire             finish,  // high with the last arrivals
{%- if own.len() > 0 %}
    // own packets
{%- if !is_streamed() %}
{%- for flit in flit %}
    input  wire {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- endif %}
{%- endif %}
{%- for packet in own %}
    output wire [WIDTH-1:0] {{ packet.name }},
{%- if is_streamed() %}
    input  wire             {{ packet.name }}_take,
{%- endif %}
{%- endfor %}
{%- if arrivals.len() > 0 %}
    // arrivals
{%- endif %}
{%- for input in arrivals %}
    input  wire [WIDTH-1:0] {{ input }}_in_data,
{%- endfor %}
{%- if takes() %}
    // input stream of own packets
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             s_axis_tlast,
    output reg              misframed{% if gives() %},{% endif %}  // a tlast was misplaced
{%- endif %}
{%- if is_memory() && gives() %}
    // all packets, to be read while there is a collective's result: address {{ address_fields() }}
    output wire             m_ram_full,  // there is one
    input  wire             m_ram_free,  // it is not needed any more
    input  wire             m_ram_en,
    input  wire {{ ram.range }}{{ ram.gap() }}m_ram_addr,
    output reg              m_ram_valid,  // three clocks after m_ram_en
    output reg  [WIDTH-1:0] m_ram_data,
    output reg  {{ user.range }}{{ user.gap() }}m_ram_user
{%- else if gives() %}
    // output stream of all packets{% if let Some(lanes) = lanes %}, {{ lanes.words }} words per clock: tkeep has a bit for each{% endif %}
    output reg  [{% if let Some(lanes) = lanes %}{{ lanes.words }}*{% endif %}WIDTH-1:0] m_axis_tdata,
{%- if let Some(lanes) = lanes %}
    output reg  [{{ lanes.words - 1 }}:0] m_axis_tkeep,
{%- endif %}
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready,
    output reg              m_axis_tlast,
    output reg  {{ user.range }}{{ user.gap() }}m_axis_tuser
{%- endif %}
);

    // Two banks, one per collective: own packets are written, arrivals are added, then all packets are sent out.
{%- if takes() %}
    reg in_bank;
{%- endif %}
    reg play_bank;
{%- if gives() %}
    reg out_bank;
{%- endif %}
{%- if takes() %}
    wire last_in;
    wire last_put;
{%- if !is_direct() %}
    reg put_bank;
{%- endif %}
{%- endif %}
{%- if gives() %}
    wire last_out;
    wire last_read;
    {% if lanes.is_some() %}reg{% else %}wire{% endif %} read_bank;
{%- endif %}

    // Banks in each state: bit 0 is high for at least one, bit 1 for two.
    reg [1:0] empty;  // without {% if takes() %}words{% else %}arrivals{% endif %}
{%- if takes() %}
    reg [1:0] loaded;  // with all own packets, to be played
{%- endif %}
{%- if gives() %}
    reg [1:0] played;  // to be sent out
{%- endif %}
    wire freed = {% if gives() %}last_read{% else %}finish{% endif %};
    wire used = {% if takes() %}last_in{% else %}play{% endif %};

    assign ready = {% if takes() %}loaded{% else %}empty{% endif %}[0];

    always @(posedge clk) begin
        if (rst) begin
            empty <= 2'b11;
{%- if takes() %}
            loaded <= 2'b00;
{%- endif %}
{%- if gives() %}
            played <= 2'b00;
{%- endif %}
            play_bank <= 1'b0;
        end else begin
{%- call counted("empty", "freed", "used") %}{% endcall %}
{%- if takes() %}
{%- call counted("loaded", "last_put", "play") %}{% endcall %}
{%- endif %}
{%- if gives() %}
{%- call counted("played", "finish", "last_out") %}{% endcall %}
{%- endif %}
            play_bank <= play_bank ^ finish;
        end
    end
{%- if is_direct() %}

{% include "node/direct.v" %}
{%- else if takes() %}

{% include "node/filling.v" %}
{%- endif %}
{%- if let Some(lanes) = lanes %}

{% include "node/rows.v" %}
{%- else if gives() && is_memory() %}

{% include "node/read.v" %}
{%- else if gives() %}

{% include "node/next.v" %}
{%- endif %}
{%- if is_direct() || gives() && inputs.len() > 0 %}

{% include "node/received.v" %}
{%- endif %}
{%- if is_direct() %}

{% include "node/own.v" %}
{%- else if takes() %}
{%- if inputs.len() == 0 || !gives() %}

    localparam integer FIRST = 0;
{%- endif %}
{%- if !sums.is_empty() %}

{% include "node/sum.v" %}
{%- else if kind.fold.is_some() %}

{% include "node/fold.v" %}
{%- endif %}

{% include "node/banks.v" %}
{%- endif %}
{%- if let Some(lanes) = lanes %}

{% include "node/lanes.v" %}
{%- else if gives() %}

{% include "node/output.v" %}
{%- endif %}

endmodule

`default_nettype wire
