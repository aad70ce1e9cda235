// {{ module }}: takes calls one after the other: places the program, lets nodes fill, plays, and lets them drain
//
// {% if sizes.is_apart() %}Three calls are under way: the words of one come in while another plays and those of a third go out.{% else %}While one call plays or drains, the next is placed and filled. Each has a bank of its own.{% endif %}
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
    output wire busy,
    output reg  done,
    output reg  absent,
    // the call whose words come in
    output reg  [{{ sizes.program - 1 }}:0] placed_program,
    output reg  [{{ sizes.node - 1 }}:0] placed_root,
    output reg  {{ sizes.bank_number() }}in_bank,
    input  wire placed,
{%- if sizes.has_track_banks() %}
    input  wire {{ sizes.track_number() }}put_bank,
{%- endif %}
    output wire in_first,
    output wire fills,
    input  wire full,
    // the call that plays
    output reg  [{{ sizes.program - 1 }}:0] played_program,
{%- if is_board %}
    output reg  [{{ sizes.node - 1 }}:0] played_root,
{%- endif %}
    output wire play_bank,
{%- if sizes.has_track_banks() %}
    output reg  {{ sizes.track_number() }}track_bank,
{%- endif %}
    output wire play_kept,  // nodes keep what they know of it, and the next one may be placed
    output wire plays,
    input  wire over,
    // the call whose words go out
    output reg  [{{ sizes.program - 1 }}:0] given_program,
    output reg  {{ sizes.bank_number() }}out_bank,
    output wire out_kept,
    output reg  drains,
    input  wire drained
);

    // words of a call come in
    reg [1:0] coming;
    wire places = coming == 2'd1;
    assign fills = coming == 2'd2;
    assign in_first = places & placed;
    // it plays: it waits for a clock, begins, and waits for its end, and then until its words can go out
    reg [2:0] playing;
    wire plays_none = playing == 3'd0;
    wire settles = playing == 3'd1;
    assign plays = playing == 3'd2;
    wire is_played = playing == 3'd4;
    wire moves = fills & full & plays_none;
    wire gives = is_played & ~drains;
    reg {{ sizes.bank_number() }}played_bank;
    assign play_bank = played_bank{% if sizes.bank_bits > 1 %}[0]{% endif %};

    // programs of one root read none
    wire reads_root = {% for program in moved %}(program_number == {{ sizes.program }}'d{{ program }}){% if !loop.last %} | {% endif %}{% endfor %}{% if moved.is_empty() %}1'b0{% endif %};
    wire is_there = ({1'b0, program_number} < {{ sizes.program + 1 }}'d{{ programs }}) & (~reads_root | ({1'b0, root} < {{ sizes.node + 1 }}'d{{ nodes }}));
    assign ready = {% if sizes.is_apart() %}coming == 2'd0{% else %}(coming == 2'd0) & (plays_none | ~drains){% endif %};
    wire takes = ready & start & is_there;
    assign busy = (coming != 2'd0) | ~plays_none | drains;

    assign play_kept = settles;
    assign out_kept = gives;

    always @(posedge clk) begin
        done <= drains & drained;
        if (ready & start & ~is_there) absent <= 1'b1;
        if (takes) begin
            placed_program <= program_number;
            placed_root <= reads_root ? root : {{ sizes.node }}'d0;
            coming <= 2'd1;
        end
        if (in_first) coming <= 2'd2;
        if (moves) begin
            coming <= 2'd0;
            in_bank <= {% if sizes.bank_bits > 1 %}in_bank + 2'd1{% else %}~in_bank{% endif %};
            played_program <= placed_program;
{%- if is_board %}
            played_root <= placed_root;
{%- endif %}
            played_bank <= in_bank;
{%- if sizes.has_track_banks() %}
            track_bank <= put_bank;
{%- endif %}
            playing <= 3'd1;
        end
        if (settles) playing <= 3'd2;
        if (plays) playing <= 3'd3;
        if (over) playing <= 3'd4;
        if (gives) begin
            playing <= 3'd0;
            given_program <= played_program;
            out_bank <= played_bank;
            drains <= 1'b1;
        end
        if (drains & drained) drains <= 1'b0;
        if (rst) begin
            coming <= 2'd0;
            playing <= 3'd0;
            drains <= 1'b0;
            done <= 1'b0;
            absent <= 1'b0;
            in_bank <= {{ sizes.bank_bits }}'d0;
            played_bank <= {{ sizes.bank_bits }}'d0;
{%- if sizes.has_track_banks() %}
            track_bank <= {{ sizes.track_bits }}'d0;
{%- endif %}
            out_bank <= {{ sizes.bank_bits }}'d0;
            placed_program <= {{ sizes.program }}'d0;
            placed_root <= {{ sizes.node }}'d0;
            played_program <= {{ sizes.program }}'d0;
            given_program <= {{ sizes.program }}'d0;
        end
    end

endmodule

`default_nettype wire
