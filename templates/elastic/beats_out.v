// {{ module }}: sends frames to a transceiver, in beats of whole bytes
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ bits }},  // of a frame
    parameter integer BYTES = {{ bytes }},  // of a beat
    // log2 of the clocks between frames without a token, where a frame has several beats
    parameter integer INTERVAL = {{ interval }}
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               up,  // the link has been trained
    input  wire [BITS-1:0]    s_axis_tdata,
    input  wire               s_axis_tvalid,
    output wire               s_axis_tready,
{%- if crossing.is_some() %}
    // in the clock of the transceiver
    input  wire               aclk,
{%- endif %}
    output wire [8*BYTES-1:0] m_axis_tdata,
    output wire               m_axis_tvalid,
    input  wire               m_axis_tready,
    output wire               m_axis_tlast
);

    localparam integer SIZE = 8 * BYTES;
    localparam integer BEATS = (BITS + SIZE - 1) / SIZE;
    function automatic integer bits_for(input integer last);
        begin
            bits_for = 1;
            while ((last >>> bits_for) != 0) bits_for = bits_for + 1;
        end
    endfunction

    // frames that pass
    wire [BITS-1:0] passed;
    wire passed_valid;
    wire passed_ready;
{%- if crossing.is_some() %}
    wire alone;
{%- endif %}
    generate
        if (BEATS == 1) begin : g_one
{%- if crossing.is_some() %}
            // others pass while none waits, an odd number of frames apart, so that their counter differs
            wire [2:0] kind = s_axis_tdata[BITS-1:BITS-3];
            wire at_once = up & ((kind == 3'd{{ kinds.token }}) | (kind == 3'd{{ kinds.start }}));
            reg odd;
            wire passes = at_once | (alone & (odd | ~up));
            assign passed = s_axis_tdata;
            assign passed_valid = s_axis_tvalid & passes;
            assign s_axis_tready = passes ? passed_ready : up;

            always @(posedge clk) begin
                if (s_axis_tvalid & s_axis_tready) odd <= passes | ~odd;
                if (rst) odd <= 1'b1;
            end
{%- else %}
            assign passed = s_axis_tdata;
            assign passed_valid = s_axis_tvalid;
            assign s_axis_tready = passed_ready;
            wire unused = &{1'b0, clk, rst, up};
{%- endif %}
        end else begin : g_several
            {{ throttle }} #(
                .BITS(BITS),
                .INTERVAL(INTERVAL)
            ) throttle (
                .clk(clk),
                .rst(rst),
                .up(up),
                .s_axis_tdata(s_axis_tdata),
                .s_axis_tvalid(s_axis_tvalid),
                .s_axis_tready(s_axis_tready),
                .m_axis_tdata(passed),
                .m_axis_tvalid(passed_valid),
                .m_axis_tready(passed_ready)
            );
{%- if crossing.is_some() %}
            wire unused = &{1'b0, alone};
{%- endif %}
        end
    endgenerate
{%- match crossing %}
{%- when Some(crossing) %}

    // a frame, in the clock of the transceiver from here on; frames that have passed are sent, whatever is reset
    wire [BITS-1:0] frame;
    wire frame_valid;
    wire frame_ready;

    {{ crossing }} #(
        .WIDTH(BITS - 1),
        .ADDRESS({{ address }})
    ) crossing (
        .s_axis_aclk(clk),
        .s_axis_tdata(passed),
        .s_axis_tvalid(passed_valid & ~rst),
        .s_axis_tready(passed_ready),
        .alone(alone),
        .clk(aclk),
        .rst(1'b0),
        .first(frame),
        .filled(frame_valid),
        .take(frame_valid & frame_ready)
    );
{%- when None %}

    wire [BITS-1:0] frame = passed;
    wire frame_valid = passed_valid;
    wire frame_ready;
    assign passed_ready = frame_ready;
{%- endmatch %}

    // the frame, zeros behind it, and a bit that is never sent
    wire [BEATS*SIZE:0] padded = {frame, {(BEATS*SIZE-BITS+1){1'b0}}};
    wire unused_bit = &{1'b0, padded[0]};
    assign m_axis_tvalid = frame_valid;
    generate
        if (BEATS == 1) begin : g_beat
            assign m_axis_tdata = padded[SIZE:1];
            assign m_axis_tlast = 1'b1;
            assign frame_ready = m_axis_tready;
        end else begin : g_beats
            localparam integer LAST = BEATS - 1;
            localparam integer COUNT = bits_for(LAST);
            // beats that follow this one
            reg [COUNT-1:0] left;
{%- if crossing.is_some() %}
            initial left = LAST[COUNT-1:0];
{%- endif %}
            assign m_axis_tdata = padded[{ {(32-COUNT){1'b0}}, left}*SIZE[31:0]+32'd1+:SIZE];
            assign m_axis_tlast = left == {COUNT{1'b0}};
            assign frame_ready = m_axis_tready & m_axis_tlast;

            always @(posedge {% if crossing.is_some() %}aclk{% else %}clk{% endif %}) begin
                if (m_axis_tvalid & m_axis_tready) left <= m_axis_tlast ? LAST[COUNT-1:0] : left - 1'b1;
{%- if crossing.is_none() %}
                if (rst) left <= LAST[COUNT-1:0];
{%- endif %}
            end
        end
    endgenerate

endmodule

`default_nettype wire
