
    assign halt = rst | error | restarting;
    assign links_up = {
{%- for side in sides.iter().rev() %}
        &{{ side.name }}_state & {{ side.name }}_linked{% if !loop.last %},{% endif %}
{%- endfor %}
    };

    {{ check.monitor }} monitor (
        .clk(clk),
        .rst(rst),
        .restart({{ check.restart }}),
        .linked({ {%- for side in sides.iter().rev() %}{{ side.name }}_linked{% if !loop.last %}, {% endif %}{% endfor %}}),
        .up(links_up),
        .asked({ {%- for side in sides.iter().rev() %}{{ side.name }}_asked{% if !loop.last %}, {% endif %}{% endfor %}}),
        .codes({ {%- for side in sides.iter().rev() %}{% for other in check.other %}{{ other.signal }}[{{ side.number }}] ? 4'd{{ other.code }} : {% endfor %}{{ side.name }}_code{% if !loop.last %}, {% endif %}{% endfor %}}),
        .ready({{ check.ready }}),
        .restarting(restarting),
        .error(error),
        .error_code(error_code),
        .error_port(error_port)
    );
