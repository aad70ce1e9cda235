

    // {{ board.label }}
{%- include "tb/cables/tied.v" %}
    assign error[{{ board.number }}] = links[{{ board.number }}][3:0] != 4'd0;
    assign error_code[{{ board.number }}] = links[{{ board.number }}][3:0];
    assign error_port[{{ board.number }}] = {24'd0, links[{{ board.number }}][15:8]};
{%- if cables.sides > 16 %}
    assign links_up[{{ board.number }}] = { {{- "{" }}{{ cables.sides - 16 }}{links_ready[{{ board.number }}]}}, links[{{ board.number }}][31:16]};
{%- else %}
    assign links_up[{{ board.number }}] = links[{{ board.number }}][16+:SIDES];
{%- endif %}
    assign ready[{{ board.number }}] = {% if cables.common.is_some() %}can_call{% else %}links_ready{% endif %}[{{ board.number }}];
    assign arrived[{{ board.number }}] = |{ {%- for stream in device.streams %}out_valid[{{ stream }}]{% if !loop.last %}, {% endif %}{% endfor -%} };
    {{ cables.module }} #(
        .PATIENCE(WAITS)
    ) {{ board.name }} (
        .clk({% if cables.own_clocks %}board_clock[{{ board.number }}]{% else %}clk{% endif %}),
        .rst(rst | reset[{{ board.number }}]),
        .restart(restart[{{ board.number }}]),
{%- for coordinate in board.coordinates %}
        .{{ coordinate.name }}({{ coordinate.bits }}'d{{ coordinate.at }}),
{%- endfor %}
{%- include "tb/cables/ports.v" %}
        .links_ready(links_ready[{{ board.number }}]),
        .links(links[{{ board.number }}]),
        .start(start[{{ board.number }}]),
        .ready(can_call[{{ board.number }}]),
        .program_number(program_number[{{ board.number }}]),
        .root(root[{{ board.number }}]),
{%- for common in cables.common %}
{%- for axis in common.axes %}
        .waits_{{ axis.name }}(waits_{{ axis.name }}[{{ board.number }}][{{ axis.bits - 1 }}:0]),
{%- endfor %}
        .called(called[{{ board.number }}]),
        .called_program(called_program[{{ board.number }}]),
        .called_root(called_root[{{ board.number }}]),
{%- endfor %}
        .absent(absent[{{ board.number }}]),
        .astray(astray[{{ board.number }}]),
        .busy(busy[{{ board.number }}]),
{%- if sizes.has_blocks() %}
        .misframed(misframed[{{ board.number }}]),
{%- endif %}
{%- include "listed/pins.v" %}
{%- for name in device.dead.iter() %}
{%- for port in sizes.stream_ports() %}
        .{{ name }}_{{ port.name }}({% if port.is_input %}{{ port.width() }}'d0{% endif %}),
{%- endfor %}
{%- endfor %}
        .done(done[{{ board.number }}])
    );
