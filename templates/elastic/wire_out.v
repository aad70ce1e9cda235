// {{ module }}: sends frames over a wire, bit by bit
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ bits }},  // of a frame, at least 2
    parameter integer DIVISOR = {{ divisor }}  // clocks per bit, at least 4
) (
    input  wire            clk,
    input  wire            rst,
    input  wire [BITS-1:0] s_axis_tdata,
    input  wire            s_axis_tvalid,
    output wire            s_axis_tready,
    output reg             tx
);

    function automatic integer bits_for(input integer last);
        begin
            bits_for = 1;
            while ((last >>> bits_for) != 0) bits_for = bits_for + 1;
        end
    endfunction
    // a start bit before the frame, and a stop bit behind it
    localparam integer ALL = BITS + 2;
    localparam integer COUNT = bits_for(ALL);
    localparam integer LAST = DIVISOR - 1;
    localparam integer CLOCKS = bits_for(LAST);

    reg [BITS-1:0] frame;
    // bits that the wire still has to take, and clocks that the present one lasts
    reg [COUNT-1:0] left;
    reg [CLOCKS-1:0] lasts;
    wire idle = left == {COUNT{1'b0}};
    assign s_axis_tready = idle;

    always @(posedge clk) begin
        if (idle) begin
            tx <= ~s_axis_tvalid;
            frame <= s_axis_tdata;
            lasts <= LAST[CLOCKS-1:0];
            if (s_axis_tvalid) left <= ALL[COUNT-1:0];
        end else if (lasts != {CLOCKS{1'b0}}) begin
            lasts <= lasts - 1'b1;
        end else begin
            tx <= frame[BITS-1];
            frame <= {frame[BITS-2:0], 1'b1};
            lasts <= LAST[CLOCKS-1:0];
            left <= left - 1'b1;
        end
        if (rst) begin
            tx <= 1'b1;
            left <= {COUNT{1'b0}};
        end
    end

endmodule

`default_nettype wire
