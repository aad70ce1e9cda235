
{%- for axis in axes %}
        .{{ axis.name }}({{ axis.name }}),
{%- endfor %}
{%- for side in sides %}
        .{{ side.name }}_s_axis_tdata({{ side.name }}_s_axis_tdata),
        .{{ side.name }}_s_axis_tvalid({{ side.name }}_s_axis_tvalid),
        .{{ side.name }}_s_axis_tready({{ side.name }}_s_axis_tready),
        .{{ side.name }}_m_axis_tdata({{ side.name }}_m_axis_tdata),
        .{{ side.name }}_m_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .{{ side.name }}_m_axis_tready({{ side.name }}_m_axis_tready),
{%- endfor %}