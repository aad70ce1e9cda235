// {{ module }}: a node's place on the ring of the host
//
// Bit 32 marks headers: operation, node, number of words. Scatter: each node takes as many words as the header says. Write: one
// node takes all. Copy: every node takes all, and they go on. Collect: each node adds as many words before the end; read: one
// node does. One word every second clock goes by.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // number of the node, a constant
    input  wire [11:0] node,
    // from the node before
    input  wire [32:0] s_data,
    input  wire s_valid,
    output wire s_ready,
    // to the node after it
    output wire [32:0] m_data,
    output wire m_valid,
    input  wire m_ready,
    // words for the node
    output wire in_put,
    output wire [{{ width - 1 }}:0] in_data,
    // words of the node
    output wire out_first,
    output wire out_next,
    input  wire [{{ width - 1 }}:0] out_data,
    // an end came before all words of the node
    output reg  misframed
);

    // 0 words pass, 1 so many are taken, 2 all are taken, 3 all are copied, 4 words follow before the end, 5 they are added.
    reg [2:0] state;
    wire takes = state == 3'd1;
    wire takes_all = state == 3'd2;
    wire copies = state == 3'd3;
    wire appends = state == 3'd4;
    wire inserts = state == 3'd5;
    reg [15:0] left;
    reg none_left;
    reg [1:0] settle;  // the tables are read for the next word
    reg [32:0] held;
    reg holds;
    assign s_ready = ~holds;

    wire is_header = held[32];
    wire [3:0] operation = held[31:28];
    wire is_mine = held[27:16] == node;
    wire absorbs = holds & ~is_header & (takes | takes_all);
    wire waits = holds & is_header & (operation == 4'd0) & appends;
    wire offers = holds & ~absorbs & ~waits & ~inserts;
    wire moves = offers & m_ready;
    wire adds = inserts & ~none_left & (settle == 2'd0);
    wire added = adds & m_ready;

    assign m_valid = offers | adds;
    assign m_data = inserts ? {{ "{" }}1'b0, {% if width < 32 %}{{ 32 - width }}'d0, {% endif %}out_data} : held;
    assign in_put = absorbs | (moves & ~is_header & copies);
    assign in_data = held[{{ width - 1 }}:0];
    assign out_first = waits;
    assign out_next = added;

    always @(posedge clk) begin
        if (s_valid & ~holds) begin
            held <= s_data;
            holds <= 1'b1;
        end else if (absorbs | moves) begin
            holds <= 1'b0;
        end
        if (absorbs & takes) begin
            left <= left - 16'd1;
            none_left <= left == 16'd1;
            if (left == 16'd1) state <= 3'd0;
        end
        if (moves & is_header) begin
            left <= held[15:0];
            none_left <= held[15:0] == 16'd0;
            if (takes) misframed <= 1'b1;
            case (operation)
                4'd1: state <= (held[15:0] == 16'd0) ? 3'd0 : 3'd1;  // scatter
                4'd2: state <= is_mine ? 3'd2 : 3'd0;  // write
                4'd5: state <= 3'd3;  // copy
                4'd3: state <= 3'd4;  // collect
                4'd4: state <= is_mine ? 3'd4 : 3'd0;  // read
                default: state <= 3'd0;
            endcase
        end
        if (waits) begin
            state <= 3'd5;
            settle <= 2'd3;
        end
        if (inserts) begin
            if (settle != 2'd0) settle <= settle - 2'd1;
            if (added) begin
                left <= left - 16'd1;
                none_left <= left == 16'd1;
                settle <= 2'd3;
            end
            if (none_left) state <= 3'd0;
        end
        if (rst) begin
            state <= 3'd0;
            holds <= 1'b0;
            misframed <= 1'b0;
        end
    end

endmodule

`default_nettype wire
