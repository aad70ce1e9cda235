// {{ module }}: a node and {% if sizes.has_streams %}its streams{% else %}its place on the ring of the host{% endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if sizes.is_one %}#(
    parameter integer WIDTH = {{ sizes.width.bits }}
) {% endif %}(
    input  wire clk,
    input  wire rst,
{%- if stops %}
    input  wire ce,  // a tick is played, or none lasts
{%- endif %}
    // coordinates of the node, a constant
    input  wire [{{ sizes.code - 1 }}:0] here,
{%- if sizes.has_calls() %}
    // banks of the calls whose words come in, that plays, and whose words go out
    input  wire {{ sizes.bank_number() }}in_bank,
    input  wire play_bank,
    input  wire {{ sizes.bank_number() }}out_bank,
{%- else if sizes.is_one %}
    // bank of the collective that plays
    input  wire play_bank,
{%- endif %}
{%- include "listed/common.v" %}
    // links
{%- for link in links %}
    input  wire {{ sizes.width.vector(1) }} {{ link }}_in,
    output wire {{ sizes.width.vector(1) }} {{ link }}_out,
{%- endfor %}
{%- if sizes.is_one %}
    input  wire placed,  // it is known where words come to lie
    output wire ready,  // a bank is filled
    input  wire play,  // a collective begins with it
    input  wire finish,  // all has arrived
{%- else %}
    output wire full,  // all words of the node are there
{%- if sizes.has_streams %}
    // calls whose words come in and go out
    input  wire [{{ sizes.program - 1 }}:0] placed_program,
    input  wire [{{ sizes.program - 1 }}:0] given_program,
    input  wire fills,
    input  wire drains,
    output wire drained,
    output wire astray,
{%- endif %}
{%- endif %}
{%- if sizes.has_streams %}
{%- if sizes.has_blocks() %}
    output wire misframed,
{%- endif %}
    // stream in
{%- for port in sizes.stream_ports() %}
{%- if port.is_first_out() %}
    // {% if sizes.has_read_port() %}words that are read{% else %}stream out{% endif %}
{%- endif %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{{ port.vector() }} {{ port.name }}{% if !loop.last %},{% endif %}
{%- endfor %}
{%- else %}
    output wire overfull,
    output wire misframed,
    // number of the node, a constant
    input  wire [11:0] number,
    // ring, from the node before, and to the node after it
    input  wire [32:0] s_data,
    input  wire s_valid,
    output wire s_ready,
    output wire [32:0] m_data,
    output wire m_valid,
    input  wire m_ready
{%- endif %}
);

    // between the node and {% if sizes.has_streams %}its streams{% else %}the ring{% endif %}
{%- for signal in inner %}
    wire {{ signal.range }}{{ signal.name }};
{%- endfor %}
{%- if sizes.has_calls() %}
    wire overfull;
    wire overfull_unused = &{1'b0, overfull};
{%- endif %}

    {{ node }} {% if sizes.is_one %}#(.WIDTH(WIDTH)) {% endif %}node (
        .clk(clk),
        .rst(rst),
{%- if stops %}
        .ce(ce),
{%- endif %}
        .here(here),
{%- for signal in sizes.common_signals() %}
        .{{ signal }}({{ signal }}),
{%- endfor %}
{%- for link in links %}
        .{{ link }}_in({{ link }}_in),
        .{{ link }}_out({{ link }}_out),
{%- endfor %}
{%- if !sizes.is_one %}
        .full(full),
        .overfull(overfull),
{%- endif %}
{%- for signal in inner %}
        .{{ signal.name }}({{ signal.name }}){% if !loop.last %},{% endif %}
{%- endfor %}
    );
    {{ before }} {% if sizes.is_one %}#(.WIDTH(WIDTH)) {% endif %}{% if sizes.has_streams %}streams{% else %}ring{% endif %} (
        .clk(clk),
        .rst(rst),
{%- if sizes.is_one %}
        .placed(placed),
        .ready(ready),
        .play(play),
        .finish(finish),
{%- else if sizes.has_streams %}
        .full(full),
        .placed_program(placed_program),
        .given_program(given_program),
        .fills(fills),
        .drains(drains),
        .drained(drained),
        .astray(astray),
{%- else %}
        .node(number),
        .s_data(s_data),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .m_data(m_data),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .misframed(misframed),
{%- endif %}
{%- if sizes.has_streams %}
{%- if sizes.has_blocks() %}
        .misframed(misframed),
{%- endif %}
{%- for port in sizes.stream_ports() %}
        .{{ port.name }}({{ port.name }}),
{%- endfor %}
{%- endif %}
{%- for signal in inner %}
        .{{ signal.name }}({{ signal.name }}){% if !loop.last %},{% endif %}
{%- endfor %}
    );

endmodule

`default_nettype wire
