// {{ module }}: a node: its send banks and receive banks, their tables, and its router
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if sizes.is_one %}#(
    parameter integer WIDTH = {{ sizes.width.bits }}
) {% endif %}(
    input  wire clk,
    input  wire rst,
{%- if stops %}
    input  wire ce,  // a tick is played, or none lasts
{%- endif %}
    // coordinates of the node, a constant
    input  wire [{{ sizes.code - 1 }}:0] here,
{%- if sizes.has_streams %}
    // banks of the calls whose words come in, that plays, and whose words go out
    input  wire {{ sizes.bank_number() }}in_bank,
    input  wire play_bank,
    input  wire {{ sizes.bank_number() }}out_bank,
{%- endif %}
{%- include "listed/common.v" %}
    // links
{%- for link in links %}
    input  wire {{ sizes.width.vector(1) }} {{ link.name }}_in,
    output wire {{ sizes.width.vector(1) }} {{ link.name }}_out,
{%- endfor %}
    // words of the node's own
    input  wire in_put,
    input  wire {{ sizes.width.vector(1) }} in_data,
{%- if sizes.is_one %}
    output wire in_none,  // the node takes no words
    output reg  in_over,  // one more word, and all are there
{%- else %}
    output wire full,
    output reg  overfull,
{%- endif %}
{%- if sizes.has_blocks() %}
    output wire in_ends,  // the word of the clock before is the last of its block
{%- endif %}
    // words that go out
{%- if sizes.has_read_port() %}
    input  wire [{{ sizes.ram() - 1 }}:0] out_at,  // block and place
{%- else %}
    input  wire out_first,
    input  wire out_next,
{%- if sizes.has_moves() %}
    input  wire out_moves,  // what is read moves on
{%- endif %}
{%- endif %}
{%- if sizes.has_streams %}
    output wire [{{ sizes.total - 1 }}:0] out_words,
{%- endif %}
{%- if sizes.has_blocks() %}
{%- if !sizes.has_read_port() %}
    output {% if sizes.lanes() > 1 %}reg {% else %}wire{% endif %} out_ends,  // end of a block
{%- endif %}
    output {% if sizes.lanes() > 1 %}wire{% else %}reg {% endif %} [{{ sizes.lanes() * sizes.user() - 1 }}:0] out_user,  // node of the block
{%- endif %}
{%- if sizes.lanes() > 1 %}
    output reg  [{{ sizes.lanes() - 1 }}:0] out_keep,
{%- endif %}
    output wire {{ sizes.width.vector(sizes.lanes()) }} out_data
);

    localparam integer FIRST = 0;
{%- if tracks > 0 %}
    localparam integer LASTTRACK = {{ track.last }};
{%- endif %}
{%- for bank in banks %}
    localparam integer LAST{{ bank.name|upper }} = {{ bank.memory.last }};
{%- endfor %}
{%- for kept in receives %}
    localparam integer LASTKEPT{{ kept.constant() }} = {{ kept.memory.last }};
{%- endfor %}
{%- if has_positions %}

    // Position, and the records that are for it.
    reg [{{ sizes.code - 1 }}:0] position;
{%- if is_relative %}
    wire [{{ sizes.code - 1 }}:0] from_origin;
    {{ away }} place (.to(here), .from(origin), .away(from_origin));
    always @(posedge clk) position <= from_origin;
{%- else %}
    always @(posedge clk) position <= here;
    wire origin_unused = &{1'b0, origin};
{%- endif %}
    wire mine = put & (put_all | (put_position == position));
{%- else %}

    // Records are for all nodes.
    wire mine = put;
    wire origin_unused = &{1'b0, origin, put_all, put_position, here};
{%- endif %}
{%- for field in header %}
{%- match field.constant %}
{%- when Some(value) %}
    wire {% if field.bits > 1 %}[{{ field.bits - 1 }}:0] {% endif %}{{ field.name }} = {{ field.bits }}'d{{ value }};
{%- when None %}
    reg {% if field.bits > 1 %}[{{ field.bits - 1 }}:0] {% endif %}{{ field.name }};
{%- if sizes.has_calls() && !field.is_in() %}
    reg {% if field.bits > 1 %}[{{ field.bits - 1 }}:0] {% endif %}placed_{{ field.name }};
{%- if field.is_out() %}
    reg {% if field.bits > 1 %}[{{ field.bits - 1 }}:0] {% endif %}played_{{ field.name }};
{%- endif %}
{%- endif %}
{%- endmatch %}
{%- endfor %}
{%- if sizes.has_blocks() %}
    // the root that the one block of a call is of, or the node itself
    {% if sizes.is_one %}wire{% else %}reg{% endif %} [{{ sizes.code - 1 }}:0] out_root{% if sizes.is_one %} = put_root{% endif %};
{%- if !sizes.is_one %}
    reg [{{ sizes.code - 1 }}:0] played_root;
{%- endif %}
    wire [{{ sizes.code - 1 }}:0] out_only = out_is_own ? here : out_root;
{%- endif %}
{%- if header_bits > 0 || sizes.has_blocks() && !sizes.is_one %}
    always @(posedge clk) begin
{%- if header_bits > 0 %}
        if (mine & put_header) begin
            {{ "{" }}{% for field in said() %}{% if !loop.first %}, {% endif %}{% if sizes.has_calls() && !field.is_in() %}placed_{% endif %}{{ field.name }}{% endfor %}} <= put_data[{{ header_bits - 1 }}:0];
        end
{%- endif %}
{%- if sizes.has_calls() %}
{%- if says_tracked() %}
        if (play_kept) is_tracked <= placed_is_tracked;
{%- endif %}
{%- if sizes.has_blocks() %}
        if (play_kept) played_root <= put_root;
        if (out_kept) out_root <= played_root;
{%- endif %}
{%- for field in said_of_out() %}
        if (play_kept) played_{{ field.name }} <= placed_{{ field.name }};
        if (out_kept) {{ field.name }} <= played_{{ field.name }};
{%- endfor %}
{%- endif %}
    end
{%- endif %}
    wire put_unused = &{1'b0, put_data, put_number, mine, put_header{% if sizes.has_calls() %}, play_kept, out_kept{% endif %}};
{%- if sizes.has_streams %}
    assign out_words = out_total;
{%- endif %}
{% if tracks > 0 %}
    // Control words of the node's own, each with the last tick in which it holds.
    {% if sizes.has_streams %}(* no_rw_check *) {% endif %}reg [{{ sizes.tick + sizes.word - 1 }}:0] track [FIRST:LASTTRACK];
    reg [{{ sizes.number - 1 }}:0] track_at;
    reg [{{ sizes.tick - 1 }}:0] track_last;
    reg [{{ sizes.word - 1 }}:0] track_word;
    wire [{{ sizes.number - 1 }}:0] track_next = begins ? {{ sizes.number }}'d0
        : (track_last == tick) ? track_at + {{ sizes.number }}'d1 : track_at;
    always @(posedge clk) begin
        if (mine & ~put_header) track[{{ track.at("put", "put_number") }}] <= put_data[{{ sizes.tick + sizes.word - 1 }}:0];
        {% if stops %}if (ce) {% endif %}{track_last, track_word} <= track[{{ track.at("track", "track_next") }}];
        {% if stops %}if (ce) {% endif %}track_at <= track_next;
    end
    wire [{{ sizes.word - 1 }}:0] word = is_tracked ? (plays ? track_word : {{ sizes.word }}'d0) : shared;
{%- else %}
    wire [{{ sizes.word - 1 }}:0] word = shared;
    wire tick_unused = &{1'b0, begins, plays, tick};
{%- endif %}

    // Words that come in, by block and place.
    reg [{{ sizes.total - 1 }}:0] in_count;
    reg [{{ sizes.code - 1 }}:0] in_block;
    reg [{{ sizes.flit - 1 }}:0] in_flit;
    reg [{{ sizes.taken - 1 }}:0] in_row;
    wire [{{ sizes.code - 1 }}:0] in_after;
    {{ next }} in_next (.at(in_block), .after(in_after));
{%- if sizes.is_one %}
    assign in_none = in_total == {{ sizes.total }}'d0;
    wire in_one = in_total == {{ sizes.total }}'d1;
    wire in_takes = in_put;
{%- else %}
    assign full = in_count == in_total;
    wire in_takes = in_put & ~full;
{%- endif %}
{%- if is_relative %}
    wire [{{ sizes.code - 1 }}:0] in_seen;
    {{ away }} in_away (.to(in_block), .from(here), .away(in_seen));
{%- else %}
    wire [{{ sizes.code - 1 }}:0] in_seen = in_block;
{%- endif %}
    wire [{{ sizes.taken - 1 }}:0] in_index = in_base + in_row + (in_all ? {{ "{" }}{{ sizes.taken - sizes.code }}'d0, in_seen} : {{ sizes.taken }}'d0);
    wire [{{ taken_bits - 1 }}:0] in_entry;
    {{ taken }} in_table (.clk(clk), .index(in_index), .entry(in_entry));
    reg in_staged;
    reg {{ sizes.width.vector(1) }} in_word;
    wire in_ends_block = in_flit == in_last;
    always @(posedge clk) begin
        in_staged <= in_takes{% if sizes.is_one %} & ~rst{% endif %};
        in_word <= in_data;
{%- if sizes.is_one %}
        in_over <= in_one | (in_takes ? ~in_over & (in_count + {{ sizes.total }}'d1 == in_total - {{ sizes.total }}'d1) : in_over & (in_count != {{ sizes.total }}'d0));
{%- endif %}
        if (in_takes) begin
            in_count <= in_count + {{ sizes.total }}'d1;
            in_flit <= in_ends_block ? {{ sizes.flit }}'d0 : in_flit + {{ sizes.flit }}'d1;
            if (in_all & in_ends_block) begin
                in_row <= {{ sizes.taken }}'d0;
                in_block <= in_after;
            end else begin
                in_row <= in_row + (in_all ? {{ sizes.taken }}'d{{ codes }} : {{ sizes.taken }}'d1);
            end
        end
{%- if sizes.is_one %}
        if (rst | (in_takes & in_over) | (mine & put_header)) begin
{%- else %}
        if (in_put & full) overfull <= 1'b1;
        if (rst | in_first | (mine & put_header)) begin
{%- endif %}
            in_count <= {{ sizes.total }}'d0;
            in_flit <= {{ sizes.flit }}'d0;
            in_row <= {{ sizes.taken }}'d0;
            in_block <= {{ sizes.code }}'d{{ first }};
{%- if !sizes.is_one %}
            in_staged <= 1'b0;
{%- endif %}
        end
{%- if !sizes.is_one %}
        if (rst) overfull <= 1'b0;
{%- endif %}
    end
    wire in_unused = &{1'b0, in_entry, in_word};
{%- if sizes.tells_blocks %}
    assign in_ends = in_entry[{{ taken_bits - 1 }}];
{%- else if sizes.has_blocks() %}
    reg in_ended;
    assign in_ends = in_ended;
    always @(posedge clk) in_ended <= in_ends_block;
{%- endif %}

{% if sizes.lanes() > 1 %}
{%- include "listed/given_rows.v" %}
{%- else %}
    // Words that go out: the table says in which bank each lies.
{%- if sizes.has_read_port() %}
    wire [{{ sizes.code - 1 }}:0] out_block = out_at[{{ sizes.ram() - 1 }}:{{ sizes.word_place }}];
{%- if sizes.word_place > 0 %}
    wire [{{ sizes.word_place - 1 }}:0] out_place = out_at[{{ sizes.word_place - 1 }}:0];
    wire [{{ sizes.given - 1 }}:0] out_row = out_all ? { {{- sizes.given - sizes.code - sizes.word_place }}'d0, out_place, {{ sizes.code }}'d0}
        : { {{- sizes.given - sizes.word_place }}'d0, out_place};
{%- else %}
    wire [{{ sizes.given - 1 }}:0] out_row = {{ sizes.given }}'d0;
{%- endif %}
{%- else %}
    reg [{{ sizes.code - 1 }}:0] out_block;
    reg [{{ sizes.flit - 1 }}:0] out_flit;
    reg [{{ sizes.given - 1 }}:0] out_row;
{%- endif %}
{%- if !sizes.has_read_port() && !sizes.is_by_arrival() %}
    wire [{{ sizes.code - 1 }}:0] out_after;
    {{ next }} out_step (.at(out_block), .after(out_after));
{%- endif %}
{%- if is_relative && !sizes.is_by_arrival() %}
    wire [{{ sizes.code - 1 }}:0] out_seen;
    {{ away }} out_away (.to(out_block), .from(here), .away(out_seen));
{%- else %}
    wire [{{ sizes.code - 1 }}:0] out_seen = out_block;
{%- endif %}
    wire [{{ sizes.given - 1 }}:0] out_index = out_base + out_row + (out_all ? {{ "{" }}{{ sizes.given - sizes.code }}'d0, out_seen} : {{ sizes.given }}'d0);
    wire [{{ given_bits - 1 }}:0] out_entry;
    {{ given }} out_table (.clk(clk), {% if sizes.has_moves() %}.ce(out_moves), {% endif %}.index(out_index), .entry(out_entry));
    wire [{{ sizes.bank - 1 }}:0] out_source = out_entry[{{ sizes.bank + sizes.address - 1 }}:{{ sizes.address }}];
    wire [{{ sizes.address - 1 }}:0] out_address = out_entry[{{ sizes.address - 1 }}:0];
    // bank of the words that were read in the clock before
    reg [{{ sizes.bank - 1 }}:0] out_from;
    always @(posedge clk) {% if sizes.has_moves() %}if (out_moves) {% endif %}out_from <= out_source;
{%- if sizes.has_blocks() %}
{%- include "listed/given_blocks.v" %}
{%- endif %}
{%- endif %}
{%- for bank in banks %}

    // Words that {{ bank.about }}.
    {% if sizes.has_streams %}(* no_rw_check *) {% endif %}reg {{ sizes.width.vector(1) }} {{ bank.name }}_bank [FIRST:LAST{{ bank.name|upper }}];
    reg {{ sizes.width.vector(1) }} {{ bank.name }}_own;
{%- if !bank.passes %}
    wire {{ bank.name }}_take;
{%- if bank.memory.bits == 0 %}
    wire {{ bank.name }}_unused = &{1'b0, {{ bank.name }}_take};
{%- else %}
    reg [{{ bank.memory.bits - 1 }}:0] {{ bank.name }}_at;
    wire [{{ bank.memory.bits - 1 }}:0] {{ bank.name }}_next = begins ? {{ bank.memory.bits }}'d0 : {{ bank.name }}_take ? {{ bank.name }}_at + {{ bank.memory.bits }}'d1 : {{ bank.name }}_at;
{%- endif %}
{%- endif %}
    always @(posedge clk) begin
        if (in_staged & in_entry[{{ bank.mask }}]) {{ bank.name }}_bank[{{ bank.put() }}] <= in_word;
{%- if bank.passes %}
        {% if sizes.has_moves() %}if (out_moves) {% endif %}{{ bank.name }}_own <= {{ bank.name }}_bank[{{ bank.gone(sizes.lanes() > 1) }}];
{%- else %}
        {% if stops %}if (ce) {% endif %}{{ bank.name }}_own <= {{ bank.name }}_bank[{{ bank.next() }}];
{%- if bank.memory.bits > 0 %}
        {% if stops %}if (ce) {% endif %}{{ bank.name }}_at <= {{ bank.name }}_next;
{%- endif %}
{%- endif %}
    end
{%- endfor %}
{% for unit in units %}
    wire {{ sizes.width.vector(1) }} {{ unit.name }};
{%- endfor %}
{%- for link in links %}
{%- if !link.sends %}
    assign {{ link.name }}_out = {{ sizes.width.zeros() }};
{%- endif %}
{%- if !link.is_read %}
    wire {{ link.name }}_in_unused = &{1'b0, {{ link.name }}_in};
{%- endif %}
{%- endfor %}
    {{ router }} {% if sizes.is_one %}#(
        .WIDTH(WIDTH)
    ) {% endif %}router (
        .clk(clk),
{%- if stops %}
        .ce(ce),
        .clear(~plays),
{%- endif %}
{%- for bank in banks %}
{%- if bank.is_taken %}
        .{{ bank.own }}({{ bank.name }}_own),
        .{{ bank.own }}_take({{ bank.name }}_take),
{%- endif %}
{%- endfor %}
{%- for link in links %}
{%- if link.is_read %}
        .{{ link.name }}_in_data({{ link.name }}_in),
{%- endif %}
{%- if link.sends %}
        .{{ link.name }}_out_data({{ link.name }}_out),
{%- endif %}
{%- endfor %}
{%- for unit in units %}
{%- if unit.is_read %}
        .{{ unit.name }}_in_data({{ unit.name }}),
{%- endif %}
        .{{ unit.name }}_out_data({{ unit.name }}),
{%- endfor %}
        .word(word[{{ sizes.word - 1 }}:{{ keeps }}])
    );
{% if sizes.has_read_port() || sizes.lanes() > 1 %}
    wire out_unused = &{1'b0, {% if sizes.has_read_port() %}out_address, {% if !sizes.has_blocks() %}out_block, {% endif %}{% else %}out_reads, out_all, {% endif %}word[{{ keeps - 1 }}:0]};
{%- else %}
    wire out_ends_block = out_flit == out_last;
    always @(posedge clk) begin
        if (out_next) begin
            out_flit <= out_ends_block ? {{ sizes.flit }}'d0 : out_flit + {{ sizes.flit }}'d1;
            if (out_all & out_ends_block) begin
                out_row <= {{ sizes.given }}'d0;
                out_block <= {% if sizes.is_by_arrival() %}out_block + {{ sizes.code }}'d1{% else %}out_after{% endif %};
            end else begin
                out_row <= out_row + (out_all ? {{ sizes.given }}'d{{ codes }} : {{ sizes.given }}'d1);
            end
        end
        if (rst | out_first) begin
            out_flit <= {{ sizes.flit }}'d0;
            out_row <= {{ sizes.given }}'d0;
            out_block <= {{ sizes.code }}'d{% if sizes.is_by_arrival() %}0{% else %}{{ first }}{% endif %};
        end
    end
    wire out_unused = &{1'b0, out_address, word[{{ keeps - 1 }}:0]};
{%- endif %}
{%- for kept in receives %}

    // Words that are kept of what arrives {{ kept.whence }}.
    {% if sizes.has_streams %}(* no_rw_check *) {% endif %}reg {{ sizes.width.vector(kept.words()) }} {{ kept.name }}_kept [FIRST:LASTKEPT{{ kept.constant() }}];
    reg {{ sizes.width.vector(kept.words()) }} {{ kept.name }}_got;
{%- if kept.memory.bits > 0 %}
    reg [{{ kept.memory.bits - 1 }}:0] {{ kept.name }}_count;
{%- endif %}
    wire {{ kept.name }}_keep = word[{{ kept.keep }}];
    always @(posedge clk) begin
        if ({{ kept.name }}_keep) {{ kept.name }}_kept[{{ kept.count() }}] <= {% if kept.arrivals.len() > 1 %}{ {%- for arrival in kept.arrivals.iter().rev() %}{{ arrival.signal }}{% if !loop.last %}, {% endif %}{% endfor -%} }{% else %}{{ kept.arrivals[0].signal }}{% endif %};
        {% if sizes.has_moves() %}if (out_moves) {% endif %}{{ kept.name }}_got <= {{ kept.name }}_kept[{{ kept.gone(sizes.lanes() > 1) }}];
{%- if kept.memory.bits > 0 %}
        {% if stops %}if (ce) {% endif %}{{ kept.name }}_count <= begins ? {{ kept.memory.bits }}'d0 : {{ kept.name }}_keep ? {{ kept.name }}_count + {{ kept.memory.bits }}'d1 : {{ kept.name }}_count;
{%- endif %}
    end
{%- endfor %}
{% if sizes.lanes() > 1 %}
{%- for lane in lanes %}
    assign out_data{{ lane.data }} =
{%- for word in lane.words %}
{%- if !loop.last %}
        (out_chosen_{{ lane.number }} == {{ lane.choice }}'d{{ loop.index0 }}) ? {{ word }} :
{%- else %}
        {{ word }};
{%- endif %}
{%- endfor %}
{%- if lane.words.is_empty() %}
        {{ sizes.width.zeros() }};
{%- endif %}
{%- endfor %}
{%- else %}
    assign out_data =
{%- for kept in receives %}
{%- for arrival in kept.arrivals %}
        (out_from == {{ sizes.bank }}'d{{ arrival.number }}) ? {{ kept.name }}_got{{ arrival.bits }} :
{%- endfor %}
{%- endfor %}
{%- for bank in banks %}
{%- if bank.passes %}
        (out_from == {{ sizes.bank }}'d{{ bank.number }}) ? {{ bank.name }}_own :
{%- endif %}
{%- endfor %}
        {{ sizes.width.zeros() }};
{%- endif %}

endmodule

`default_nettype wire
