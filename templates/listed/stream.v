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
{%- if sizes.has_blocks() %}
    output reg  misframed,
{%- endif %}
    // stream in
{%- for port in sizes.stream_ports(*width) %}
{%- if port.is_first_out() %}
    // {% if sizes.has_read_port() %}words that are read{% else %}stream out{% endif %}
{%- endif %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{% if let Some(bits) = port.bits %} [{{ bits - 1 }}:0]{% endif %} {{ port.name }},
{%- endfor %}
    // node
    output wire in_put,
    output wire [{{ width - 1 }}:0] in_data,
    input  wire full,
{%- if sizes.has_blocks() %}
    input  wire in_ends,  // the word of the clock before is the last of its block
{%- endif %}
{%- if sizes.has_read_port() %}
    output wire [{{ sizes.ram() - 1 }}:0] out_at,
{%- else %}
    output wire out_first,
    output wire out_next,
    output wire out_moves,  // what is read moves on
{%- endif %}
    input  wire [{{ sizes.total - 1 }}:0] out_total,
{%- if sizes.has_blocks() %}
{%- if !sizes.has_read_port() %}
    input  wire out_ends,
{%- endif %}
    input  wire [{{ sizes.lanes() * sizes.code - 1 }}:0] out_user,
{%- endif %}
{%- if sizes.lanes() > 1 %}
    input  wire [{{ sizes.lanes() - 1 }}:0] out_keep,
{%- endif %}
    input  wire [{{ sizes.lanes() * width - 1 }}:0] out_data
);

    // Words that come in.
    wire lacks = fills & ~full;
    wire is_for_it = s_axis_tdest == placed_program;
    assign s_axis_tready = lacks & is_for_it;
    assign in_put = s_axis_tvalid & s_axis_tready;
    assign in_data = s_axis_tdata;
{%- if sizes.has_blocks() %}
    reg was_put;
    reg was_last;
{%- endif %}
    always @(posedge clk) begin
        if (lacks & s_axis_tvalid & ~is_for_it) astray <= 1'b1;
{%- if sizes.has_blocks() %}
        was_put <= in_put & ~rst;
        was_last <= s_axis_tlast;
        if (was_put & (was_last != in_ends)) misframed <= 1'b1;
        if (rst) misframed <= 1'b0;
{%- endif %}
        if (rst) astray <= 1'b0;
    end
{% if sizes.has_read_port() %}
{% include "listed/read.v" %}
{%- else %}
    // Words that go out: each is read in two clocks. All that are read wait while the first of them does.
    reg was_draining;
    reg [{{ sizes.total - 1 }}:0] left;
    reg [1:0] reads;  // words that are read
{%- if !sizes.has_blocks() %}
    reg [1:0] lasts;  // the last among them
{%- endif %}
    reg holds;
    reg [{{ sizes.word_out(*width) - 1 }}:0] held;
    wire begins = drains & ~was_draining;
    wire issues = was_draining & (left != {{ sizes.total }}'d0) & out_moves;
    assign out_moves = ~holds | m_axis_tready;
    assign out_first = begins;
    assign out_next = issues;
    assign m_axis_tvalid = holds;
    assign { {%- if sizes.lanes() > 1 %}m_axis_tkeep, {% endif %}{% if sizes.has_blocks() %}m_axis_tuser, {% endif -%} m_axis_tlast, m_axis_tdata} = held;
    assign m_axis_tdest = given_program;
    assign drained = was_draining & (left == {{ sizes.total }}'d0) & (reads == 2'd0) & ~holds;
    always @(posedge clk) begin
        was_draining <= drains;
        if (begins) left <= out_total;
        else if (issues) left <= left - {{ sizes.total }}'d1;
        if (out_moves) begin
            reads <= {reads[0], issues};
{%- if !sizes.has_blocks() %}
            lasts <= {lasts[0], left == {{ sizes.total }}'d1};
{%- endif %}
            holds <= reads[1];
            held <= { {%- if sizes.lanes() > 1 %}out_keep, {% endif %}{% if sizes.has_blocks() %}out_user, out_ends{% else %}lasts[1]{% endif %}, out_data};
        end
        if (rst) begin
            was_draining <= 1'b0;
            reads <= 2'd0;
            left <= {{ sizes.total }}'d0;
            holds <= 1'b0;
        end
    end
{%- endif %}

endmodule

`default_nettype wire
