// {{ module }}: sends the records of a program to all nodes when the program or its root changes
{%- if sizes.has_recall() %}
//
// Control words of nodes' own stay where they are {% if sizes.has_track_banks() %}while their bank is not needed{% else %}when another program is placed{% endif %}, and are not sent again.
{%- endif %}
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    input  wire [{{ sizes.program - 1 }}:0] program_number,
    input  wire [{{ sizes.node - 1 }}:0] root,
{%- if !sizes.has_streams %}
    input  wire busy,
{%- endif %}
    output wire placed,
{%- if sizes.has_track_banks() %}
    // bank of the control words of nodes' own, and the one that plays
    output reg  {{ sizes.track_number() }}put_bank,
{%- if sizes.has_calls() %}
    input  wire {{ sizes.track_number() }}track_bank,
{%- endif %}
{%- endif %}
    // root from which positions are counted, by its coordinates
    output reg  [{{ sizes.code - 1 }}:0] origin,
    // records
    output reg  put,
    output wire put_all,
    output wire [{{ sizes.code - 1 }}:0] put_position,
    output wire put_header,
    output wire [{{ sizes.number - 1 }}:0] put_number,
{%- if sizes.has_blocks() %}
    output reg  [{{ sizes.code - 1 }}:0] put_root,  // root by its coordinates
{%- endif %}
    output wire [{{ sizes.data - 1 }}:0] put_data
);

    reg [1:0] state;
    wire is_ready = state == 2'd0;
    wire settles = state == 2'd1;
    wire sends = state == 2'd2;
    wire drains = state == 2'd3;
    reg [1:0] left;
    reg known;
    reg [{{ sizes.program - 1 }}:0] placed_program;
    reg [{{ sizes.node - 1 }}:0] placed_root;
    wire stale = ~known | (program_number != placed_program) | (root != placed_root);
    assign placed = is_ready & ~stale;
    wire placing = is_ready & stale{% if !sizes.has_streams %} & ~busy{% endif %};

    // Records of each program, and whether it is played for any root.
    reg [{{ sizes.record - 1 }}:0] first;
    reg [{{ sizes.record - 1 }}:0] last;
{%- if sizes.has_recall() %}
    reg [{{ sizes.record - 1 }}:0] last_header;  // control words of nodes' own come after it
{%- endif %}
    reg moved;
{%- if sizes.has_blocks() %}
    reg [{{ sizes.code - 1 }}:0] fixed;  // coordinates of the one root of a program
{%- endif %}
    always @(posedge clk) begin
        case (placed_program)
{%- for program in programs %}
            {{ sizes.program }}'d{{ loop.index0 }}: begin  // {{ program.name }}
                first <= {{ sizes.record }}'d{{ program.first }};
                last <= {{ sizes.record }}'d{{ program.last }};
{%- if sizes.has_recall() %}
                last_header <= {{ sizes.record }}'d{{ program.last_header }};
{%- endif %}
                moved <= 1'b{{ program.moved }};
{%- if sizes.has_blocks() %}
                fixed <= {{ sizes.code }}'d{{ program.root }};
{%- endif %}
            end
{%- endfor %}
            default: begin
                first <= {{ sizes.record }}'d0;
                last <= {{ sizes.record }}'d0;
{%- if sizes.has_recall() %}
                last_header <= {{ sizes.record }}'d0;
{%- endif %}
                moved <= 1'b0;
{%- if sizes.has_blocks() %}
                fixed <= {{ sizes.code }}'d0;
{%- endif %}
            end
        endcase
    end

    reg [{{ sizes.code - 1 }}:0] root_code;
    always @(posedge clk) begin
        case (placed_root)
{%- for code in codes %}
            {{ sizes.node }}'d{{ loop.index0 }}: root_code <= {{ sizes.code }}'d{{ code }};
{%- endfor %}
            default: root_code <= {{ sizes.code }}'d0;
        endcase
    end

{%- if sizes.has_recall() %}

    // Control words that nodes have: of which program, for which root.
{%- for bank in sizes.track_banks() %}
    reg has_{{ bank }};
    reg [{{ sizes.program - 1 }}:0] program_{{ bank }};
    reg [{{ sizes.node - 1 }}:0] root_{{ bank }};
    wire is_{{ bank }} = has_{{ bank }} & (program_{{ bank }} == placed_program) & (root_{{ bank }} == placed_root);
{%- endfor %}
    wire is_there = {% for bank in sizes.track_banks() %}is_{{ bank }}{% if !loop.last %} | {% endif %}{% endfor %};
    wire is_tracked = last != last_header;
    reg [{{ sizes.record - 1 }}:0] end_of_records;
{%- if sizes.has_track_banks() %}
{%- if sizes.has_calls() %}
    // the bank after the one that was filled last, unless it plays
    reg {{ sizes.track_number() }}bank_filled;
    wire {{ sizes.track_number() }}bank_after = bank_filled + {{ sizes.track_bits }}'d1;
    wire {{ sizes.track_number() }}bank_free = (bank_after == track_bank) ? bank_after + {{ sizes.track_bits }}'d1 : bank_after;
{%- else %}
    reg {{ sizes.track_number() }}bank_filled;
    wire {{ sizes.track_number() }}bank_free = bank_filled + {{ sizes.track_bits }}'d1;
{%- endif %}
    wire {{ sizes.track_number() }}bank_there ={% for bank in sizes.track_banks() %}{% if !loop.last %} is_{{ bank }} ? {{ sizes.track_bits }}'d{{ bank }} :{% else %} {{ sizes.track_bits }}'d{{ bank }}{% endif %}{% endfor %};
{%- endif %}
{%- endif %}

    reg [{{ sizes.record - 1 }}:0] at;
    {{ records }} records (
        .clk(clk),
        .index(at),
        .entry({put_all, put_position, put_header, put_number, put_data})
    );

    always @(posedge clk) begin
        origin <= moved ? root_code : {{ sizes.code }}'d0;
{%- if sizes.has_blocks() %}
        put_root <= moved ? root_code : fixed;
{%- endif %}
        put <= sends;
        left <= left - 2'd1;
        if (placing) begin
            placed_program <= program_number;
            placed_root <= root;
            known <= 1'b0;
            left <= 2'd3;
            state <= 2'd1;
        end
        if (settles) begin
            at <= first;
            if (left == 2'd0) begin
                state <= 2'd2;
{%- if sizes.has_recall() %}
                end_of_records <= (is_tracked & is_there) ? last_header : last;
{%- if sizes.has_track_banks() %}
                if (is_tracked) put_bank <= is_there ? bank_there : bank_free;
                if (is_tracked & ~is_there) bank_filled <= bank_free;
{%- endif %}
{%- for bank in sizes.track_banks() %}
                if (is_tracked & ~is_there{% if sizes.has_track_banks() %} & (bank_free == {{ sizes.track_bits }}'d{{ bank }}){% endif %}) begin
                    has_{{ bank }} <= 1'b1;
                    program_{{ bank }} <= placed_program;
                    root_{{ bank }} <= placed_root;
                end
{%- endfor %}
{%- endif %}
            end
        end
        if (sends) begin
            at <= at + {{ sizes.record }}'d1;
            left <= 2'd3;
            if (at == {% if sizes.has_recall() %}end_of_records{% else %}last{% endif %}) state <= 2'd3;
        end
        if (drains & (left == 2'd0)) begin
            known <= 1'b1;
            state <= 2'd0;
        end
        if (rst) begin
            state <= 2'd0;
            known <= 1'b0;
            put <= 1'b0;
{%- if sizes.has_track_banks() %}
            put_bank <= {{ sizes.track_bits }}'d0;
            bank_filled <= {{ sizes.track_bits }}'d0;
{%- endif %}
{%- if sizes.has_recall() %}
{%- for bank in sizes.track_banks() %}
            has_{{ bank }} <= 1'b0;
{%- endfor %}
{%- endif %}
        end
    end

endmodule

`default_nettype wire
