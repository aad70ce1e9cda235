{%- for node in nodes %}
    // {{ node.place }}
{%- for port in sizes.stream_ports(*width) %}
    {{ port.declared() }} {{ node.name }}_{{ port.name }},
{%- endfor %}
{%- endfor %}
{%- if sizes.has_blocks() %}
    output wire [{{ nodes.len() - 1 }}:0] misframed,  // nodes with a tlast at a wrong place; cleared by rst
{%- endif %}