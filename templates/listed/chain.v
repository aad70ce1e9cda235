// {{ module }}: connects a node to the ring that carries all words in and out
//
// It counts words: a wrong tlast is reported by `misframed` and stops nothing.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ sizes.width.bits }},
    parameter integer TAKE = 0,  // words per collective to the node
    parameter integer PASS = 0,  // words that pass after those
    parameter integer GIVE = 0  // words from the node after those
) (
    input  wire             clk,
    input  wire             rst,
    // from the previous node
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             s_axis_tlast,
    input  wire [{{ sizes.user() - 1 }}:0] s_axis_tuser,
    // to the node
    output wire [WIDTH-1:0] in_tdata,
    output wire             in_tvalid,
    input  wire             in_tready,
    output wire             in_tlast,
    // from the node
    input  wire [WIDTH-1:0] out_tdata,
    input  wire             out_tvalid,
    output wire             out_tready,
    input  wire             out_tlast,
    input  wire [{{ sizes.user() - 1 }}:0] out_tuser,
    // to the next node
    output reg  [WIDTH-1:0] m_axis_tdata,
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready,
    output reg              m_axis_tlast,
    output reg  [{{ sizes.user() - 1 }}:0] m_axis_tuser
);

    // Skid buffer for words that cannot go on, so that no ready signal passes more than one node.
    reg [WIDTH-1:0] kept_tdata;
    reg             kept;
    reg             kept_tlast;
    reg [{{ sizes.user() - 1 }}:0] kept_tuser;
    wire head = kept | s_axis_tvalid;
    wire [WIDTH-1:0] head_tdata = kept ? kept_tdata : s_axis_tdata;
    wire head_tlast = kept ? kept_tlast : s_axis_tlast;
    wire [{{ sizes.user() - 1 }}:0] head_tuser = kept ? kept_tuser : s_axis_tuser;
    wire head_moves;
    assign s_axis_tready = ~kept;

    always @(posedge clk) begin
        if (rst) begin
            kept <= 1'b0;
        end else begin
            kept <= head & ~head_moves;
        end
        if (~kept) begin
            kept_tdata <= s_axis_tdata;
            kept_tlast <= s_axis_tlast;
            kept_tuser <= s_axis_tuser;
        end
    end

    // words since the start of the collective: first to the node, then passing, then from the node
    reg [{{ count - 1 }}:0] words;
    wire signed [31:0] place = { {{ 32 - count }}'d0, words};
    wire to_node = place < TAKE;
    wire by = ~to_node & (place < TAKE + PASS);
    wire from_node = ~to_node & ~by;
    wire free = ~m_axis_tvalid | m_axis_tready;
    wire over = place == TAKE + PASS + GIVE - 1;

    assign in_tdata = head_tdata;
    assign in_tlast = head_tlast;
    assign in_tvalid = head & to_node;
    assign out_tready = free & from_node;
    assign head_moves = (to_node & in_tready) | (by & free);
    wire moves = (head & head_moves) | (out_tvalid & out_tready);

    always @(posedge clk) begin
        if (rst) begin
            words <= {{ count }}'d0;
        end else if (moves) begin
            words <= over ? {{ count }}'d0 : words + {{ count }}'d1;
        end
    end

    always @(posedge clk) begin
        if (rst) begin
            m_axis_tvalid <= 1'b0;
        end else if (free) begin
            m_axis_tvalid <= from_node ? out_tvalid : (by & head);
        end
        if (free) begin
            m_axis_tdata <= from_node ? out_tdata : head_tdata;
            m_axis_tlast <= from_node ? out_tlast : head_tlast;
            m_axis_tuser <= from_node ? out_tuser : head_tuser;
        end
    end

endmodule

`default_nettype wire
