// {{ common.name }}_value: data of a word in a run: as it comes in at a node, or as it goes out
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_value #(
    parameter integer WIDTH = {{ common.width }}
) (
    input  wire [{{ common.id - 1 }}:0] number,
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [7:0] slice,
    input  wire [WIDTH-1:0] key,
{%- if let Some(marks) = common.marks %}
    // first and last of the nodes whose values are in it; node whose value is marked, and the bit that marks it
    input  wire {{ marks.range }}first,
    input  wire {{ marks.range }}last,
    input  wire {{ marks.range }}marked,
    input  wire [WIDTH-1:0] mark,
{%- endif %}
    output wire [WIDTH-1:0] word
);

{%- for kind in kinds %}
{% if kind.operation.is_none() %}
    // all words are as many slices of their numbers
    localparam integer DATA = WIDTH{% if fixed > 0 %} - {{ fixed }}{% endif %};
    localparam integer SLICES = ({{ common.id }} + DATA - 1) / DATA;
{%- endif %}
    {% if kinds.len() > 1 %}wire [WIDTH-1:0] {{ kind.name }};
    {% endif %}{{ kind.module }}_word #(
        .WIDTH(WIDTH){% if kind.operation.is_none() %},
        .SLICES(SLICES){% endif %}
    ) {{ kind.name }}_word (
        .number({% if kind.operation.is_some() %}{number, first, last}{% else %}number{% endif %}),
        .slice(slice),
        .key(key),
{%- if kind.operation.is_some() %}
        .marked(marked),
        .mark(mark),
{%- endif %}
        .word({% if kinds.len() > 1 %}{{ kind.name }}{% else %}word{% endif %})
    );
{%- endfor %}
{%- if kinds.len() > 1 %}

{%- for kind in kinds %}{% if !loop.last %}
    wire is_{{ kind.name }} = {% for program in kind.programs %}{% if !loop.first %} | {% endif %}(program_number == {{ sizes.program }}'d{{ program }}){% endfor %};
{%- endif %}{% endfor %}
    assign word = {% for kind in kinds %}{% if !loop.last %}is_{{ kind.name }} ? {{ kind.name }} : {% else %}{{ kind.name }}{% endif %}{% endfor %};
{%- else %}
    wire unused = &{1'b0, program_number, 1'b0};
{%- endif %}

endmodule

`default_nettype wire
