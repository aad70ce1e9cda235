// {{ module }}: gathers along a path by shoulder taps, {% if last %}the last node{% else %}a node with a child{% endif %}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer COUNT = {{ count }}  // bits of a length, and of a number of ticks
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    // the node's own message
    input  wire [COUNT-1:0] length,       // number of its flits, held while run is high
    input  wire [WIDTH-1:0] own_0,
    output wire             own_0_take,
    // the parent
    input  wire [COUNT-1:0] tap_in,       // ticks until it is free
    input  wire             tap_in_valid,
    output reg  [WIDTH-1:0] up_out_data,
    output reg              up_out_valid,
{%- if !last %}
    // the child
    output reg  [COUNT-1:0] tap_out,
    output reg              tap_out_valid,
    input  wire [WIDTH-1:0] up_in_data,
    input  wire             up_in_valid,
{%- endif %}
    output wire             sent          // high when its message is out
);

    wire [COUNT-1:0] none = {COUNT{1'b0}};
    wire [COUNT-1:0] one = { {(COUNT-1){1'b0}}, 1'b1};
{%- if !last %}
    wire [COUNT-1:0] two = { {(COUNT-2){1'b0}}, 2'd2};
{%- endif %}

    // 0: not tapped yet; 1: waits; 2: sends its message; 3: forwards flits of its child
    reg [1:0] state;
    reg [COUNT-1:0] count;  // ticks left to wait, or flits sent

    wire tapped = (state == 2'd0) & tap_in_valid;
{%- if last %}
    wire [COUNT-1:0] pause = tap_in - one;
    wire at_once = tapped & (length != none) & (pause == none);
    wire first = at_once | ((state == 2'd1) & (count == one));
{%- else %}
    wire [COUNT-1:0] pause = (tap_in > two) ? tap_in - one : one;
    wire first = (state == 2'd1) & (count == one);
{%- endif %}
    wire sending = first | (state == 2'd2);
    assign own_0_take = run & sending;
    assign sent = state == 2'd3;

    always @(posedge clk) begin
        if (rst | ~run) begin
            state <= 2'd0;
        end else if (first) begin
            state <= (length == one) ? 2'd3 : 2'd2;
        end else if (tapped) begin
            state <= (length == none) ? 2'd3 : 2'd1;
        end else if ((state == 2'd2) & (count + one == length)) begin
            state <= 2'd3;
        end
    end

    always @(posedge clk) begin
        if (first) begin
            count <= one;
        end else if (tapped) begin
            count <= pause;
        end else if (state == 2'd1) begin
            count <= count - one;
        end else begin
            count <= count + one;
        end
    end

    always @(posedge clk) begin
{%- if last %}
        up_out_data  <= own_0;
        up_out_valid <= sending & run & ~rst;
{%- else %}
        up_out_data  <= (state == 2'd3) ? up_in_data : own_0;
        up_out_valid <= (sending | ((state == 2'd3) & up_in_valid)) & run & ~rst;
{%- endif %}
    end
{%- if !last %}

    // tells the child when this node is free
    wire [COUNT-1:0] free = length + ((tap_in > two) ? tap_in - two : none);

    always @(posedge clk) begin
        tap_out <= (free == none) ? one : free;
        tap_out_valid <= tapped & run & ~rst;
    end
{%- endif %}

endmodule

`default_nettype wire
