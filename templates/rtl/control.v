// {{ module }}: what routers of class {{ classes }} are told, tick after tick
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire {{ gap }}clk,
    input  wire {{ gap }}go,  // high while the program plays
    output reg  {{ word }}word
);

    // the place in the sequence; the first is for the time before
    (* fsm_encoding = "none" *) reg {{ entry.range }}entry;
{%- match coding %}
{%- when Coding::Plain %}

    always @(posedge clk) begin
        entry <= go ? entry + {{ entry.bits }}'d1 : {{ entry.bits }}'d0;
    end
{%- when Coding::RunLength %}
{%- match left %}
{%- when Some(left) %}
    // ticks it lasts after the next one; the next is its last
    reg {{ left.range }}left;
    reg over;

    always @(posedge clk) begin
        left <= left - {{ left.bits }}'d1;
        over <= left == {{ left.bits }}'d0;
        if (over) begin
            case (entry)
{%- for step in steps() %}
                {{ entry.bits }}'d{{ step.from }}: {entry, left, over} <= { {{- entry.bits }}'d{{ step.to }}, {{ left.bits }}'d{{ step.left }}, 1'b{{ step.over }}};
{%- endfor %}
                default: over <= 1'b0;
            endcase
        end
        if (~go) begin
            entry <= {{ entry.bits }}'d0;
            over <= 1'b1;
        end
    end
{%- when None %}

    always @(posedge clk) begin
        case (entry)
{%- for step in steps() %}
            {{ entry.bits }}'d{{ step.from }}: entry <= {{ entry.bits }}'d{{ step.to }};
{%- endfor %}
            default: entry <= entry;
        endcase
        if (~go) entry <= {{ entry.bits }}'d0;
    end
{%- endmatch %}
{%- endmatch %}
{%- if told_bits > 0 %}

    always @(posedge clk) begin
        case (entry)
{%- for line in lines() %}
            {% if loop.last %}default{% else %}{{ entry.bits }}'d{{ line.index }}{% endif %}: word{{ told }} <= {{ told_bits }}'{{ line.word }};  // tick{% if line.first < line.last %}s {{ line.first }} to{% endif %} {{ line.last }}
{%- endfor %}
        endcase
    end
{%- endif %}
{%- for counter in counters %}
{%- if loop.first %}

    // what counts does so as soon as the word is that of a tick
    reg [1:0] told;

    always @(posedge clk) begin
        told <= {told[0], go};
    end
{%- endif %}

    always @(posedge clk) begin
        if (~told[1]) begin
            word{{ counter.at }} <= {{ counter.bits }}'d{{ counter.first }};
        end else if (word{{ counter.at }} != {{ counter.bits }}'d{{ counter.last }}) begin
            word{{ counter.at }} <= word{{ counter.at }} + {{ counter.bits }}'d1;
{%- if counter.wraps %}
        end else begin
            word{{ counter.at }} <= {{ counter.bits }}'d1;
{%- endif %}
        end
    end
{%- endfor %}

endmodule

`default_nettype wire
