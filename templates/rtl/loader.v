// {{ module }}: shifts frames in, and hands each to the memories of control words
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    // a frame of {{ loadable.frame_bits() }} bits: node, port, tick and word, the highest bit first
    input  wire shift,
    input  wire in,
    output wire out,
    output wire [{{ loadable.frame_bits() }}:0] load,  // high in its highest bit for one clock, with a frame
    output reg  [{{ loadable.tick_bits - 1 }}:0] last_count  // one less than the number of ticks
);

    reg is_complete;
    reg [{{ loadable.frame_bits() - 1 }}:0] frame;
    reg [{{ count_bits - 1 }}:0] count;
    wire is_last = count == {{ count_bits }}'d{{ loadable.frame_bits() - 1 }};

    initial begin
        count       = {{ count_bits }}'d0;
        is_complete = 1'b0;
    end

    assign load = {is_complete, frame};
    assign out  = frame[{{ loadable.frame_bits() - 1 }}];

    always @(posedge clk) begin
        if (shift) frame <= {frame[{{ loadable.frame_bits() - 2 }}:0], in};
        count       <= (shift & ~is_last) ? count + {{ count_bits }}'d1 : {{ count_bits }}'d0;
        is_complete <= shift & is_last;
    end

    // the number of ticks comes as a word of the node after the last
    wire is_count = is_complete & (frame[{{ loadable.frame_bits() - 1 }}:{{ loadable.frame_bits() - loadable.node_bits }}] == {{ loadable.node_bits }}'d{{ loadable.nodes }});

    initial last_count = {{ loadable.tick_bits }}'d{{ loadable.ticks - 1 }};

    always @(posedge clk) begin
        if (is_count) last_count <= frame[{{ loadable.tick_bits - 1 }}:0];
    end

endmodule

`default_nettype wire
