
    // a clock for each board, and one that the bench counts; times to their next edges
{%- if cables.ports_cross() %}
    // behind the boards' clocks stand those of their transceivers
    localparam integer COUNTED = 2 * BOARDS + 1;
    localparam integer OFFSET = BOARDS;
{%- else %}
    localparam integer COUNTED = BOARDS + 1;
{%- if cables.transceiver.is_some() %}
    localparam integer OFFSET = 0;
{%- endif %}
{%- endif %}
    localparam integer PERIOD = 60000;
    integer clock_kind;
    integer period [1:COUNTED];
    integer next [1:COUNTED];
    integer beats [1:{% if cables.ports_cross() %}COUNTED{% else %}BOARDS{% endif %}];
    // boards whose clocks rise next, and their outputs
    reg [COUNTED:1] rises;
    integer risen [1:LINKS];
    integer outputs;
{%- if cables.crosses %}
    reg [LINKS:1] next_clock;
{%- endif %}
    integer of, side, soonest, at;

{%- if let Some(sums) = sums %}

{% include "tb/sums.v" %}
{%- endif %}

    initial begin
        clk = 1'b0;
{%- if sums.is_some() %}
        check_sums;
{%- endif %}
        board_clock = 0;
{%- if cables.ports_cross() %}
        port_clock = 0;
{%- endif %}
{%- if cables.crosses %}
        cable_clock = 0;
        next_clock = 0;
{%- endif %}
        rises = 0;
        #1;
        forever begin
            soonest = NEVER;
            for (of = 1; of <= COUNTED; of = of + 1) if (next[of] < soonest) soonest = next[of];
            outputs = 0;
            for (of = 1; of <= COUNTED; of = of + 1) begin
                rises[of] = next[of] == soonest;
                next[of] = rises[of] ? period[of] : next[of] - soonest;
                if (rises[of] && {% if cables.ports_cross() %}of > OFFSET && of < COUNTED{% else %}of <= BOARDS{% endif %}) begin
                    for (side = 1; side <= SIDES; side = side + 1) begin
                        outputs = outputs + 1;
                        risen[outputs] = (of - {% if cables.ports_cross() %}OFFSET - {% endif %}1) * SIDES + side;
                    end
                end
            end
            // the bench samples before the edge, and drives after it; the simulator's time is that of edges, not to scale
            #7 clk = 1'b1;
            #1;
{%- if cables.crosses %}
            for (of = 1; of <= outputs; of = of + 1) begin
                side = there[risen[of]];
{%- if cables.check.is_some() %}
                // a cable that is pulled out has no clock
                if (side != 0) next_clock[side] = !cut[side];
{%- else %}
                if (side != 0) next_clock[side] = 1'b1;
{%- endif %}
            end
            cable_clock = next_clock;
{%- endif %}
            board_clock = rises[BOARDS:1];
{%- if cables.ports_cross() %}
            port_clock = rises[COUNTED-1:OFFSET+1];
{%- endif %}
            for (of = 1; of <= {% if cables.ports_cross() %}COUNTED{% else %}BOARDS{% endif %}; of = of + 1) if (rises[of]) beats[of] = beats[of] + 1;
            #1;
            board_clock = 0;
{%- if cables.ports_cross() %}
            port_clock = 0;
{%- endif %}
{%- if cables.crosses %}
            cable_clock = 0;
            next_clock = 0;
{%- endif %}
            #1 clk = 1'b0;
        end
    end

{%- if cables.serial.is_some() %}

    // 0 one clock for all boards, 1 of any phase, 2 also within 100 ppm, 3 as far apart as frames allow
    localparam integer APART = PERIOD * ((DIVISOR - 1) / 2) / ((FRAME + 2) * DIVISOR);
{%- else %}

    // 0 one clock for all boards, 1 of any phase, 2 also within 100 ppm, 3 up to 2:3
{%- endif %}
    task automatic choose_clocks;
        begin
            if (!$value$plusargs("clocks=%d", clock_kind)) clock_kind = {% if cables.serial.is_some() %}seed % 4{% else %}1 + seed % 3{% endif %};
            period[COUNTED] = PERIOD + ((clock_kind == 2) ? PERIOD / 10000 : {% if cables.serial.is_some() %}(clock_kind == 3) ? APART : {% endif %}0);
            next[COUNTED] = PERIOD;
            for (board = 1; board {% if cables.ports_cross() %}< COUNTED{% else %}<= BOARDS{% endif %}; board = board + 1) begin
                period[board] = PERIOD;
                next[board] = PERIOD;
                beats[board] = 0;
                if (clock_kind == 2) begin
                    draw_below(PERIOD / 10000 + 1);
                    period[board] = PERIOD + drawn;
                end
{%- if cables.serial.is_some() %}
                // every second the slowest or the fastest
                if (clock_kind == 3) begin
                    draw_below(APART + 1);
                    period[board] = PERIOD + ((board % 2 == 0) ? drawn : (drawn % 2 == 0) ? APART : 0);
                end
{%- else %}
                if (clock_kind == 3) begin
                    draw_below(PERIOD / 3 + 1);
                    // every third anything between
                    period[board] = PERIOD - ((board % 3 == 0) ? drawn : (drawn % 2 == 0) ? PERIOD / 3 : 0);
                end
{%- endif %}
                if (clock_kind != 0) begin
                    draw_below(period[board]);
                    next[board] = 1 + drawn;
                end
            end
        end
    endtask
