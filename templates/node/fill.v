// {{ module }}: banks and addresses of own words
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire {{ look.range }}look,
{%- for bank in banks %}
{%- for base in bank.base %}
    output wire {{ base.range }}{{ bank.name }}_base,
{%- endfor %}
    output wire to_{{ bank.name }}{% if !loop.last || marks_last %},{% endif %}
{%- endfor %}
{%- if marks_last %}
    output wire last
{%- endif %}
);

    reg {{ answer.range }}answer;
    assign { {%- if marks_last %}last, {% endif %}{% for bank in banks %}to_{{ bank.name }}{% if bank.base.is_some() %}, {{ bank.name }}_base{% endif %}{% if !loop.last %}, {% endif %}{% endfor %}} = answer;

    always @(posedge clk) begin
        case (look)
{%- for line in lines() %}
            {{ look.bits }}'d{{ loop.index0 }}: answer <= {{ answer.bits }}'b{{ line }};
{%- endfor %}
            default: answer <= {{ answer.bits }}'d0;
        endcase
    end

endmodule

`default_nettype wire
