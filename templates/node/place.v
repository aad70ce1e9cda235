{%- if !by_origin() && is_placed() %}

    // the node's own coordinates plus an offset, modulo the sides
{%- for axis in axes %}
{%- if axis.is_round %}
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }};
{%- else %}
    wire {{ axis.range }}left_{{ axis.name }} = {{ axis.bits }}'d{{ axis.last }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }}
        - ((away_{{ axis.name }} > left_{{ axis.name }}) ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
{%- endif %}
{%- if !is_aligned() && !is_direct() %}
{%- for flit in out_flit %}
    wire {{ place.range }}read_place = read_step + {% if place.bits > flit.bits %}{ {{- place.bits - flit.bits }}'d0, read_flit}{% else %}read_flit{% endif %};
{%- endfor %}
{%- endif %}
{%- if !reads_place() %}
    wire unused_step = &read_step;
{%- endif %}
