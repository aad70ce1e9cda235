// {{ module }}: takes calls one after the other: places the program, lets nodes fill, plays, and lets them drain
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // a call, taken in a clock in which both are high
    input  wire start,
    output wire ready,
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [{{ sizes.node - 1 }}:0] root,
    output reg  busy,
    output reg  done,
    output reg  absent,
    // the call that is played
    output reg  [{{ sizes.program - 1 }}:0] called_program,
    output reg  [{{ sizes.node - 1 }}:0] called_root,
    input  wire placed,
    output wire fills,
    input  wire full,
    output wire plays,
    input  wire over,
    output wire drains,
    input  wire drained
);

    reg [2:0] state;
    wire places = state == 3'd1;
    assign ready = state == 3'd0;
    assign fills = state == 3'd2;
    assign plays = state == 3'd3;
    wire runs = state == 3'd4;
    assign drains = state == 3'd5;
    wire is_there = ({1'b0, program_number} < {{ sizes.program + 1 }}'d{{ programs }}) & ({1'b0, root} < {{ sizes.node + 1 }}'d{{ nodes }});

    always @(posedge clk) begin
        done <= 1'b0;
        if (ready & start) begin
            if (is_there) begin
                called_program <= program_number;
                called_root <= root;
                busy <= 1'b1;
                state <= 3'd1;
            end else begin
                absent <= 1'b1;
            end
        end
        if (places & placed) state <= 3'd2;
        if (fills & full) state <= 3'd3;
        if (plays) state <= 3'd4;
        if (runs & over) state <= 3'd5;
        if (drains & drained) begin
            busy <= 1'b0;
            done <= 1'b1;
            state <= 3'd0;
        end
        if (rst) begin
            state <= 3'd0;
            busy <= 1'b0;
            done <= 1'b0;
            absent <= 1'b0;
            called_program <= {{ sizes.program }}'d0;
            called_root <= {{ sizes.node }}'d0;
        end
    end

endmodule

`default_nettype wire
