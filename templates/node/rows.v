    // row of words that is sent out next
    wire next = ~m_axis_tvalid | m_axis_tready;
    wire more = played[0];
{%- for flit in out_flit %}
    reg {{ flit.range }}out_flit;
    wire out_end = out_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if out_flit.is_none() %}
    wire out_end = 1'b1;
{%- endif %}
    reg {{ lanes.look.range }}look;
    wire out_last;

    assign last_out = next & more & out_end & out_last;

    always @(posedge clk) begin
        if (rst) begin
            out_bank <= 1'b0;
{%- for flit in out_flit %}
            out_flit <= {{ flit.bits }}'d0;
{%- endfor %}
            look <= {{ lanes.look.bits }}'d0;
        end else if (next & more) begin
{%- for flit in out_flit %}
            out_flit <= out_end ? {{ flit.bits }}'d0 : out_flit + {{ flit.bits }}'d1;
{%- endfor %}
            out_bank <= out_bank ^ (out_end & out_last);
            if (out_end) begin
                look <= out_last ? {{ lanes.look.bits }}'d0 : look + {{ lanes.look.bits }}'d1;
            end
        end
    end

    // address of the row, the words of it that are handed out, and whose they are
    wire [{{ lanes.words - 1 }}:0] read_keep;
    wire {{ lanes.users.range }}users;
    wire {{ lanes.source.range }}source;
    wire {{ lanes.step.range }}read_step;
{% if tables.len() > 1 %}
    generate
{%- endif %}
{%- for table in tables %}
{%- if tables.len() > 1 %}
        {% if !loop.first %}end else {% endif %}if (TABLE == {{ table.number }}) begin : g_table_{{ table.number }}
{%- endif %}
{{ inside }}    {{ table.module }} order (
{{ inside }}        .clk(clk),
{{ inside }}        .next(next),
{{ inside }}        .look(look),
{{ inside }}        .ends(out_last),
{{ inside }}        .keep(read_keep),
{{ inside }}        .users(users),
{{ inside }}        .source(source),
{{ inside }}        .step(read_step)
{{ inside }}    );
{%- endfor %}
{%- if tables.len() > 1 %}
        end
    endgenerate
{%- endif %}

    // register stage for the lookup
    reg read;
    reg read_end;
    reg read_last;
{%- for flit in out_flit %}
    reg {{ flit.range }}read_flit;
{%- endfor %}
    wire {{ lanes.users.range }}read_users;
{%- if is_placed() %}

    // the node's own coordinates plus an offset, modulo the sides
{%- for axis in axes %}
{%- if !axis.is_round %}
    wire {{ axis.range }}left_{{ axis.name }} = {{ axis.bits }}'d{{ axis.last }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
{%- endif %}
{%- endfor %}
{%- for lane in lanes.fields %}
{%- for axis in axes %}
    wire {{ axis.range }}away_{{ axis.name }}_{{ lane.index }};
    wire {{ axis.range }}read_{{ axis.name }}_{{ lane.index }};
{%- if axis.is_round %}
    assign read_{{ axis.name }}_{{ lane.index }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }}_{{ lane.index }};
{%- else %}
    assign read_{{ axis.name }}_{{ lane.index }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }}_{{ lane.index }}
        - ((away_{{ axis.name }}_{{ lane.index }} > left_{{ axis.name }}) ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}packet_{{ lane.index }};
{%- endfor %}
    assign { {%- for axis in axes %}away_{{ axis.name }}_{{ lane.index }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, packet_{{ lane.index }}{% endif %}} = users{{ lane.bits }};
    assign read_users{{ lane.bits }} = { {%- for axis in axes %}read_{{ axis.name }}_{{ lane.index }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, packet_{{ lane.index }}{% endif %}};
{%- endfor %}
{%- else %}
    assign read_users = users;
{%- endif %}
{%- if !reads_place() %}
    wire unused_step = &read_step;
{%- endif %}
    assign last_read = next & read & read_end & read_last;

    always @(posedge clk) begin
        if (rst) begin
            read <= 1'b0;
        end else if (next) begin
            read <= more;
        end
        if (next) begin
            read_bank <= out_bank;
            read_end <= out_end;
            read_last <= out_last;
{%- for flit in out_flit %}
            read_flit <= out_flit;
{%- endfor %}
        end
    end
