// {{ module }}: a + b, until you write a combiner of your own in its place
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             ce,  // high in a clock that counts
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output {% if later > 0 %}wire{% else %}reg {% endif %} [WIDTH-1:0] y
);
{% if later > 0 %}
    reg [{{ later + 1 }}*WIDTH-1:0] held;
    assign y = held[{{ later }}*WIDTH+:WIDTH];

    always @(posedge clk) if (ce) begin
        held <= {held[{{ later }}*WIDTH-1:0], a + b};
    end
{%- else %}
    always @(posedge clk) if (ce) begin
        y <= a + b;
    end
{%- endif %}

endmodule

`default_nettype wire
