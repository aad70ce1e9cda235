    // address of the next word
{%- for axis in axes %}
    {% if by_origin() %}reg{% else %}wire{% endif %} {{ axis.range }}found_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    {% if by_origin() %}reg{% else %}wire{% endif %} {{ packet.range }}found_packet;
{%- endfor %}
    wire {{ port.range }}found_port;
    wire {{ place.range }}found_step;
{%- if marks_last %}
    wire found_ends;
{%- endif %}
{% if tables.len() > 1 %}
    generate
{%- endif %}
{%- for table in tables %}
{%- if tables.len() > 1 %}
        {% if !loop.first %}end else {% endif %}if (TABLE == {{ table.number }}) begin : g_table_{{ table.number }}
{%- endif %}
{{ inside }}    {{ table.module }} order (
{{ inside }}        .clk(clk),
{{ inside }}        .next({% if is_memory() %}1'b1{% else %}~holds{% endif %}),
{{ inside }}        .look(look),
{%- if !by_origin() %}
{%- for axis in axes %}
{{ inside }}        .{{ axis.name }}(found_{{ axis.name }}),
{%- endfor %}
{%- if packet.is_some() %}
{{ inside }}        .packet(found_packet),
{%- endif %}
{%- endif %}
{{ inside }}        .port(found_port),
{%- if marks_last %}
{{ inside }}        .last(found_ends),
{%- endif %}
{{ inside }}        .step(found_step)
{{ inside }}    );
{%- endfor %}
{%- if tables.len() > 1 %}
        end
    endgenerate
{%- endif %}
