// {{ module }}: {{ headline }}
//
{% if sizes.is_one %}// A collective begins as soon as every node has its words and room for the others, and start is high: tie it to 1, or hold it
// until busy rises. A reader that waits holds up nothing but the next collective but one.{% else if sizes.has_streams %}// Start a program with its root. Every node takes its words for it, then it plays, and every node gives what it has.{% else %}// Choose a program and its root, send every node its words on the ring, start it, and read what the nodes have.{% endif %}
{%- if !sizes.is_one %}
{%- for program in programs %}
// Program {{ loop.index0 }}: {{ program.about }}
{%- endfor %}
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} {% if sizes.is_one %}#(
    parameter integer WIDTH = {{ sizes.width.bits }}
) {% endif %}{% if check.is_some() %}#(
    parameter integer PATIENCE = {{ patience }},  // log2 of the clocks after which a silent link is down
    parameter integer ADDRESS = {{ address }}  // log2 of the tokens that can wait at an input; {{ address }} is enough
) {% endif %}(
    input  wire clk,
    input  wire rst,
{%- if check.is_some() %}
    input  wire restart,  // the run ends, words are forgotten, and all links train anew
{%- include "listed/links.v" %}
    output wire links_ready,
    output wire [{{ LINKS - 1 }}:0] links,  // up, by port; port and code of a fault
{%- endif %}
{%- if sizes.is_one %}
{%- include "listed/one.v" %}
{%- else if sizes.has_streams %}
{%- if common.is_some() %}
    // a call of all boards, taken in a clock in which both are high, at the host's board; start of other boards is ignored
{%- else %}
    // a call, taken in a clock in which both are high
{%- endif %}
    input  wire start,
    output wire ready,{% if common.is_some() %}  // every board can take a call; at another board: it can, and all behind it{% endif %}
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [{{ sizes.node - 1 }}:0] root,
{%- if common.is_some() %}
    // board that is not ready
{%- for axis in axes %}
    output wire {{ axis.range }}waits_{{ axis.name }},
{%- endfor %}
    // the call that was taken last, at every board; called is high for its first clock
    output reg  called,
    output wire [{{ sizes.program - 1 }}:0] called_program,
    output wire [{{ sizes.node - 1 }}:0] called_root,
{%- endif %}
    output wire busy,
    output wire done,  // high for one clock: all words have gone out
    output wire absent,  // there is no such program or root; cleared by rst
{%- include "listed/streams.v" %}
    output wire [{{ last_node }}:0] astray  // nodes at which a word is for another program; cleared by rst
);

    wire [{{ last_node }}:0] full;
{%- if check.is_some() %}
    wire halt;
    wire ready_here;
{%- if common.is_none() %}
    assign ready = ready_here & links_ready;
{%- endif %}
{%- endif %}
{%- for common in common %}
{%- for check in check %}

    // A call comes from the host's board: the caller takes it a clock later.
    wire comes;
    wire busy_here;
    wire [{{ tag - 1 }}:0] call;
    assign {called_program, called_root} = call;
    assign busy = busy_here | called;
    always @(posedge clk) called <= comes & ~halt;
{%- include "elastic/start_wires.v" %}
{%- endfor %}
{%- endfor %}

    // The call whose words come in, the one that plays, and the one whose words go out.
{%- if sizes.has_track_banks() %}
    wire {{ sizes.track_number() }}put_bank;
    wire {{ sizes.track_number() }}track_bank;
{%- endif %}
    wire [{{ sizes.program - 1 }}:0] placed_program;
    wire [{{ sizes.node - 1 }}:0] placed_root;
    wire [{{ sizes.program - 1 }}:0] played_program;
{%- if check.is_some() %}
    wire [{{ sizes.node - 1 }}:0] played_root;
{%- endif %}
    wire [{{ sizes.program - 1 }}:0] given_program;
    wire {{ sizes.bank_number() }}in_bank;
    wire play_bank;
    wire {{ sizes.bank_number() }}out_bank;
    wire out_kept;
    wire play_kept;
    wire placed;
    wire in_first;
    wire fills;
    wire plays_call;
    wire drains;
    wire over;
    wire [{{ last_node }}:0] drained;
    wire runs;
    wire lacks_unused;
    {{ caller }} caller (
        .clk(clk),
        .rst({{ reset }}),
{%- if common.is_some() %}
        .start(called),
        .ready(ready_here),
        .program_number(called_program),
        .root(called_root),
        .busy(busy_here),
{%- else %}
        .start(start{% if check.is_some() %} & links_ready{% endif %}),
        .ready(ready{% if check.is_some() %}_here{% endif %}),
        .program_number(program_number),
        .root(root),
        .busy(busy),
{%- endif %}
        .done(done),
        .absent(absent),
        .placed_program(placed_program),
        .placed_root(placed_root),
        .in_bank(in_bank),
        .placed(placed),
{%- if sizes.has_track_banks() %}
        .put_bank(put_bank),
        .track_bank(track_bank),
{%- endif %}
        .in_first(in_first),
        .fills(fills),
        .full(&full),
        .played_program(played_program),
{%- if check.is_some() %}
        .played_root(played_root),
{%- endif %}
        .play_bank(play_bank),
        .play_kept(play_kept),
        .plays(plays_call),
        .over(over),
        .given_program(given_program),
        .out_bank(out_bank),
        .out_kept(out_kept),
        .drains(drains),
        .drained(&drained)
    );
{%- if check.is_none() || common.is_some() %}
    wire runs_unused = &{1'b0, runs};
{%- endif %}
{%- else %}
    // program
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [{{ sizes.node - 1 }}:0] root,
    output wire placed,
    // run
    input  wire start,
    output wire busy,
    output wire done,
    output wire lacking,  // a node lacked words, and nothing ran
    output wire [{{ last_node }}:0] misframed,
    // ring of the host
    input  wire [32:0] s_data,
    input  wire s_valid,
    output wire s_ready,
    output wire [32:0] m_data,
    output wire m_valid,
    input  wire m_ready
);
{%- endif %}
{% if check.is_some() && !sizes.has_streams %}
    wire clear = rst | restart;
{%- endif %}
{%- if sizes.has_track_banks() && !sizes.has_calls() %}
    wire {{ sizes.track_number() }}put_bank;
    wire {{ sizes.track_number() }}track_bank = put_bank;
{%- endif %}
    wire [{{ sizes.code - 1 }}:0] origin;
    wire put;
    wire put_all;
    wire [{{ sizes.code - 1 }}:0] put_position;
    wire put_header;
    wire [{{ sizes.number - 1 }}:0] put_number;
    wire [{{ sizes.data - 1 }}:0] put_data;
{%- if sizes.has_blocks() %}
    wire [{{ sizes.code - 1 }}:0] put_root;
{%- endif %}
    {{ place }} place (
        .clk(clk),
        .rst({{ reset }}),
{%- if sizes.is_one %}
        .program_number({{ sizes.program }}'d0),
        .root({{ sizes.node }}'d0),
{%- else %}
        .program_number({% if sizes.has_streams %}placed_{% endif %}program{% if !sizes.has_streams %}_number{% endif %}),
        .root({% if sizes.has_streams %}placed_{% endif %}root),
{%- if !sizes.has_streams %}
        .busy(busy),
{%- endif %}
{%- endif %}
        .placed(placed),
{%- if sizes.has_track_banks() %}
        .put_bank(put_bank),
{%- if sizes.has_calls() %}
        .track_bank(track_bank),
{%- endif %}
{%- endif %}
        .origin(origin),
        .put(put),
        .put_all(put_all),
        .put_position(put_position),
        .put_header(put_header),
        .put_number(put_number),
{%- if sizes.has_blocks() %}
        .put_root(put_root),
{%- endif %}
        .put_data(put_data)
    );

{%- if !sizes.has_streams %}
    wire [{{ last_node }}:0] full;
{%- endif %}
    wire begins;
    wire plays;
    wire [{{ sizes.tick - 1 }}:0] tick;
    wire [{{ sizes.word - 1 }}:0] word;
{%- if check.is_some() %}
{%- if !sizes.has_streams %}
    wire halt;
    wire over;
{%- endif %}
    wire ce;
    wire needs;
    wire sends;
{%- endif %}
    {{ sequencer }} sequencer (
        .clk(clk),
{%- if check.is_some() %}
        .rst({% if !sizes.has_streams %}clear | {% endif %}halt),
        .ce(ce),
        .needs(needs),
        .sends(sends),
{%- else %}
        .rst(rst),
{%- endif %}
{%- if sizes.is_one %}
        .program_number({{ sizes.program }}'d0),
        .start(go),
        .placed(1'b1),
        .full(1'b1),
        .busy(busy),
        .done(done),
        .lacking(lacks_unused),
{%- else if sizes.has_streams %}
        .program_number(played_program),
        .start(plays_call),
        .placed(1'b1),
        .full(1'b1),
        .busy(runs),
        .done(over),
        .lacking(lacks_unused),
{%- else %}
        .program_number(program_number),
        .start(start{% if check.is_some() %} & links_ready{% endif %}),
        .placed(placed),
        .full(&full),
        .busy(busy),
        .done({% if check.is_some() %}over{% else %}done{% endif %}),
        .lacking(lacking),
{%- endif %}
        .begins(begins),
        .plays(plays),
        .tick(tick),
        .word(word)
    );

{%- if sizes.is_one %}
    // Another bank is played after the end of a collective.
    reg play_bank;
    always @(posedge clk) play_bank <= ~rst & (play_bank ^ done);
{%- else if sizes.has_streams %}
{%- else %}

    // The host waits while a program is placed or runs.
    wire opens = placed & ~busy;
    wire first_ready;
    assign s_ready = first_ready & opens;
    wire [{{ last_node }}:0] early;
    wire [{{ last_node }}:0] overfull;
    // nodes that lacked words at a start
    reg [{{ last_node }}:0] starved;
    always @(posedge clk) starved <= ({{ reset }} | begins) ? {{ last_node + 1 }}'d0 : starved | ({{ "{" }}{{ last_node + 1 }}{lacking}} & ~full);
    assign misframed = early | overfull | starved;
{%- endif %}

    // Flits that the nodes send.
{%- for node in nodes %}
{%- for link in node.links %}
    wire {{ sizes.width.vector(1) }} {{ node.name }}_{{ link.name }}_out;
{%- if stages > 0 && link.is_used %}
    reg {{ sizes.width.vector(stages.to_owned()) }} {{ node.name }}_{{ link.name }}_way;
    always @(posedge clk) {% if check.is_some() %}if (ce) {% endif %}{{ node.name }}_{{ link.name }}_way <= {{ "{" }}{% if stages > 1 %}{{ node.name }}_{{ link.name }}_way{{ sizes.width.vector(stages - 1) }}, {% endif %}{{ node.name }}_{{ link.name }}_out};
{%- endif %}
{%- if !link.is_used && !link.leaves %}
    wire {{ node.name }}_{{ link.name }}_unused = &{{ "{" }}1'b0, {{ node.name }}_{{ link.name }}_out};
{%- endif %}
{%- endfor %}
{%- endfor %}
{%- if check.is_some() %}
{% include "listed/board.v" %}
{%- for common in common %}
{%- include "elastic/start.v" %}
{%- endfor %}
{%- endif %}
{% for node in nodes %}
    // {{ node.place }}
{%- if !sizes.has_streams %}
    wire [32:0] {{ node.name }}_data;
    wire {{ node.name }}_valid;
    wire {{ node.name }}_ready;
{%- endif %}
    {{ tile }} {% if sizes.is_one %}#(.WIDTH(WIDTH)) {% endif %}{{ node.instance }} (
        .clk(clk),
        .rst({{ reset }}),
{%- if check.is_some() %}
        .ce(ce),
        .here({ {%- for axis in node.at %}{% if axis.is_moved %}base_{{ axis.name }} + {% endif %}{{ axis.bits }}'d{{ axis.at }}{% if !loop.last %}, {% endif %}{% endfor -%} }),
{%- else %}
        .here({{ sizes.code }}'d{{ node.code }}),
{%- endif %}
{%- for signal in sizes.common_signals() %}
        .{{ signal }}({% if signal == "in_first" && !sizes.has_streams %}done{% else if signal == "shared" %}word{% else %}{{ signal }}{% endif %}),
{%- endfor %}
{%- for link in node.links %}
        .{{ link.name }}_in({% match link.from %}{% when Some with (from) %}{{ from }}_{% if link.leaves %}first{% else if stages > 0 %}way{{ sizes.width.slice(stages - 1) }}{% else %}out{% endif %}{% when None %}{{ sizes.width.zeros() }}{% endmatch %}),
        .{{ link.name }}_out({{ node.name }}_{{ link.name }}_out),
{%- endfor %}
{%- if sizes.is_one %}
        .placed(placed),
        .ready(ready[{{ loop.index0 }}]),
        .play(go),
        .finish(done){% if sizes.has_blocks() %},
        .misframed(wrong[{{ loop.index0 }}]){% endif %}
{%- else if sizes.has_streams %}
        .full(full[{{ loop.index0 }}]),
        .placed_program(placed_program),
        .given_program(given_program),
        .fills(fills),
        .drains(drains),
        .drained(drained[{{ loop.index0 }}]),
        .astray(astray[{{ loop.index0 }}]){% if sizes.has_blocks() %},
        .misframed(misframed[{{ loop.index0 }}]){% endif %}
{%- else %}
        .full(full[{{ loop.index0 }}]),
        .overfull(overfull[{{ loop.index0 }}]),
        .number(12'd{{ loop.index0 }}),
        .s_data({{ node.before_data }}),
        .s_valid({{ node.before_valid }}),
        .s_ready({{ node.before_ready }}),
        .m_data({{ node.name }}_data),
        .m_valid({{ node.name }}_valid),
        .m_ready({{ node.name }}_ready),
        .misframed(early[{{ loop.index0 }}])
{%- endif %}
{%- if sizes.has_streams %}
{%- for port in sizes.stream_ports() %},
        .{{ port.name }}({{ node.name }}_{{ port.name }})
{%- endfor %}
{%- endif %}
    );
{%- if has_chain %}
{%- include "listed/chained.v" %}
{%- endif %}
{% endfor %}
{%- if !sizes.has_streams %}
    assign m_data = {{ last_name }}_data;
    assign m_valid = {{ last_name }}_valid;
    assign {{ last_name }}_ready = m_ready;
{%- endif %}

endmodule

`default_nettype wire
