// {{ module }}: how far a node is from another, axis by axis, as if the other were the first node
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire [{{ code }}:0] to,
    input  wire [{{ code }}:0] from,
    output wire [{{ code }}:0] away
);
{% for axis in axes %}
{%- if axis.bits > 0 %}
    // {{ axis.name }}: a side of {{ axis.side }}
    wire signed [15:0] {{ axis.name }}_apart = $signed({{ "{" }}{{ 16 - axis.bits }}'d0, to[{{ axis.high }}:{{ axis.low }}]})
        - $signed({{ "{" }}{{ 16 - axis.bits }}'d0, from[{{ axis.high }}:{{ axis.low }}]})
{%- for (other, by) in axis.moved %} - {{ other }}_times * 16'sd{{ by }}{% endfor %};
    wire signed [15:0] {{ axis.name }}_times =
{%- for (below, times) in axis.bounds() %} {{ axis.name }}_apart < {% if below < 0 %}-16'sd{{ -below }}{% else %}16'sd{{ below }}{% endif %} ? {% if times < 0 %}-16'sd{{ -times }}{% else %}16'sd{{ times }}{% endif %} :{% endfor %} {% if axis.last_times < 0 %}-16'sd{{ -axis.last_times }}{% else %}16'sd{{ axis.last_times }}{% endif %};
    wire signed [15:0] {{ axis.name }}_away = {{ axis.name }}_apart - {{ axis.name }}_times * 16'sd{{ axis.side }};
    assign away[{{ axis.high }}:{{ axis.low }}] = {{ axis.name }}_away[{{ axis.bits - 1 }}:0];
    wire {{ axis.name }}_unused = &{{ "{" }}1'b0, {{ axis.name }}_away[15:{{ axis.bits }}]};
{%- endif %}
{%- endfor %}

endmodule

`default_nettype wire
