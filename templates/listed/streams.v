{%- for node in nodes %}
    // {{ node.place }}
{%- for port in sizes.stream_ports(*width) %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{% if let Some(bits) = port.bits %} [{{ bits - 1 }}:0]{% endif %} {{ node.name }}_{{ port.name }},
{%- endfor %}
{%- endfor %}
{%- if sizes.has_blocks() %}
    output wire [{{ nodes.len() - 1 }}:0] misframed,  // nodes with a tlast at a wrong place; cleared by rst
{%- endif %}