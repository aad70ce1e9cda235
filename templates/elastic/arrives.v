
{%- if !lane.dead.is_empty() %}
    // false on boards where this link is dead
    wire {{ lane.name }}_alive = ~({% for place in lane.dead %}(board_place == {{ board_place.bits }}'d{{ place }}){% if !loop.last %} | {% endif %}{% endfor %});
{%- endif %}
    assign {{ lane.name }}_in_data = {% match rest %}{% when Some(rest) %}{{ lane.name }}_in_valid ? {{ lane.name }}_first[WIDTH-1:0] : {{ rest }}{% when None %}{{ lane.name }}_first[WIDTH-1:0]{% endmatch %};
    assign {{ lane.name }}_in_valid = {{ lane.name }}_first[WIDTH] & needs{% if !lane.dead.is_empty() %} & {{ lane.name }}_alive{% endif %}
