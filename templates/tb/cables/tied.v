{%- for common in cables.common %}
{%- for axis in common.axes %}
    assign waits_{{ axis.name }}[{{ board.number }}][31:{{ axis.bits }}] = 0;
{%- endfor %}
{%- endfor %}
{%- for side in board.sides %}
{%- if side.is_narrow && cables.serial.is_none() && cables.transceiver.is_none() %}
    assign tx_data[{{ side.index }}][FRAME-1:{{ side.links }}*{% if cables.tag == 0 %}(WIDTH+1){% else %}WIDTH{% endif %}+{{ cables.beside }}] = 0;
{%- endif %}
{%- endfor %}
