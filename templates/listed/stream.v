{%- macro counted(name, up, down) %}
            {{ name }}[0] <= {{ up }} | {{ name }}[1] | ({{ name }}[0] & ~{{ down }});
            {{ name }}[1] <= ({{ name }}[1] & ~{{ down }}) | ({{ up }} & ({{ name }}[1] | ({{ name }}[0] & ~{{ down }})));
{%- endmacro -%}
{% if sizes.is_one -%}
// {{ module }}: the streams of a node: words that it takes for the next collectives, and words that it gives
//
// {% if sizes.is_apart() %}A node has two banks for words that come in, each filled and played, and two for words that are kept, each played and given.{% else %}A node has two banks, each for one collective: it is filled, played, and given.{% endif %}
{%- else -%}
// {{ module }}: the streams of a node: words that it takes for the program that is called, and words that it gives
//
// A word for another program waits at the stream. While the node lacks words that is an error, which `astray` reports.
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if sizes.is_one %}#(
    parameter integer WIDTH = {{ sizes.width.bits }}
) {% endif %}(
    input  wire clk,
    input  wire rst,
{%- if sizes.is_one %}
    input  wire placed,  // it is known where words come to lie
    output wire ready,  // a bank is filled
    input  wire play,  // a collective begins with it
    input  wire finish,  // all has arrived
    // banks of words that are written and read
    output reg  {{ sizes.bank_number() }}in_bank,
    output wire {{ sizes.bank_number() }}out_bank,
{%- else %}
    // calls whose words come in and go out
    input  wire [{{ sizes.program - 1 }}:0] placed_program,
    input  wire [{{ sizes.program - 1 }}:0] given_program,
    input  wire fills,
    input  wire drains,
    output wire drained,
    output reg  astray,
{%- endif %}
{%- if sizes.has_blocks() %}
    output reg  misframed,
{%- endif %}
    // stream in
{%- for port in sizes.stream_ports() %}
{%- if port.is_first_out() %}
    // {% if sizes.has_read_port() %}words that are read{% else %}stream out{% endif %}
{%- endif %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{{ port.vector() }} {{ port.name }},
{%- endfor %}
    // node
    output wire in_put,
    output wire {{ sizes.width.vector(1) }} in_data,
{%- if sizes.is_one %}
    input  wire in_none,
    input  wire in_over,
{%- else %}
    input  wire full,
{%- endif %}
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
    input  wire [{{ sizes.total - 1 }}:0] out_words,
{%- if sizes.has_blocks() %}
{%- if !sizes.has_read_port() %}
    input  wire out_ends,
{%- endif %}
    input  wire [{{ sizes.lanes() * sizes.user() - 1 }}:0] out_user,
{%- endif %}
{%- if sizes.lanes() > 1 %}
    input  wire [{{ sizes.lanes() - 1 }}:0] out_keep,
{%- endif %}
    input  wire {{ sizes.width.vector(sizes.lanes()) }} out_data
);

{%- if sizes.is_one %}
    // Banks in each state: bit 0 is high for at least one, bit 1 for two.
{%- if sizes.is_apart() %} Those that are sent from are free again when they have
    // been played, those that are kept in when their words have gone out.
{%- endif %}
    reg [1:0] empty;
    reg [1:0] filled;
{%- if sizes.is_apart() %}
    reg [1:0] vacant;
{%- endif %}
    reg [1:0] played;
    reg {{ sizes.bank_number() }}fill_bank;
    reg {{ sizes.bank_number() }}give_bank;
    wire gives = out_words != {{ sizes.total }}'d0;
    wire given;  // the last word of a bank is asked for
    wire read;  // and it is read
    reg opens;  // what is placed is known here
    wire loads = {% if sizes.is_apart() %}(in_none & opens) | (in_put & in_over){% else %}empty[0] & opens & (in_none | (in_put & in_over)){% endif %};
{%- if sizes.is_apart() %}
    wire freed = finish;
    assign ready = filled[0] & (vacant[0] | ~gives);
{%- else %}
    wire freed = gives ? read : finish;
    assign ready = filled[0];
{%- endif %}
    always @(posedge clk) begin
        if (rst) begin
            empty <= 2'b11;
            filled <= 2'b00;
{%- if sizes.is_apart() %}
            vacant <= 2'b11;
{%- endif %}
            played <= 2'b00;
            fill_bank <= {{ sizes.bank_bits }}'d0;
            give_bank <= {{ sizes.bank_bits }}'d0;
        end else begin
{%- call counted("empty", "freed", "loads") %}{% endcall %}
{%- call counted("filled", "loads", "play") %}{% endcall %}
{%- if sizes.is_apart() %}
{%- call counted("vacant", "read", "(play & gives)") %}{% endcall %}
{%- endif %}
{%- call counted("played", "(finish & gives)", "given") %}{% endcall %}
            fill_bank <= fill_bank {% if sizes.bank_bits > 1 %}+ {1'b0, loads}{% else %}^ loads{% endif %};
            give_bank <= give_bank {% if sizes.bank_bits > 1 %}+ {1'b0, given}{% else %}^ given{% endif %};
        end
        opens <= placed & ~rst;
        in_bank <= fill_bank;
    end

    // Words that come in.
    assign s_axis_tready = empty[0] & opens & ~in_none;
{%- else %}
    // Words that come in.
    wire lacks = fills & ~full;
    wire is_for_it = s_axis_tdest == placed_program;
    assign s_axis_tready = lacks & is_for_it;
{%- endif %}
    assign in_put = s_axis_tvalid & s_axis_tready;
    assign in_data = s_axis_tdata;
{%- if sizes.has_blocks() %}
    reg was_put;
    reg was_last;
{%- endif %}
    always @(posedge clk) begin
{%- if !sizes.is_one %}
        if (lacks & s_axis_tvalid & ~is_for_it) astray <= 1'b1;
{%- endif %}
{%- if sizes.has_blocks() %}
        was_put <= in_put & ~rst;
        was_last <= s_axis_tlast;
        if (was_put & (was_last != in_ends)) misframed <= 1'b1;
        if (rst) misframed <= 1'b0;
{%- endif %}
{%- if !sizes.is_one %}
        if (rst) astray <= 1'b0;
{%- endif %}
    end
{% if sizes.has_read_port() %}
{% include "listed/read.v" %}
{%- else %}
    // Words that go out: each is read in two clocks. All that are read wait while the first of them does.
{%- if !sizes.is_one %}
    reg was_draining;
{%- endif %}
    reg [{{ sizes.total - 1 }}:0] left;
    reg [1:0] reads;  // words that are read
{%- if sizes.is_one %}
    reg ends;  // the first of them is the last of a bank
{%- else if !sizes.has_blocks() %}
    reg [1:0] lasts;  // the last among them
{%- endif %}
    reg holds;
    reg {{ sizes.width.vector_beside(sizes.beside_word(), sizes.lanes()) }} held;
    wire issues = {% if !sizes.is_one %}was_draining & {% endif %}(left != {{ sizes.total }}'d0) & out_moves;
    assign out_moves = ~holds | m_axis_tready;
{%- if sizes.is_one %}
    reg {{ sizes.bank_number() }}read_bank;
    assign out_bank = read_bank;
    assign given = issues & (left == {{ sizes.total }}'d1);
    assign read = out_moves & reads[0] & ends;
    wire begins = given ? played[1] : (left == {{ sizes.total }}'d0) & played[0];
    assign out_first = given;
{%- else %}
    wire begins = drains & ~was_draining;
    assign out_first = begins;
{%- endif %}
    assign out_next = issues;
    assign m_axis_tvalid = holds;
    assign { {%- if sizes.lanes() > 1 %}m_axis_tkeep, {% endif %}{% if sizes.has_blocks() %}m_axis_tuser, {% endif -%} m_axis_tlast, m_axis_tdata} = held;
{%- if !sizes.is_one %}
    assign m_axis_tdest = given_program;
    assign drained = was_draining & (left == {{ sizes.total }}'d0) & (reads == 2'd0) & ~holds;
{%- endif %}
    always @(posedge clk) begin
{%- if !sizes.is_one %}
        was_draining <= drains;
{%- endif %}
        if (begins) left <= out_words;
        else if (issues) left <= left - {{ sizes.total }}'d1;
        if (out_moves) begin
            reads <= {reads[0], issues};
{%- if sizes.is_one %}
            ends <= left == {{ sizes.total }}'d1;
            read_bank <= give_bank;
{%- else if !sizes.has_blocks() %}
            lasts <= {lasts[0], left == {{ sizes.total }}'d1};
{%- endif %}
            holds <= reads[1];
            held <= { {%- if sizes.lanes() > 1 %}out_keep, {% endif %}{% if sizes.has_blocks() %}out_user, out_ends{% else %}lasts[1]{% endif %}, out_data};
        end
        if (rst) begin
{%- if !sizes.is_one %}
            was_draining <= 1'b0;
{%- endif %}
            reads <= 2'd0;
            left <= {{ sizes.total }}'d0;
            holds <= 1'b0;
        end
    end
{%- endif %}

endmodule

`default_nettype wire
