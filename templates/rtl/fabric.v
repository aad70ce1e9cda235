// {{ name }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ name }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    output reg              done,
{%- for flit in timing.flit %}
    output reg  {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- if chain.bits > 0 %}
    // configuration chain of {{ chain.bits }} bits
    input  wire             config_shift,
    input  wire             config_in,
    output wire             config_out,
{%- else if loads.is_some() %}
    // frames of control words
    input  wire             config_shift,
    input  wire             config_in,
    output wire             config_out,
{%- endif %}
{%- for node in interfaces() %}
    // node {{ node.place }}
{%- for packet in node.packets %}
    input  wire [WIDTH-1:0] {{ node.name }}_{{ packet }},
{%- if streams %}
    output wire             {{ node.name }}_{{ packet }}_take,
{%- endif %}
{%- endfor %}
{%- for arrival in node.arrivals %}
    output wire [WIDTH-1:0] {{ arrival.name }}_data,
    output wire             {{ arrival.name }}_valid{{ arrival.comma }}
{%- endfor %}
{%- endfor %}
);

{%- for loads in loads %}

    // control words at power-up, that of tick 1 in the lowest bits
{%- for table in loads.tables %}
    localparam [{{ loads.table_bits - 1 }}:0] {{ table.name }} = {{ loads.table_bits }}'h{{ table.words }};
{%- endfor %}

    wire [{{ loads.load_bits - 1 }}:0] load;
    wire [{{ loads.loadable.tick_bits - 1 }}:0] last_count;
    {{ loads.loader }} loader (
        .clk(clk), .shift(config_shift), .in(config_in), .out(config_out), .load(load), .last_count(last_count)
    );
{%- endfor %}

{{ timing }}
{%- for row in rows() %}
{%- for word in row.passed %}
{%- if loop.first %}
{% endif %}
    wire {{ word.range }}{{ word.name }};
    {{ leaf }} #(.BITS({{ word.bits }})) {{ word.name }}_leaf (
        .clk(clk), .d({{ word.from }}), .q({{ word.name }})
    );
{%- endfor %}
{%- for word in row.spread %}
    wire {{ word.range }}{{ word.name }};
    assign {{ word.name }} = {{ word.told }};
{%- endfor %}
{%- endfor %}
{%- if ties %}

    // outputs that never send
{%- endif %}
{%- for arrival in tied() %}
    assign {{ arrival }}_data  = {WIDTH{1'b0}};
    assign {{ arrival }}_valid = 1'b0;
{%- endfor %}
{%- for node in instances() %}

    wire {{ node.word.range }}{{ node.name }}_word;
{%- if per_node %}
    wire {{ node.name }}_go;
    {{ leaf }} #(.BITS(1)) {{ node.name }}_leaf (.clk(clk), .d({{ node.row }}_go), .q({{ node.name }}_go));
{%- match node.loaded %}
{%- when Some(loaded) %}
    wire [{{ node.reads.len() - 1 }}:0] {{ node.name }}_alive;
    {{ node.control.module }} #(
        .NODE({{ loaded.bits }}'d{{ loaded.number }}),
{%- for table in loaded.tables %}
        .WORDS_{{ loop.index0 }}({{ table }}){% if !loop.last %},{% endif %}
{%- endfor %}
    ) {{ node.name }}_control (
        .clk(clk), .go({{ node.name }}_go), .load({{ node.row }}_load), .word({{ node.name }}_word), .alive({{ node.name }}_alive)
    );
{%- for arrival in node.silent %}
    // no link
    wire [WIDTH-1:0] {{ arrival }}_data  = {WIDTH{1'b0}};
    wire             {{ arrival }}_valid = 1'b0;
{%- endfor %}
{%- when None %}
    {{ node.control.module }} {{ node.name }}_control (.clk(clk),{% if design.options.elastic %} .ce(1'b1),{% endif %} .go({{ node.name }}_go), .word({{ node.name }}_word));
{%- endmatch %}
{%- else %}
    {{ leaf }} #(.BITS({{ node.word.bits }})) {{ node.name }}_leaf (
        .clk(clk), .d({{ node.told }}), .q({{ node.name }}_word)
    );
{%- endif %}
{%- for part in node.configuration %}
    wire {{ part.range }}{{ node.name }}_configuration;
{%- if !part.is_last %}
    wire {{ part.out }};
{%- endif %}
    {{ chain.module }} #(.BITS({{ part.bits }})) {{ node.name }}_chain (
        .clk(clk), .shift(config_shift), .in({{ part.from }}), .out({{ part.out }}),
        .configuration({{ node.name }}_configuration)
    );
{%- endfor %}
{%- if streams %}
{%- for packet in node.packets %}
    wire {{ node.name }}_{{ packet }}_taken;
    assign {{ node.name }}_{{ packet }}_take = {{ node.name }}_{{ packet }}_taken & playing[{{ timing.taking }}] & ~hold;
{%- endfor %}
{%- endif %}

{%- if long.is_some() %}

    // outputs before the pipeline registers of their links
{%- for link in node.drives %}
    wire [WIDTH-1:0] {{ link.arrival }}{{ sent }}_data;
    wire             {{ link.arrival }}{{ sent }}_valid;
{%- endfor %}
{%- else if loads.is_some() %}
{%- for link in node.drives %}
{%- if !link.is_linked %}
    wire [WIDTH-1:0] {{ link.arrival }}_data;
    wire             {{ link.arrival }}_valid;
{%- endif %}
{%- endfor %}
{%- endif %}

    {{ node.router }} #(
        .WIDTH(WIDTH){% for opening in node.opening %},
        .START({{ opening.start }}),
        .LENGTH({{ opening.length }}){% endfor %}
    ) {{ node.instance }} (
        .clk(clk),
{%- if design.options.elastic %}
        .ce(1'b1),
{%- endif %}
        .word({{ node.name }}_word),
{%- if node.configuration.is_some() %}
        .configuration({{ node.name }}_configuration),
{%- endif %}
{%- for bit in node.control.clear %}
        .clear({% if per_node %}{{ node.name }}_word{{ bit }}{% else %}{{ node.row }}_clear_{{ node.control.class }}{% endif %}),
{%- endfor %}
{%- for packet in node.packets %}
        .{{ packet }}({{ node.name }}_{{ packet }}),
{%- if streams %}
        .{{ packet }}_take({{ node.name }}_{{ packet }}_taken),
{%- endif %}
{%- endfor %}
{%- for link in node.reads %}
        .{{ link.port }}_data({{ link.arrival }}_data){% if link.has_valid %}, .{{ link.port }}_valid({{ link.arrival }}_valid{% if node.loaded.is_some() %} & {{ node.name }}_alive[{{ link.alive_bit }}]{% endif %}){% endif %},
{%- endfor %}
{%- for link in node.drives %}
        .{{ link.port }}_data({{ link.arrival }}{{ sent }}_data), .{{ link.port }}_valid({{ link.arrival }}{{ sent }}_valid){{ link.comma }}
{%- endfor %}
    );
{%- for long in long %}
{%- for link in node.drives %}
{%- if link.is_linked %}

    {{ long.module }} #(
        .WIDTH(WIDTH),
        .STAGES({{ long.stages }})
    ) {{ link.arrival }}_link (
        .clk(clk),
{%- if long.ce %}
        .ce(1'b1),
{%- endif %}
        .playing(playing[{{ timing.playing }}]),
        .in_data({{ link.arrival }}{{ sent }}_data), .in_valid({{ link.arrival }}{{ sent }}_valid),
        .out_data({{ link.arrival }}_data), .out_valid({{ link.arrival }}_valid)
    );
{%- endif %}
{%- endfor %}
{%- endfor %}
{%- endfor %}

endmodule

`default_nettype wire
