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
    input  wire             start,
    input  wire             stall,
    output wire             busy,
    output reg              done,
    output wire             arrived,
{%- for check in check %}
    // links: all are up; up, by port; fault, its code and port; train all boards anew
    output wire             ready,
    output wire {{ check.ports.range }}{{ check.ports.range.gap() }}links_up,
    output wire             error,
    output wire [3:0]       error_code,
    output wire {{ check.port.range }}{{ check.port.gap() }}error_port,
    input  wire             restart,
{%- endfor %}
{%- for flit in flit %}
    output reg  {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for packet in packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},
{%- if streams %}
    output wire             {{ packet.name }}_take,
{%- endif %}
{%- endfor %}
{%- for channel in channels %}
    // {{ channel.label }}
    output wire [WIDTH-1:0] {{ channel.name }}_in_data,
    output wire             {{ channel.name }}_in_valid,
    input  wire [WIDTH{{ beyond }}:0]{% if check.is_none() %}  {% endif %} {{ channel.name }}_s_axis_tdata,
    input  wire             {{ channel.name }}_s_axis_tvalid,
    output wire             {{ channel.name }}_s_axis_tready,
    output wire [WIDTH{{ beyond }}:0]{% if check.is_none() %}  {% endif %} {{ channel.name }}_m_axis_tdata,
    output {% if check.is_some() %}wire{% else %}reg {% endif %}             {{ channel.name }}_m_axis_tvalid,
    input  wire             {{ channel.name }}_m_axis_tready{% if !loop.last %},{% endif %}
{%- endfor %}
);
{% for kind in kind %}
    wire {{ kind.class.range }}number;
    {{ kind.module }} which ({% for axis in axes %}.{{ axis.name }}({{ axis.name }}), {% endfor %}.number(number));
{%- endfor %}
{%- for router in routers %}
    wire is_{{ router.class }} = {% match kind %}{% when Some(kind) %}number == {{ kind.class.bits }}'d{{ router.number }}{% when None %}1'b1{% endmatch %};
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
    wire begins = start & ready;
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
{%- for channel in channels %}

    // {{ channel.label }}
    wire [WIDTH:0] {{ channel.name }}_first;
    wire {{ channel.name }}_filled;
    wire {{ channel.name }}_linked = {% match channel.end %}{% when Some(end) %}{{ end.name }} != {{ end.bits }}'d{{ end.at }}{% when None %}1'b1{% endmatch %};
    wire {{ channel.name }}_holds = {{ channel.name }}_filled | ~{{ channel.name }}_linked;
{%- if check.is_some() %}
    wire [WIDTH:0] {{ channel.name }}_token;
    reg {{ channel.name }}_token_valid;
    wire {{ channel.name }}_token_ready;
{%- endif %}
    wire {{ channel.name }}_free = {{ channel.name }}_{{ sent }}_{{ t }}ready | ~{{ channel.name }}_{{ sent }}_{{ t }}valid;
    assign {{ channel.name }}_in_data = {% match rest %}{% when Some(rest) %}needs ? {{ channel.name }}_first[WIDTH-1:0] : {{ rest }}{% when None %}{{ channel.name }}_first[WIDTH-1:0]{% endmatch %};
    assign {{ channel.name }}_in_valid = {{ channel.name }}_first[WIDTH] & needs & {{ channel.name }}_linked;
{%- endfor %}

    // start of a tick; one more follows the last, for its arrivals
    wire inputs_hold =
{%- for channel in channels %}
        {{ channel.name }}_holds{% if loop.last %};{% else %} &{% endif %}
{%- endfor %}
    wire outputs_free =
{%- for channel in channels %}
        {{ channel.name }}_free{% if loop.last %};{% else %} &{% endif %}
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
{%- for router in routers %}

    // class {{ router.class }}
{%- for output in router.drives %}
    wire [WIDTH-1:0] of_{{ router.class }}_{{ output }}_data;
    wire of_{{ router.class }}_{{ output }}_valid;
{%- endfor %}
{%- if streams %}
{%- for packet in router.packets %}
    wire of_{{ router.class }}_{{ packet }}_take;
{%- endfor %}
{%- endif %}

    {{ router.module }} #(
        .WIDTH(WIDTH)
    ) router_{{ router.class }} (
        .clk(clk),
        .ce(ce),
        .word({{ router.told }}),
{%- for bit in router.clear %}
        .clear(word_{{ router.control }}{{ bit }}),
{%- endfor %}
{%- for packet in router.packets %}
        .{{ packet }}({{ packet }}),
{%- if streams %}
        .{{ packet }}_take(of_{{ router.class }}_{{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for input in router.reads %}
        .{{ input.name }}_in_data({{ input.name }}_in_data){% if input.is_heard %}, .{{ input.name }}_in_valid({{ input.name }}_in_valid){% endif %},
{%- endfor %}
{%- for output in router.drives %}
        .{{ output }}_out_data(of_{{ router.class }}_{{ output }}_data), .{{ output }}_out_valid(of_{{ router.class }}_{{ output }}_valid){% if !loop.last %},{% endif %}
{%- endfor %}
    );
{%- endfor %}
{%- if streams %}

    // {% if takes_ahead %}taken flits leave in the next tick, so the first is taken before the first tick{% else %}taken flits leave in this tick{% endif %}
    wire takes = (fire & ~over){% if takes_ahead %} | (going[{{ way - 1 }}] & ~playing){% endif %};
{%- for packet in packets %}
    assign {{ packet.name }}_take = takes & (
{%- for class in packet.takers %}
        (is_{{ class }} & of_{{ class }}_{{ packet.name }}_take){% if loop.last %});{% else %} |{% endif %}
{%- endfor %}
{%- endfor %}
{%- endif %}
{%- for channel in channels %}

    // {{ channel.label }}: received flits, and the output
{%- for check in check %}
    wire [WIDTH:0] {{ channel.name }}_received;
    wire {{ channel.name }}_put;
    wire {{ channel.name }}_room;
    wire [1:0] {{ channel.name }}_state;
    wire {{ channel.name }}_calls;
    wire {{ channel.name }}_asked;
    wire [3:0] {{ channel.name }}_code;
    // a token that comes in says that there is room for it
    assign {{ channel.name }}_s_axis_tready = 1'b1;

    {{ check.receiver }} #(
        .BITS(WIDTH + 1),
        .PATIENCE(PATIENCE)
    ) {{ channel.name }}_receiver (
        .clk(clk),
        .rst(rst),
        .restart(restarting),
        .stopped(error),
        .running(busy | {{ channel.name }}_filled),
        .expected({ {{- check.design_bits }}'h{{ check.design }}
{%- for step in channel.there %}, {% if step.up %}({{ step.name }} == {{ step.bits }}'d{{ step.last }}) ? {{ step.bits }}'d0 : {{ step.name }} + {{ step.bits }}'d1
{%- else if step.down %}({{ step.name }} == {{ step.bits }}'d0) ? {{ step.bits }}'d{{ step.last }} : {{ step.name }} - {{ step.bits }}'d1
{%- else %}{{ step.name }}{% endif %}
{%- endfor %}, {{ check.port.bits }}'d{{ channel.opposite }}}),
        .s_axis_tdata({{ channel.name }}_s_axis_tdata),
        .s_axis_tvalid({{ channel.name }}_s_axis_tvalid & {{ channel.name }}_linked),
        .token({{ channel.name }}_received),
        .put({{ channel.name }}_put),
        .state({{ channel.name }}_state),
        .calls({{ channel.name }}_calls),
        .asked({{ channel.name }}_asked),
        .code({{ channel.name }}_code)
    );

    {{ check.sender }} #(
        .BITS(WIDTH + 1)
    ) {{ channel.name }}_sender (
        .clk(clk),
        .rst(rst),
        .linked({{ channel.name }}_linked),
        .state({{ channel.name }}_state),
        .calls({{ channel.name }}_calls),
        .stopped(error),
        .identity({ {{- check.design_bits }}'h{{ check.design }}{% for axis in axes %}, {{ axis.name }}{% endfor %}, {{ check.port.bits }}'d{{ channel.number }}}),
        .token({{ channel.name }}_token),
        .token_valid({{ channel.name }}_token_valid),
        .token_ready({{ channel.name }}_token_ready),
        .m_axis_tdata({{ channel.name }}_m_axis_tdata),
        .m_axis_tvalid({{ channel.name }}_m_axis_tvalid),
        .m_axis_tready({{ channel.name }}_m_axis_tready)
    );

    wire {{ channel.name }}_unused = &{1'b0, {{ channel.name }}_room};

{%- endfor %}
    {{ fifo }} #(
        .WIDTH(WIDTH),
        .ADDRESS(ADDRESS)
    ) {{ channel.name }}_fifo (
        .clk(clk),
{%- if check.is_some() %}
        .rst(halt | ~{{ channel.name }}_state[1]),
        .s_axis_tdata({{ channel.name }}_received),
        .s_axis_tvalid({{ channel.name }}_put),
        .s_axis_tready({{ channel.name }}_room),
{%- else %}
        .rst(rst),
        .s_axis_tdata({{ channel.name }}_s_axis_tdata),
        .s_axis_tvalid({{ channel.name }}_s_axis_tvalid),
        .s_axis_tready({{ channel.name }}_s_axis_tready),
{%- endif %}
        .first({{ channel.name }}_first),
        .filled({{ channel.name }}_filled),
        .take(fire & needs & {{ channel.name }}_linked)
    );

    always @(posedge clk) begin
        {{ channel.name }}_{{ sent }}_{{ t }}valid <= ((fire & sends & {{ channel.name }}_linked) | ~{{ channel.name }}_free) & ~{{ halt }};
    end

{%- if channel.drivers.is_empty() %}

    assign {{ channel.name }}_{{ tokens }} = {(WIDTH+1){1'b0}};
{%- else %}

    assign {{ channel.name }}_{{ tokens }} =
{%- for class in channel.drivers %}
{%- if check.is_some() %}
        ({(WIDTH+1){is_{{ class }} & of_{{ class }}_{{ channel.name }}_valid}} & {1'b1, of_{{ class }}_{{ channel.name }}_data}){% if loop.last %};{% else %} |{% endif %}
{%- else %}
        ({(WIDTH+1){is_{{ class }}}} & {of_{{ class }}_{{ channel.name }}_valid, of_{{ class }}_{{ channel.name }}_data}){% if loop.last %};{% else %} |{% endif %}
{%- endif %}
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- for check in check %}

    // the links together
    assign halt = rst | error | restarting;
    assign links_up = {
{%- for channel in channels.iter().rev() %}
        &{{ channel.name }}_state & {{ channel.name }}_linked{% if !loop.last %},{% endif %}
{%- endfor %}
    };

    {{ check.monitor }} monitor (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .linked({ {%- for channel in channels.iter().rev() %}{{ channel.name }}_linked{% if !loop.last %}, {% endif %}{% endfor %}}),
        .up(links_up),
        .asked({ {%- for channel in channels.iter().rev() %}{{ channel.name }}_asked{% if !loop.last %}, {% endif %}{% endfor %}}),
        .codes({ {%- for channel in channels.iter().rev() %}{{ channel.name }}_code{% if !loop.last %}, {% endif %}{% endfor %}}),
        .ready(ready),
        .restarting(restarting),
        .error(error),
        .error_code(error_code),
        .error_port(error_port)
    );
{%- endfor %}

endmodule

`default_nettype wire
