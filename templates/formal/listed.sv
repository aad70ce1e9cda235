// {{ module }}: asserts what the router does in {{ about }}
//
// The sequencer, the stores of control words and the router are as generated. Arrivals and words of the node's own are arbitrary, and
// so is what all registers hold before the reset, so any history is covered. A run is started, and played to its end.
{% include "formal/head.sv" %}
    wire plays;
    wire [{{ sizes.tick - 1 }}:0] tick;
    wire [{{ sizes.word - 1 }}:0] shared;
    {{ sequencer }} sequencer (
        .clk(clk),
        .rst(step < 2),
{%- if stops %}
        .ce(1'b1),
{%- endif %}
        .program_number({{ sizes.program }}'d{{ program }}),
        .start(step == {{ start }}),
        .placed(1'b1),
        .full(1'b1),
        .plays(plays),
        .tick(tick),
        .word(shared)
    );
{%- if tracks.is_empty() %}
    wire [{{ sizes.word - 1 }}:0] word = shared;
{%- else %}

    // records with the node's own control words, each read a tick ahead
    reg [{{ sizes.record - 1 }}:0] index;
    wire [{{ record - 1 }}:0] entry;
    {{ records }} records (.clk(clk), .index(index), .entry(entry));
    always @* begin
        index = {{ sizes.record }}'d0;
{%- for track in tracks %}
        if (step >= {{ start + track.first }} && step <= {{ start + track.last }}) index = {{ sizes.record }}'d{{ track.index }};
{%- endfor %}
    end
    wire [{{ sizes.word - 1 }}:0] word = plays ? entry[{{ sizes.word - 1 }}:0] : {{ sizes.word }}'d0;
    always @* begin
{%- for track in tracks %}
        if (step > {{ start + track.first }} && step <= {{ start + track.last + 1 }}) assert (entry[{{ record - 1 }}:{{ sizes.word }}] == {{ record - sizes.word }}'b{{ track.bits }});
{%- endfor %}
    end
{%- endif %}
{%- for own in owns %}

    (* anyseq *) reg [{{ high }}:0] {{ own.name }};
    wire {{ own.name }}_take;
{%- for age in 1..=own.depth %}
    reg [{{ high }}:0] {{ own.name }}_{{ age }};
    always @(posedge clk) {{ own.name }}_{{ age }} <= {{ own.name }}{% if age > 1 %}_{{ age - 1 }}{% endif %};
{%- endfor %}
{%- endfor %}
{%- for input in inputs %}

    (* anyseq *) reg [{{ high }}:0] {{ input.name }}_in;
{%- for age in 1..=input.depth %}
    reg [{{ high }}:0] {{ input.name }}_in_{{ age }};
    always @(posedge clk) {{ input.name }}_in_{{ age }} <= {{ input.name }}_in{% if age > 1 %}_{{ age - 1 }}{% endif %};
{%- endfor %}
{%- for step in input.settled %}
    // the neighbour follows the same rules
    always @* if (step == {{ step }}) assume (!{{ input.name }}_in[0]);
{%- endfor %}
{%- endfor %}
{% for output in outputs %}
    wire [{{ high }}:0] {{ output }};
{%- endfor %}
{%- for unit in units %}
    wire [{{ high }}:0] {{ unit.name }};
{%- endfor %}
{%- for result in results %}
    reg [{{ high }}:0] {{ result.name }};
    always @(posedge clk) if (step == {{ result.step }}) {{ result.name }} <= {{ result.port }};
{%- endfor %}

    {{ router }} #(.WIDTH({{ high + 1 }})) router (
        .clk(clk),
{%- if stops %}
        .ce(1'b1),
        .clear(~plays),
{%- endif %}
{%- for own in owns %}
        .{{ own.name }}({{ own.name }}{% for step in own.fault %} ^ { {{- high + 1 }}{step == {{ step }}} }{% endfor %}),
        .{{ own.name }}_take({{ own.name }}_take),
{%- endfor %}
{%- for input in inputs %}
        .{{ input.name }}_in_data({{ input.name }}_in{% for step in input.fault %} ^ { {{- high + 1 }}{step == {{ step }}} }{% endfor %}),
{%- endfor %}
{%- for output in outputs %}
        .{{ output }}_out_data({{ output }}),
{%- endfor %}
{%- for unit in units %}
{%- if unit.is_read %}
        .{{ unit.name }}_in_data({{ unit.name }}),
{%- endif %}
        .{{ unit.name }}_out_data({{ unit.name }}),
{%- endfor %}
        .word(word[{{ sizes.word - 1 }}:{{ keeps }}])
    );

    always @* begin
{%- for control in controls %}
        if (step == {{ control.step }}) begin
            assert (plays && tick == {{ sizes.tick }}'d{{ control.tick }});
            assert (word[{{ keeps - 1 }}:0] == {{ keeps }}'b{{ control.keeps }});
{%- for (own, is_taken) in control.takes %}
            assert ({{ own }}_take == 1'b{% if *is_taken %}1{% else %}0{% endif %});
{%- endfor %}
        end
{%- endfor %}
        if (step == {{ start + ticks + 2 }}) assert (!plays);
{%- for check in checks %}
        if (step == {{ check.step }}) assert ({{ check.port }} == {{ check.term }});
{%- endfor %}
    end

endmodule

`default_nettype wire
