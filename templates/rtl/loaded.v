// {{ module }}: control words of the router of a node, in memories that are loaded
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter [{{ loadable.node_bits - 1 }}:0] NODE = {{ loadable.node_bits }}'d0,
    // words at power-up, that of tick 1 in the lowest bits
{%- for port in outputs %}
    parameter [{{ loadable.word_bits() * loadable.ticks - 1 }}:0] WORDS_{{ loop.index0 }} = {{ loadable.word_bits() * loadable.ticks }}'d0{% if !loop.last %},{% endif %}  // output {{ port }}
{%- endfor %}
) (
    input  wire clk,
    input  wire go,  // high while the program plays
    input  wire [{{ loadable.frame_bits() }}:0] load,  // bus of the loader
    output wire [{{ word_bits - 1 }}:0] word,
    output reg  [{{ loadable.ports - 1 }}:0] alive  // inputs whose links are alive
);

    localparam integer TICKS = {{ loadable.ticks }};  // words at power-up
    localparam integer BITS  = {{ loadable.word_bits() }};  // of a word
    localparam integer LAST  = {{ loadable.most_ticks() }};  // place in a memory

    // a word for an output, or the inputs whose links are alive
    wire is_complete;
    wire [{{ loadable.node_bits - 1 }}:0] load_node;
    wire [{{ loadable.port_bits - 1 }}:0] load_port;
    wire [{{ loadable.tick_bits - 1 }}:0] load_tick;
    wire [{{ loadable.load_bits - 1 }}:0] load_word;
    assign {is_complete, load_node, load_port, load_tick, load_word} = load;
    wire here = is_complete & (load_node == NODE);
    // some frames are longer than a word
    wire unused = &{1'b0, load_word};

    initial alive = {{ loadable.ports }}'b{% for port in outputs %}1{% endfor %};

    always @(posedge clk) begin
        if (here & (load_port == {{ loadable.port_bits }}'d{{ loadable.ports }})) alive <= load_word[{{ loadable.ports - 1 }}:0];
    end

    // tick whose words are read, two ahead of that which is played
    reg [{{ loadable.tick_bits - 1 }}:0] tick;

    always @(posedge clk) begin
        tick <= go ? tick + {{ loadable.tick_bits }}'d1 : {{ loadable.tick_bits }}'d0;
    end
{%- for port in outputs %}

    // output {{ port }}: words, that of the next tick, and that of this one as far as it was not told a tick ahead
    reg [BITS-1:0] {{ port }}_words [0:LAST];
    reg [BITS-1:0] {{ port }}_next;
    reg [{{ loadable.now_bits() - 1 }}:0] {{ port }}_now;

    always @(posedge clk) begin
        if (here & (load_port == {{ loadable.port_bits }}'d{{ loop.index0 }})) {{ port }}_words[load_tick] <= load_word[BITS-1:0];
        {{ port }}_next <= {{ port }}_words[tick];
        {{ port }}_now  <= {{ port }}_next[{{ loadable.now_bits() - 1 }}:0];
    end
{%- endfor %}

    assign word = {
        tick
{%- for port in port_names().rev() %},
        {{ port }}_next[BITS-1:{{ loadable.now_bits() }}], {{ port }}_now
{%- endfor %}
    };

    // the words at power-up
    integer place;
    initial begin
        for (place = 0; place <= LAST; place = place + 1) begin
{%- for port in outputs %}
            {{ port }}_words[place] = {BITS{1'b0}};
{%- endfor %}
        end
        for (place = 0; place < TICKS; place = place + 1) begin
{%- for port in outputs %}
            {{ port }}_words[place+1] = WORDS_{{ loop.index0 }}[place*BITS+:BITS];
{%- endfor %}
        end
    end

endmodule

`default_nettype wire
