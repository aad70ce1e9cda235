// {{ fabric }}: one register and one gate per output, in place of the fabric
//
// It sends nothing useful. It has the links of the fabric and the least logic that can stand between
// two of them, to measure the fastest clock of any fabric on these links.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ fabric }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
{%- for range in flit %}
    output wire {{ range }}{{ range.gap() }}flit,
{%- endfor %}
{%- for node in nodes %}
    // node {{ node.place }}
{%- for own in node.owns %}
    input  wire [WIDTH-1:0] {{ own }},
{%- if streams %}
    output wire             {{ own }}_take,
{%- endif %}
{%- endfor %}
{%- for link in node.links %}
    output reg  [WIDTH-1:0] {{ link.name }}_data,
    output reg              {{ link.name }}_valid,
{%- endfor %}
{%- endfor %}
    output reg              done
);
{%- if flit.is_some() %}

    assign flit = 0;
{%- endif %}

    always @(posedge clk) begin
        done <= run & ~rst;
    end
{%- for node in nodes %}
{%- if streams %}
{%- for own in node.owns %}
    assign {{ own }}_take = run;
{%- endfor %}
{%- endif %}
{%- for link in node.links %}

    always @(posedge clk) begin
        {{ link.name }}_data <= {{ link.from }}_data{% for own in link.own %} ^ {{ own }}{% endfor %};
        {{ link.name }}_valid <= {{ link.from }}_valid ^ done;
    end
{%- endfor %}
{%- endfor %}

endmodule

`default_nettype wire
