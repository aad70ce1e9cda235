// {{ module }}: asserts every arrival of {{ program }}, with arbitrary packets
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
{%- for packet in packets %}
    // packet {{ packet.number }} of node {{ packet.node }}
{%- for flit in 0..flits %}
    (* anyconst *) reg [{{ high }}:0] {{ packet.node }}_own_{{ packet.number }}_{{ flit }};
{%- endfor %}
{%- endfor %}
{%- for arrival in arrivals %}
    wire [{{ high }}:0] {{ arrival.name }}_data{% if !arrival.is_built %} = {{ high + 1 }}'d0{% endif %};
    wire {{ arrival.name }}_valid{% if !arrival.is_built %} = 1'b0{% endif %};
{%- endfor %}

    {{ fabric }} fabric (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- for _ in flit %}
        .flit(flit),
{%- endfor %}
{%- for packet in packets %}
        .{{ packet.node }}_own_{{ packet.number }}(
{%- if flits > 1 %}
{%- for index in 0..flits - 1 %}flit == {{ index }} ? {{ packet.node }}_own_{{ packet.number }}_{{ index }} : {% endfor -%}
{%- endif -%}
            {{ packet.node }}_own_{{ packet.number }}_{{ flits - 1 }}),
{%- endfor %}
{%- for arrival in arrivals %}
{%- if arrival.is_built %}
        .{{ arrival.name }}_data({{ arrival.name }}_data), .{{ arrival.name }}_valid({{ arrival.name }}_valid),
{%- endif %}
{%- endfor %}
        .done(done)
    );

    always @* if (waited != 0) assert (done == (cleared && tick >= LAST));

    always @* if (cleared) begin
{%- for arrival in arrivals %}
        if (tick == 0) assert (!{{ arrival.name }}_valid);
{%- endfor %}
{%- for tick in expected %}
        if (tick == {{ tick.tick }}) begin
{%- for word in tick.words %}
            assert ({{ word.arrival }}_valid && {{ word.arrival }}_data == {{ word.flit }});
{%- endfor %}
{%- for nothing in tick.nothing %}
            assert (!{{ nothing }}_valid);
{%- endfor %}
        end
{%- endfor %}
    end

endmodule

`default_nettype wire
