// {{ name }}: {{ headline }}; tables in memory
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
    output wire             done,
    // words for the routers' tables
    input  wire             config_shift,
    input  wire             config_in,
    output wire             config_out,
{%- for node in nodes %}
    // node {{ node.place }}
{%- for packet in node.packets %}
    input  wire [WIDTH-1:0] {{ packet.signal }},
{%- endfor %}
{%- for link in node.links %}
    output wire [WIDTH-1:0] {{ link.arrival }}_data,
    output wire             {{ link.arrival }}_valid{% if !link.is_last %},{% endif %}
{%- endfor %}
{%- endfor %}
);

    wire clear = rst | ~run;
    wire go, load;
    wire [{{ it.tick_bits - 1 }}:0] tick, load_tick;
    wire [{{ it.node_bits - 1 }}:0] load_node;
    wire [{{ it.port_bits - 1 }}:0] load_port;
    wire [{{ it.load_bits - 1 }}:0] load_word;

    {{ name }}_sequencer sequencer (
        .clk(clk), .clear(clear), .shift(config_shift), .in(config_in), .out(config_out), .load(load),
        .load_node(load_node), .load_port(load_port), .load_tick(load_tick), .load_word(load_word),
        .tick(tick), .go(go), .done(done)
    );
{%- if stages > 0 %}

    // outputs before the pipeline registers of their links
{%- for node in nodes %}
{%- for link in node.links %}
    wire [WIDTH-1:0] {{ link.arrival }}_sent_data;
    wire             {{ link.arrival }}_sent_valid;
{%- endfor %}
{%- endfor %}
{%- endif %}

    // tables at power-up, the word of the first tick in the lowest bits
{%- for table in tables %}
    localparam [{{ table_bits - 1 }}:0] {{ table.name }} = {{ table_bits }}'h{{ table.words }};
{%- endfor %}
{%- for node in nodes %}

    // node {{ node.place }}
{%- for port in node.unlinked %}
    wire [WIDTH-1:0] {{ node.name }}_{{ port }}_unused_data;
    wire             {{ node.name }}_{{ port }}_unused_valid;
{%- endfor %}
{%- if stages > 0 %}
{%- for link in node.links %}
    {{ name }}_link #(
        .WIDTH(WIDTH),
        .STAGES({{ stages }})
    ) {{ link.arrival }}_link (
        .clk(clk),
        .playing(~clear),
        .in_data({{ link.arrival }}_sent_data), .in_valid({{ link.arrival }}_sent_valid),
        .out_data({{ link.arrival }}_data), .out_valid({{ link.arrival }}_valid)
    );
{%- endfor %}
{%- endif %}
    {{ name }}_router #(
        .WIDTH(WIDTH),
        .NODE({{ it.node_bits }}'d{{ node.number }}),
{%- for table in node.tables %}
        .TABLE_{{ loop.index0 }}({{ table }}){% if !loop.last %},{% endif %}
{%- endfor %}
    ) {{ node.instance }} (
        .clk(clk), .clear(clear), .tick(tick), .go(go), .load(load),
        .load_node(load_node), .load_port(load_port), .load_tick(load_tick), .load_word(load_word),
{%- for packet in node.packets %}
        .{{ packet.port }}({{ packet.signal }}),
{%- endfor %}
{%- for link in node.ports %}
{%- match link.arrival %}
{%- when Some(arrival) %}
        .{{ link.port }}_in_data({{ arrival }}_data), .{{ link.port }}_in_valid({{ arrival }}_valid),
{%- when None %}
        .{{ link.port }}_in_data({WIDTH{1'b0}}), .{{ link.port }}_in_valid(1'b0),
{%- endmatch %}
        .{{ link.port }}_out_data({{ link.sent }}_data), .{{ link.port }}_out_valid({{ link.sent }}_valid){% if !loop.last %},{% endif %}
{%- endfor %}
    );
{%- endfor %}

endmodule

`default_nettype wire
