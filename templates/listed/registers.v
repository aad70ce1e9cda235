// {{ module }}: registers of the design, and the ends of its ring, for any bus
//
// `strobe` stays until `ack`. Addresses count words of 32 bits.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire rst,
    // bus
    input  wire strobe,
    input  wire write,
    input  wire [29:0] address,
    input  wire [31:0] wdata,
    output reg  ack,
    output reg  [31:0] rdata,
    // the bus lost something: reported in the status
    input  wire overrun,
    // design
    output reg  system_rst,
    output reg  [{{ sizes.program - 1 }}:0] program_number,
    output reg  [{{ sizes.node - 1 }}:0] root,
    input  wire placed,
    output wire start,
    input  wire busy,
{%- if is_board %}
    input  wire [{{ place - 1 }}:0] place,  // of the board, a constant
    input  wire finished,  // a run is over, and was not broken off
    output wire restart,
    input  wire links_ready,
    input  wire [31:0] links,
{%- endif %}
    input  wire lacking,
    input  wire [{{ last_node }}:0] misframed,
    output wire [32:0] s_data,
    output wire s_valid,
    input  wire s_ready,
    input  wire [32:0] m_data,
    input  wire m_valid,
    output wire m_ready
);


    // An access is done in three clocks: its address is looked up, it has its effect, and the bus is told.
    reg looked_up;
{%- for register in map %}
    reg at_{{ register.name|lower }};
{%- endfor %}
    reg no_program;
    reg no_root;
    always @(posedge clk) begin
        looked_up <= strobe & ~ack & ~rst;
{%- for register in map %}
        at_{{ register.name|lower }} <= address == 30'd{{ register.word }};
{%- endfor %}
        no_program <= (wdata[31:{{ sizes.program }}] != {{ 32 - sizes.program }}'d0){% if programs < 1 << sizes.program %} | (wdata[{{ sizes.program - 1 }}:0] > {{ sizes.program }}'d{{ programs - 1 }}){% endif %};
        no_root <= (wdata[31:{{ sizes.node }}] != {{ 32 - sizes.node }}'d0){% if roots < 1 << sizes.node %} | (wdata[{{ sizes.node - 1 }}:0] > {{ sizes.node }}'d{{ roots - 1 }}){% endif %};
    end
    // Errors:
{%- for code in codes %}
    // {{ code.number }}: {{ code.about }}
{%- endfor %}

    wire accesses = strobe & looked_up & ~ack;
    reg [7:0] judged;
    // word at the end of the ring
    reg [32:0] got;
    reg gets;
    reg [2:0] resetting;
{%- if is_board %}
    assign restart = resetting != 3'd0;
{%- endif %}
    reg pending;
    reg ran;
    reg done;
    reg error;
    reg [7:0] code;
    reg overran;
    reg [31:0] cycles;
    reg [31:0] runs;
    reg [7:0] under_way;  // packets on the ring
    reg [15:0] timer;
    reg late;
    reg [1:0] wrong_counts;  // a node has a wrong number of words: now, and a clock before
    reg starting;  // a start is accepted or refused
    wire idle = ~busy & ~pending & ~starting;

    // Ends of the ring: ends that come back are counted, words wait for their reader.
    wire pushes = accesses & write & (at_head | at_data);
    wire left_over = gets & ~got[32];
    wire opens = pushes & at_head & (wdata[31:28] != 4'd0);
    wire refuses = opens & left_over;
    assign s_data = {at_head, wdata};
    assign s_valid = pushes & idle & ~refuses & ~late & ~system_rst;
    wire pushed = s_valid & s_ready;
    wire pulls = accesses & ~write & at_data;
    wire pulled = pulls & left_over & idle & ~late;
    assign m_ready = ~gets;
    wire returned = gets & got[32] & (got[31:28] == 4'd0);

    wire waits = (pushes & ~refuses) | pulls;
    wire accessed = accesses & (resetting == 3'd0) & (~waits | pushed | pulled | late);
    wire settled = pending & placed{% if is_board %} & links_ready{% endif %} & ~busy;
    assign start = settled & (under_way == 8'd0) & ~left_over;

    wire [31:0] first_misframed =
{%- for node in 0..nodes %}
        misframed[{{ node }}] ? 32'd{{ node }} :
{%- endfor %}
        32'hffffffff;
    wire [31:0] read =
        at_id ? 32'h54574345 :
        at_version ? 32'd1 :
        at_hash ? 32'h{{ hash }} :
        at_geometry ? {16'd{{ nodes }}, 16'd{{ width }}} :
        at_status ? {8'd0, code, 11'd0, overran, under_way != 8'd0, error, done, ~idle} :
        at_program ? {{ "{" }}{{ 32 - sizes.program }}'d0, program_number} :
        at_root ? {{ "{" }}{{ 32 - sizes.node }}'d0, root} :
        at_cycles ? cycles :
        at_runs ? runs :
        at_misframed ? first_misframed :
{%- if is_board %}
        at_links ? links :
        at_board ? {{ "{" }}{{ 32 - place }}'d0, place} :
{%- endif %}
        at_data ? (late ? 32'hdeadbeef : got[31:0]) :
        32'd0;
    wire known = at_id | at_version | at_hash | at_geometry | at_ctrl | at_status | at_program | at_root | at_cycles | at_runs
        | at_misframed{% if is_board %} | at_links | at_board{% endif %} | at_head | at_data;
    wire writable = at_ctrl | at_program | at_root | at_head | at_data;
    wire chooses = write & (at_program | at_root);
    wire outside = (at_program & no_program) | (at_root & no_root);

    // Error that an access, a start or the bus raises.
    wire [7:0] refused =
        late ? (write ? 8'd1 : 8'd5) :
        refuses ? 8'd6 :
        (write ? ~writable : ~known) ? 8'd4 :
        (chooses & ~idle) ? 8'd3 :
        (chooses & outside) ? 8'd4 :
        (write & at_ctrl & wdata[0] & ~idle) ? 8'd2 :
        8'd0;
    wire [7:0] raised =
        (lacking | (wrong_counts == 2'b01)) ? 8'd7 :
{%- if is_board %}
        (ran & ~busy & ~finished) ? 8'd8 :
        (pending & late) ? (links_ready ? 8'd1 : 8'd9) :
{%- else %}
        (pending & late) ? 8'd1 :
{%- endif %}
        (settled & left_over) ? 8'd6 :
        (judged != 8'd0) ? judged :
        8'd0;

    wire commands = accessed & write & at_ctrl;
    always @(posedge clk) begin
        system_rst <= rst | (resetting != 3'd0);
        ack <= accessed & ~rst;
        rdata <= read;
        if (~gets) got <= m_data;
        gets <= gets ? ~(got[32] | pulled) : m_valid;
        judged <= (accessed & ~system_rst) ? refused : 8'd0;
        ran <= busy;
        wrong_counts <= {wrong_counts[0], misframed != {{ last_node + 1 }}'d0};
        starting <= start;
        if (resetting != 3'd0) resetting <= resetting - 3'd1;
        late <= &timer;
        timer <= (accessed | system_rst | busy | ~placed | ~((accesses & waits & idle) | pending)) ? 16'd0 : timer + 16'd1;
        under_way <= under_way + {7'd0, pushed & at_head & (wdata[31:28] != 4'd0)} - {7'd0, returned};
        if (start | (settled & left_over) | (pending & late)) pending <= 1'b0;
        if (start) begin
            cycles <= 32'd0;
            done <= 1'b0;
            runs <= runs + 32'd1;
        end
        if (busy) cycles <= cycles + 32'd1;
        if (ran & ~busy{% if is_board %} & finished{% endif %}) done <= 1'b1;
        if (overrun) overran <= 1'b1;
        if (accessed & chooses & idle & ~outside) begin
            if (at_program) program_number <= wdata[{{ sizes.program - 1 }}:0];
            else root <= wdata[{{ sizes.node - 1 }}:0];
        end
        if (commands & wdata[2]) begin
            error <= 1'b0;
            code <= 8'd0;
            overran <= 1'b0;
            done <= 1'b0;
        end
        if (commands & wdata[0] & idle) pending <= 1'b1;
        if (raised != 8'd0) begin
            error <= 1'b1;
            if (~error) code <= raised;
        end
        if (commands & wdata[1]) resetting <= 3'd7;
        if (system_rst) begin
            gets <= 1'b0;
            pending <= 1'b0;
            starting <= 1'b0;
            ran <= 1'b0;
            wrong_counts <= 2'b00;
            done <= 1'b0;
            error <= 1'b0;
            code <= 8'd0;
            overran <= 1'b0;
            under_way <= 8'd0;
        end
        if (rst) begin
            resetting <= 3'd0;
            program_number <= {{ sizes.program }}'d0;
            root <= {{ sizes.node }}'d0;
            runs <= 32'd0;
            cycles <= 32'd0;
        end
    end

endmodule

`default_nettype wire
