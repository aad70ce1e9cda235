{%- if !cables.has_parameters %}
{%- for serial in cables.serial %}
    localparam integer DIVISOR = {{ serial.divisor }};  // clocks per bit on a wire
{%- endfor %}
{%- for transceiver in cables.transceiver %}
    localparam integer BYTES = {{ transceiver.bytes }};  // of a beat
{%- endfor %}
{%- endif %}
    localparam integer SIDES = {{ cables.sides }};  // ports per board
    localparam integer LINKS = BOARDS * SIDES;
{%- if cables.serial.is_some() %}
    localparam integer ROOM = 512;  // most clocks that a wire takes
{%- else if cables.check.is_some() %}
    localparam integer ROOM = 512;  // most {% if cables.transceiver.is_some() %}beats{% else %}frames{% endif %} in flight on a link
{%- else %}
    localparam integer ROOM = {{ 2 * cables.latency }};  // most flits in flight on a link
{%- endif %}
    localparam integer ALL = (LINKS + 1) * ROOM;
{%- if cables.transceiver.is_some() %}
    // bits on a link: a beat, and above it whether it is the last of a frame
    localparam integer FRAME = 8 * BYTES + 1;
{%- else %}
    // bits on a link: {{ cables.about }}
    localparam integer FRAME = {{ cables.widest }}*{% if cables.tag == 0 %}(WIDTH+1){% else %}WIDTH{% endif %}+{{ cables.beside }};
{%- endif %}
    localparam integer NEVER = 32'h7fffffff;  // a clock that never comes
{%- for common in cables.common %}
    localparam integer HOST = {{ common.host }};  // the board that starts all
{%- endfor %}
