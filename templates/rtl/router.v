// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}{% for window in window %},
    parameter integer START = 0,  // ticks before the node sends its own packet
    parameter integer LENGTH = 0{% endfor %}
) (
    input  wire             clk,
{%- if ce %}
    input  wire             ce,{{ ce_gap }}  // high in a clock that counts
{%- endif %}
    input  wire {{ word }}{{ word.gap() }}word,{{ word_gap }}  // control word of this tick
{%- for range in configuration %}
    input  wire {{ range }}{{ range.gap() }}configuration,{{ configuration_gap }}  // selected packets and inputs
{%- endfor %}
{%- for gap in clear_gap %}
    input  wire             clear,{{ gap }}  // high until tick 1: clears the outputs
{%- endfor %}
{%- for packet in packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},{{ packet.gap }}  // sent at {{ packet.ports }}
{%- for take in packet.take %}
    output wire             {{ take.name }}_take,
{%- endfor %}
{%- endfor %}
{%- for input in inputs %}
    input  wire [WIDTH-1:0] {{ input.port }}_in_data,
{%- if input.is_heard %}
    input  wire             {{ input.port }}_in_valid,
{%- endif %}
{%- endfor %}
{%- for output in outputs %}
    output reg  [WIDTH-1:0] {{ output.port }}_out_data{% if is_marked || !loop.last %},{% endif %}
{%- if is_marked %}
    output reg              {{ output.port }}_out_valid{% if !loop.last %},{% endif %}
{%- endif %}
{%- endfor %}
);
{% for field in fields %}
    wire {{ field.range }}{{ field.name }} = {{ field.of }}{{ field.bits }};
{%- endfor %}
{%- if !neutrals.is_empty() %}

    // neutral value of this operation
    wire [WIDTH-1:0] neutral =
{%- for value in neutrals %}
        {% if !loop.last %}(operation == {{ operation_bits }}'d{{ loop.index0 }}) ? {{ value }} :{% else %}{{ value }};{% endif %}
{%- endfor %}
{%- endif %}
{%- for store in stores %}

    // arrivals at {{ store.label }}, by tick; read one tick ahead of use, never at the address being written
    (* no_rw_check *) reg {{ store.arrival.range() }} {{ store.port }}_store [1:{{ store.words }}];
{%- for read in store.reads %}
    reg {{ read.range }} {{ read.name }};
{%- endfor %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ store.port }}_store[slot] <= {{ store.arrival }};
{%- for read in store.reads %}
        {{ read.name }} <= {{ store.port }}_store[{{ read.output }}_slot]{% if read.is_cut %}{{ read.range }}{% endif %};
{%- endfor %}
    end
{%- endfor %}
{%- for window in window %}

    // ticks played
    reg {{ window.range }}tick;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        tick <= playing ? tick + {{ window.bits }}'d1 : {{ window.bits }}'d0;
    end

    // high while the node sends its own packet: from tick START + 1 on, for LENGTH ticks
    wire [{{ window.bits - 1 }}:0] since = tick - START[{{ window.bits - 1 }}:0];
    wire window = playing & (({1'b0, since} - {1'b0, LENGTH[{{ window.bits - 1 }}:0]}) >= {1'b1, {{ window.bits }}'d0});
{%- endfor %}
{%- for join in joins %}

    // arrival at {{ join.label }}
    wire [WIDTH-1:0] {{ join.name }}_data =
{%- for input in join.inputs %}
        ({WIDTH{ {{- input }}_in_valid}} & {{ input }}_in_data){% if loop.last %};{% else %} |{% endif %}
{%- endfor %}
    wire {{ join.name }}_valid = {% for input in join.inputs %}{{ input }}_in_valid{% if loop.last %};{% else %} | {% endif %}{% endfor %}
{%- endfor %}
{%- for packet in packets %}
{%- for take in packet.take %}

    // high in a tick that {% if take.ahead %}takes{% else %}sends{% endif %} a flit of {{ packet.name }}
    assign {{ take.name }}_take =
{%- for term in take.terms %}
{%- if !loop.first %} |{% endif %} (
{%- match term %}
{%- when TakeTime::Window %}window
{%- when TakeTime::Chosen { sends, select } %}{{ sends }}{% for choice in select %} & ({{ choice.name }} == {{ choice.bits }}'d{{ choice.number }}){% endfor %}
{%- endmatch %})
{%- endfor %};
{%- endfor %}
{%- endfor %}
{%- for line in lines %}
{% if line.stages == 1 %}
    // arrival at {{ line.label }}, 2 ticks ago
{%- else %}
    // arrivals at {{ line.label }}, 2 to {{ line.stages + 1 }} ticks ago, the latest in the lowest bits
{%- endif %}
    reg {{ line.words }} {{ line.port }}_line_data;
{%- if line.valid_stages > 0 %}
    reg {{ line.valid_range }}{{ line.port }}_line_valid;
{%- endif %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
{%- if line.stages == 1 %}
        {{ line.port }}_line_data  <= {{ line.port }}_in_data;
{%- else %}
        {{ line.port }}_line_data  <= { {{- line.port }}_line_data{{ line.kept_words }}, {{ line.port }}_in_data};
{%- endif %}
{%- match line.valid_stages %}
{%- when 0 %}
{%- when 1 %}
        {{ line.port }}_line_valid <= {{ line.port }}_in_valid;
{%- else %}
        {{ line.port }}_line_valid <= { {{- line.port }}_line_valid{{ line.kept_bits }}, {{ line.port }}_in_valid};
{%- endmatch %}
    end
{%- endfor %}
{%- for ring in rings %}

    // arrival at {{ ring.label }}, {{ ring.age }} ticks ago:
    // a ring of {{ ring.words }} words, of which the oldest is read one tick ahead of its use
    (* no_rw_check *) reg {{ ring.arrival.range() }} {{ ring.name }} [1:{{ ring.words }}];
    reg {{ ring.arrival.range() }} {{ ring.name }}_word;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ ring.name }}_word <= {{ ring.name }}[{{ ring.name }}_read];
        {{ ring.name }}[{{ ring.name }}_write] <= {{ ring.arrival }};
    end
{%- endfor %}
{%- for list in lists %}

    // {{ list.what }}, the first in the lowest bits
    wire {{ list.words }} {{ list.name }}_data = {
{%- for place in list.places %}
        {{ place.data }}{% if !loop.last %},{% endif %}
{%- endfor %}
    };
{%- if list.is_checked %}
    wire {{ list.bits }}{{ list.name }}_valid = {
{%- for place in list.places %}
        {{ place.valid }}{% if !loop.last %},{% endif %}
{%- endfor %}
    };
{%- endif %}
{%- endfor %}
{%- for first in firsts %}

    // own packet in the clock before tick 1, else zero; OR-ed into the data. Written as an AND, which stays in the data's
    // look-up table; a multiplexer would become a synchronous reset with a net of its own
    reg [WIDTH-1:0] {{ first }}_first;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ first }}_first <= {{ first }} & {WIDTH{begins}};
    end
{%- endfor %}
{%- for output in outputs %}

    // {{ output.rule }}
{%- if output.slots.is_some() %}
{%- include "rtl/parts/slots.v" %}
{%- else if output.combine.is_some() %}
{%- include "rtl/parts/combine.v" %}
{%- else %}
{%- for named in output.named %}
    wire [WIDTH-1:0] {{ named.place.data }} = {{ named.list }}_data[{ {{- 32 - named.field.bits }}'d0, {{ named.select }}}*WIDTH[31:0]+:WIDTH];
{%- if named.is_checked %}
    wire {{ named.place.valid }} = {{ named.list }}_valid[{{ named.select }}];
{%- endif %}
{%- if loop.last %}
{% endif %}
{%- endfor %}
{%- for early in output.early %}
    reg {{ early.arms[0].range() }} {{ output.port }}_early;  // prefetched one tick ahead

{%- endfor %}
    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
{%- for early in output.early %}
{%- match early.select %}
{%- when Some(bits) %}
        case ({{ output.port }}_next)
{%- for arm in early.arms %}
            {% if loop.last %}default{% else %}{{ bits }}'d{{ loop.index0 }}{% endif %}: {{ output.port }}_early <= {{ arm }};
{%- endfor %}
        endcase
{%- when None %}
{%- for arm in early.arms %}
        {{ output.port }}_early <= {{ arm }};
{%- endfor %}
{%- endmatch %}
{%- endfor %}
{%- if output.is_certain %}
        {{ output.port }}_out_valid <= {{ output.port }}_sends;
{%- endif %}
{%- match (output.select, output.arms.as_slice()) %}
{%- when (Some(_), [one, other]) %}
        {{ output.port }}_out_data  <= {% for first in output.first %}{{ first }}_first | ({% endfor %}{{ output.port }}_select ? {{ other.place.data }} : {{ one.place.data }}{% for _ in output.first %}){% endfor %};
{%- if !output.is_certain %}
        {{ output.port }}_out_valid <= {{ output.port }}_sends & ({{ output.port }}_select ? {{ other.place.valid }} : {{ one.place.valid }});
{%- endif %}
{%- when (Some(bits), arms) %}
        case ({{ output.port }}_select)
{%- for arm in arms %}
{%- if output.is_certain %}
            {% if loop.last %}default{% else %}{{ bits }}'d{{ loop.index0 }}{% endif %}: {{ output.port }}_out_data <= {% for first in output.first %}{{ first }}_first | {% endfor %}{{ arm.place.data }};  // {{ arm.what }}
{%- else %}
            {% if loop.last %}default{% else %}{{ bits }}'d{{ loop.index0 }}{% endif %}: begin  // {{ arm.what }}
                {{ output.port }}_out_data  <= {{ arm.place.data }};
                {{ output.port }}_out_valid <= {{ output.port }}_sends{% if !arm.place.always %} & {{ arm.place.valid }}{% endif %};
            end
{%- endif %}
{%- endfor %}
        endcase
{%- when (None, [arm]) %}
        {{ output.port }}_out_data  <= {% for first in output.first %}{{ first }}_first | {% endfor %}{{ arm.place.data }};
{%- if !output.is_certain %}
        {{ output.port }}_out_valid <= {{ output.port }}_sends{% if !arm.place.always %} & {{ arm.place.valid }}{% endif %};
{%- endif %}
{%- else %}
        {{ output.port }}_out_data  <= {WIDTH{1'b0}};
        {{ output.port }}_out_valid <= 1'b0;
{%- endmatch %}
{%- if clear_gap.is_some() %}
        if (clear) {{ output.port }}_out_data <= {WIDTH{1'b0}};
{%- endif %}
{%- for own in output.inject %}
        // the node's own packet
        if (window) begin
            {{ output.port }}_out_data  <= {{ own }};
            {{ output.port }}_out_valid <= 1'b1;
        end
{%- endfor %}
    end
{%- endif %}
{%- endfor %}

endmodule

`default_nettype wire
