{%- for pins in pins() %}
{%- for signal in ["valid", "ready", "last"] %}
        .{{ pins.name }}s_axis_t{{ signal }}(in_{{ signal }}[{{ pins.index }}]),
{%- if address.is_none() %}
        .{{ pins.name }}m_axis_t{{ signal }}(out_{{ signal }}[{{ pins.index }}]),
{%- endif %}
{%- endfor %}
        .{{ pins.name }}s_axis_tdata(in_data[{{ pins.index }}*WIDTH+:WIDTH]),
{%- if let Some(bits) = pins.address %}
{%- for signal in ["full", "free", "en", "valid"] %}
        .{{ pins.name }}m_ram_{{ signal }}(out_{{ signal }}[{{ pins.index }}]),
{%- endfor %}
        .{{ pins.name }}m_ram_addr(out_addr[{{ pins.index }}*ADDRESS+:{{ bits }}]),
        .{{ pins.name }}m_ram_data(out_data[{{ pins.index }}*WIDTH+:WIDTH]),
        .{{ pins.name }}m_ram_user(out_user[{{ pins.index }}*USER+:USER]){{ pins.comma }}
{%- else %}
        .{{ pins.name }}m_axis_tdata(out_data[{{ pins.index }}*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH]),
{%- if lanes > 1 %}
        .{{ pins.name }}m_axis_tkeep(out_keep[{{ pins.index }}*LANES+:LANES]),
{%- endif %}
        .{{ pins.name }}m_axis_tuser(out_user[{{ pins.index }}*{{ by_lane }}USER+:{{ by_lane }}USER]){{ pins.comma }}
{%- endif %}
{%- endfor %}
