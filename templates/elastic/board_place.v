{% if board_place.is_read %}

    // place of the board
    wire [{{ board_place.bits - 1 }}:0] board_place = { {%- for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor -%} };
{%- endif %}
