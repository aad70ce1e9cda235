{%- for pin in pins %}
        .{{ pin.name }}({{ pin.vector }}[{{ pin.index }}{% if let Some(bits) = pin.bits %}*{% if pin.is_by_lane %}{{ by_lane }}{% endif %}{{ bits|upper }}+:{% if pin.is_by_lane %}{{ by_lane }}{% endif %}{{ bits|upper }}{% endif %}]),
{%- endfor %}