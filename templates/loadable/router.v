// {{ module }}: router of a node, whose tables of times are in memory
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter [{{ it.node_bits - 1 }}:0] NODE = {{ it.node_bits }}'d0,
{%- for port in ports %}
    parameter [{{ table_bits - 1 }}:0] TABLE_{{ loop.index0 }} = {{ table_bits }}'d0{% if !loop.last %},{% endif %}  // output {{ port.name }}
{%- endfor %}
) (
    input  wire             clk,
    input  wire             clear,
    input  wire [{{ it.tick_bits - 1 }}:0] tick,
    input  wire             go,
    // a word for a table, or the inputs whose links are alive
    input  wire             load,
    input  wire [{{ it.node_bits - 1 }}:0] load_node,
    input  wire [{{ it.port_bits - 1 }}:0] load_port,
    input  wire [{{ it.tick_bits - 1 }}:0] load_tick,
    input  wire [{{ it.load_bits - 1 }}:0] load_word,
{%- for packet in packets %}
    input  wire [WIDTH-1:0] {{ packet.name }},
{%- endfor %}
{%- for port in ports %}
    input  wire [WIDTH-1:0] {{ port.name }}_in_data,
    input  wire             {{ port.name }}_in_valid,
    output reg  [WIDTH-1:0] {{ port.name }}_out_data,
    output reg              {{ port.name }}_out_valid{% if !loop.last %},{% endif %}
{%- endfor %}
);

    localparam integer TICKS = {{ it.ticks }};  // words at power-up
    localparam integer BITS  = {{ it.word_bits() }};  // of a word

    wire here = load & (load_node == NODE);
    // some frames are longer than a word of a table
    wire unused = &{1'b0, load_word};

    // ports that receive: nothing arrives at the others
    reg [{{ ports.len() - 1 }}:0] alive;
    initial alive = {{ ports.len() }}'b{% for port in ports %}1{% endfor %};
    always @(posedge clk) begin
        if (here & (load_port == {{ it.port_bits }}'d{{ it.ports }})) alive <= load_word[{{ ports.len() - 1 }}:0];
    end

    // the tick of the words
    reg [{{ it.tick_bits - 1 }}:0] now;
    reg on;
    always @(posedge clk) begin
        now <= tick;
        on  <= ~clear & go;
    end
{%- for port in ports %}

    // arrivals at {{ port.name }}, each at the place of the tick after it
    wire [WIDTH:0] {{ port.name }}_now = { {{- port.name }}_in_valid & alive[{{ loop.index0 }}], {{ port.name }}_in_data};
    reg  [WIDTH:0] {{ port.name }}_past [0:{{ last }}];
    always @(posedge clk) {{ port.name }}_past[now] <= {{ port.name }}_now;
{%- endfor %}

{%- for port in ports %}

    // output {{ port.name }}
    reg [BITS-1:0] {{ port.name }}_words [0:{{ last }}];
    reg [BITS-1:0] {{ port.name }}_word;
    always @(posedge clk) begin
        if (here & (load_port == {{ it.port_bits }}'d{{ loop.index0 }})) {{ port.name }}_words[load_tick] <= load_word[BITS-1:0];
        {{ port.name }}_word <= {{ port.name }}_words[tick];
    end
    wire [{{ it.select_bits - 1 }}:0] {{ port.name }}_select = {{ port.name }}_word[{{ it.select_bits - 1 }}:0];
    wire [{{ it.tick_bits - 1 }}:0] {{ port.name }}_back = {{ port.name }}_word[BITS-1:{{ it.select_bits }}];
    wire [{{ it.tick_bits - 1 }}:0] {{ port.name }}_then = now - {{ port.name }}_back;
    wire {{ port.name }}_direct = {{ port.name }}_back == {{ it.tick_bits }}'d0;
{%- for input in ports %}
    wire [WIDTH:0] {{ port.name }}_from_{{ input.name }} = {{ port.name }}_direct ? {{ input.name }}_now : {{ input.name }}_past[{{ port.name }}_then];
{%- endfor %}
    reg [WIDTH:0] {{ port.name }}_next;
    always @(*) begin
        case ({{ port.name }}_select)
{%- for packet in packets %}
            {{ it.select_bits }}'d{{ packet.select }}: {{ port.name }}_next = {1'b1, {{ packet.name }}};
{%- endfor %}
{%- for input in ports %}
            {{ it.select_bits }}'d{{ input.select }}: {{ port.name }}_next = {{ port.name }}_from_{{ input.name }};
{%- endfor %}
            default: {{ port.name }}_next = {(WIDTH + 1){1'b0}};
        endcase
    end
    always @(posedge clk) begin
        {{ port.name }}_out_data  <= {{ port.name }}_next[WIDTH-1:0];
        {{ port.name }}_out_valid <= ~clear & on & {{ port.name }}_next[WIDTH];
    end
{%- endfor %}

    // the tables at power-up
    integer place;
    initial begin
        for (place = 0; place <= {{ last }}; place = place + 1) begin
{%- for port in ports %}
            {{ port.name }}_words[place] = {BITS{1'b0}};
{%- endfor %}
        end
        for (place = 0; place < TICKS; place = place + 1) begin
{%- for port in ports %}
            {{ port.name }}_words[place+1] = TABLE_{{ loop.index0 }}[place*BITS +: BITS];
{%- endfor %}
        end
    end

endmodule

`default_nettype wire
