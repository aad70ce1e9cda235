// {{ module }}: pipeline registers of a link, STAGES clocks long
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH  = {{ width }},
    parameter integer STAGES = {{ stages }}
) (
    input  wire             clk,
{%- if ce %}
    input  wire             ce,         // high in a clock that counts
{%- endif %}
    input  wire             playing,    // low before the first tick: clears the flits in flight
    input  wire [WIDTH-1:0] in_data,
    input  wire             in_valid,
    output wire [WIDTH-1:0] out_data,
    output wire             out_valid
);

    // the latest in the lowest bits
    reg [STAGES*WIDTH-1:0] data;
    reg [STAGES-1:0] valid;

    wire [(STAGES+1)*WIDTH-1:0] data_and_next = {data, in_data};
    wire [STAGES:0] valid_and_next = {valid, in_valid};

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        data  <= data_and_next[STAGES*WIDTH-1:0];
        valid <= playing ? valid_and_next[STAGES-1:0] : {STAGES{1'b0}};
    end

    assign out_data  = data_and_next[(STAGES+1)*WIDTH-1:STAGES*WIDTH];
    assign out_valid = valid_and_next[STAGES];

endmodule

`default_nettype wire
