// {{ module }}: what the routers of class {{ class }} do, tick after tick
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    input  wire run,
{%- for slot in slot %}
    output reg  {{ slot.range }}slot,
{%- endfor %}
    output reg  {{ word }}word
);

    // which entry to look up for the next tick
    reg {{ entry.range }}entry;
{%- if run_length %}
    reg {{ tick.range }}tick;
    reg {{ tick.range }}last;
    wire over = tick == last;
    wire {{ entry.range }}next = (rst | ~run) ? {{ entry.bits }}'d0 : over ? entry + {{ entry.bits }}'d1 : entry;

    always @(posedge clk) begin
        tick <= (rst | ~run) ? {{ tick.bits }}'d1 : tick + {{ tick.bits }}'d1;
    end
{%- else %}
    wire {{ entry.range }}next = (rst | ~run) ? {{ entry.bits }}'d0 : entry + {{ entry.bits }}'d1;
{%- endif %}
{%- for slot in slot %}

    // where the routers store what comes in; beyond the last slot read it goes to the spare one
    always @(posedge clk) begin
        if (rst | ~run) begin
            slot <= {{ slot.bits }}'d1;
        end else if (slot != {{ slot.bits }}'d{{ slot.last }}) begin
            slot <= slot + {{ slot.bits }}'d1;
        end
    end
{%- endfor %}

    always @(posedge clk) begin
        entry <= next;
        case (next)
{%- for line in lines() %}
{%- if run_length %}
            {{ entry.bits }}'d{{ line.index }}: {last, word} <= { {{- tick.bits }}'d{{ line.last }}, {{ table.bits }}'{{ line.word }}};
{%- else %}
            {{ entry.bits }}'d{{ line.index }}: word <= {{ table.bits }}'{{ line.word }};
{%- endif %}  // tick{% if line.first < line.last %}s {{ line.first }} to{% endif %} {{ line.last }}
{%- endfor %}
{%- if run_length %}
            default: {last, word} <= { {{- tick.bits }}'d0, {{ table.bits }}'d0};
{%- else %}
            default: word <= {{ table.bits }}'d0;
{%- endif %}
        endcase
    end

endmodule

`default_nettype wire
