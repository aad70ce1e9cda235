    // Words are looked up in the clock after they are asked for, read in the next one, and given in the third. None waits.
    wire next = 1'b1;
    wire more = played[0];
    assign m_ram_full = more;
    assign last_out = m_ram_free & more;
{%- if by_origin() %}
{%- for axis in axes %}
    wire {{ axis.range }}out_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}out_packet;
{%- endfor %}
{%- else %}
    wire {{ look.range }}look;
{%- endif %}
{%- for flit in out_flit %}
    wire {{ flit.range }}out_flit;
{%- endfor %}
    assign { {%- if by_origin() %}{% for axis in axes %}out_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, out_packet{% endif %}{% else %}look{% endif %}{% if out_flit.is_some() %}, out_flit{% endif -%} } = m_ram_addr;
{%- if by_origin() %}
{%- include "node/away.v" %}
{%- endif %}

    always @(posedge clk) begin
        out_bank <= ~rst & (out_bank ^ last_out);
    end

{% include "node/lookup.v" %}

    // register stage for the lookup
    reg found;
    reg found_bank;
    reg found_last;
{%- for flit in out_flit %}
    reg {{ flit.range }}found_flit;
{%- endfor %}

    always @(posedge clk) begin
        found <= m_ram_en & ~rst;
        found_last <= last_out & ~rst;
        found_bank <= out_bank;
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

    wire read = found;
    assign read_bank = found_bank;
    assign last_read = found_last;
{%- for flit in out_flit %}
    wire {{ flit.range }}read_flit = found_flit;
{%- endfor %}
{%- for axis in axes %}
    wire {{ axis.range }}{% if by_origin() %}read{% else %}{{ named }}{% endif %}_{{ axis.name }} = found_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}read_packet = found_packet;
{%- endfor %}
    wire {{ port.range }}port = found_port;
    wire {{ place.range }}read_step = found_step;
{%- include "node/place.v" %}
