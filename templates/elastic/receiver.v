// {{ module }}: checks the frames that arrive at a board's port, and trains the link
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ token }},  // of a token
    parameter integer PATIENCE = {{ patience }}  // log2 of the clocks after which a silent link is down
) (
{%- if crossing.is_some() %}
    input  wire            s_axis_aclk,  // of the cable
{%- endif %}
    input  wire            clk,
    input  wire            rst,
    input  wire            restart,  // train anew, and have the neighbour restart
    input  wire            stopped,  // the board has met a fault
    input  wire            running,  // tokens are awaited or wait
    input  wire {{ identity.range }}{{ identity_gap }}expected,  // identity of the neighbour's port
    input  wire [BITS+{{ overhead - 1 }}:0] s_axis_tdata,
    input  wire            s_axis_tvalid,
    output wire [BITS-1:0] token,
    output wire            put,
{%- if is_common %}
    output wire            start_put,  // a start is handed on
    output wire            status_put,  // a status
{%- endif %}
    output reg  [1:0]      state,    // 0 waits, 1 listens, 2 hears the neighbour, 3 up
    output reg             calls,    // the neighbour is to restart
    output wire            asked,    // the neighbour calls for a restart
    output wire [3:0]      code      // fault, or 0
);

    // parts of the identity, and frames in a row that train a link: four of each
    localparam integer PARTS = ({{ identity.bits }} + BITS - 1) / BITS;
    function automatic integer bits_for(input integer last);
        begin
            bits_for = 1;
            while ((last >>> bits_for) != 0) bits_for = bits_for + 1;
        end
    endfunction
    localparam integer GOOD = 4 * PARTS - 1;
    localparam integer COUNT = bits_for(GOOD);

{%- match crossing %}
{%- when Some(crossing) %}
{%- include "elastic/arrival.v" %}
{%- when None %}
    // a frame; high: there is one, its seed is that of the neighbour's port, or as in the frame before; it differs from that one
    reg [BITS+{{ overhead - 1 }}:0] frame;
    reg seen;
    reg sound;
    reg steady;
    reg fresh;
    reg [{{ crc.field - 1 }}:0] last_seed;
    wire [{{ crc.field - 1 }}:0] c;
    {{ crc_module }} #(.BITS(BITS + {{ sequence + 3 }})) crc (.d(s_axis_tdata[BITS+{{ overhead - 1 }}:{{ crc.field }}]), .c(c));
    wire [{{ crc.field - 1 }}:0] seed = c ^ s_axis_tdata[{{ crc.field - 1 }}:0];

    always @(posedge clk) begin
        seen <= s_axis_tvalid & ~rst;
        if (s_axis_tvalid) begin
            frame <= s_axis_tdata;
            sound <= seed == {1'b1, expected[{{ crc.field - 2 }}:0]};
            steady <= seed[{{ crc.field - 1 }}] & (seed == last_seed);
            fresh <= s_axis_tdata[{{ crc.field - 1 }}:0] != frame[{{ crc.field - 1 }}:0];
            last_seed <= seed;
        end
        if (rst) last_seed <= {{ crc.field }}'d0;
    end

    wire [2:0] kind = frame[BITS+{{ overhead - 1 }}:BITS+{{ overhead - 3 }}];
    wire [{{ sequence - 1 }}:0] number = frame[BITS+{{ overhead - 4 }}:BITS+{{ crc.field }}];
    assign token = frame[BITS+{{ crc.field - 1 }}:{{ crc.field }}];
{%- endmatch %}
    wire heard = seen & sound;
    // frame of any port: a wrong one can be named, and restarts go everywhere
    wire known = seen & (sound | steady);
    wire trains = known & ((kind == 3'd{{ kinds.hello }}) | (kind == 3'd{{ kinds.ready }}));
    wire up = state == 2'd3;
    // the neighbour hears this board
    wire answers = heard & (kind != 3'd{{ kinds.hello }}) & (kind != 3'd{{ kinds.restart }});
    wire live = up | ((state == 2'd2) & answers);

    // number of the next token
    reg [{{ sequence - 1 }}:0] awaited;
    wire counts = (kind == 3'd{{ kinds.token }}) | (kind == 3'd{{ kinds.idle }}){% if is_common %} | (kind == 3'd{{ kinds.status }}) | (kind == 3'd{{ kinds.start }}){% endif %};
    wire is_next = number == awaited;
    assign put = heard & live & (kind == 3'd{{ kinds.token }}) & is_next;
{%- if is_common %}
    assign start_put = heard & live & (kind == 3'd{{ kinds.start }}) & is_next;
    assign status_put = heard & live & (kind == 3'd{{ kinds.status }}) & is_next;
{%- endif %}
    // heard since the last restart: the call of that one is over
    reg primed;
    // reset since then: a call must get through to the boards behind
    reg renewed;
    assign asked = known & (kind == 3'd{{ kinds.restart }}) & (renewed | (primed & (state[1] | stopped)));

    // a part of the identity: design, place, port
    wire [PARTS*BITS:0] design_bits = { {(PARTS*BITS-{{ identity.bits - 1 }}){1'b0}}, {{ "{" }}{{ bits.design }}{1'b1}}, {{ "{" }}{{ bits.place }}{1'b0}}, {{ "{" }}{{ bits.port }}{1'b0}} };
    wire [PARTS*BITS:0] place_bits = { {(PARTS*BITS-{{ identity.bits - 1 }}){1'b0}}, {{ "{" }}{{ bits.design }}{1'b0}}, {{ "{" }}{{ bits.place }}{1'b1}}, {{ "{" }}{{ bits.port }}{1'b0}} };
    wire [PARTS*BITS:0] port_bits = { {(PARTS*BITS-{{ identity.bits - 1 }}){1'b0}}, {{ "{" }}{{ bits.design }}{1'b0}}, {{ "{" }}{{ bits.place }}{1'b0}}, {{ "{" }}{{ bits.port }}{1'b1}} };
    wire [PARTS*BITS:0] padded = { {(PARTS*BITS-{{ identity.bits - 1 }}){1'b0}}, expected};
    wire [2:0] other;
    generate
        if (PARTS == 1) begin : g_whole
            wire [BITS-1:0] differs = token ^ padded[BITS-1:0];
            assign other = {|(differs & port_bits[BITS-1:0]), |(differs & place_bits[BITS-1:0]), |(differs & design_bits[BITS-1:0])};
            wire unused = &{1'b0, padded[BITS], design_bits[BITS], place_bits[BITS], port_bits[BITS]};
        end else begin : g_parts
            wire [BITS-1:0] differs = token ^ padded[{ {{- 32 - sequence }}'d0, number}*BITS[31:0]+:BITS];
            assign other = ({1'b0, number} >= PARTS[{{ sequence }}:0]) ? 3'b001 : {|(differs & port_bits[{ {{- 32 - sequence }}'d0, number}*BITS[31:0]+:BITS]), |(differs & place_bits[{ {{- 32 - sequence }}'d0, number}*BITS[31:0]+:BITS]), |(differs & design_bits[{ {{- 32 - sequence }}'d0, number}*BITS[31:0]+:BITS])};
            wire unused = &{1'b0, padded[PARTS*BITS], design_bits[PARTS*BITS], place_bits[PARTS*BITS], port_bits[PARTS*BITS]};
        end
    endgenerate

    // good frames in a row, and what differed in them
    reg [COUNT-1:0] good;
    reg [2:0] differed;
    wire trained = trains & (state == 2'd1) & (good == GOOD[COUNT-1:0]);
    wire [2:0] wrong = other | differed;

    reg [PATIENCE-1:0] waited;
    wire silent = &waited;

    assign code =
        (up & seen & ~sound{% if is_serial %} & running{% endif %}) ? 4'd{{ codes.damaged }} :
        (live & heard & counts & ~is_next) ? 4'd{{ codes.order }} :
        (up & heard & running & (kind == 3'd{{ kinds.hello }})) ? 4'd{{ codes.reset }} :
        (up & silent & running) ? 4'd{{ codes.silent }} :
        (live & heard & (kind == 3'd{{ kinds.stop }})) ? 4'd{{ codes.stopped }} :
        (trained & wrong[0]) ? 4'd{{ codes.design }} :
        (trained & wrong[1]) ? 4'd{{ codes.place }} :
        (trained & wrong[2]) ? 4'd{{ codes.port }} : 4'd0;

    always @(posedge clk) begin
        waited <= ((state != 2'd0) & heard & (fresh | ~up)) ? {PATIENCE{1'b0}} : waited + { {(PATIENCE-1){1'b0}}, ~silent};
        if ((state == 2'd1) & seen) begin
            good <= (trains & ~trained) ? good + 1'b1 : {COUNT{1'b0}};
            differed <= (trains & ~trained) ? wrong : 3'd0;
        end
        awaited <= state[1] ? awaited + { {{- sequence - 1 }}'d0, {% if is_common %}put | start_put{% else %}put{% endif %}} : {{ sequence }}'d0;
        if (known & (state != 2'd0) & (kind != 3'd{{ kinds.restart }})) primed <= 1'b1;
        case (state)
            2'd0: if (silent) state <= 2'd1;
            2'd1: if (trained & sound & (wrong == 3'd0)) state <= 2'd2;
            2'd2: if (silent) state <= 2'd0; else if (answers) state <= 2'd3;
            default: if (silent | (heard & (kind == 3'd{{ kinds.hello }}))) state <= 2'd0;
        endcase
        if (silent & (state != 2'd1)) begin
            waited <= {PATIENCE{1'b0}};
            calls <= 1'b0;
        end
        if (up & heard & (kind == 3'd{{ kinds.hello }})) begin
            waited <= {PATIENCE{1'b0}};
            calls <= 1'b0;
        end
        if (rst | restart) begin
            state <= 2'd0;
            calls <= ~rst;
            waited <= {PATIENCE{1'b0}};
            good <= {COUNT{1'b0}};
            differed <= 3'd0;
            primed <= 1'b0;
        end
        renewed <= rst | (renewed & ~restart & ~state[1]);
    end

endmodule

`default_nettype wire
