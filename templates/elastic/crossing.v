// {{ module }}: buffer from the clock of a cable to that of the board
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer ADDRESS = {{ address }}  // log2 of the capacity, at least 2
) (
    // in the clock of the cable
    input  wire           s_axis_aclk,
    input  wire [WIDTH:0] s_axis_tdata,
    input  wire           s_axis_tvalid,
    output wire           s_axis_tready,
{%- if is_checked %}
    output wire           alone,  // nothing waits
{%- endif %}
    // in the clock of the board
    input  wire           clk,
    input  wire           rst,
    output wire [WIDTH:0] first,
    output wire           filled,  // not empty
    input  wire           take     // removes the first {% if is_checked %}frame{% else %}flit{% endif %}
);

    localparam integer ROOM = 1 << ADDRESS;
    reg [WIDTH:0] tokens [ROOM:2*ROOM-1];

    // one bit more than an address, as a number and in gray code, of which one bit changes at a time
    reg [ADDRESS:0] put;
    reg [ADDRESS:0] put_gray;
    reg [ADDRESS:0] got;
    reg [ADDRESS:0] got_gray;
    initial begin
        put = {(ADDRESS+1){1'b0}};
        put_gray = {(ADDRESS+1){1'b0}};
        got = {(ADDRESS+1){1'b0}};
        got_gray = {(ADDRESS+1){1'b0}};
    end
    wire [ADDRESS:0] put_seen;
    wire [ADDRESS:0] got_seen;
    {{ sync }} #(.BITS(ADDRESS + 1)) sees_put (.clk(clk), .d(put_gray), .q(put_seen));
    {{ sync }} #(.BITS(ADDRESS + 1)) sees_got (.clk(s_axis_aclk), .d(got_gray), .q(got_seen));

    // full: a round ahead, so that the two highest bits of the gray code differ and no other
    assign s_axis_tready = (put_gray ^ got_seen) != {2'b11, {(ADDRESS-1){1'b0}}};
    wire puts = s_axis_tvalid & s_axis_tready;
    wire [ADDRESS:0] put_next = put + { {ADDRESS{1'b0}}, puts};
{%- if is_checked %}
    assign alone = put_gray == got_seen;
{%- endif %}

    always @(posedge s_axis_aclk) begin
        if (puts) tokens[{1'b1, put[ADDRESS-1:0]}] <= s_axis_tdata;
    end

    always @(posedge s_axis_aclk) begin
        put <= put_next;
        put_gray <= put_next ^ {1'b0, put_next[ADDRESS:1]};
    end

    // a reset drops what waits, one after the other: no pointer ever jumps, and the other clock may stand still
    reg drained;
    wire drains = rst | ~drained;
    wire waits = got_gray != put_seen;
    assign filled = waits & ~drains;
    assign first = tokens[{1'b1, got[ADDRESS-1:0]}];
    wire [ADDRESS:0] got_next = got + { {ADDRESS{1'b0}}, drains ? waits : take};

    always @(posedge clk) begin
        drained <= ~rst & (drained | ~waits);
        got <= got_next;
        got_gray <= got_next ^ {1'b0, got_next[ADDRESS:1]};
    end

endmodule

`default_nettype wire
