{%- if let Some(sums) = sums %}
{% include "tb/sums.v" %}
    initial begin
        clk = 1'b0;
        check_sums;
        forever #5 clk = ~clk;
    end
{%- else %}
    initial clk = 1'b0;
    always #5 clk = ~clk;
{%- endif %}