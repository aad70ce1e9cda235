
    // board, by its coordinates
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.name }},
{%- endfor %}
{%- for side in sides %}
    // {{ side.label }}
    input  wire [{{ side.bits }}+{{ overhead - 1 }}:0] {{ side.name }}_s_axis_tdata,
    input  wire {{ side.name }}_s_axis_tvalid,
    output wire {{ side.name }}_s_axis_tready,
    output wire [{{ side.bits }}+{{ overhead - 1 }}:0] {{ side.name }}_m_axis_tdata,
    output wire {{ side.name }}_m_axis_tvalid,
    input  wire {{ side.name }}_m_axis_tready,
{%- endfor %}