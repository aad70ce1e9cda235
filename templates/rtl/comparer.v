// {{ module }}: the {% if is_max %}larger{% else %}smaller{% endif %} of a and b of {{ number }}
{% include "rtl/parts/floats.v" %}

    // flags: one is a NaN, and b is {% if is_max %}larger{% else %}smaller{% endif %}, by numbers that grow as values do
    wire [WIDTH-1:0] a_place = a[E+M] ? ~a : {1'b1, a[E+M-1:0]};
    wire [WIDTH-1:0] b_place = b[E+M] ? ~b : {1'b1, b[E+M-1:0]};
    wire nan = ((&a[E+M-1:M]) & (|a[M-1:0])) | ((&b[E+M-1:M]) & (|b[M-1:0]));
    wire takes_b = {% if is_max %}a_place < b_place{% else %}b_place < a_place{% endif %};
{%- if is_held %}
    reg [WIDTH-1:0] a_1;
    reg [WIDTH-1:0] b_1;
    reg nan_1;
    reg takes_b_1;

    always @(posedge clk) if (ce) begin
        a_1 <= a;
        b_1 <= b;
        nan_1 <= nan;
        takes_b_1 <= takes_b;
    end
{%- else %}
    wire [WIDTH-1:0] a_1 = a;
    wire [WIDTH-1:0] b_1 = b;
    wire nan_1 = nan;
    wire takes_b_1 = takes_b;
{%- endif %}
    wire [WIDTH-1:0] chosen = nan_1 ? {1'b0, {(E+1){1'b1}}, {(M-1){1'b0}}} : takes_b_1 ? b_1 : a_1;
{%- if later > 0 %}

    // the latest in the lowest bits
    reg [{{ later }}*WIDTH-1:0] later;

    always @(posedge clk) if (ce) begin
        {y, later} <= {later, chosen};
    end
{%- else %}

    always @(posedge clk) if (ce) begin
        y <= chosen;
    end
{%- endif %}

endmodule

`default_nettype wire
