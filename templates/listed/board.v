

{%- if ends.form.has_pins() %}
    localparam integer DIVISOR = {{ divisor }};  // clocks per bit on a wire

{% else if ends.form.has_beats() %}
    localparam integer BYTES = {{ bytes }};  // of a beat

{% endif %}    // Coordinates of the board's first node.
{%- for base in bases %}
    wire [{{ base.bits - 1 }}:0] base_{{ base.name }} = {% if base.pad > 0 %}{ {{- base.pad }}'d0, {{ base.name }}}{% else %}{{ base.name }}{% endif %}{% if base.side > 1 %} * {{ base.bits }}'d{{ base.side }}{% endif %};
{%- endfor %}
{%- include "elastic/board_place.v" %}

    // A tick is played when every link has brought what is needed, and has taken what was sent. Each token names program and root.
    wire restarting;
    wire error;
    wire [3:0] error_code;
{%- for check in check %}
    wire {{ check.port.range }}error_port;
    wire {{ check.ports.range }}links_up;
    wire {{ check.ports.range }}strays;  // the neighbour plays another program, or for another root
{%- endfor %}
    wire [{{ tag - 1 }}:0] plan = { {%- if sizes.has_streams %}played_program, played_root{% else %}program_number, root{% endif -%} };
{%- for side in sides %}

    // {{ side.label }}
{%- for lane in side.lanes %}
    wire [{{ lane.width - 1 }}:0] {{ lane.name }}_first;
{%- endfor %}
{%- if !ends.form.is_stream() %}
{%- include "elastic/inside.v" %}
{%- endif %}
{%- include "elastic/cable.v" %}
{%- endfor %}
    wire inputs_hold = {% for side in sides %}{{ side.name }}_holds{% if !loop.last %} & {% endif %}{% endfor %};
    wire outputs_free = {% for side in sides %}{{ side.name }}_free{% if !loop.last %} & {% endif %}{% endfor %};
    wire fire = plays & (inputs_hold | ~needs) & outputs_free;
    assign ce = ~plays | fire;
{%- for side in sides %}

    // {{ side.label }}: received flits, and the output
{%- include "elastic/port.v" %}
{%- if ends.form.has_pins() %}
{%- include "elastic/pins.v" %}
{%- else if ends.form.has_beats() %}
{%- include "elastic/beats.v" %}
{%- endif %}
    assign {{ side.name }}_token = { {%- for lane in side.lanes.iter().rev() %}{{ lane.sent }}{% if !loop.last %}, {% endif %}{% endfor -%} };
    assign strays[{{ side.number }}] = fire & needs & {{ side.name }}_linked & ({{ side.name }}_plan_first != plan);
{%- endfor %}
{%- for check in check %}

    // The links together. A run whose last tick meets a fault is not done.
{%- if !sizes.has_streams %}
    assign done = over & ~error;
{%- endif %}
    reg restarted;
    always @(posedge clk) restarted <= restart;
{%- include "elastic/together.v" %}
    assign links = { {%- if check.ports.bits < 16 %}{{ 16 - check.ports.bits }}'d0, links_up{% else %}links_up[15:0]{% endif %}, {{ 8 - check.port.bits }}'d0, error_port, 4'd0, error_code};
{%- if check.ports.bits > 16 %}
    wire up_unused = &{1'b0, links_up};
{%- endif %}
{%- endfor %}