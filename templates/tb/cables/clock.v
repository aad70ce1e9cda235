{%- if cables.own_clocks %}
{%- if cables.crosses %}
    // the clock of each board, and by the input of a link that of the board that sends
    reg [BOARDS:1] board_clock;
    reg [LINKS:1] cable_clock;
{%- else %}
    reg [BOARDS:1] board_clock;
{%- if cables.ports_cross() %}
    // and of the transceivers of each board
    reg [BOARDS:1] port_clock;
{%- endif %}
{%- endif %}
{%- else %}
{%- include "tb/clock.v" %}
{%- endif %}
