{%- for side in board.sides %}
{%- if cables.serial.is_some() %}
        .{{ side.name }}_rx(rx[{{ side.index }}]),
        .{{ side.name }}_tx(tx[{{ side.index }}]),
{%- else if cables.transceiver.is_some() %}
{%- if cables.ports_cross() %}
        .{{ side.name }}_aclk(port_clock[{{ board.number }}]),
{%- endif %}
        .{{ side.name }}_s_axis_tdata(rx_data[{{ side.index }}][FRAME-2:0]),
        .{{ side.name }}_s_axis_tvalid(rx_valid[{{ side.index }}]),
        .{{ side.name }}_s_axis_tlast(rx_data[{{ side.index }}][FRAME-1]),
        .{{ side.name }}_m_axis_tdata(tx_data[{{ side.index }}][FRAME-2:0]),
        .{{ side.name }}_m_axis_tvalid(tx_valid[{{ side.index }}]),
        .{{ side.name }}_m_axis_tready(tx_ready[{{ side.index }}]),
        .{{ side.name }}_m_axis_tlast(tx_data[{{ side.index }}][FRAME-1]),
{%- else %}
{%- if cables.crosses %}
        .{{ side.name }}_s_axis_aclk(cable_clock[{{ side.index }}]),
{%- endif %}
        .{{ side.name }}_s_axis_tdata(rx_data[{{ side.index }}]{% if side.is_narrow %}[{{ side.links }}*{% if cables.tag == 0 %}(WIDTH+1){% else %}WIDTH{% endif %}+{{ cables.beside }}-1:0]{% endif %}),
        .{{ side.name }}_s_axis_tvalid(rx_valid[{{ side.index }}]),
        .{{ side.name }}_s_axis_tready(rx_ready[{{ side.index }}]),
        .{{ side.name }}_m_axis_tdata(tx_data[{{ side.index }}]{% if side.is_narrow %}[{{ side.links }}*{% if cables.tag == 0 %}(WIDTH+1){% else %}WIDTH{% endif %}+{{ cables.beside }}-1:0]{% endif %}),
        .{{ side.name }}_m_axis_tvalid(tx_valid[{{ side.index }}]),
        .{{ side.name }}_m_axis_tready(tx_ready[{{ side.index }}]),
{%- endif %}
{%- endfor %}
