    // Frames that leave the ports.
{%- for board in boards %}
{%- for cable in board.cables %}
    wire [{{ cable.bits - 1 }}:0] {{ board.name }}_{{ cable.port }}_data;
    wire {{ board.name }}_{{ cable.port }}_valid;
{%- endfor %}
{%- endfor %}