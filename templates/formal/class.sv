// {{ module }}: asserts the behaviour of class {{ class }}'s router on {{ program }}
//
// The fabric is as generated, but with one router only, that of node {{ place }}. Arrivals and own
// packets are arbitrary. In the first step registers are arbitrary and run is low or rst high, so any
// history is covered. Once earlier control words have left the routers, the program is played; afterwards run stays high for
// as long as a control word needs to reach the routers.
`default_nettype none

module {{ module }} (
    input wire clk
);

    localparam integer LAST = {{ ticks }};

    (* anyseq *) reg rst;
    (* anyseq *) reg run;
    // state of the run: run has been low; clocks since then; ticks played once earlier control words have left the routers
    reg low = 1'b0;
    reg {{ wait.range }}waited = {{ wait.bits }}'d0;
    reg {{ tick.range }}tick = {{ tick.bits }}'d0;
    wire cleared = low && waited == {{ delay }};

    always @(posedge clk) begin
        low <= 1'b1;
        if (low && !cleared) waited <= waited + {{ wait.bits }}'d1;
        if (cleared && tick != LAST + 1) tick <= tick + {{ tick.bits }}'d1;
    end

    always @* assume ((run & ~rst) == low);

    wire done;
{%- for flit in flit %}
    wire {{ flit.range }}flit;
{%- endfor %}
{%- for combines in combines %}

{%- match combines.units %}
{%- when Some(neutral) %}
    localparam integer WIDTH = 2;
    (* anyconst *) reg [15:0] any_function;
{%- include "formal/function.v" %}
{%- when None %}
    // neutral value, and the combination of two values
    localparam [{{ high }}:0] NOTHING =
{%- match combines.rest %}
{%- when Neutral::Ones %} {{ high + 1 }}'d0 - {{ high + 1 }}'d1;
{%- when Neutral::Least %} {{ high + 1 }}'d1 << {{ high }};
{%- when Neutral::Most %} ({{ high + 1 }}'d1 << {{ high }}) - {{ high + 1 }}'d1;
{%- else %} {{ high + 1 }}'d0;
{%- endmatch %}{% include "formal/both.v" %}
{%- endmatch %}
{%- endfor %}
{%- for packet in packets %}

    (* {% if flit.is_some() || streams %}anyseq{% else %}anyconst{% endif %} *) reg [{{ high }}:0] {{ packet }};
    reg [{{ high }}:0] {{ packet }}_sent;
{%- if streams %}
    wire {{ packet }}_take;
{%- endif %}
{%- if takes_ahead() %}
    reg [{{ high }}:0] {{ packet }}_taken;
    always @(posedge clk) {{ packet }}_taken <= {{ packet }};
{%- endif %}
    always @(posedge clk) {{ packet }}_sent <= {{ packet }}{% if takes_ahead() %}_taken{% endif %};
{%- for late in 1..=adding() %}
    reg [{{ high }}:0] {{ packet }}_sent_{{ late }};
    always @(posedge clk) {{ packet }}_sent_{{ late }} <= {{ packet }}_sent{% if late > 1 %}_{{ late - 1 }}{% endif %};
{%- endfor %}
{%- endfor %}
{%- for input in inputs %}

    // arrivals at {{ input.label }} of the last {{ input.depth }} ticks; the neighbour is cleared with all the others
    (* anyseq *) reg [{{ high }}:0] {{ input.port }}_data;
{%- if input.is_cleared %}
    always @* if (cleared && tick == 0) assume ({{ input.port }}_data == 0);
{%- endif %}
{%- for age in 1..=input.depth %}
    reg [{{ high }}:0] {{ input.port }}_data_{{ age }};
{%- endfor %}
{%- if input.is_heard || combines.is_some() %}
    (* anyseq *) reg {{ input.port }}_valid;
    always @* if (cleared && tick == 0) assume (!{{ input.port }}_valid);
{%- if rests() %}
    // the neighbour follows the same rules
    always @* if (cleared && !{{ input.port }}_valid) assume ({{ input.port }}_data == NOTHING);
{%- endif %}
{%- for silence in input.silent %}
    always @* if (cleared && tick >= {{ silence.first }} && tick <= {{ silence.last }}) assume (!{{ input.port }}_valid);
{%- endfor %}
{%- for ticks in input.settled %}
    // the neighbour follows the same rules
    always @* if (cleared && tick >= {{ ticks.first }} && tick <= {{ ticks.last }}) assume (!{{ input.port }}_data[0]);
{%- endfor %}
{%- for age in 1..=input.depth %}
    reg {{ input.port }}_valid_{{ age }};
{%- endfor %}
{%- endif %}

    always @(posedge clk) begin
        {{ input.port }}_data_1 <= {{ input.port }}_data;
{%- for age in 2..=input.depth %}
        {{ input.port }}_data_{{ age }} <= {{ input.port }}_data_{{ age - 1 }};
{%- endfor %}
{%- if input.is_heard || combines.is_some() %}
        {{ input.port }}_valid_1 <= {{ input.port }}_valid;
{%- for age in 2..=input.depth %}
        {{ input.port }}_valid_{{ age }} <= {{ input.port }}_valid_{{ age - 1 }};
{%- endfor %}
{%- endif %}
    end
{%- endfor %}
{%- for output in outputs %}

    wire [{{ high }}:0] {{ output.port }}_data;
    wire {{ output.port }}_valid;
    reg [{{ high }}:0] {{ output.port }}_data_before;
    reg {{ output.port }}_valid_before;
    always @(posedge clk) begin
        {{ output.port }}_data_before <= {{ output.port }}_data;
        {{ output.port }}_valid_before <= {{ output.port }}_valid;
    end
{%- endfor %}

    {{ fabric }} fabric (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- for _ in flit %}
        .flit(flit),
{%- endfor %}
{%- for packet in packets %}
        .{{ node }}_{{ packet }}({{ packet }}),
{%- if streams %}
        .{{ node }}_{{ packet }}_take({{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for input in inputs %}
        .prove_{{ input.port }}_data({{ input.port }}_data){% if input.is_heard %}, .prove_{{ input.port }}_valid({{ input.port }}_valid){% endif %},
{%- endfor %}
{%- for output in outputs %}
        .prove_{{ output.port }}_data({{ output.port }}_data), .prove_{{ output.port }}_valid({{ output.port }}_valid),
{%- endfor %}
        .done(done)
    );

{%- for take in takes %}
{%- if loop.first %}

    // an interrupted run takes nothing in this one, and this one takes nothing too early
{%- endif %}
    always @* if (low && !cleared) assert ({{ take.packet }}_take == {% if take.at_once %}(waited == {{ delay - 1 }}){% else %}1'b0{% endif %});
{%- endfor %}

    always @* if (waited != 0) assert (done == (cleared && tick >= LAST));

    always @* if (cleared) begin
{%- for take in takes %}
        assert ({{ take.packet }}_take == (
{%- for span in take.spans %}{% if loop.index0 > 0 %} ||{% endif %}
            (tick >= {{ span.first }} && tick <= {{ span.last }})
{%- endfor %}{% if take.spans.is_empty() %}1'b0{% endif %}));
{%- endfor %}
{%- for asked in flits_asked %}
        if (tick == {{ asked.tick - 1 }}) assert (flit == {{ asked.flit }});
{%- endfor %}
{%- for output in outputs %}
        // {{ output.label }}{% if output.is_certain %}: the program guarantees that every forwarded flit has arrived{% endif %}
        if (tick == 0) assert (!{{ output.port }}_valid{% if output.is_cleared %} && {{ output.port }}_data == 0{% endif %});
{%- if rests() %}
        if (tick <= LAST && !{{ output.port }}_valid) assert ({{ output.port }}_data == NOTHING);
{%- endif %}
{%- for rule in output.rules %}
        if (tick >= {{ rule.first }} && tick <= {{ rule.last }}) begin
{%- if rule.is_idle %}
            assert (!{{ output.port }}_valid);
{%- endif %}
{%- for packet in rule.own %}
            assert ({{ output.port }}_valid && {{ output.port }}_data == {{ packet }}_sent);
{%- endfor %}
{%- for sum in rule.sum %}
            assert ({{ output.port }}_valid && {{ output.port }}_data == {{ sum }});
{%- endfor %}
{%- for input in rule.input %}
{%- if output.is_certain %}
            assert ({{ output.port }}_valid);
{%- else %}
            assert ({{ output.port }}_valid == {{ input.port }}_valid_{{ input.age }});
{%- endif %}
            if ({{ output.port }}_valid) assert ({{ output.port }}_data == {{ input.port }}_data_{{ input.age }});
{%- endfor %}
        end
{%- endfor %}
        // after the last tick nothing new is sent
        if (tick > LAST && {{ output.port }}_valid) begin
            assert ({{ output.port }}_valid_before && {{ output.port }}_data == {{ output.port }}_data_before);
        end
{%- endfor %}
    end

endmodule

`default_nettype wire
