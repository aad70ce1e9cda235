// {{ module }}: control words of the routers of class {{ classes }}, tick by tick
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire {{ gap }}clk,
{%- if ce %}
    input  wire {{ gap }}ce,  // high in a clock that counts
{%- endif %}
    input  wire {{ gap }}go,  // high while the program plays
    output reg  {{ word }}word
);

    // local copy of `go`, to keep the reset net short
    reg off;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        off <= ~go;
    end

{% if coding == Coding::Steps %}    // one bit for each word that has ended; word 0 is for the time before
    reg {{ entry.range }}entry;
{%- else %}    // place in the sequence; place 0 is for the time before
    (* fsm_encoding = "none" *) reg {{ entry.range }}entry;
{%- endif %}
{%- match coding %}
{%- when Coding::Steps %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        entry <= off ? {{ entry.bits }}'d0 : {% if entry.bits == 1 %}1'b1{% else %}{entry[{{ entry.bits - 2 }}:0], 1'b1}{% endif %};
    end
{%- when Coding::Plain %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        entry <= off ? {{ entry.bits }}'d0 : entry + {{ entry.bits }}'d1;
    end
{%- when Coding::RunLength %}
{%- match left %}
{%- when Some(left) %}
    // ticks left after the next one; high if the next is the last
    reg {{ left.range }}left;
    reg over;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
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
        if (off) begin
            entry <= {{ entry.bits }}'d0;
            over <= 1'b1;
        end
    end
{%- when None %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        case (entry)
{%- for step in steps() %}
            {{ entry.bits }}'d{{ step.from }}: entry <= {{ entry.bits }}'d{{ step.to }};
{%- endfor %}
            default: entry <= entry;
        endcase
        if (off) entry <= {{ entry.bits }}'d0;
    end
{%- endmatch %}
{%- endmatch %}
{%- if told_bits > 0 %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        case (entry)
{%- for line in lines() %}
            {{ line.place }}: word{{ told }} <= {{ line.word }};  // {{ line.ticks }}
{%- endfor %}
        endcase
    end
{%- endif %}
{%- for counter in counters %}
{%- if loop.first %}

    // counting fields start with the word of the first tick
    reg [1:0] told;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        told <= {told[0], ~off};
    end
{%- endif %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
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
