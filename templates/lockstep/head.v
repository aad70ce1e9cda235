// {{ name }} without its instances, whose connections become ports
`default_nettype none

module {{ name }}
{%- if !parameters.is_empty() %} #(
{%- for (name, value) in parameters %}
    parameter integer {{ name }} = {{ value }}{% if !loop.last %},{% endif %}
{%- endfor %}
){%- endif %} (
{%- for port in ports %}
    {{ port.direction }} {{ port.declared.kind }} {{ port.declared.range }} {{ port.declared.name }}{% if !loop.last %},{% endif %}
{%- endfor %}
);
{% for net in inside %}
    {{ net.kind }} {{ net.range }} {{ net.name }};
{%- endfor %}
{%- for text in rest %}

    {{ text }}
{%- endfor %}
{%- for port in ports %}
{%- for text in port.expression %}

    assign {{ port.declared.name }} = {{ text }};
{%- endfor %}
{%- endfor %}

endmodule

`default_nettype wire
