// {{ module }}: what the routers of class {{ class }} do, tick after tick
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`resetall
`timescale 1ns / 1ps
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    input  wire run,
{%- if has_store %}
    output reg  {{ slot.range }}slot,
{%- endif %}
    output reg  {{ word_range }}word
);

    // which entry to look up for the next tick
    reg {{ entry.range }}entry;
{%- if run_length %}
    reg {{ tick.range }}tick;
    reg {{ tick.range }}last;
    wire over = tick == last;
    wire {{ entry.range }}next = (rst | ~run) ? {{ entry.zero }} : over ? entry + {{ entry.one }} : entry;

    always @(posedge clk) begin
        tick <= (rst | ~run) ? {{ tick.one }} : tick + {{ tick.one }};
    end
{%- else %}
    wire {{ entry.range }}next = (rst | ~run) ? {{ entry.zero }} : entry + {{ entry.one }};
{%- endif %}
{%- if has_store %}

    // where the routers store what comes in; beyond the last slot read it goes to the spare one
    always @(posedge clk) begin
        if (rst | ~run) begin
            slot <= {{ slot.one }};
        end else if (slot != {{ slot.last }}) begin
            slot <= slot + {{ slot.one }};
        end
    end
{%- endif %}

    always @(posedge clk) begin
        entry <= next;
        case (next)
{%- for line in lines() %}
            {{ line.index }}: {{ target }} <= {{ line.value }};  // {{ line.when }}
{%- endfor %}
            default: {{ target }} <= {{ nothing }};
        endcase
    end

endmodule

`resetall
