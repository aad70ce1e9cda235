

    {{ common.tree }} tree (
{%- for axis in axes %}
        .{{ axis.name }}({{ axis.name }}),
{%- endfor %}
        .is_host(is_host),
        .parent(parent),
        .children(children)
    );

    {{ common.starter }} #(
        .WIDTH({% match common.bits %}{% when Some(bits) %}{{ bits }}{% when None %}WIDTH{% endmatch %})
    ) starter (
        .clk(clk),
        .halt(halt),
        .idle({{ common.signals.idle }}),
{%- for ended in common.signals.ended %}
        .ended({{ ended }}),
{%- endfor %}
        .is_host(is_host),
        .parent(parent),
        .children(children),
        .place({ {%- for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .places({ {%- for side in sides.iter().rev() %}{{ side.name }}_place{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .linked({ {%- for side in sides.iter().rev() %}{{ side.name }}_linked{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .up(links_up),
        .start_put({ {%- for side in sides.iter().rev() %}{{ side.name }}_start_put{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .status_put({ {%- for side in sides.iter().rev() %}{{ side.name }}_status_put{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .words({ {%- for side in sides.iter().rev() %}{{ side.name }}_received[{% match common.bits %}{% when Some(bits) %}{{ bits - 1 }}{% when None %}WIDTH-1{% endmatch %}:0]{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .statuses({ {%- for side in sides.iter().rev() %}{{ side.name }}_received[{{ common.status.bits - 1 }}:0]{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .start(start),
        .start_word({{ common.signals.sent }}),
        .ready(ready),
        .waits({ {%- for axis in axes %}waits_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor -%} }),
        .begins({{ common.signals.begins }}),
        .word({{ common.signals.word }}),
        .refused(refused),
        .owed(owed),
        .status(status),
        .start_valid(starts_valid),
        .start_ready(starts_ready)
    );