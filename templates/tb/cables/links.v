
    // random number below a bound
    integer drawn;
    task automatic draw_below(input integer bound);
        begin
            draw;
            drawn = {8'd0, chance[31:8]};
            drawn = drawn % bound;
        end
    endtask

    // input at the other end of an output's link; none without a link
    integer there [1:LINKS];
{%- if cables.check.is_some() %}
    // bits of a frame
    integer bits [1:LINKS];
{%- endif %}
{%- if cables.common.is_some() %}
    // inputs over which starts come
    reg brings_starts [1:LINKS];
{%- endif %}

    // joins the ports of boards
    task automatic connect;
        begin
{%- for board in cables.boards %}
{%- for side in board.sides %}
            there[{{ side.index }}] = {{ side.there }};
{%- if cables.check.is_some() %}
            bits[{{ side.index }}] = {{ side.links }}*{% if cables.tag == 0 %}(WIDTH+1){% else %}WIDTH{% endif %}+{{ cables.beside }};
{%- endif %}
{%- if cables.common.is_some() %}
            brings_starts[{{ side.index }}] = 1'b{{ side.starts }};
{%- endif %}
{%- endfor %}
{%- endfor %}
        end
    endtask

{%- if cables.serial.is_some() %}

    // by link, numbered by its input: clocks that the wire takes, and its levels in the last clocks of the sender
    integer latency [1:LINKS];
    reg wired [1:ALL];
{%- else %}

    // by link, numbered by its output: rate of waiting
    integer pause [1:LINKS];
    reg blocked [1:LINKS];
    // numbered by its input: latency, flits in flight, and arrival time of the next
    integer latency [1:LINKS];
    integer put [1:LINKS];
    integer brought [1:LINKS];
{%- if cables.transceiver.is_none() %}
    integer wake [1:LINKS];
{%- endif %}
    reg [FRAME-1:0] token [1:ALL];
    integer due [1:ALL];
{%- endif %}
{%- if cables.check.is_some() %}
    // links that bring nothing, or the same {% if cables.serial.is_some() %}level{% else %}frame{% endif %} for ever
    reg cut [1:LINKS];
    reg stuck [1:LINKS];
    reg {% if cables.serial.is_none() %}[FRAME-1:0] {% endif %}stands [1:LINKS];
{%- endif %}
    integer slot, now;
{%- if cables.own_clocks %}
{%- include "tb/cables/clocks.v" %}
{%- endif %}
{%- if cables.check.is_some() %}
{%- include "tb/cables/faults.v" %}
{%- endif %}
{%- if cables.common.is_some() %}
{%- include "tb/cables/common.v" %}
{%- endif %}

    // an input shows what has arrived over its link
    task automatic bring;
        begin
{%- if cables.transceiver.is_some() %}
            // in the clock of the board that receives
            now = beats[OFFSET+(link-1)/SIDES+1];
            if (stuck[link]) begin
                rx_valid[link] = 1'b1;
                rx_data[link] = stands[link];
            end else begin
                if (rx_valid[link]) brought[link] = brought[link] + 1;
                slot = link * ROOM + brought[link] % ROOM;
                rx_valid[link] = brought[link] < put[link] && due[slot] <= now;
                // now and then there is a gap within a frame
                draw;
                if (stalls != 0 && chance[11:8] == 4'd0) rx_valid[link] = 1'b0;
                rx_data[link] = rx_valid[link] ? token[slot] : {FRAME{1'bx}};
            end
        end
    endtask
{%- else %}
            // in the clock of the board that sends
            now = {% if cables.own_clocks %}beats[(there[link]-1)/SIDES+1]{% else %}clocks{% endif %};
{%- if cables.serial.is_some() %}
            slot = link * ROOM + (now + ROOM - latency[link]) % ROOM;
            rx[link] = cut[link] ? 1'b1 : stuck[link] ? stands[link] : wired[slot];
        end
    endtask
{%- else %}
{%- if cables.check.is_some() %}
            if (stuck[link]) begin
                rx_valid[link] = 1'b1;
                rx_data[link] = stands[link];
            end else if (wake[link] <= now) begin
{%- else %}
            if (wake[link] <= now) begin
{%- endif %}
                if (rx_valid[link]) brought[link] = brought[link] + 1;
                slot = link * ROOM + brought[link] % ROOM;
                rx_valid[link] = brought[link] < put[link] && due[slot] <= now;
                rx_data[link] = rx_valid[link] ? token[slot] : {FRAME{1'bx}};
                wake[link] = (brought[link] < put[link]) ? due[slot] : NEVER;
            end
        end
    endtask
{%- endif %}
{%- endif %}

    // between two edges: arrivals over links, and the outputs that wait in the next clock
    task automatic drive_links;
        begin
{%- if cables.serial.is_none() %}
            // sometimes a link waits longer than its latency
            if ({% if cables.own_clocks %}rises[COUNTED] && {% endif %}clocks % 32 == 0 && stalls != 0) begin
                for (link = 1; link <= LINKS; link = link + 1) begin
                    draw_below(32);
                    blocked[link] = drawn == 0;
                end
            end
{%- endif %}
{%- if cables.own_clocks %}
            for (at = 1; at <= outputs; at = at + 1) begin
{%- if cables.transceiver.is_some() %}
                // both directions of a port have one clock
                link = risen[at];
                bring;
{%- else %}
                // an input has the clock of the board that sends
                link = there[risen[at]];
                if (link != 0) bring;
                link = risen[at];
{%- endif %}
{%- else %}
            for (link = 1; link <= LINKS; link = link + 1) begin
                bring;
{%- endif %}
{%- if cables.serial.is_none() %}
{%- if cables.transceiver.is_some() %}
                port = there[link];
                tx_ready[link] = port != 0;
                if (port != 0) begin
                    draw_below(100);
                    // the channel is down, or takes beats faster than they come out
                    tx_ready[link] = drawn >= pause[link] && !blocked[link] && !cut[port] && put[port] - brought[port] <= latency[port] + 8;
                    // a clock in 33 goes to the headers of blocks, and 8 in 512 to the compensation of clocks
                    now = now + link;
                    if (stalls != 0 && (now % 33 == 0 || now % 512 < 8)) tx_ready[link] = 1'b0;
                end
{%- else %}
                if (tx_valid[link] !== 1'b0) begin
                    draw_below(100);
                    tx_ready[link] = drawn >= pause[link] && !blocked[link];
                end
{%- endif %}
{%- endif %}
            end
        end
    endtask
{%- if cables.check.is_none() %}

    // a link accepts a flit
    task automatic pass;
        begin
            port = there[link];
            if (put[port] - brought[port] == ROOM) begin
                $display("FAIL link %0d: more than %0d on its way", port, ROOM);
                good = 1'b0;
            end
            slot = port * ROOM + put[port] % ROOM;
            token[slot] = tx_data[link];
            due[slot] = {% if cables.own_clocks %}beats[(link-1)/SIDES+1]{% else %}clocks{% endif %} + latency[port];
            put[port] = put[port] + 1;
            if (wake[port] == NEVER) wake[port] = due[slot];
        end
    endtask
{%- endif %}

    // at an edge: what leaves over links
    task automatic watch_links;
        begin
{%- if cables.own_clocks %}
            for (at = 1; at <= outputs; at = at + 1) begin
                link = risen[at];
{%- else %}
            for (link = 1; link <= LINKS; link = link + 1) begin
{%- endif %}
                if ({% if cables.serial.is_some() %}(there[link] != 0 || tx[link] !== 1'b1){% else %}tx_valid[link] !== 1'b0{% endif %} && good) begin
                    if (there[link] == 0) begin
                        $display("FAIL output %0d sends where no link leads", link);
                        good = 1'b0;
                    end else {% if cables.serial.is_none() %}if (tx_ready[link]) {% endif %}begin
                        {% if cables.check.is_some() %}pass_or_fail{% else %}pass{% endif %};
                    end
                end
{%- if cables.serial.is_some() %}
            end
{%- else if cables.transceiver.is_some() %}
                watch_output;
            end
{%- else %}
{%- if cables.own_clocks %}
                link = there[link];
                if (link != 0 && rx_valid[link] && rx_ready[link] !== 1'b1 && good) begin
{%- else %}
                if (rx_valid[link] && rx_ready[link] !== 1'b1 && good) begin
{%- endif %}
                    $display("FAIL link %0d: no room for what it brings", link);
                    good = 1'b0;
                end
            end
{%- endif %}
        end
    endtask

    // settings of cables and their faults
    task automatic read_settings;
        begin
            if (!$value$plusargs("least=%d", least)) least = 1;
            if (!$value$plusargs("most=%d", most)) most = 20;
            if (!$value$plusargs("stalls=%d", stalls)) stalls = 50;
            if (most < least) most = least;
{%- if cables.check.is_some() %}
            if (!$value$plusargs("faults=%d", faults)) faults = 0;
            if (!$value$plusargs("fault=%d", only)) only = 0;
            phase = 0;
            kind = 0;
            named = 0;
            tokens = 0;
            struck = 0;
            slowest = 0;
            victim = 1;
            second = 1;
            base = 0;
            mixed_up = 0;
            armed = 1'b0;
{%- if cables.serial.is_some() %}
            hit = 0;
            glitch = 0;
            of_token = 1'b0;
{%- else if cables.transceiver.is_some() %}
            hit = 0;
            of_token = 1'b1;
{%- else %}
            holds = 1'b0;
{%- endif %}
{%- endif %}
        end
    endtask

    // cables as they are at first
    task automatic lay_cables;
        begin
            connect;
{%- if cables.check.is_some() %}
            for (board = 1; board <= BOARDS; board = board + 1) begin
                reset[board] = 1'b0;
                restart[board] = 1'b0;
                told[board] = 1'b0;
{%- if cables.transceiver.is_some() %}
                broken[board] = 1'b1;
{%- endif %}
            end
{%- endif %}
            for (link = 1; link <= LINKS; link = link + 1) begin
                draw_below(most + 1 - least);
                latency[link] = least + drawn;
{%- if cables.serial.is_some() %}
                rx[link] = 1'b1;
                of_frame[link] = 0;
                clear_link(link);
{%- else %}
                draw_below(stalls + 1);
                pause[link] = drawn;
                blocked[link] = 1'b0;
                put[link] = 0;
                brought[link] = 0;
{%- if cables.transceiver.is_some() %}
                of_frame[link] = 0;
                waited[link] = 1'b0;
{%- else %}
                wake[link] = NEVER;
{%- endif %}
                rx_valid[link] = 1'b0;
                rx_data[link] = {FRAME{1'bx}};
                tx_ready[link] = 1'b0;
{%- endif %}
{%- if cables.check.is_some() %}
                cut[link] = 1'b0;
                stuck[link] = 1'b0;
{%- if cables.serial.is_none() && cables.transceiver.is_none() %}
                parts_sent[link] = 33'd0;
{%- endif %}
{%- endif %}
            end
{%- if cables.check_training() %}
            choose_spoiled;
{%- endif %}
{%- if cables.common.is_some() %}
            choose_held;
{%- endif %}
        end
    endtask

    // a board may be started in the next clock
    reg may_start;
    task automatic judge_starts;
        begin
            may_start = 1'b1;
{%- if cables.common.is_some() %}
            // until the host's board can see what is held back
            if (held_kind != 0 && faults == 0 && begun[HOST] == 1 && (!held_again || (holding && settled <= enough / 2))) may_start = 1'b0;
{%- endif %}
{%- if cables.check.is_some() %}
            if (faults != 0 && (phase == 0 || phase == 5)) may_start = 1'b0;
{%- if cables.check_training() %}
            if (faults == 0 && !trained) may_start = 1'b0;
{%- endif %}
{%- if cables.common.is_some() %}
            // a board that was reset has not ended its run
            if (faults != 0 && phase >= 3 && (kind == 7 || kind == 14)) may_start = 1'b0;
            // one run alone: some boards have ended it, and one has not
            for (board = 1; board <= BOARDS; board = board + 1) begin
                if (faults != 0 && phase == 2 && kind == 14 && busy[board] !== 1'b0) may_start = 1'b0;
            end
{%- endif %}
{%- endif %}
        end
    endtask
{%- if cables.check.is_some() %}

    // between two edges: faults, and what is held back
    task automatic disturb;
        begin
            if (faults != 0 && good{% if cables.own_clocks %} && rises[COUNTED]{% endif %}) strike;
{%- if cables.check_training() %}
            if (faults == 0 && good && !trained) watch_training;
{%- endif %}
{%- if cables.common.is_some() %}
            if (holding && good{% if cables.own_clocks %} && rises[COUNTED]{% endif %}) hold_back;
            if (!holding && !held_again && held_kind != 0 && faults == 0 && good{% if cables.own_clocks %} && rises[COUNTED]{% endif %}) hold_again;
{%- endif %}
        end
    endtask

    // at an edge: faults are those of cables, and there are no others
    task automatic watch_errors;
        begin
            if (faults != 0) begin
                {% if cables.own_clocks %}if (rises[COUNTED]) {% endif %}judge;
            end else begin
                for (board = 1; board <= BOARDS; board = board + 1) begin
                    if (good && error[board] !== 1'b0 && clocks > 0) begin
                        $display("FAIL board %0d: code %0d at port %0d without a fault", board - 1,
                            error_code[board], error_port[board]);
                        good = 1'b0;
                    end
                end
            end
        end
    endtask

    // links stay up while nothing is played
    task automatic watch_idle;
        begin
            for (link = 1; good && link <= LINKS; link = link + 1) begin
                if (there[link] != 0 && links_up[(link-1)/SIDES+1][(link-1)%SIDES] !== 1'b1) begin
                    $display("FAIL the link of input %0d goes down without a fault", link);
                    good = 1'b0;
                end
            end
        end
    endtask
{%- endif %}
