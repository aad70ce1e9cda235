{%- if cables.check.is_some() %}
    reg reset [1:BOARDS];
    reg restart [1:BOARDS];
    wire ready [1:BOARDS];
    wire error [1:BOARDS];
    wire [3:0] error_code [1:BOARDS];
    wire [31:0] error_port [1:BOARDS];
    wire [SIDES-1:0] links_up [1:BOARDS];
{%- endif %}
{%- for common in cables.common %}
{%- for axis in common.axes %}
    wire [31:0] waits_{{ axis.name }} [1:BOARDS];
{%- endfor %}
    // number of the board that a board names
    function automatic integer named_board(input integer of_board);
        named_board = 1{% for axis in common.axes %} + waits_{{ axis.name }}[of_board] * {{ axis.step }}{% endfor %};
    endfunction
{%- endfor %}
    // by board and port: inputs, outputs
{%- if cables.serial.is_some() %}
    reg rx [1:LINKS];
    wire tx [1:LINKS];
{%- else %}
    reg [FRAME-1:0] rx_data [1:LINKS];
    reg rx_valid [1:LINKS];
{%- if cables.transceiver.is_none() %}
    wire rx_ready [1:LINKS];
{%- endif %}
    wire [FRAME-1:0] tx_data [1:LINKS];
    wire tx_valid [1:LINKS];
    reg tx_ready [1:LINKS];
{%- endif %}
