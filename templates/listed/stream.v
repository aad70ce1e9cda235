// {{ module }}: the streams of a node: words that it takes for the program that is called, and words that it gives
//
// A word for another program waits at the stream. While the node lacks words that is an error, which `astray` reports.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // calls whose words come in and go out
    input  wire [{{ sizes.program - 1 }}:0] placed_program,
    input  wire [{{ sizes.program - 1 }}:0] given_program,
    input  wire fills,
    input  wire drains,
    output wire drained,
    output reg  astray,
    // stream in
    input  wire [{{ width - 1 }}:0] s_axis_tdata,
    input  wire s_axis_tvalid,
    output wire s_axis_tready,
    input  wire [{{ sizes.program - 1 }}:0] s_axis_tdest,
    // stream out
    output wire [{{ width - 1 }}:0] m_axis_tdata,
    output wire m_axis_tvalid,
    input  wire m_axis_tready,
    output wire m_axis_tlast,
    output wire [{{ sizes.program - 1 }}:0] m_axis_tdest,
    // node
    output wire in_put,
    output wire [{{ width - 1 }}:0] in_data,
    input  wire full,
    output wire out_first,
    output wire out_next,
    input  wire [{{ sizes.total - 1 }}:0] out_total,
    input  wire [{{ width - 1 }}:0] out_data
);

    // Words that come in.
    wire lacks = fills & ~full;
    wire is_for_it = s_axis_tdest == placed_program;
    assign s_axis_tready = lacks & is_for_it;
    assign in_put = s_axis_tvalid & s_axis_tready;
    assign in_data = s_axis_tdata;
    always @(posedge clk) begin
        if (lacks & s_axis_tvalid & ~is_for_it) astray <= 1'b1;
        if (rst) astray <= 1'b0;
    end

    // Words that go out: each is read in two clocks, and waits in a queue of four.
    reg was_draining;
    reg [{{ sizes.total - 1 }}:0] left;
    reg [1:0] reads;  // words that are read
    reg [1:0] lasts;  // the last among them
    localparam integer FIRST = 0;
    localparam integer LAST = 3;
    reg [{{ width }}:0] queue [FIRST:LAST];
    reg [1:0] head;
    reg [1:0] tail;
    reg [2:0] count;
    wire begins = drains & ~was_draining;
    wire issues = was_draining & (left != {{ sizes.total }}'d0) & ((count + {2'd0, reads[0]} + {2'd0, reads[1]}) < 3'd4);
    wire put = reads[1];
    wire take = m_axis_tvalid & m_axis_tready;
    assign out_first = begins;
    assign out_next = issues;
    assign m_axis_tvalid = count != 3'd0;
    assign {m_axis_tlast, m_axis_tdata} = queue[head];
    assign m_axis_tdest = given_program;
    assign drained = was_draining & (left == {{ sizes.total }}'d0) & (reads == 2'd0) & (count == 3'd0);
    always @(posedge clk) begin
        was_draining <= drains;
        reads <= {reads[0], issues};
        lasts <= {lasts[0], left == {{ sizes.total }}'d1};
        if (begins) left <= out_total;
        else if (issues) left <= left - {{ sizes.total }}'d1;
        if (put) begin
            queue[tail] <= {lasts[1], out_data};
            tail <= tail + 2'd1;
        end
        if (take) head <= head + 2'd1;
        count <= count + {2'd0, put} - {2'd0, take};
        if (rst) begin
            was_draining <= 1'b0;
            reads <= 2'd0;
            left <= {{ sizes.total }}'d0;
            head <= 2'd0;
            tail <= 2'd0;
            count <= 3'd0;
        end
    end

endmodule

`default_nettype wire
