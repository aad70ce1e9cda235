{%- for node in nodes %}
    // {{ node.place }}
    input  wire [{{ width - 1 }}:0] {{ node.name }}_s_axis_tdata,
    input  wire {{ node.name }}_s_axis_tvalid,
    output wire {{ node.name }}_s_axis_tready,
    input  wire [{{ sizes.program - 1 }}:0] {{ node.name }}_s_axis_tdest,
    output wire [{{ width - 1 }}:0] {{ node.name }}_m_axis_tdata,
    output wire {{ node.name }}_m_axis_tvalid,
    input  wire {{ node.name }}_m_axis_tready,
    output wire {{ node.name }}_m_axis_tlast,
    output wire [{{ sizes.program - 1 }}:0] {{ node.name }}_m_axis_tdest,
{%- endfor %}