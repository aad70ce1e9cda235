{% if is_parameter %}{WIDTH{1'b0}}{% else %}{{ bits }}'d0{% endif %}
