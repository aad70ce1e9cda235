
    wire {{ side.name }}_filled;
    wire {{ side.name }}_linked = {% match side.end %}{% when Some(end) %}{{ end.name }} != {{ end.bits }}'d{{ end.at }}{% when None %}{% if side.ends.is_empty() %}1'b1{% else %}~({% for end in side.ends %}(board_place == {{ board_place.bits }}'d{{ end }}){% if !loop.last %} | {% endif %}{% endfor %}){% endif %}{% endmatch %};
    wire {{ side.name }}_holds = {{ side.name }}_filled | ~{{ side.name }}_linked;
{%- if check.is_some() %}
    wire [{{ side.high }}:0] {{ side.name }}_token;
    reg {{ side.name }}_token_valid;
    wire {{ side.name }}_token_ready;
{%- endif %}
    wire {{ side.name }}_free = {{ side.name }}_{{ sent }}_{{ t }}ready | ~{{ side.name }}_{{ sent }}_{{ t }}valid;
{%- if !side.turned.is_empty() %}
    // the board at the other end of the cable
    wire [{{ board_place.bits - 1 }}:0] {{ side.name }}_there =
{%- for (here, there) in side.turned.iter() %}
        (board_place == {{ board_place.bits }}'d{{ here }}) ? {{ board_place.bits }}'d{{ there }} :
{%- endfor %}
        {{ board_place.bits }}'d0;
{%- endif %}
