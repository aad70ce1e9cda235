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
    input  wire [COUNT-1:0] length,       // its flits, held while run is high
    input  wire [WIDTH-1:0] own_0,
    output wire             own_0_take,
    // the parent
    input  wire [COUNT-1:0] tap_in,       // in how many ticks it is free
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

    localparam [COUNT-1:0] ONE = 1;
{%- if !last %}
    localparam [COUNT-1:0] TWO = 2;
{%- endif %}

    localparam [1:0] Idle = 2'd0, Wait = 2'd1, Send = 2'd2, Relay = 2'd3;
    reg [1:0] state;
    reg [COUNT-1:0] count;  // ticks still to wait, or flits sent

    wire tapped = (state == Idle) & tap_in_valid;
{%- if last %}
    wire [COUNT-1:0] pause = tap_in - ONE;
    wire first = (tapped & (length != {COUNT{1'b0}}) & (pause == {COUNT{1'b0}})) | ((state == Wait) & (count == ONE));
{%- else %}
    wire [COUNT-1:0] pause = (tap_in > TWO) ? tap_in - ONE : ONE;
    wire first = (state == Wait) & (count == ONE);
{%- endif %}
    wire sending = first | (state == Send);
    assign own_0_take = run & sending;
    assign sent = state == Relay;

    always @(posedge clk) begin
        if (rst | ~run) begin
            state <= Idle;
        end else if (first) begin
            state <= (length == ONE) ? Relay : Send;
        end else if (tapped) begin
            state <= (length == {COUNT{1'b0}}) ? Relay : Wait;
        end else if ((state == Send) & (count + ONE == length)) begin
            state <= Relay;
        end
    end

    always @(posedge clk) begin
        if (first) begin
            count <= ONE;
        end else if (tapped) begin
            count <= pause;
        end else if (state == Wait) begin
            count <= count - ONE;
        end else begin
            count <= count + ONE;
        end
    end

    always @(posedge clk) begin
{%- if last %}
        up_out_data  <= own_0;
        up_out_valid <= sending & run & ~rst;
{%- else %}
        up_out_data  <= (state == Relay) ? up_in_data : own_0;
        up_out_valid <= (sending | ((state == Relay) & up_in_valid)) & run & ~rst;
{%- endif %}
    end
{%- if !last %}

    // when this node is free, for the child
    wire [COUNT-1:0] free = length + ((tap_in > TWO) ? tap_in - TWO : {COUNT{1'b0}});

    always @(posedge clk) begin
        tap_out <= (free == {COUNT{1'b0}}) ? ONE : free;
        tap_out_valid <= tapped & run & ~rst;
    end
{%- endif %}

endmodule

`default_nettype wire
