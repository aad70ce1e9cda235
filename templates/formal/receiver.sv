// {{ module }}: asserts that {{ receiver }} hands on every token once, in its turn, or names a fault
//
// Frames are arbitrary, but for the number of a sound one: it belongs to one of the {{ window }} tokens before or after the next.
// No more can be on their way, so no more can be lost, doubled or exchanged.
`default_nettype none

module {{ module }} (
    input wire clk,
    input wire [BITS+{{ overhead - 1 }}:0] frame,
    input wire valid,
    input wire running,
    input wire stopped,
    input wire restart,
    input wire rst,
    // distance of the frame's token from the next one, counted without wrapping
    input wire signed [NUMBER-1:0] distance,
    // registers of the receiver
    input wire [BITS+{{ overhead - 1 }}:0] taken,
    input wire seen,
    input wire sound,
    input wire [{{ sequence - 1 }}:0] awaited
);

    localparam integer BITS = {{ token }};
    localparam integer NUMBER = {{ sequence + 3 }};

    wire [BITS-1:0] token;
    wire put;
{%- if is_common %}
    wire start_put;
    wire status_put;
    // starts are numbered as tokens are
    wire taken_on = put | start_put;
{%- endif %}
    wire [1:0] state;
    wire calls;
    wire asked;
    wire [3:0] code;

    {{ receiver }} #(
        .BITS(BITS),
        .PATIENCE(3)
    ) receiver (
        .clk(clk),
        .rst(rst),
        .restart(restart),
        .stopped(stopped),
        .running(running),
        .expected({{ identity }}'d0),
        .s_axis_tdata(frame),
        .s_axis_tvalid(valid),
        .token(token),
        .put(put),
{%- if is_common %}
        .start_put(start_put),
        .status_put(status_put),
{%- endif %}
        .state(state),
        .calls(calls),
        .asked(asked),
        .code(code)
    );

    // tokens that were handed on since the link has trained
    reg [NUMBER-1:0] handed = 0;
    always @(posedge clk) handed <= state[1] ? handed + {{ "{" }}{(NUMBER-1){1'b0}}, {% if is_common %}taken_on{% else %}put{% endif %}} : 0;
    wire [NUMBER-1:0] number = handed + distance;

    wire [2:0] kind = taken[BITS+{{ overhead - 1 }}:BITS+{{ overhead - 3 }}];
    wire counts = seen & sound & ((kind == 3'd{{ kinds.token }}) | (kind == 3'd{{ kinds.idle }}){% if is_common %} | (kind == 3'd{{ kinds.status }}) | (kind == 3'd{{ kinds.start }}){% endif %});
    // the seed of the frame, by its checksum
    wire [{{ check - 1 }}:0] c;
    {{ crc }} #(.BITS(BITS + {{ sequence + 3 }})) crc (.d(taken[BITS+{{ overhead - 1 }}:{{ check }}]), .c(c));
    wire is_expected = (c ^ taken[{{ check - 1 }}:0]) == {1'b1, {{ check - 1 }}'d0};

    reg begun = 1'b0;
    always @(posedge clk) begun <= 1'b1;

    always @* begin
        if (!begun) assume (!state[1] || awaited == handed[{{ sequence - 1 }}:0]);
        assume (distance >= -{{ window }} && distance <= {{ window }});
        if (counts) assume (taken[BITS+{{ overhead - 4 }}:BITS+{{ overhead - 3 - sequence }}] == number[{{ sequence - 1 }}:0]);
    end

    always @* if (begun) begin
        assert (!state[1] || awaited == handed[{{ sequence - 1 }}:0]);
        // a frame of another port is a damaged one
        assert (!seen || sound == is_expected);
        if (put) assert (is_expected);
        if (put) assert (counts && kind == 3'd{{ kinds.token }} && distance == 0);
{%- if is_common %}
        if (start_put) assert (counts && kind == 3'd{{ kinds.start }} && distance == 0);
        if (counts && state == 2'd3 && distance == 0 && kind == 3'd{{ kinds.start }}) assert (start_put);
{%- endif %}
        if (put) assert (token == taken[BITS+{{ overhead - 4 - sequence }}:{{ check }}]);
        // a token that is handed on is the next one, and any other is a fault
        if (counts && state == 2'd3 && distance != 0) assert (!put && code == 4'd{{ codes.order }});
{%- if is_serial %}
        if (seen && !sound && state == 2'd3) assert (!put && (!running || code == 4'd{{ codes.damaged }}));
{%- else %}
        if (seen && !sound && state == 2'd3) assert (!put && code == 4'd{{ codes.damaged }});
{%- endif %}
        if (counts && state == 2'd3 && distance == 0 && kind == 3'd{{ kinds.token }}) assert (put);
    end

endmodule

`default_nettype wire
