// {{ module }}: place of a board in the tree that starts go down, from its coordinates
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.range.gap() }}{{ axis.name }},
{%- endfor %}
    output wire             is_host,  // the board that the host talks to
    // by port: it leads to the parent; it leads to a child
    output wire {{ ports.range }}{{ ports.range.gap() }}parent,
    output wire {{ ports.range }}{{ ports.range.gap() }}children
);

    // above the ports to children, the port to the parent
    function automatic [{{ 2 * ports.bits - 1 }}:0] of(
{%- for axis in axes %}
        input reg {{ axis.range }}{{ axis.name }}_at{% if !loop.last %},{% endif %}
{%- endfor %}
    );
        case ({ {%- for axis in axes %}{{ axis.name }}_at{% if !loop.last %}, {% endif %}{% endfor -%} })
{%- for board in boards %}
            { {%- for coordinate in board.place %}{{ coordinate.bits }}'d{{ coordinate.at }}{% if !loop.last %}, {% endif %}{% endfor -%} }: of = {{ "{" }}{{ ports.bits }}'b{{ board.parent }}, {{ ports.bits }}'b{{ board.children }}};
{%- endfor %}
            default: of = {{ 2 * ports.bits }}'d0;
        endcase
    endfunction

    assign {parent, children} = of({% for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %});
    assign is_host = {% for axis in axes %}({{ axis.name }} == {{ axis.bits }}'d0){% if !loop.last %} & {% endif %}{% endfor %};

endmodule

`default_nettype wire
