// {{ module }}: counts the ticks of a run, and loads words into the routers
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire clear,
    // a frame of {{ it.frame_bits() }} bits: node, port, tick and word, the highest bit first
    input  wire shift,
    input  wire in,
    output wire out,
    output reg  load,
    output wire [{{ it.node_bits - 1 }}:0] load_node,
    output wire [{{ it.port_bits - 1 }}:0] load_port,
    output wire [{{ it.tick_bits - 1 }}:0] load_tick,
    output wire [{{ it.load_bits - 1 }}:0] load_word,
    output reg  [{{ it.tick_bits - 1 }}:0] tick,
    output wire go,
    output reg  done
);

    reg [{{ it.frame_bits() - 1 }}:0] frame;
    reg [{{ count_bits - 1 }}:0] count;
    wire is_last = count == {{ count_bits }}'d{{ it.frame_bits() - 1 }};
    initial begin
        count = {{ count_bits }}'d0;
        load  = 1'b0;
    end
    assign {load_node, load_port, load_tick, load_word} = frame;
    assign out = frame[{{ it.frame_bits() - 1 }}];
    always @(posedge clk) begin
        if (shift) frame <= {frame[{{ it.frame_bits() - 2 }}:0], in};
        count <= (shift & ~is_last) ? count + {{ count_bits }}'d1 : {{ count_bits }}'d0;
        load  <= shift & is_last;
    end

    // ticks of the schedule
    reg [{{ it.tick_bits - 1 }}:0] ticks;
    initial ticks = {{ it.tick_bits }}'d{{ it.ticks }};
    always @(posedge clk) begin
        if (load & (load_node == {{ it.node_bits }}'d{{ sequencer }})) ticks <= load_word[{{ it.tick_bits - 1 }}:0];
    end

    reg ended;
    assign go = (tick != {{ it.tick_bits }}'d0) & ~ended;
    always @(posedge clk) begin
        if (clear) tick <= {{ it.tick_bits }}'d0;
        else if (tick != ticks) tick <= tick + {{ it.tick_bits }}'d1;
        ended <= ~clear & (tick == ticks);
        done  <= ~clear & ended;
    end

endmodule

`default_nettype wire
