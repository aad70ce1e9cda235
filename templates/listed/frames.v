    // Signals that leave the ports.
{%- for board in boards %}
{%- for cable in board.cables %}
{%- if let Some(bits) = cable.drives %}
    wire {% if *bits > 1 %}[{{ bits - 1 }}:0] {% endif %}{{ board.name }}_{{ cable.signal }};
{%- endif %}
{%- endfor %}
{%- endfor %}