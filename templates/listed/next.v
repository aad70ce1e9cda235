// {{ module }}: the node after another, row by row{% if !dead.is_empty() %}; dead nodes are left out{% endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire [{{ code }}:0] at,
    output wire [{{ code }}:0] after
);
{% for axis in axes %}
    wire [{{ axis.bits - 1 }}:0] {{ axis.name }} = at[{{ axis.high }}:{{ axis.low }}];
    wire {{ axis.name }}_ends = {{ axis.name }} == {{ axis.bits }}'d{{ axis.side - 1 }};
{%- endfor %}
{%- for axis in axes %}
    wire [{{ axis.bits - 1 }}:0] {{ axis.name }}_next = (1'b1{% for later in axis.later %} & {{ later }}_ends{% endfor %})
        ? ({{ axis.name }}_ends ? {{ axis.bits }}'d0 : {{ axis.name }} + {{ axis.bits }}'d1) : {{ axis.name }};
{%- endfor %}
{%- if dead.is_empty() %}
    assign after = {{ "{" }}{% for axis in axes %}{% if !loop.first %}, {% endif %}{{ axis.name }}_next{% endfor %}};
{%- else %}
    wire [{{ code }}:0] next = {{ "{" }}{% for axis in axes %}{% if !loop.first %}, {% endif %}{{ axis.name }}_next{% endfor %}};
    assign after =
{%- for (dead, live) in dead %}
        (next == {{ code + 1 }}'d{{ dead }}) ? {{ code + 1 }}'d{{ live }} :
{%- endfor %}
        next;
{%- endif %}

endmodule

`default_nettype wire
