{%- for node in nodes %}
    // {{ node.place }}
{%- for port in sizes.stream_ports() %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{{ port.vector() }} {{ node.name }}_{{ port.name }},
{%- endfor %}
{%- endfor %}
{%- if sizes.has_blocks() %}
    output wire [{{ nodes.len() - 1 }}:0] misframed,  // nodes with a tlast at a wrong place; cleared by rst
{%- endif %}