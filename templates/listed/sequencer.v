// {{ module }}: counts the ticks of a run, and tells all nodes what they do in each
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
{%- for latency in latency %}
    // a tick is played; links must have brought flits, and take some
    input  wire ce,
    output reg  needs,
    output reg  sends,
{%- endfor %}
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    // a run begins where all nodes have their words
    input  wire start,
    input  wire placed,
    input  wire full,
    output reg  busy,
    output reg  done,
    output reg  lacking,
    // to the nodes
    output reg  begins,
    output reg  plays,
    output reg  [{{ sizes.tick - 1 }}:0] tick,
    output wire [{{ sizes.word - 1 }}:0] word
);

    // Last tick of each program, and where its control words begin.
    reg [{{ sizes.tick - 1 }}:0] last;
    reg [{{ sizes.at - 1 }}:0] base;
    reg shared;
{%- if latency.is_some() %}
    reg [{{ sizes.tick - 1 }}:0] sent;  // tick of the last flit for another board
{%- endif %}
    always @(posedge clk) begin
        case (program_number)
{%- for program in programs %}
            {{ sizes.program }}'d{{ loop.index0 }}: begin  // {{ program.name }}
                last <= {{ sizes.tick }}'d{{ program.ticks }};
                base <= {{ sizes.at }}'d{{ program.base }};
                shared <= 1'b{{ program.shared }};
{%- for latency in latency %}
                sent <= {{ sizes.tick }}'d{{ program.ticks - latency }};
{%- endfor %}
            end
{%- endfor %}
            default: begin
                last <= {{ sizes.tick }}'d1;
                base <= {{ sizes.at }}'d0;
                shared <= 1'b0;
{%- if latency.is_some() %}
                sent <= {{ sizes.tick }}'d0;
{%- endif %}
            end
        endcase
    end

    wire asked = start & placed & ~busy;
    wire goes_on = begins | (plays & (tick != last));
    reg [{{ sizes.at - 1 }}:0] at;
    wire [{{ sizes.word - 1 }}:0] stored;
    {{ words }} words (
        .clk(clk),
{%- if latency.is_some() %}
        .ce(ce),
{%- endif %}
        .index(at),
        .entry(stored)
    );
    reg told;
    assign word = told ? stored : {{ sizes.word }}'d0;

    always @(posedge clk) begin
{%- if latency.is_some() %}
        if (ce) begin
{%- endif %}
        begins <= asked & full;
        lacking <= asked & ~full;
        plays <= goes_on;
        told <= goes_on & shared;
        tick <= begins ? {{ sizes.tick }}'d1 : tick + {{ sizes.tick }}'d1;
        done <= plays & ~goes_on;
        at <= busy ? at + {{ sizes.at }}'d1 : base;
        if (asked & full) busy <= 1'b1;
        if (plays & ~goes_on) busy <= 1'b0;
{%- for latency in latency %}
        needs <= plays & (tick >= {{ sizes.tick }}'d{{ latency }});
        sends <= begins | (sends & (tick != sent));
{%- endfor %}
{%- if latency.is_some() %}
        end
{%- endif %}
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
            lacking <= 1'b0;
            begins <= 1'b0;
            plays <= 1'b0;
            told <= 1'b0;
        end
    end

endmodule

`default_nettype wire
