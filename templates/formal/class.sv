// {{ module }}: what the router of class {{ class }} has to do, on {{ program }}
//
// The fabric is there as it is generated, less all routers but one: node {{ place }}'s. What arrives there and the node's own
// packets are anything. In the first step the registers hold anything and run is low or rst high; so whatever happened
// before is covered. Then, once what was told before has left the routers, the program is played and one tick more.
`default_nettype none

module {{ module }} (
    input wire clk
);

    localparam integer LAST = {{ ticks }};

    (* anyseq *) reg rst;
    (* anyseq *) reg run;
    // whether run has been low, the clocks since, and when what was before has left the routers, the ticks played
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
{%- for packet in packets %}

    (* {% if flit.is_some() %}anyseq{% else %}anyconst{% endif %} *) reg [{{ high }}:0] {{ packet }};
    reg [{{ high }}:0] {{ packet }}_sent;
    always @(posedge clk) {{ packet }}_sent <= {{ packet }};
{%- endfor %}
{%- for input in inputs %}

    // what arrives at {{ input.label }}, and did up to {{ input.depth }} ticks ago; the neighbour is cleared with all the others
    (* anyseq *) reg [{{ high }}:0] {{ input.port }}_data;
{%- if input.is_cleared %}
    always @* if (cleared && tick == 0) assume ({{ input.port }}_data == 0);
{%- endif %}
{%- for age in 1..=input.depth %}
    reg [{{ high }}:0] {{ input.port }}_data_{{ age }};
{%- endfor %}
{%- if input.is_heard %}
    (* anyseq *) reg {{ input.port }}_valid;
    always @* if (cleared && tick == 0) assume (!{{ input.port }}_valid);
{%- for age in 1..=input.depth %}
    reg {{ input.port }}_valid_{{ age }};
{%- endfor %}
{%- endif %}

    always @(posedge clk) begin
        {{ input.port }}_data_1 <= {{ input.port }}_data;
{%- for age in 2..=input.depth %}
        {{ input.port }}_data_{{ age }} <= {{ input.port }}_data_{{ age - 1 }};
{%- endfor %}
{%- if input.is_heard %}
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
{%- endfor %}
{%- for input in inputs %}
        .prove_{{ input.port }}_data({{ input.port }}_data){% if input.is_heard %}, .prove_{{ input.port }}_valid({{ input.port }}_valid){% endif %},
{%- endfor %}
{%- for output in outputs %}
        .prove_{{ output.port }}_data({{ output.port }}_data), .prove_{{ output.port }}_valid({{ output.port }}_valid),
{%- endfor %}
        .done(done)
    );

    always @* if (waited != 0) assert (done == (cleared && tick >= LAST));

    always @* if (cleared) begin
{%- for asked in flits_asked %}
        if (tick == {{ asked.tick - 1 }}) assert (flit == {{ asked.flit }});
{%- endfor %}
{%- for output in outputs %}
        // {{ output.label }}{% if output.is_certain %}: the program leaves no doubt that what it forwards has arrived{% endif %}
        if (tick == 0) assert (!{{ output.port }}_valid{% if output.is_cleared %} && {{ output.port }}_data == 0{% endif %});
{%- for rule in output.rules %}
        if (tick >= {{ rule.first }} && tick <= {{ rule.last }}) begin
{%- if rule.is_idle %}
            assert (!{{ output.port }}_valid);
{%- endif %}
{%- for packet in rule.own %}
            assert ({{ output.port }}_valid && {{ output.port }}_data == {{ packet }}_sent);
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
        // after the last tick nothing new comes
        if (tick > LAST && {{ output.port }}_valid) begin
            assert ({{ output.port }}_valid_before && {{ output.port }}_data == {{ output.port }}_data_before);
        end
{%- endfor %}
    end

endmodule

`default_nettype wire
