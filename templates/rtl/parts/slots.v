{%- macro load(indent, arm, output) %}
{%- match arm.data %}
{%- when Arrived::Sum(name) %}
{{ indent }}{{ output.port }}_out_data <= {{ name }};
{%- if is_marked %}
{{ indent }}{{ output.port }}_out_valid <= {{ output.port }}_sends;
{%- endif %}
{%- when Arrived::Forward { data, valid } %}
{{ indent }}{{ output.port }}_out_data <= {{ data }};
{{ indent }}{{ output.port }}_out_valid <= {{ output.port }}_sends{% if !output.is_certain %} & {{ valid }}{% endif %};
{%- endmatch %}
{%- endmacro %}
{%- for slots in output.slots %}
{%- for own in slots.own %}
{%- if slots.ahead %}
    // the node's own value, taken a tick ahead
    reg [WIDTH-1:0] {{ output.port }}_operand_0;

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ output.port }}_operand_0 <= {{ own }};
    end
{%- else %}
    wire [WIDTH-1:0] {{ output.port }}_operand_0 = {{ own }};
{%- endif %}
{%- endfor %}
{%- for slot in slots.operands %}

    // {{ slot.what }}
    wire [WIDTH-1:0] {{ output.port }}_operand_{{ slot.index }} =
{%- if slot.is_taken %} ~{{ output.port }}_has_{{ slot.index }} ? {{ slots.neutral }} :{% endif %}
{%- match slot.select %}
{%- when Some(bits) %}
{%- for data in slot.choices %}
        {% if !loop.last %}({{ output.port }}_pick_{{ slot.index }} == {{ bits }}'d{{ loop.index0 }}) ? {{ data }} :{% else %}{{ data }};{% endif %}
{%- endfor %}
{%- when None %}
{%- for data in slot.choices %}
        {{ data }};
{%- endfor %}
{%- endmatch %}
{%- endfor %}
{%- for step in slots.steps %}

    wire [WIDTH-1:0] {{ step.name }} =
        {{ step.operator }};
{%- endfor %}
{%- for row in slots.rows %}
{%- for node in row %}

    wire [WIDTH-1:0] {{ output.port }}_row_{{ node.row }}_{{ node.index }};
{%- if node.is_unit %}
    {{ slots.unit }} #(.WIDTH(WIDTH)) {{ output.port }}_unit_{{ node.row }}_{{ node.index }} (
        .clk(clk), .ce({% if ce %}ce{% else %}1'b1{% endif %}),
        .a({{ node.one }}), .b({% match node.other %}{% when Some(other) %}{{ other }}{% when None %}{{ slots.neutral }}{% endmatch %}),
        .y({{ output.port }}_row_{{ node.row }}_{{ node.index }})
    );
{%- else %}
    // waits as long as the others take
    reg {{ slots.wait }} {{ output.port }}_wait_{{ node.row }}_{{ node.index }};
    assign {{ output.port }}_row_{{ node.row }}_{{ node.index }} = {{ output.port }}_wait_{{ node.row }}_{{ node.index }}{{ slots.next }};

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ output.port }}_wait_{{ node.row }}_{{ node.index }} <= {% if slots.waits %}{ {{- output.port }}_wait_{{ node.row }}_{{ node.index }}{{ slots.kept }}, {{ node.one }}}{% else %}{{ node.one }}{% endif %};
    end
{%- endif %}
{%- endfor %}
{%- endfor %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
{%- match slots.from %}
{%- when Some(bits) %}
        case ({{ output.port }}_from)
{%- for arm in slots.arms %}
            {% if loop.last %}default{% else %}{{ bits }}'d{{ loop.index0 }}{% endif %}: begin  // {{ arm.what }}
{{- load("                ", arm, output) }}
            end
{%- endfor %}
        endcase
{%- when None %}
{%- for arm in slots.arms %}
{{- load("        ", arm, output) }}
{%- endfor %}
{%- endmatch %}
{%- if clear_gap.is_some() %}
        if (clear) {{ output.port }}_out_data <= {WIDTH{1'b0}};
{%- endif %}
    end
{%- endfor %}