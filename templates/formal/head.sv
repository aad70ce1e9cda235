`default_nettype none

module {{ module }} (
    input wire clk
);

    reg {{ step.range }}step = {{ step.bits }}'d0;
    always @(posedge clk) if (step != {{ step.bits }}'d{{ step.last }}) step <= step + {{ step.bits }}'d1;
{%- match neutral %}
{%- when Some(neutral) %}

    localparam integer WIDTH = 2;
    (* anyconst *) reg [15:0] any_function;
{%- include "formal/function.v" %}
{%- when None %}
{%- for combines in combines %}

    // combination of two values{% include "formal/both.v" %}
{%- endfor %}
{%- endmatch %}