// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ bits }},  // of a frame
    // log2 of the clocks between frames without a token: more than {{ lasts }}
    parameter integer INTERVAL = {{ interval }}
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            up,  // the link has been trained
    input  wire [BITS-1:0] s_axis_tdata,
    input  wire            s_axis_tvalid,
    output wire            s_axis_tready,
    output wire [BITS-1:0] m_axis_tdata,
    output wire            m_axis_tvalid,
    input  wire            m_axis_tready
);

    wire [2:0] kind = s_axis_tdata[BITS-1:BITS-3];
    wire at_once = up & ((kind == 3'd{{ kinds.token }}) | (kind == 3'd{{ kinds.start }}));
    // an odd number of clocks, so that the counter of idle frames that pass differs
    reg [INTERVAL-1:0] since;
    wire due = &since[INTERVAL-1:1];
    wire passes = at_once | due;
    assign m_axis_tdata = s_axis_tdata;
    assign m_axis_tvalid = s_axis_tvalid & passes;
    assign s_axis_tready = passes ? m_axis_tready : up;

    always @(posedge clk) begin
        if (~due) since <= since + 1'b1;
        if (rst | (m_axis_tvalid & m_axis_tready)) since <= {INTERVAL{1'b0}};
    end

endmodule

`default_nettype wire
