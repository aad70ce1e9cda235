    // packet that is sent out next
    reg holds;
    wire more = played[0];
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
{%- include "node/away.v" %}
{%- else %}
    reg {{ look.range }}look;
{%- endif %}

    // last word of a bank, and the word before it
{%- let before = before_last() %}
{%- if before.is_empty() %}
    wire out_over = 1'b1;
{%- else %}
    reg out_over;
    wire out_nearly = {% for it in before.iter() %}({{ it.counter }} == {{ it.bits }}'d{{ it.at }}){% if !loop.last %} & {% endif %}{% endfor %};
{%- endif %}

    assign last_out = ~holds & more & out_over;

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
{%- if !before.is_empty() %}
            out_over <= 1'b0;
{%- endif %}
        end else if (~holds & more) begin
{%- for flit in out_flit %}
            out_flit <= out_end ? {{ flit.bits }}'d0 : out_flit + {{ flit.bits }}'d1;
{%- endfor %}
            out_bank <= out_bank ^ out_over;
{%- if !before.is_empty() %}
            out_over <= out_nearly;
{%- endif %}
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
                look <= out_over ? {{ look.bits }}'d0 : look + {{ look.bits }}'d1;
            end
{%- endif %}
        end
    end

{% include "node/lookup.v" %}

    // register stage for the lookup
    reg found;
    reg found_bank;
    reg found_end;
    reg found_last;
{%- for flit in out_flit %}
    reg {{ flit.range }}found_flit;
{%- endfor %}

    always @(posedge clk) begin
        if (rst) begin
            found <= 1'b0;
        end else if (~holds) begin
            found <= more;
        end
        if (~holds) begin
            found_bank <= out_bank;
            found_end <= out_end;
            found_last <= more & out_over;
{%- for flit in out_flit %}
            found_flit <= out_flit;
{%- endfor %}
{%- if by_origin() %}
{%- for axis in axes %}
            found_{{ axis.name }} <= out_{{ axis.name }};
{%- endfor %}
{%- if packet.is_some() %}
            found_packet <= out_packet;
{%- endif %}
{%- endif %}
        end
    end

    // An address that waits for the stream is held, and stops the counters a clock later: so no path leads from
    // `m_axis_tready` to them.
    reg {{ held.range }}held;
    wire next = ~m_axis_tvalid | m_axis_tready;
    wire read = found | holds;
    wire read_end;
    wire read_last;
{%- for flit in out_flit %}
    wire {{ flit.range }}read_flit;
{%- endfor %}
{%- for axis in axes %}
    wire {{ axis.range }}{% if by_origin() %}read{% else %}{{ named }}{% endif %}_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}read_packet;
{%- endfor %}
    wire {{ port.range }}port;
    wire {{ place.range }}read_step;
{%- if marks_last %}
    wire read_ends;
{%- endif %}
    wire {{ held.range }}all_found = {found_bank, found_end, found_last{% if marks_last %}, found_ends{% endif %}{% if out_flit.is_some() %}, found_flit{% endif %}{% for axis in axes %}, found_{{ axis.name }}{% endfor %}{% if packet.is_some() %}, found_packet{% endif %}, found_port, found_step};
    assign {read_bank, read_end, read_last{% if marks_last %}, read_ends{% endif %}{% if out_flit.is_some() %}, read_flit{% endif %}{% for axis in axes %}, {% if by_origin() %}read{% else %}{{ named }}{% endif %}_{{ axis.name }}{% endfor %}{% if packet.is_some() %}, read_packet{% endif %}, port, read_step} = holds ? held : all_found;
    assign last_read = next & read_last;

    always @(posedge clk) begin
        holds <= ~rst & read & ~next;
        if (~holds) begin
            held <= all_found;
        end
    end
{%- include "node/place.v" %}
