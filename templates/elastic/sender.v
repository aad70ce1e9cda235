// {{ module }}: sends the tokens of a board's port as frames
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ token }}{% if is_common %},{% endif %}  // of a token
{%- for status in status %}
    parameter integer WIDTH = {{ status.width }}
{%- endfor %}
) (
    input  wire            clk,
    input  wire            rst,
    input  wire            linked,
    input  wire [1:0]      state,    // of the link
    input  wire            calls,    // the neighbour is to restart
    input  wire            stopped,  // the board has met a fault
    input  wire {{ identity.range }}{{ identity_gap }}identity,
    input  wire [BITS-1:0] token,
    input  wire            token_valid,
    output wire            token_ready,
{%- for status in status %}
    // to a child: a start; to the parent: a status in place of idle frames
    input  wire [WIDTH-1:0] word,
    input  wire            start_valid,
    output wire            start_ready,
    input  wire            reports,
    input  wire {{ status.count.range }}{{ status.gap }}status,
{%- endfor %}
    output reg  [BITS+{{ overhead - 1 }}:0] m_axis_tdata,
    output reg             m_axis_tvalid,
    input  wire            m_axis_tready
);

    // the identity in parts of a token's size
    localparam integer PARTS = ({{ identity.bits }} + BITS - 1) / BITS;
    // idle frames count, so that a link that stands still is noticed
{%- match status %}
{%- when Some(status) %}
    localparam integer IDLE = (BITS < {{ status.count.bits + 4 }}) ? BITS - {{ status.count.bits }} : 4;
{%- when None %}
    localparam integer IDLE = (BITS < 4) ? BITS : 4;
{%- endmatch %}

    wire free = m_axis_tready | ~m_axis_tvalid;
    reg live;
    wire up = (state == 2'd3) & live;
{%- if is_common %}
    wire starts = start_valid & ~stopped;
    assign start_ready = free & up & ~stopped;
    assign token_ready = free & up & ~stopped & ~start_valid;
{%- else %}
    assign token_ready = free & up & ~stopped;
{%- endif %}

    // number of the next token; part of the identity before the link is up
    reg [{{ sequence - 1 }}:0] number;
    wire in_range = {1'b0, number} < PARTS[{{ sequence }}:0];
    wire [{{ sequence - 1 }}:0] at = (up | in_range) ? number : {{ sequence }}'d0;
    reg [IDLE-1:0] idle;
    wire [PARTS*BITS:0] padded = { {(PARTS*BITS-{{ identity.bits - 1 }}){1'b0}}, identity};
    wire [BITS-1:0] part;
    generate
        if (PARTS == 1) begin : g_whole
            assign part = padded[BITS-1:0];
            wire unused = &{1'b0, padded[BITS]};
        end else begin : g_parts
            assign part = padded[{ {{- 32 - sequence }}'d0, in_range ? number : {{ sequence }}'d0}*BITS[31:0]+:BITS];
            wire unused = &{1'b0, padded[PARTS*BITS]};
        end
    endgenerate

    wire [2:0] kind =
        ~up ? ((state == 2'd0 & calls) ? 3'd{{ kinds.restart }} : state[1] ? 3'd{{ kinds.ready }} : 3'd{{ kinds.hello }}) :
        stopped ? 3'd{{ kinds.stop }} :
{%- if is_common %}
        start_valid ? 3'd{{ kinds.start }} :
        token_valid ? 3'd{{ kinds.token }} :
        reports ? 3'd{{ kinds.status }} : 3'd{{ kinds.idle }};
{%- else %}
        token_valid ? 3'd{{ kinds.token }} : 3'd{{ kinds.idle }};
{%- endif %}
{%- match status %}
{%- when Some(status) %}
    wire [BITS:0] idles = { {(BITS+1-IDLE-{{ status.count.bits }}){1'b0}}, idle, status & {{ "{" }}{{ status.count.bits }}{reports}}};
    wire [BITS-1:0] data = ~up ? part : starts ? { {(BITS-WIDTH){1'b0}}, word} : (token_valid & ~stopped) ? token : idles[BITS-1:0];
    wire unused_bit = &{1'b0, idles[BITS]};
{%- when None %}
    wire [BITS-1:0] data = ~up ? part : (token_valid & ~stopped) ? token : { {(BITS-IDLE){1'b0}}, idle};
{%- endmatch %}
    wire [BITS+{{ sequence + 2 }}:0] body = {kind, at, data};
    // the checksum begins with the identity: at no other port is it right
    wire [{{ crc.field - 1 }}:0] seed = {1'b1, identity[{{ crc.field - 2 }}:0]};
    wire [{{ crc.field - 1 }}:0] c;
    {{ crc_module }} #(.BITS(BITS + {{ sequence + 3 }})) crc (.d(body), .c(c));

    always @(posedge clk) begin
        live <= (state == 2'd3) & ~rst;
        m_axis_tvalid <= linked & ~rst;
        if (free) begin
            m_axis_tdata <= {body, c ^ seed};
            idle <= idle + 1'b1;
        end
        if (up) begin
            if ({% if is_common %}(start_valid & start_ready) | (token_valid & token_ready){% else %}token_valid & token_ready{% endif %}) number <= number + {{ sequence }}'d1;
        end else if (free) begin
            number <= ({1'b0, at} + {{ sequence + 1 }}'d1 < PARTS[{{ sequence }}:0]) ? at + {{ sequence }}'d1 : {{ sequence }}'d0;
        end
        if (rst | ((state == 2'd3) & ~live)) number <= {{ sequence }}'d0;
        if (rst) idle <= {IDLE{1'b0}};
    end

endmodule

`default_nettype wire
