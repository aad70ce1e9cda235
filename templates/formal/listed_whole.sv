// {{ module }}: asserts what arrives at every node in {{ about }}
//
// Everything is as generated: what places the program, the sequencer, the stores of control words, routers and the wires between nodes.
// Words of the nodes' own are arbitrary, and so is what all registers hold before the reset. The program is called once.
{% include "formal/head.sv" %}

    // own words, by node and the tick in which they are sent
{%- for word in words %}
    (* anyconst *) reg [{{ high }}:0] {{ word }};
{%- endfor %}

    // contents of registers after a tick
{%- for value in values %}
    wire [{{ high }}:0] {{ value.name }} = {{ value.term }};
{%- endfor %}

    // the call, and the tick of its run
    wire begins;
    wire ready;
    reg called = 1'b0;
    always @(posedge clk) called <= (step >= 2) & (called | ready);
    reg {{ now.range }}now = {{ now.bits }}'d0;
    always @(posedge clk) begin
        if ((step >= 2) & begins) now <= {{ now.bits }}'d1;
        else if ((now != 0) & (now != {{ now.bits }}'d{{ now.last }})) now <= now + {{ now.bits }}'d1;
    end
{%- for node in nodes %}
{% for own in node.owns %}
    (* anyseq *) reg [{{ high }}:0] {{ node.name }}_any_{{ own.name }};
    wire {{ node.name }}_at_{{ own.name }}_take;
{%- endfor %}
{%- for input in node.inputs %}
    wire [{{ high }}:0] {{ node.name }}_at_{{ input }}_in;
{%- endfor %}
{%- for unit in node.units %}
    wire [{{ high }}:0] {{ node.name }}_at_{{ unit }};
{%- endfor %}
    wire [{{ sizes.word - 1 }}:0] {{ node.name }}_at_word;
{%- endfor %}

    {{ top }} design (
        .clk(clk),
        .rst(step < 2),
        .program_number({{ sizes.program }}'d{{ program }}),
        .root({{ sizes.node }}'d{{ root }}),
        .start((step >= 2) & !called),
{%- for node in nodes %}
{%- for own in node.owns %}
        .{{ node.name }}_at_{{ own.name }}(
{%- for word in own.words %}
            now == {{ word.tick }} ? {% if word.is_inverted %}~{% endif %}{{ word.word }} :
{%- endfor %}
            {{ node.name }}_any_{{ own.name }}),
        .{{ node.name }}_at_{{ own.name }}_take({{ node.name }}_at_{{ own.name }}_take),
{%- endfor %}
{%- for input in node.inputs %}
        .{{ node.name }}_at_{{ input }}_in({{ node.name }}_at_{{ input }}_in),
{%- endfor %}
{%- for unit in node.units %}
        .{{ node.name }}_at_{{ unit }}({{ node.name }}_at_{{ unit }}),
{%- endfor %}
        .{{ node.name }}_at_word({{ node.name }}_at_word),
{%- endfor %}
        .{% if streams %}ready{% else %}placed{% endif %}(ready),
        .at_begins(begins)
    );

    always @* begin
        // the run is over in the last step
        if (step == {{ step.last }}) assert (now == {{ now.last }});
{%- for control in controls %}
        if (now == {{ control.tick }}) begin
            assert ({{ control.node }}_at_word[{{ keeps - 1 }}:0] == {{ keeps }}'b{{ control.keeps }});
{%- for (own, is_taken) in control.takes %}
            assert ({{ control.node }}_at_{{ own }}_take == 1'b{% if *is_taken %}1{% else %}0{% endif %});
{%- endfor %}
        end
{%- endfor %}
{%- for check in checks %}
        if (now == {{ check.tick }}) assert ({{ check.port }} == {{ check.value }});
{%- endfor %}
    end

endmodule

`default_nettype wire
