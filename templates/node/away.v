{%- for axis in axes %}
{%- if axis.is_round %}
    wire {{ axis.range }}away_{{ axis.name }} = out_{{ axis.name }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
{%- else %}
    wire [{{ axis.bits }}:0] up_{{ axis.name }} = {1'b0, out_{{ axis.name }}} - {1'b0, {{ axis.constant }}[{{ axis.bits - 1 }}:0]};
    wire {{ axis.range }}away_{{ axis.name }} = up_{{ axis.name }}[{{ axis.bits - 1 }}:0]
        + (up_{{ axis.name }}[{{ axis.bits }}] ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
    wire {{ look.range }}look = { {%- for axis in axes %}away_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, out_packet{% endif %}};
