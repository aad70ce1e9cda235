    // packet that is sent out next
    wire next = ~m_axis_tvalid | m_axis_tready;
    wire more = {% if takes() %}loaded[out_bank] & {% endif %}played[out_bank];
{%- for flit in out_flit %}
    reg {{ flit.range }}out_flit;
    wire out_end = out_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if out_flit.is_none() %}
    wire out_end = 1'b1;
{%- endif %}
{%- if by_origin() %}
{%- for packet in packet %}
    reg {{ packet.range }}out_packet;
    wire packet_last = out_packet == {{ packet.bits }}'d{{ packet.last }};
{%- endfor %}
{%- if packet.is_none() %}
    wire packet_last = 1'b1;
{%- endif %}
{%- for axis in axes %}
    reg {{ axis.range }}out_{{ axis.name }};
    wire {{ axis.name }}_last = out_{{ axis.name }} == {{ axis.bits }}'d{{ axis.last }};
{%- endfor %}
    wire out_last = packet_last{% for axis in axes %} & {{ axis.name }}_last{% endfor %};
{%- for axis in axes %}
{%- if axis.is_round %}
    wire {{ axis.range }}away_{{ axis.name }} = out_{{ axis.name }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
{%- else %}
    wire [{{ axis.bits }}:0] up_{{ axis.name }} = {1'b0, out_{{ axis.name }}} - {1'b0, {{ axis.constant }}[{{ axis.bits - 1 }}:0]};
    wire {{ axis.range }}away_{{ axis.name }} = up_{{ axis.name }}[{{ axis.bits - 1 }}:0]
        + (up_{{ axis.name }}[{{ axis.bits }}] ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
    wire {{ look.range }}look = { {%- for axis in axes %}away_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, out_packet{% endif %}};
{%- else %}
    reg {{ look.range }}look;
    wire out_last = look == {{ look.bits }}'d{{ look.last }};
{%- endif %}

    always @(posedge clk) begin
        if (rst) begin
            out_bank <= 1'b0;
{%- for flit in out_flit %}
            out_flit <= {{ flit.bits }}'d0;
{%- endfor %}
{%- if by_origin() %}
{%- for packet in packet %}
            out_packet <= {{ packet.bits }}'d0;
{%- endfor %}
{%- for axis in axes %}
            out_{{ axis.name }} <= {{ axis.bits }}'d0;
{%- endfor %}
{%- else %}
            look <= {{ look.bits }}'d0;
{%- endif %}
        end else if (next & more) begin
{%- for flit in out_flit %}
            out_flit <= out_end ? {{ flit.bits }}'d0 : out_flit + {{ flit.bits }}'d1;
{%- endfor %}
            out_bank <= out_bank ^ (out_end & out_last);
{%- if by_origin() %}
{%- for packet in packet %}
            if (out_end) begin
                out_packet <= packet_last ? {{ packet.bits }}'d0 : out_packet + {{ packet.bits }}'d1;
            end
{%- endfor %}
{%- for axis in axes %}
            if (out_end & packet_last{% for inner in axis.inner %} & {{ inner }}_last{% endfor %}) begin
                out_{{ axis.name }} <= {{ axis.name }}_last ? {{ axis.bits }}'d0 : out_{{ axis.name }} + {{ axis.bits }}'d1;
            end
{%- endfor %}
{%- else %}
            if (out_end) begin
                look <= out_last ? {{ look.bits }}'d0 : look + {{ look.bits }}'d1;
            end
{%- endif %}
        end
    end

    // address of the next word
{%- if !by_origin() %}
{%- for axis in axes %}
    wire {{ axis.range }}{{ named }}_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}read_packet;
{%- endfor %}
{%- endif %}
    wire {{ port.range }}port;
    wire {{ place.range }}read_step;
{%- if marks_last %}
    wire read_ends;
{%- endif %}
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
{%- if !by_origin() %}
{%- for axis in axes %}
{{ inside }}        .{{ axis.name }}({{ named }}_{{ axis.name }}),
{%- endfor %}
{%- if packet.is_some() %}
{{ inside }}        .packet(read_packet),
{%- endif %}
{%- endif %}
{{ inside }}        .port(port),
{%- if marks_last %}
{{ inside }}        .last(read_ends),
{%- endif %}
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
{%- if by_origin() %}
{%- for axis in axes %}
    reg {{ axis.range }}read_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    reg {{ packet.range }}read_packet;
{%- endfor %}
{%- else %}
{%- if is_placed() %}
    // the node's own coordinates plus an offset, modulo the sides
{%- endif %}
{%- for axis in axes %}
{%- if is_placed() %}
{%- if axis.is_round %}
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }};
{%- else %}
    wire {{ axis.range }}left_{{ axis.name }} = {{ axis.bits }}'d{{ axis.last }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }}
        - ((away_{{ axis.name }} > left_{{ axis.name }}) ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endif %}
{%- endfor %}
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
{%- if by_origin() %}
{%- for axis in axes %}
            read_{{ axis.name }} <= out_{{ axis.name }};
{%- endfor %}
{%- if packet.is_some() %}
            read_packet <= out_packet;
{%- endif %}
{%- endif %}
        end
    end
{%- if !is_aligned() && !is_direct() %}
{%- for flit in out_flit %}
    wire {{ place.range }}read_place = read_step + {% if place.bits > flit.bits %}{ {{- place.bits - flit.bits }}'d0, read_flit}{% else %}read_flit{% endif %};
{%- endfor %}
{%- endif %}
{%- if !reads_place() %}
    wire unused_step = &read_step;
{%- endif %}
