// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}{% for window in window %},
    parameter integer START = 0,  // ticks before the node's own packet goes out
    parameter integer LENGTH = 0{% endfor %}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,{{ gaps.run }}  // high while the program plays
{%- if first %}
    input  wire             first,{{ gaps.first }}  // high while the first packet goes out
{%- endif %}
{%- for wires in told %}
{%- for slot in wires.slot %}
    input  wire {{ slot }}{{ slot.gap() }}slot,{{ gaps.slot }}  // where to store what came in
{%- endfor %}
    input  wire {{ wires.word }}{{ wires.word.gap() }}word,{{ gaps.word }}  // what each output sends
{%- endfor %}
{%- for packet in packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},{{ packet.gap }}  // goes out at {{ packet.ports }}
{%- for take in packet.take %}
    output wire             {{ take.name }}_take,
{%- endfor %}
{%- endfor %}
{%- for input in inputs %}
    input  wire [WIDTH-1:0] {{ input }}_in_data,
    input  wire             {{ input }}_in_valid,
{%- endfor %}
{%- for output in outputs %}
    output reg  [WIDTH-1:0] {{ output }}_out_data,
    output reg              {{ output }}_out_valid{% if !loop.last %},{% endif %}
{%- endfor %}
);
{%- for table in table %}

    // what each output sends
    wire {{ table.wires.word }}word;
{%- for slot in table.wires.slot %}
    wire {{ slot }}slot;
{%- endfor %}

    {{ table.module }} table_rom (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- if table.wires.slot.is_some() %}
        .slot(slot),
{%- endif %}
        .word(word)
    );
{%- endfor %}
{%- for field in fields %}
{%- if loop.first %}
{% endif %}
    wire {{ field.range }}{{ field.name }} = word{{ field.bits }};
{%- endfor %}
{%- for store in stores %}

    // what arrived at {{ store.label }}, by tick, read one tick ahead of its use
    reg [WIDTH:0] {{ store.port }}_store [1:{{ store.words }}];
{%- for read in store.reads %}
    reg [WIDTH:0] {{ read.name }};
{%- endfor %}

    always @(posedge clk) begin
        {{ store.port }}_store[slot] <= { {{- store.port }}_in_valid, {{ store.port }}_in_data};
{%- for read in store.reads %}
        {{ read.name }} <= {{ store.port }}_store[{{ read.output }}_slot];
{%- endfor %}
    end
{%- endfor %}
{%- for counter in counters %}
{% for start in counter.restart %}
    // ticks played; ticks {{ start + 1 }} to {{ counter.last + 1 }} come over and over
{%- else %}
    // ticks played, counted up to {{ counter.last }}
{%- endfor %}
    reg {{ counter.range }}{{ counter.name }};

    always @(posedge clk) begin
        if (rst | ~run) begin
            {{ counter.name }} <= {{ counter.bits }}'d0;
        end else if ({{ counter.name }} != {{ counter.bits }}'d{{ counter.last }}) begin
            {{ counter.name }} <= {{ counter.name }} + {{ counter.bits }}'d1;
{%- for start in counter.restart %}
        end else begin
            {{ counter.name }} <= {{ counter.bits }}'d{{ start }};
{%- endfor %}
        end
    end
{%- endfor %}
{%- for window in window %}

    // high while the node's own packet goes out: from tick START + 1 on, for LENGTH ticks
    wire [{{ window.bits - 1 }}:0] since = {{ window.counter }} - START[{{ window.bits - 1 }}:0];
    wire window = ({1'b0, since} - {1'b0, LENGTH[{{ window.bits - 1 }}:0]}) >= {1'b1, {{ window.bits }}'d0};
{%- endfor %}
{%- for join in joins %}

    // what {{ join.label }} brings
    wire [WIDTH-1:0] {{ join.name }}_data =
{%- for input in join.inputs %}
        ({WIDTH{ {{- input }}_in_valid}} & {{ input }}_in_data){% if loop.last %};{% else %} |{% endif %}
{%- endfor %}
    wire {{ join.name }}_valid = {% for input in join.inputs %}{{ input }}_in_valid{% if loop.last %};{% else %} | {% endif %}{% endfor %}
{%- endfor %}
{%- for packet in packets %}
{%- for take in packet.take %}

    // high in a tick that sends a flit of {{ packet.name }}
    assign {{ take.name }}_take = run & (
{%- for term in take.terms %}
{%- if !loop.first %} | {% endif %}
{%- match term %}
{%- when Term::Ever %}1'b1
{%- when Term::Window %}window
{%- when Term::First %}first
{%- when Term::NotFirst %}~first
{%- when Term::Count { counter, bits, from, until } %}
{%- if *from > 0 %}({{ counter }} >= {{ bits }}'d{{ from }}){% if until.is_some() %} & {% endif %}{% endif %}
{%- if let Some(until) = until %}({{ counter }} < {{ bits }}'d{{ until }}){% endif %}
{%- when Term::Chosen { port, bits, number } %}({{ port }}_select == {{ bits }}'d{{ number }})
{%- endmatch %}
{%- endfor %});
{%- endfor %}
{%- endfor %}
{%- for line in lines %}
{% if line.stages == 1 %}
    // what arrived at {{ line.label }} 2 ticks ago
{%- else %}
    // what arrived at {{ line.label }} 2 to {{ line.stages + 1 }} ticks ago, the latest in the lowest bits
{%- endif %}
    reg {{ line.words }} {{ line.port }}_line_data;
    reg {{ line.range }}{{ line.port }}_line_valid;

    always @(posedge clk) begin
{%- if line.stages == 1 %}
        {{ line.port }}_line_data <= {{ line.port }}_in_data;
{%- else %}
        {{ line.port }}_line_data <= { {{- line.port }}_line_data{{ line.kept_words }}, {{ line.port }}_in_data};
{%- endif %}
        if (rst | ~run) begin
            {{ line.port }}_line_valid <= {{ line.stages }}'d0;
        end else begin
{%- if line.stages == 1 %}
            {{ line.port }}_line_valid <= {{ line.port }}_in_valid;
{%- else %}
            {{ line.port }}_line_valid <= { {{- line.port }}_line_valid{{ line.kept_bits }}, {{ line.port }}_in_valid};
{%- endif %}
        end
    end
{%- endfor %}
{%- for ring in rings %}

    // what arrived at {{ ring.label }} {{ ring.age }} ticks ago:
    // a ring of {{ ring.words }} words, read just before it is written and one tick ahead of its use;
    // what is left in it from an earlier run is never valid
    reg [WIDTH:0] {{ ring.name }} [1:{{ ring.words }}];
    reg [WIDTH:0] {{ ring.name }}_word;
    reg {{ ring.range }}{{ ring.name }}_slot;
    reg {{ ring.name }}_full;
    reg {{ ring.name }}_live;
    wire [WIDTH-1:0] {{ ring.name }}_data = {{ ring.name }}_word[WIDTH-1:0];
    wire {{ ring.name }}_valid = {{ ring.name }}_word[WIDTH] & {{ ring.name }}_live;

    always @(posedge clk) begin
        {{ ring.name }}_word <= {{ ring.name }}[{{ ring.name }}_slot];
        {{ ring.name }}[{{ ring.name }}_slot] <= { {{- ring.port }}_in_valid, {{ ring.port }}_in_data};
        {{ ring.name }}_live <= {{ ring.name }}_full & run & ~rst;
        if (rst | ~run) begin
            {{ ring.name }}_slot <= {{ ring.bits }}'d1;
            {{ ring.name }}_full <= 1'b0;
        end else if ({{ ring.name }}_slot == {{ ring.bits }}'d{{ ring.words }}) begin
            {{ ring.name }}_slot <= {{ ring.bits }}'d1;
            {{ ring.name }}_full <= 1'b1;
        end else begin
            {{ ring.name }}_slot <= {{ ring.name }}_slot + {{ ring.bits }}'d1;
        end
    end
{%- endfor %}

    always @(posedge clk) begin
        if (rst | ~run) begin
{%- for output in outputs %}
            {{ output }}_out_valid <= 1'b0;
{%- endfor %}
        end else begin
{%- for output in steering.timed %}
            // {{ output.rule }}
{%- for place in output.always %}
{%- if place.sends %}
            {{ output.port }}_out_data  <= {{ place.data }};
{%- endif %}
            {{ output.port }}_out_valid <= {{ place.valid }};
{%- endfor %}
{%- for injected in output.injected %}
            {{ output.port }}_out_data  <= first ? {{ injected.own }} : {{ injected.then.data }};
            {{ output.port }}_out_valid <= first | {{ injected.then.valid }};
{%- endfor %}
{%- for staged in output.staged %}
{%- for stage in staged.stages %}
            {% if !loop.first %}end else {% endif -%}
            if ({% if stage.first %}first{% else %}{{ stage.counter }} < {{ stage.bits }}'d{{ stage.until }}{% endif %}) begin
{%- if stage.place.sends %}
                {{ output.port }}_out_data  <= {{ stage.place.data }};
{%- endif %}
                {{ output.port }}_out_valid <= {{ stage.place.valid }};
{%- endfor %}
            end else begin
{%- if staged.rest.sends %}
                {{ output.port }}_out_data  <= {{ staged.rest.data }};
{%- endif %}
                {{ output.port }}_out_valid <= {{ staged.rest.valid }};
            end
{%- endfor %}
{%- endfor %}
{%- for output in steering.chosen %}
            // {{ output.label }}
            case ({{ output.port }}_select)
{%- for arm in output.arms %}
                {% if loop.last %}default{% else %}{{ output.bits }}'d{{ loop.index0 }}{% endif %}: begin  // {{ arm.what }}
{%- if arm.place.sends %}
                    {{ output.port }}_out_data  <= {{ arm.place.data }};
{%- endif %}
                    {{ output.port }}_out_valid <= {{ arm.place.valid }};
                end
{%- endfor %}
            endcase
{%- endfor %}
{%- for window in window %}
            // the node's own packet
            if (window) begin
{%- for injection in window.outputs %}
                {{ injection.port }}_out_data  <= {{ injection.own }};
                {{ injection.port }}_out_valid <= 1'b1;
{%- endfor %}
            end
{%- endfor %}
        end
    end

endmodule

`default_nettype wire
