{%- for check in check %}
    wire [{{ side.high }}:0] {{ side.name }}_received;
    wire {{ side.name }}_put;
{%- if common.is_some() %}
    wire {{ side.name }}_start_put;
    wire {{ side.name }}_status_put;
{%- endif %}
    wire {{ side.name }}_room;
    wire [1:0] {{ side.name }}_state;
    wire {{ side.name }}_calls;
    wire {{ side.name }}_asked;
    wire [3:0] {{ side.name }}_code;
{%- for common in common %}
    // board at the other end
    wire {{ common.place.range }}{{ side.name }}_place = { {%- for step in side.there %}
{%- if step.up %}({{ step.name }} == {{ step.bits }}'d{{ step.last }}) ? {{ step.bits }}'d0 : {{ step.name }} + {{ step.bits }}'d1
{%- else if step.down %}({{ step.name }} == {{ step.bits }}'d0) ? {{ step.bits }}'d{{ step.last }} : {{ step.name }} - {{ step.bits }}'d1
{%- else %}{{ step.name }}{% endif %}
{%- if !loop.last %}, {% endif %}{% endfor -%} };
{%- endfor %}
    // a token that comes in says that there is room for it
    assign {{ side.name }}_{{ ends.arriving }}_tready = 1'b1;

    {{ check.receiver }} #(
        .BITS({{ side.bits }}),
        .PATIENCE(PATIENCE)
    ) {{ side.name }}_receiver (
        .clk(clk),
        .rst(rst),
        .restart(restarting),
        .stopped(error),
        .running({{ running }} | {{ side.name }}_filled{% for common in common %} | {{ common.signals.begins }} | owed[{{ side.number }}]{% endfor %}),
{%- if common.is_some() %}
        .expected({ {{- check.design_bits }}'h{{ check.design }}, {{ side.name }}_place, {{ check.port.bits }}'d{{ side.opposite }}}),
{%- else %}
        .expected({ {{- check.design_bits }}'h{{ check.design }}
{%- for step in side.there %}, {% if step.up %}({{ step.name }} == {{ step.bits }}'d{{ step.last }}) ? {{ step.bits }}'d0 : {{ step.name }} + {{ step.bits }}'d1
{%- else if step.down %}({{ step.name }} == {{ step.bits }}'d0) ? {{ step.bits }}'d{{ step.last }} : {{ step.name }} - {{ step.bits }}'d1
{%- else %}{{ step.name }}{% endif %}
{%- endfor %}, {{ check.port.bits }}'d{{ side.opposite }}}),
{%- endif %}
{%- if crosses %}
        .s_axis_aclk({{ side.name }}_{{ ends.aclk }}),
{%- endif %}
        .s_axis_tdata({{ side.name }}_{{ ends.arriving }}_tdata),
        .s_axis_tvalid({{ side.name }}_{{ ends.arriving }}_tvalid & {{ side.name }}_linked),
        .token({{ side.name }}_received),
        .put({{ side.name }}_put),
{%- if common.is_some() %}
        .start_put({{ side.name }}_start_put),
        .status_put({{ side.name }}_status_put),
{%- endif %}
        .state({{ side.name }}_state),
        .calls({{ side.name }}_calls),
        .asked({{ side.name }}_asked),
        .code({{ side.name }}_code)
    );

    {{ check.sender }} #(
        .BITS({{ side.bits }}){% for common in common %},
        .WIDTH({% match common.bits %}{% when Some(bits) %}{{ bits }}{% when None %}WIDTH{% endmatch %}){% endfor %}
    ) {{ side.name }}_sender (
        .clk(clk),
        .rst(rst),
        .linked({{ side.name }}_linked),
        .state({{ side.name }}_state),
        .calls({{ side.name }}_calls),
        .stopped(error),
        .identity({ {{- check.design_bits }}'h{{ check.design }}{% for axis in axes %}, {{ axis.name }}{% endfor %}, {{ check.port.bits }}'d{{ side.number }}}),
        .token({{ side.name }}_token),
        .token_valid({{ side.name }}_token_valid),
        .token_ready({{ side.name }}_token_ready),
{%- for common in common %}
        .word({{ common.signals.word }}),
        .start_valid(starts_valid[{{ side.number }}]),
        .start_ready(starts_ready[{{ side.number }}]),
        .reports(parent[{{ side.number }}]),
        .status(status),
{%- endfor %}
        .m_axis_tdata({{ side.name }}_{{ ends.leaving }}_tdata),
        .m_axis_tvalid({{ side.name }}_{{ ends.leaving }}_tvalid),
        .m_axis_tready({{ side.name }}_{{ ends.leaving }}_tready)
    );

    wire {{ side.name }}_unused = &{1'b0, {{ side.name }}_room};

{%- endfor %}
    {{ fifo }} #(
        .WIDTH({{ side.high }}),
        .ADDRESS(ADDRESS)
    ) {{ side.name }}_fifo (
        .clk(clk),
{%- if check.is_some() %}
        .rst(halt | ~{{ side.name }}_state[1]),
        .s_axis_tdata({{ side.name }}_received),
        .s_axis_tvalid({{ side.name }}_put),
        .s_axis_tready({{ side.name }}_room),
{%- else %}
        .rst(rst),
{%- if crosses %}
        .s_axis_aclk({{ side.name }}_{{ ends.aclk }}),
{%- endif %}
        .s_axis_tdata({{ side.name }}_{{ ends.arriving }}_tdata),
        .s_axis_tvalid({{ side.name }}_{{ ends.arriving }}_tvalid),
        .s_axis_tready({{ side.name }}_{{ ends.arriving }}_tready),
{%- endif %}
        .first({% if side.is_wide() %}{ {%- for lane in side.lanes.iter().rev() %}{{ lane.name }}_first{% if !loop.last %}, {% endif %}{% endfor -%} }{% else %}{{ side.lanes[0].name }}_first{% endif %}),
        .filled({{ side.name }}_filled),
        .take(fire & needs & {{ side.name }}_linked)
    );

    always @(posedge clk) begin
        {{ side.name }}_{{ sent }}_{{ t }}valid <= ((fire & sends & {{ side.name }}_linked) | ~{{ side.name }}_free) & ~{{ halt }};
    end
