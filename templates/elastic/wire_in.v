// {{ module }}: receives frames over a wire, bit by bit
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
    input  wire            rx,
    output wire [BITS-1:0] m_axis_tdata,
    output wire            m_axis_tvalid
);

    function automatic integer bits_for(input integer last);
        begin
            bits_for = 1;
            while ((last >>> bits_for) != 0) bits_for = bits_for + 1;
        end
    endfunction
    localparam integer COUNT = bits_for(BITS);
    // from the start bit's beginning to the middle of the bit behind it, and from there to the next middle
    localparam integer FIRST = DIVISOR + DIVISOR / 2 - 1;
    localparam integer NEXT = DIVISOR - 1;
    localparam integer CLOCKS = bits_for(FIRST);

    // three registers: the first may catch a bit while it changes
    (* ASYNC_REG = "TRUE" *) reg [2:0] line;
    wire level = line[2];
    reg receives;
    reg came;
    reg [BITS-1:0] frame;
    // bits of the frame that are still to come, and clocks to the middle of the next
    reg [COUNT-1:0] left;
    reg [CLOCKS-1:0] waits;
    assign m_axis_tdata = frame;
    assign m_axis_tvalid = came;

    always @(posedge clk) begin
        line <= {line[1:0], rx};
        came <= 1'b0;
        if (~receives) begin
            receives <= ~level;
            left <= BITS[COUNT-1:0];
            waits <= FIRST[CLOCKS-1:0];
        end else if (waits != {CLOCKS{1'b0}}) begin
            waits <= waits - 1'b1;
        end else if (left != {COUNT{1'b0}}) begin
            frame <= {frame[BITS-2:0], level};
            left <= left - 1'b1;
            waits <= NEXT[CLOCKS-1:0];
        end else begin
            // the stop bit
            receives <= 1'b0;
            came <= level;
        end
        if (rst) begin
            line <= 3'b111;
            receives <= 1'b0;
            came <= 1'b0;
        end
    end

endmodule

`default_nettype wire
