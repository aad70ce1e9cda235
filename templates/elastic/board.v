// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer ADDRESS = {{ address }}{% if check.is_some() %},{% endif %}  // log2 of the flits that can wait at an input; {{ address }} is enough
{%- for check in check %}
    parameter integer PATIENCE = {{ check.patience }}  // log2 of the clocks after which a silent link is down
{%- endfor %}
) (
    input  wire             clk,
    input  wire             rst,
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.range.gap() }}{{ axis.name }},
{%- endfor %}
    input  wire             start,{% if common.is_some() %}  // at the host's board{% endif %}
{%- if common.is_some() %}
    input  wire [WIDTH-1:0] start_word,  // goes with the start
    output wire [WIDTH-1:0] word,  // of the last start
{%- endif %}
    input  wire             stall,
    output wire             busy,
    output reg              done,
    output wire             arrived,
{%- for check in check %}
{%- if common.is_some() %}
    // links: all are up, here and at all boards behind this one, and no run lasts; up, by port; fault, its code and port; train all boards anew
{%- else %}
    // links: all are up; up, by port; fault, its code and port; train all boards anew
{%- endif %}
    output wire             ready,
    output wire {{ check.ports.range }}{{ check.ports.range.gap() }}links_up,
    output wire             error,
    output wire [3:0]       error_code,
    output wire {{ check.port.range }}{{ check.port.gap() }}error_port,
    input  wire             restart,
{%- endfor %}
{%- if common.is_some() %}
    // board that is not ready
{%- for axis in axes %}
    output wire {{ axis.range }}{{ axis.range.gap() }}waits_{{ axis.name }},
{%- endfor %}
{%- endif %}
{%- for flit in flit %}
    output reg  {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for site in sites %}
{%- for place in site.place %}
    // node {{ place }}
{%- endfor %}
{%- for packet in site.packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},
{%- if streams %}
    output wire             {{ packet.name }}_take,
{%- endif %}
{%- endfor %}
{%- for lane in site.inner %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
{%- endfor %}
{%- for side in sides %}
    // {{ side.label }}
{%- for lane in side.lanes %}
    output wire [WIDTH-1:0] {{ lane.name }}_in_data,
    output wire             {{ lane.name }}_in_valid,
{%- endfor %}
{%- if crosses %}
    input  wire             {{ side.name }}_s_axis_aclk,  // of the cable
{%- endif %}
    input  wire [{{ side.high }}{{ beyond }}:0]{{ gap }} {{ side.name }}_s_axis_tdata,
    input  wire             {{ side.name }}_s_axis_tvalid,
    output wire             {{ side.name }}_s_axis_tready,
    output wire [{{ side.high }}{{ beyond }}:0]{{ gap }} {{ side.name }}_m_axis_tdata,
    output {% if check.is_some() %}wire{% else %}reg {% endif %}             {{ side.name }}_m_axis_tvalid,
    input  wire             {{ side.name }}_m_axis_tready{% if !loop.last %},{% endif %}
{%- endfor %}
);
{% for kind in kind %}
    wire {{ kind.class.range }}number;
    {{ kind.module }} which ({% for axis in axes %}.{{ axis.name }}({{ axis.name }}), {% endfor %}.number(number));
{%- endfor %}
{%- for site in sites %}
{%- for router in site.routers %}
    wire {{ site.prefix }}is_{{ router.class }} = {% for number in router.kinds %}number == {{ kind_bits }}'d{{ number }}{% if !loop.last %} | {% endif %}{% else %}1'b1{% endfor %};
{%- endfor %}
{%- endfor %}
{%- if check.is_some() %}
    wire restarting;
{%- endif %}

    // go and its delays: at the control, at the place in its sequence, at the word of the first tick
    reg [{{ way }}:0] going;
    wire playing = going[{{ way }}];
    assign busy = going[0];
{%- for check in check %}

    // no run begins before all links are up, and a fault ends it
    wire halt;
{%- for common in common %}
    wire begins;
    wire links_hold;
{%- include "elastic/start_wires.v" %}
{%- else %}
    wire begins = start & ready;
{%- endfor %}
{%- endfor %}

    // ticks played; begun: any was played{% if self.is_long() %}; needs: inputs must have data; sends: outputs must send{% endif %}
    reg {{ played.range }}played;
    reg begun;
{%- if self.is_long() %}
    reg needs;
    reg sends;
{%- else %}
    wire needs = begun;
{%- endif %}
    reg over;
{%- if !self.is_long() %}
    wire sends = ~over;
{%- endif %}
{%- include "elastic/board_place.v" %}
{%- for side in sides %}

    // {{ side.label }}
{%- for lane in side.lanes %}
    wire [WIDTH:0] {{ lane.name }}_first;
{%- endfor %}
{%- include "elastic/cable.v" %}
{%- for lane in side.lanes %}
{%- include "elastic/arrives.v" %} & {{ side.name }}_linked;
{%- endfor %}
{%- endfor %}
{%- for site in sites %}
{%- for lane in site.inner %}
{%- if loop.first %}

    // links that begin at {{ site.prefix }}*
{%- endif %}
    wire [WIDTH:0] {{ lane.name }}_sent;
    wire [WIDTH:0] {{ lane.name }}_first;
{%- include "elastic/arrives.v" %};
{%- endfor %}
{%- endfor %}

    // start of a tick; one more follows the last, for its arrivals
    wire inputs_hold =
{%- for side in sides %}
        {{ side.name }}_holds{% if loop.last %};{% else %} &{% endif %}
{%- endfor %}
    wire outputs_free =
{%- for side in sides %}
        {{ side.name }}_free{% if loop.last %};{% else %} &{% endif %}
{%- endfor %}
    wire fire = playing & ~stall & (inputs_hold | ~needs) & outputs_free;
    wire ce = ~playing | (fire & ~over);
    assign arrived = fire & begun;

    always @(posedge clk) begin
        going <= ({{ halt }} | (fire & over)) ? {{ way + 1 }}'d0 : {going[{{ way - 1 }}:0], going[0] | {{ begins }}};
        done <= fire & over & ~{{ halt }};
        if (~playing) begin
            played <= {{ played.bits }}'d0;
            begun <= 1'b0;
{%- if self.is_long() %}
            needs <= 1'b0;
            sends <= 1'b1;
{%- endif %}
            over <= 1'b0;
        end else if (fire) begin
            played <= played + {{ played.bits }}'d1;
            begun <= 1'b1;
{%- if self.is_long() %}
            needs <= needs | (played == {{ played.bits }}'d{{ latency - 1 }});
            sends <= sends & (played != {{ played.bits }}'d{{ ticks - latency }});
{%- endif %}
            over <= played == {{ played.bits }}'d{{ ticks - 1 }};
        end
    end
{%- for flit in flit %}

    // flit of its packets that the node injects
    always @(posedge clk) begin
        if (~playing) begin
            flit <= {{ flit.bits }}'d0;
        end else if (fire) begin
            flit <= (flit == {{ flit.bits }}'d{{ flit.last }}) ? {{ flit.bits }}'d0 : flit + {{ flit.bits }}'d1;
        end
    end
{%- endfor %}
{%- for control in controls %}

    wire {{ control.range }}word_{{ control.class }};

    {{ control.module }} control_{{ control.class }} (
        .clk(clk),
        .ce(ce),
        .go(going[0]),
        .word(word_{{ control.class }})
    );
{%- endfor %}
{%- for site in sites %}
{%- for router in site.routers %}

    // class {{ router.class }}{% for place in site.place %} at node {{ place }}{% endfor %}
{%- for output in router.drives %}
    wire [WIDTH-1:0] {{ site.prefix }}of_{{ router.class }}_{{ output }}_data;
    wire {{ site.prefix }}of_{{ router.class }}_{{ output }}_valid;
{%- endfor %}
{%- if streams %}
{%- for packet in router.packets %}
    wire {{ site.prefix }}of_{{ router.class }}_{{ packet }}_take;
{%- endfor %}
{%- endif %}

    {{ router.module }} #(
        .WIDTH(WIDTH)
    ) {{ site.prefix }}router_{{ router.class }} (
        .clk(clk),
        .ce(ce),
        .word({{ router.told }}),
{%- for bit in router.clear %}
        .clear(word_{{ router.control }}{{ bit }}),
{%- endfor %}
{%- for packet in router.packets %}
        .{{ packet }}({{ site.prefix }}{{ packet }}),
{%- if streams %}
        .{{ packet }}_take({{ site.prefix }}of_{{ router.class }}_{{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for input in router.reads %}
        .{{ input.name }}_in_data({{ site.prefix }}{{ input.name }}_in_data){% if input.is_heard %}, .{{ input.name }}_in_valid({{ site.prefix }}{{ input.name }}_in_valid){% endif %},
{%- endfor %}
{%- for output in router.drives %}
        .{{ output }}_out_data({{ site.prefix }}of_{{ router.class }}_{{ output }}_data), .{{ output }}_out_valid({{ site.prefix }}of_{{ router.class }}_{{ output }}_valid){% if !loop.last %},{% endif %}
{%- endfor %}
    );
{%- endfor %}
{%- endfor %}
{%- if streams %}

    // {% if takes_ahead %}taken flits leave in the next tick, so the first is taken before the first tick{% else %}taken flits leave in this tick{% endif %}
    wire takes = (fire & ~over){% if takes_ahead %} | (going[{{ way - 1 }}] & ~playing){% endif %};
{%- for site in sites %}
{%- for packet in site.packets %}
    assign {{ packet.name }}_take = takes & (
{%- for class in packet.takers %}
        ({{ site.prefix }}is_{{ class }} & {{ site.prefix }}of_{{ class }}_{{ packet.own }}_take){% if loop.last %});{% else %} |{% endif %}
{%- endfor %}
{%- endfor %}
{%- endfor %}
{%- endif %}
{%- for site in sites %}
{%- for lane in site.inner %}

    // {{ lane.label }}: a link within the board
{%- if lane.drivers.is_empty() %}
    assign {{ lane.name }}_sent = {(WIDTH+1){1'b0}};
{%- else %}
    assign {{ lane.name }}_sent =
{%- for class in lane.drivers %}
        ({(WIDTH+1){ {{- site.prefix }}is_{{ class }}}} & { {{- site.prefix }}of_{{ class }}_{{ lane.output }}_valid, {{ site.prefix }}of_{{ class }}_{{ lane.output }}_data}){% if loop.last %};{% else %} |{% endif %}
{%- endfor %}
{%- endif %}
{%- match delay %}
{%- when Some(module) %}

    {{ module }} #(
        .WIDTH(WIDTH),
        .STAGES({{ latency - 1 }})
    ) {{ lane.name }}_link (
        .clk(clk),
        .ce(ce),
        .playing(playing),
        .in_data({{ lane.from }}_sent[WIDTH-1:0]), .in_valid({{ lane.from }}_sent[WIDTH]),
        .out_data({{ lane.name }}_first[WIDTH-1:0]), .out_valid({{ lane.name }}_first[WIDTH])
    );
{%- when None %}
    assign {{ lane.name }}_first = {{ lane.from }}_sent;
{%- endmatch %}
{%- endfor %}
{%- endfor %}
{%- for side in sides %}

    // {{ side.label }}: received flits, and the output
{%- include "elastic/port.v" %}
{%- for lane in side.lanes %}
{%- if loop.first || !lane.drivers.is_empty() %}
{% endif %}
{%- if lane.drivers.is_empty() %}
    assign {{ side.name }}_{{ tokens }}{% if side.is_wide() %}[{{ loop.index0 }}*(WIDTH+1)+:WIDTH+1]{% endif %} = {(WIDTH+1){1'b0}};
{%- else %}
    assign {{ side.name }}_{{ tokens }}{% if side.is_wide() %}[{{ loop.index0 }}*(WIDTH+1)+:WIDTH+1]{% endif %} =
{%- for class in lane.drivers %}
{%- if check.is_some() %}
        ({(WIDTH+1){ {{- lane.prefix }}is_{{ class }} & {{ lane.prefix }}of_{{ class }}_{{ lane.output }}_valid}} & {1'b1, {{ lane.prefix }}of_{{ class }}_{{ lane.output }}_data}){% if loop.last %};{% else %} |{% endif %}
{%- else %}
        ({(WIDTH+1){ {{- lane.prefix }}is_{{ class }}}} & { {{- lane.prefix }}of_{{ class }}_{{ lane.output }}_valid, {{ lane.prefix }}of_{{ class }}_{{ lane.output }}_data}){% if loop.last %};{% else %} |{% endif %}
{%- endif %}
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- endfor %}
{%- for check in check %}

{%- for common in common %}
{%- include "elastic/start.v" %}
{%- endfor %}

    // the links together
{%- include "elastic/together.v" %}
{%- endfor %}

endmodule

`default_nettype wire
