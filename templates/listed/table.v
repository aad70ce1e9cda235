// {{ module }}: {{ about }}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
{%- if has_enable %}
    input  wire ce,
{%- endif %}
    input  wire [{{ index - 1 }}:0] index,
    output reg  [{{ width - 1 }}:0] entry
);

    always @(posedge clk) {% if has_enable %}if (ce) {% endif %}begin
        case (index)
{%- for (number, value) in entries %}
            {{ index }}'d{{ number }}: entry <= {{ width }}'b{{ value }};
{%- endfor %}
            default: entry <= {{ width }}'d0;
        endcase
    end

endmodule

`default_nettype wire
