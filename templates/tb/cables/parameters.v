{%- match cables.serial %}
{%- when Some(serial) %}
{%- if cables.has_parameters %}
    parameter integer DIVISOR = {{ serial.divisor }},  // clocks per bit on a wire
{%- endif %}
    // log2 of the clocks after which a silent link is down: more than 16 frames last on a wire
    parameter integer WAITS = {{ serial.patience }}
{%- when None %}
{%- if cables.has_parameters %}
{%- for transceiver in cables.transceiver %}
    parameter integer BYTES = {{ transceiver.bytes }},  // of a beat
{%- endfor %}
{%- endif %}
    // log2 of the clocks after which a silent link is down: more than a link there and back
    parameter integer WAITS = {% match cables.transceiver %}{% when Some(transceiver) %}{{ transceiver.patience }}{% when None %}8{% endmatch %}
{%- endmatch %}
