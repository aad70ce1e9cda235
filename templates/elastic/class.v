// {{ module }}: {{ about }}, from its coordinates
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.range.gap() }}{{ axis.name }},
{%- endfor %}
    output wire {{ class.range }}{{ class.gap() }}number
);

    function automatic {{ class.range }}of(
{%- for axis in axes %}
        input reg {{ axis.range }}{{ axis.name }}_at{% if !loop.last %},{% endif %}
{%- endfor %}
    );
        case ({ {%- for axis in axes %}{{ axis.name }}_at{% if !loop.last %}, {% endif %}{% endfor -%} })
{%- for other in others() %}
            { {%- for coordinate in other.place %}{{ coordinate.bits }}'d{{ coordinate.at }}{% if !loop.last %}, {% endif %}{% endfor -%} }: of = {{ class.bits }}'d{{ other.class }};
{%- endfor %}
            default: of = {{ class.bits }}'d{{ most }};
        endcase
    endfunction

    assign number = of({% for axis in axes %}{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %});

endmodule

`default_nettype wire
