

    // Coordinates of the board's first node.
{%- for base in bases %}
    wire [{{ base.bits - 1 }}:0] base_{{ base.name }} = {% if base.pad > 0 %}{ {{- base.pad }}'d0, {{ base.name }}}{% else %}{{ base.name }}{% endif %}{% if base.side > 1 %} * {{ base.bits }}'d{{ base.side }}{% endif %};
{%- endfor %}
{%- if has_tables() %}
    wire [{{ place_bits() - 1 }}:0] board_place = { {%- for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor -%} };
{%- endif %}

    // A tick is played when every link has brought what is needed, and has taken what was sent. Each token names program and root.
    wire restarting;
    wire error;
    wire [3:0] error_code;
{%- for check in check %}
    wire {{ check.port.range }}error_port;
    wire {{ check.ports.range }}links_up;
{%- endfor %}
    wire [{{ tag - 1 }}:0] plan = { {%- if sizes.has_streams %}played_program, played_root{% else %}program_number, root{% endif -%} };
{%- for side in sides %}

    // {{ side.label }}
{%- for lane in side.lanes %}
    wire [{{ lane.width - 1 }}:0] {{ lane.name }}_first;
{%- endfor %}
    wire {{ side.name }}_filled;
    wire {{ side.name }}_linked = {% match side.end %}{% when Some(end) %}{{ end.name }} != {{ end.bits }}'d{{ end.at }}{% when None %}{% if side.ends.is_empty() %}1'b1{% else %}~({% for end in side.ends %}(board_place == {{ place_bits() }}'d{{ end }}){% if !loop.last %} | {% endif %}{% endfor %}){% endif %}{% endmatch %};
    wire {{ side.name }}_holds = {{ side.name }}_filled | ~{{ side.name }}_linked;
    wire [{{ side.high }}:0] {{ side.name }}_token;
    reg {{ side.name }}_token_valid;
    wire {{ side.name }}_token_ready;
    wire {{ side.name }}_free = {{ side.name }}_token_ready | ~{{ side.name }}_token_valid;
{%- if !side.turned.is_empty() %}
    // the board at the other end of the cable
    wire [{{ place_bits() - 1 }}:0] {{ side.name }}_there =
{%- for (here, there) in side.turned.iter() %}
        (board_place == {{ place_bits() }}'d{{ here }}) ? {{ place_bits() }}'d{{ there }} :
{%- endfor %}
        {{ place_bits() }}'d0;
{%- endif %}
{%- endfor %}
    wire inputs_hold = {% for side in sides %}{{ side.name }}_holds{% if !loop.last %} & {% endif %}{% endfor %};
    wire outputs_free = {% for side in sides %}{{ side.name }}_free{% if !loop.last %} & {% endif %}{% endfor %};
    wire fire = plays & (inputs_hold | ~needs) & outputs_free;
    assign ce = ~plays | fire;
{%- for side in sides %}

    // {{ side.label }}: received flits, and the output
{%- include "elastic/port.v" %}
    assign {{ side.name }}_token = { {%- for lane in side.lanes.iter().rev() %}{{ lane.sent }}{% if !loop.last %}, {% endif %}{% endfor -%} };
    wire {{ side.name }}_strays = fire & needs & {{ side.name }}_linked & ({{ side.name }}_plan_first != plan);
{%- endfor %}
{%- for check in check %}

    // The links together. A run whose last tick meets a fault is not done.
    assign halt = rst | error | restarting;
{%- if !sizes.has_streams %}
    assign done = over & ~error;
{%- endif %}
    assign links_up = {
{%- for side in sides.iter().rev() %}
        &{{ side.name }}_state & {{ side.name }}_linked{% if !loop.last %},{% endif %}
{%- endfor %}
    };
    reg restarted;
    always @(posedge clk) restarted <= restart;

    {{ check.monitor }} monitor (
        .clk(clk),
        .rst(rst),
        .restart(restart & ~restarted),
        .linked({ {%- for side in sides.iter().rev() %}{{ side.name }}_linked{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .up(links_up),
        .asked({ {%- for side in sides.iter().rev() %}{{ side.name }}_asked{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .codes({ {%- for side in sides.iter().rev() %}{{ side.name }}_strays ? 4'd{{ STRAYS }} : {{ side.name }}_code{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .ready(links_ready),
        .restarting(restarting),
        .error(error),
        .error_code(error_code),
        .error_port(error_port)
    );
    assign links = { {%- if check.ports.bits < 16 %}{{ 16 - check.ports.bits }}'d0, links_up{% else %}links_up[15:0]{% endif %}, {{ 8 - check.port.bits }}'d0, error_port, 4'd0, error_code};
{%- if check.ports.bits > 16 %}
    wire up_unused = &{1'b0, links_up};
{%- endif %}
{%- endfor %}