// {{ module }}: buffer for flits that wait for their tick
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer ADDRESS = {{ address }}  // log2 of the capacity
) (
    input  wire           clk,
    input  wire           rst,
    input  wire [WIDTH:0] s_axis_tdata,
    input  wire           s_axis_tvalid,
    output wire           s_axis_tready,
    output wire [WIDTH:0] first,
    output wire           filled,  // not empty
    input  wire           take     // removes the first flit
);

    localparam integer ROOM = 1 << ADDRESS;
    reg [WIDTH:0] tokens [ROOM:2*ROOM-1];
    // before a token comes the buffer shows zeros: what is forwarded then is for nobody, but checksums cover it
    integer place;
    initial for (place = ROOM; place < 2 * ROOM; place = place + 1) tokens[place] = {(WIDTH+1){1'b0}};
    // one bit more than an address: only that bit differs if the buffer is full
    reg [ADDRESS:0] put;
    reg [ADDRESS:0] got;
    wire puts = s_axis_tvalid & s_axis_tready;

    assign s_axis_tready = (put ^ got) != {1'b1, {ADDRESS{1'b0}}};
    assign filled = put != got;
    assign first = tokens[{1'b1, got[ADDRESS-1:0]}];

    always @(posedge clk) begin
        if (puts) tokens[{1'b1, put[ADDRESS-1:0]}] <= s_axis_tdata;
    end

    always @(posedge clk) begin
        if (rst) begin
            put <= {(ADDRESS+1){1'b0}};
            got <= {(ADDRESS+1){1'b0}};
        end else begin
            put <= put + { {ADDRESS{1'b0}}, puts};
            got <= got + { {ADDRESS{1'b0}}, take};
        end
    end

endmodule

`default_nettype wire
