
        .clk(clk),
        .rst(rst),
{%- for axis in board.axes %}
        .{{ axis.name }}({{ axis.name }}),
{%- endfor %}
        .start(start),
{%- if board.common.is_some() %}
        .start_word(start_word),
        .word(word),
{%- endif %}
        .stall(stall),
        .busy(busy),
        .done(done),
        .arrived(arrived),
        .ready(ready),
        .links_up(links_up),
        .error(error),
        .error_code(error_code),
        .error_port(error_port),
        .restart(restart),
{%- if board.common.is_some() %}
{%- for axis in board.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}),
{%- endfor %}
{%- endif %}
{%- if board.flit.is_some() %}
        .flit(flit),
{%- endif %}
{%- for site in board.sites %}
{%- for packet in site.packets %}
        .{{ packet.name }}({{ packet.name }}),
{%- if board.streams %}
        .{{ packet.name }}_take({{ packet.name }}_take),
{%- endif %}
{%- endfor %}
{%- for lane in site.inner %}
        .{{ lane.name }}_in_data({{ lane.name }}_in_data),
        .{{ lane.name }}_in_valid({{ lane.name }}_in_valid),
{%- endfor %}
{%- endfor %}
