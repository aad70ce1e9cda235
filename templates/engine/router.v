// {{ module }}: the router of every node: what each output sends in a tick, of all that any program needs
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
{%- if stops %}
    input  wire ce,
{%- endif %}
    input  wire [{{ codes - 1 }}:0] codes,
{%- for output in outputs %}
{%- if output.takes %}
    input  wire [{{ width - 1 }}:0] {{ output.name }}_own,
    output wire {{ output.name }}_take,
{%- endif %}
{%- endfor %}
{%- for input in inputs %}
    input  wire [{{ width - 1 }}:0] {{ input.name }}_in,
{%- endfor %}
{%- for output in outputs %}
    output reg  [{{ width - 1 }}:0] {{ output.name }}{{ output.suffix }}{% if !loop.last %},{% endif %}
{%- endfor %}
);
{% for late in lates %}
    reg [{{ width - 1 }}:0] {{ late.name }};  // {{ late.age }} ticks after it arrived
    always @(posedge clk) {% if stops %}if (ce) {% endif %}{{ late.name }} <= {{ late.from }};
{%- endfor %}
{%- for name in unread %}
    wire {{ name }}_unused = &{{ "{" }}1'b0, {{ name }}};
{%- endfor %}
{% for output in outputs %}
{%- for slot in output.slots %}
    wire [{{ width - 1 }}:0] {{ slot.name }} =
{%- for choice in slot.choices %}
        (codes[{{ slot.high }}:{{ slot.low }}] == {{ slot.bits }}'d{{ loop.index }}) ? {{ choice }} :
{%- endfor %}
        {{ width }}'h{{ nothing }};
{%- endfor %}
{%- if output.takes %}
    assign {{ output.name }}_take = codes[{{ output.take_high }}:{{ output.take_low }}] == {{ output.take_bits }}'d{{ output.take_code }};
{%- endif %}
{%- for step in output.steps %}
    wire [{{ width - 1 }}:0] {{ step.name }} = {{ step.value }};
{%- endfor %}
{%- for adder in output.adders %}
    wire [{{ width - 1 }}:0] {{ adder.name }};
{%- if adder.waits %}
    reg [{{ width - 1 }}:0] {{ adder.name }}_1;
{%- for clock in 0..delay %}
    reg [{{ width - 1 }}:0] {{ adder.name }}_{{ clock + 2 }};
{%- endfor %}
    always @(posedge clk) {% if stops %}if (ce) {% endif %}begin
        {{ adder.name }}_1 <= {{ adder.one }};
{%- for clock in 0..delay %}
        {{ adder.name }}_{{ clock + 2 }} <= {{ adder.name }}_{{ clock + 1 }};
{%- endfor %}
    end
    assign {{ adder.name }} = {{ adder.name }}_{{ delay + 1 }};
{%- else %}
    {{ unit }} #(.WIDTH({{ width }})) {{ adder.name }}_unit (
        .clk(clk), .ce({% if stops %}ce{% else %}1'b1{% endif %}),
        .a({{ adder.one }}), .b({% match adder.other %}{% when Some(other) %}{{ other }}{% when None %}{{ width }}'h{{ nothing }}{% endmatch %}),
        .y({{ adder.name }})
    );
{%- endif %}
{%- endfor %}
{%- match output.load %}
{%- when Some(load) %}
    always @(posedge clk) {% if stops %}if (ce) {% endif %}begin
        case (codes[{{ load.high }}:{{ load.low }}])
{%- for sum in load.sums %}
            {{ load.bits }}'d{{ sum.code }}: {{ output.name }}{{ output.suffix }} <= {{ sum.name }};
{%- endfor %}
            default: {{ output.name }}{{ output.suffix }} <= {% if output.holds %}{{ output.name }}{% else %}{{ output.value }}{% endif %};
        endcase
    end
{%- when None %}
    always @(posedge clk) {% if stops %}if (ce) {% endif %}{% if output.holds %}if (|codes[{{ output.high }}:{{ output.low }}]) {% endif %}{{ output.name }}{{ output.suffix }} <= {% if output.value.is_empty() %}{{ width }}'d0{% else %}{{ output.value }}{% endif %};
{%- endmatch %}
{% endfor %}
endmodule

`default_nettype wire
