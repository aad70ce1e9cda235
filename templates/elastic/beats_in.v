// {{ module }}: receives frames from a transceiver, in beats of whole bytes
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ bits }},  // of a frame
    parameter integer BYTES = {{ bytes }}  // of a beat
) (
    input  wire               {% if crosses %}aclk,  // of the transceiver{% else %}clk,
    input  wire               rst,{% endif %}
    input  wire [8*BYTES-1:0] s_axis_tdata,
    input  wire               s_axis_tvalid,
    input  wire               s_axis_tlast,
    output wire [BITS-1:0]    m_axis_tdata,
    output wire               m_axis_tvalid
);

    localparam integer SIZE = 8 * BYTES;
    localparam integer BEATS = (BITS + SIZE - 1) / SIZE;
    function automatic integer bits_for(input integer last);
        begin
            bits_for = 1;
            while ((last >>> bits_for) != 0) bits_for = bits_for + 1;
        end
    endfunction

    generate
        if (BEATS == 1) begin : g_beat
            wire [SIZE:0] all = {s_axis_tdata, 1'b0};
            assign m_axis_tdata = all[SIZE-:BITS];
            assign m_axis_tvalid = s_axis_tvalid;
            wire unused = &{1'b0, {% if crosses %}aclk{% else %}clk, rst{% endif %}, s_axis_tlast, all[SIZE-BITS:0]};
        end else begin : g_beats
            localparam integer LAST = BEATS - 1;
            localparam integer COUNT = bits_for(BEATS);
            // beats before this one, and their number, which stays where there are too many
            reg [LAST*SIZE-1:0] earlier;
            reg [COUNT-1:0] count;
{%- if crosses %}
            initial count = {COUNT{1'b0}};
{%- endif %}
            wire [BEATS*SIZE:0] all = {earlier, s_axis_tdata, 1'b0};
            assign m_axis_tdata = all[BEATS*SIZE-:BITS];
            assign m_axis_tvalid = s_axis_tvalid & s_axis_tlast & (count == LAST[COUNT-1:0]);
            wire unused = &{1'b0, all[BEATS*SIZE-BITS:0]};

            always @(posedge {% if crosses %}aclk{% else %}clk{% endif %}) begin
                if (s_axis_tvalid) begin
                    earlier <= all[LAST*SIZE:1];
                    if (s_axis_tlast) count <= {COUNT{1'b0}};
                    else if (count != BEATS[COUNT-1:0]) count <= count + 1'b1;
                end
{%- if !crosses %}
                if (rst) count <= {COUNT{1'b0}};
{%- endif %}
            end
        end
    endgenerate

endmodule

`default_nettype wire
