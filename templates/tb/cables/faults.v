
{%- if cables.serial.is_some() %}
    // faults, one after the other: 1 a start bit is high, 2 a stop bit is low, 3 an idle wire is low for a bit, 4 wrong bits, 5 a
    // wire stands still, 6 a cable is pulled out, 7 a board is reset, 8 two cables are exchanged
{%- else if cables.transceiver.is_some() %}
    // faults, one after the other: 1 a lost beat, 2 a doubled beat, 3 a last beat that is not said to be, 4 wrong bits, 5 a
    // link stands still, 6 a channel is down, 7 a board is reset, 8 two cables are exchanged
{%- else %}
    // faults, one after the other: 1 lost, 2 doubled, 3 exchanged tokens, 4 wrong bits, 5 a link stands
    // still, 6 a cable is pulled out, 7 a board is reset, 8 two cables are exchanged
{%- if cables.common.is_some() %}
    // 9 to 12 are 1 to 4 of a start
{%- endif %}
{%- endif %}
    // 13 two cables are exchanged in an instant, so that no link goes down
{%- if cables.common.is_some() %}
    // 14 a board is reset in a run that its neighbours have ended
{%- endif %}
    integer faults;
    integer only;
    // 0 trains, 1 plays a run, 2 waits for the fault, 3 for its code, 4 for all boards to stop,
    // 5 cables are exchanged
    integer phase;
    integer kind;
    reg exchanges;  // kinds 8 and 13
    integer strikes;
    integer named;
    integer tokens;
    integer struck;
    integer slowest;
    integer victim;
    integer second;
    integer other;
    integer base;
    integer mixed_up;
    // boards that have said a fault in the clock before
    reg told [1:BOARDS];
    reg armed;
{%- if cables.serial.is_some() %}
    // input of the wire with the wrong bits, and clocks that an idle one is still low
    integer hit;
    integer glitch;
    reg [2:0] sent_kind;
    // the frame with the wrong bits had a token or a start
    reg of_token;
{%- else if cables.transceiver.is_some() %}
    // the fault does harm
    reg of_token;
{%- else %}
    reg [FRAME-1:0] held;
    reg holds;
{%- if cables.own_clocks %}
    integer overtaken;
{%- endif %}
{%- endif %}
    reg [3:0] wanted;
    reg is_end;
    integer flips;
    integer flipped [1:{% if cables.serial.is_some() || cables.transceiver.is_some() %}3{% else %}2{% endif %}];
    reg all;
{%- if cables.common.is_some() %}
    // kind of a fault, whether of a token or of a start
    integer act;
{%- endif %}

    task automatic clear_link(input integer of_link);
        begin
{%- if cables.serial.is_some() %}
            for (slot = 0; slot < ROOM; slot = slot + 1) wired[of_link*ROOM+slot] = 1'b1;
{%- else %}
            brought[of_link] = put[of_link];
{%- if cables.transceiver.is_none() %}
            wake[of_link] = NEVER;
{%- endif %}
            rx_valid[of_link] = 1'b0;
{%- endif %}
        end
    endtask

    // both directions of a cable
    task automatic cut_cable(input integer of_link, input integer value);
        begin
            cut[of_link] = value != 0;
            cut[there[of_link]] = value != 0;
            clear_link(of_link);
            clear_link(there[of_link]);
        end
    endtask

    integer one_end;
    integer other_end;
    task automatic exchange;
        begin
            one_end = there[victim];
            other_end = there[second];
            there[victim] = other_end;
            there[other_end] = victim;
            there[second] = one_end;
            there[one_end] = second;
        end
    endtask

    task automatic pick_link;
        begin
            draw_below(LINKS);
            victim = drawn + 1;
            while (there[victim] == 0{% if cables.common.is_some() %} || (kind > 8 && kind < 13 && !brings_starts[victim]){% endif %}) victim = victim % LINKS + 1;
        end
    endtask

    task automatic pulse_restart;
        begin
            draw_below(BOARDS);
            restart[drawn+1] = 1'b1;
{%- if cables.own_clocks && cables.serial.is_none() && cables.transceiver.is_none() %}
            holds = 1'b0;
{%- endif %}
            phase = 0;
            struck = clocks;
        end
    endtask

    // between two edges
    task automatic strike;
        begin
            for (board = 1; board <= BOARDS; board = board + 1) restart[board] = 1'b0;
            all = 1'b1;
            for (board = 1; board <= BOARDS; board = board + 1) begin
                case (phase)
                    0: all = all && ready[board] === 1'b1 && error[board] === 1'b0;
                    1: all = all && over[board] > base;
{%- if cables.common.is_some() %}
                    4: all = all && busy[board] === 1'b0 && (board != HOST || error[board] === 1'b1 || ready[board] === 1'b0 || kind == 7);
{%- else %}
                    4: all = all && (error[board] === 1'b1 || ready[board] === 1'b0);
{%- endif %}
                    default: all = 1'b0;
                endcase
            end
            case (phase)
                0: if (all{% if cables.serial.is_some() || cables.transceiver.is_some() %} && clocks > struck + 8{% endif %}) begin
                    renew;
                    if (named == faults) begin
                        $display("PASS %0d faults named, %0d {% if cables.serial.is_some() %}frames{% else %}tokens{% endif %}, at most %0d clocks to a code",
                            named, tokens, slowest);
                        $finish(0);  // without a word
                    end
                    phase = 1;
                    still = 0;
                end
                1: if (all) begin
                    {%- if cables.common.is_some() && cables.serial.is_none() && cables.transceiver.is_none() %}
                    draw_below(14);
                    kind = (only == 0) ? drawn + 1 : only;
{%- else %}
                    draw_below(9);
                    kind = (only != 0) ? only : (drawn == 8) ? 13 : drawn + 1;
{%- endif %}
                    exchanges = kind == 8 || kind == 13;
{%- if cables.common.is_some() %}
                    act = (kind > 8 && kind < 13) ? kind - 8 : kind;
{%- endif %}
                    pick_link;
                    second = victim;
                    if (exchanges) begin
                        // a cable with four other ends
                        repeat (1 + LINKS / 2) begin
                            if (second == victim || second == there[victim] || there[second] == 0
                                || bits[second] != bits[victim])
                                second = second % LINKS + 1;
                        end
                        if (second == victim || second == there[victim] || there[second] == 0
                            || bits[second] != bits[victim]) begin
                            kind = 6;
                            exchanges = 1'b0;
                        end
                    end
                    draw_below(4 * (most + TICKS){% if cables.serial.is_some() %} + TICKS * FRAME * DIVISOR{% endif %});
                    strikes = clocks + drawn;
                    phase = 2;
                end
                2: if (clocks >= strikes) begin
                    board = (victim - 1) / SIDES + 1;
                    if ({{ cables.act }} <= 4) begin
                        armed = 1'b1;
                    end else if (kind == 5) begin
{%- if cables.serial.is_some() %}
                        stuck[victim] = 1'b1;
                        stands[victim] = rx[victim];
                        begin_fault(victim);
{%- else %}
                        if (rx_valid[victim]) begin
                            stuck[victim] = 1'b1;
                            stands[victim] = rx_data[victim];
                            begin_fault(victim);
                        end
{%- endif %}
                    end else if (kind == 7) begin
                        all = busy[board] === 1'b1;
                        for (port = 1; port <= SIDES; port = port + 1) begin
                            other = there[(board-1)*SIDES+port];
                            if (other != 0) all = all && busy[(other-1)/SIDES+1] === 1'b1;
                        end
                        if (all) begin
                            reset[board] = 1'b1;
                            begin_fault(victim);
                        end
{%- if cables.common.is_some() %}
                    end else if (kind == 14) begin
                        all = busy[board] === 1'b1;
                        for (port = 1; port <= SIDES; port = port + 1) begin
                            other = there[(board-1)*SIDES+port];
                            if (other != 0) all = all && busy[(other-1)/SIDES+1] === 1'b0;
                        end
                        if (board == HOST) pick_link;
                        else if (all) begin
                            reset[board] = 1'b1;
                            begin_fault(victim);
                        end
{%- endif %}
                    end else if (kind == 13) begin
                        exchange;
{%- if cables.own_clocks && cables.transceiver.is_none() %}
                        // frames on their way are timed by the clock of the board that has sent them
                        clear_link(victim);
                        clear_link(second);
                        clear_link(there[victim]);
                        clear_link(there[second]);
{%- endif %}
                        begin_fault(victim);
                    end else begin
                        cut_cable(victim, 1);
                        if (kind == 8) cut_cable(second, 1);
                        begin_fault(victim);
                    end
                end
                3: begin
                    if (clocks == struck + 3) for (board = 1; board <= BOARDS; board = board + 1) reset[board] = 1'b0;
{%- if cables.common.is_some() %}
                    // no run began, and the host's board says where; or all had ended theirs
                    if (clocks > struck + 3 * most + 3 * (1 << WAITS)
                        && (kind == 7 || ((kind == 5 || kind == 6 || exchanges) && ready[HOST] === 1'b0))) begin
                        all = 1'b1;
                        for (board = 1; board <= BOARDS; board = board + 1) all = all && busy[board] === 1'b0;
                        link = named_board(HOST);
                        all = all && (kind == 7 || link == (victim - 1) / SIDES + 1 || link == (there[victim] - 1) / SIDES + 1
                            || link == (second - 1) / SIDES + 1 || link == (there[second] - 1) / SIDES + 1);
                        if (all) begin
                            named = named + 1;
                            phase = 4;
                        end
                    end
{%- endif %}
{%- if cables.serial.is_some() || cables.transceiver.is_some() %}
                    // {% if cables.serial.is_some() %}a frame without a token may be lost, if boards play on{% else %}what does no harm, if boards play on{% endif %}
                    if (phase == 3 && kind <= 4 && !of_token && still < (1 << WAITS) && clocks > struck + 4 * most + 3 * (1 << WAITS)) begin
                        named = named + 1;
                        pulse_restart;
                    end
{%- endif %}
                    if ({% if cables.common.is_some() || cables.serial.is_some() || cables.transceiver.is_some() %}phase == 3 && {% endif %}clocks > struck + 4 * most + 4 * (1 << WAITS)) begin
                        $display("FAIL fault %0d at link %0d is not seen", kind, victim);
                        good = 1'b0;
                    end
                end
                4: begin
                    if (clocks == struck + 3) for (board = 1; board <= BOARDS; board = board + 1) reset[board] = 1'b0;
                    if (all && clocks > struck + 3) begin
                        if (kind == 8) exchange;
                        // the cables hang in the air while they are exchanged
                        if (kind != 8 || clocks > struck + 2 * (1 << WAITS)) begin
                            stuck[victim] = 1'b0;
                            cut_cable(victim, 0);
                            cut_cable(second, 0);
                            pulse_restart;
                            if (exchanges) phase = 5;
                            mixed_up = 0;
                        end else begin
                            exchange;
                        end
                    end
                    if (clocks > struck + (BOARDS + 8) * (4 * most + 4 * (1 << WAITS))) begin
                        $display("FAIL fault %0d at link %0d does not stop all boards", kind, victim);
                        good = 1'b0;
                    end
                end
                5: if (clocks == struck + 8 * (1 << WAITS) + 8 * most) begin
                    if (mixed_up == 0) begin
                        $display("FAIL nobody says that cables %0d and %0d are exchanged", victim, second);
                        good = 1'b0;
                    end
                    for (port = 0; port < 4; port = port + 1) begin
                        link = (port % 2 == 0) ? victim : second;
                        if (port > 1) link = there[link];
                        board = (link - 1) / SIDES + 1;
                        if (error[board] !== 1'b1 || ready[board] !== 1'b0) begin
                            $display("FAIL board %0d does not say that its cable leads elsewhere", board - 1);
                            good = 1'b0;
                        end
                    end
                    cut_cable(victim, 0);
                    cut_cable(second, 0);
                    exchange;
                    clear_link(victim);
                    clear_link(second);
                    clear_link(there[victim]);
                    clear_link(there[second]);
                    pulse_restart;
                end
                default: ;
            endcase
            if (phase != 1 && phase != 2{% if cables.serial.is_some() || cables.transceiver.is_some() %} && (phase != 3 || kind > 4){% endif %}) still = 0;
            if (phase == 0 && clocks > struck + (BOARDS + 8) * (4 * most + 4 * (1 << WAITS))) begin
                $display("FAIL boards do not come back after fault %0d at link %0d", kind, victim);
                good = 1'b0;
            end
        end
    endtask

    task automatic begin_fault(input integer at_link);
        begin
            armed = 1'b0;
            victim = at_link;
            struck = clocks;
            phase = 3;
        end
    endtask

    // the first code that a board gives must be that of the fault, at one of its ports
    task automatic judge;
        begin
            for (board = 1; board <= BOARDS; board = board + 1) begin
                if (phase == 3 && error[board] === 1'b1) begin
                    link = (board - 1) * SIDES + error_port[board] + 1;
{%- if cables.serial.is_some() %}
                    // a frame that is broken off is damaged, or is none
                    wanted = (kind <= 4) ? 4'd2 : (kind == 7 || kind == 14) ? 4'd4 : (kind == 13) ? 4'd1 : 4'd3;
                    if (error_code[board] == 4'd1) wanted = 4'd1;
                    is_end = link == victim;
{%- else %}
                    wanted = ({{ cables.act }} <= 3) ? 4'd2 : ({{ cables.act }} == 4 || kind == 13) ? 4'd1 : (kind == 7 || kind == 14) ? 4'd4 : 4'd3;
                    is_end = link == victim;
                    if (kind == 5 && error_code[board] == 4'd2) wanted = 4'd2;
{%- endif %}
                    if (kind == 6 || exchanges) is_end = is_end || link == there[victim];
                    if (exchanges) is_end = is_end || link == second || link == there[second];
{%- if cables.common.is_some() %}
                    // a link may go down while a start is on its way
                    if (kind == 5 || kind == 6 || exchanges) begin
                        is_end = is_end || link == there[victim];
                        if (error_code[board] == 4'd4) wanted = 4'd4;
                        if (error_code[board] == 4'd9) begin
                            wanted = 4'd9;
                            other = named_board(board);
                            is_end = is_end || other == (victim - 1) / SIDES + 1 || other == (there[victim] - 1) / SIDES + 1;
                            if (exchanges) is_end = is_end || other == (second - 1) / SIDES + 1 || other == (there[second] - 1) / SIDES + 1;
                        end
                    end
{%- endif %}
                    if (kind == 7 || kind == 14) is_end = there[link] != 0 && (there[link] - 1) / SIDES == (victim - 1) / SIDES;
                    if (error_code[board] !== wanted || !is_end) begin
                        $display("FAIL fault %0d at link %0d: board %0d says code %0d at port %0d", kind, victim,
                            board - 1, error_code[board], error_port[board]);
                        good = 1'b0;
                    end
                    if ({{ cables.act }} <= 4) begin
                        if (clocks - struck > slowest) slowest = clocks - struck;
                        if (stalls == 0 && clocks - struck > 2 * latency[victim] + {% if cables.serial.is_some() || cables.transceiver.is_some() %}24 + (1 << (WAITS - 2)){% else if cables.own_clocks %}24{% else %}8{% endif %}) begin
                            $display("FAIL fault %0d at link %0d is seen after %0d clocks",
                                kind, victim, clocks - struck);
                            good = 1'b0;
                        end
                    end
                    phase = 4;
                    named = named + 1;
                end
            end
            for (board = 1; board <= BOARDS; board = board + 1) begin
                if (told[board] === 1'b1 && error[board] === 1'b1
                    && (arrived[board] !== 1'b0 || done[board] !== 1'b0)) begin
                    $display("FAIL board %0d plays on after a fault", board - 1);
                    good = 1'b0;
                end
                told[board] = error[board];
            end
            for (board = 1; board <= BOARDS; board = board + 1) begin
                if (phase == 5 && error[board] === 1'b1 && error_code[board] > 4'd5) begin
                    link = (board - 1) * SIDES + error_port[board] + 1;
                    is_end = link == victim || link == second || link == there[victim] || link == there[second];
                    mixed_up = mixed_up + 1;
                    if (!is_end || error_code[board] < 4'd7) begin
                        $display("FAIL exchanged cables: board %0d says code %0d at port %0d", board - 1,
                            error_code[board], error_port[board]);
                        good = 1'b0;
                    end
                end
            end
        end
    endtask
{%- if cables.serial.is_some() %}
{%- include "tb/cables/wires.v" %}
{%- else if cables.transceiver.is_some() %}
{%- include "tb/cables/beats.v" %}
{%- else %}

    // a link accepts a frame while a fault is due
    task automatic queue(input reg [FRAME-1:0] frame);
        begin
            slot = port * ROOM + put[port] % ROOM;
            token[slot] = frame;
            due[slot] = {% if cables.own_clocks %}beats[(link-1)/SIDES+1]{% else %}clocks{% endif %} + latency[port];
            put[port] = put[port] + 1;
            if (wake[port] == NEVER) wake[port] = due[slot];
        end
    endtask

    // parts of the identity of a port, and those that each output has sent
    function automatic integer parts(input integer of_link);
        parts = ({% for check in cables.check %}{{ check.identity }} + bits[of_link] - {{ check.overhead }} - 1) / (bits[of_link] - {{ check.overhead }}){% endfor %};
    endfunction
    reg [32:0] parts_sent [1:LINKS];
{%- if cables.check_training() %}

    // before the first run one link has a wrong bit in every frame that would be the last of those in a row that train it
    integer spoiled;
    integer spoiled_frames;
    reg spoils;
    reg trained;
    task automatic choose_spoiled;
        begin
            draw_below(LINKS);
            spoiled = drawn + 1;
            while (there[spoiled] == 0) spoiled = spoiled % LINKS + 1;
            spoiled_frames = 0;
            spoils = 1'b1;
            trained = 1'b0;
        end
    endtask

    // no link trains with fewer good frames in a row, and all do without wrong ones
    task automatic watch_training;
        begin
            still = 0;
            if (spoils && links_up[(spoiled-1)/SIDES+1][(spoiled-1)%SIDES] !== 1'b0 && clocks > 4) begin
                $display("FAIL the link of input %0d trains with wrong frames", spoiled);
                good = 1'b0;
            end
            if (clocks > ({% if cables.own_clocks %}2{% else %}1{% endif %} << WAITS) + 8 * most + 64 * parts(spoiled)) spoils = 1'b0;
            all = !spoils;
            for (board = 1; board <= BOARDS; board = board + 1) all = all && ready[board] === 1'b1;
            trained = all;
            if (clocks > 32 * ((1 << WAITS) + most) + 256 * parts(spoiled)) begin
                $display("FAIL links do not train");
                good = 1'b0;
            end
        end
    endtask
{%- endif %}

    reg is_token;
{%- if cables.common.is_some() %}
    reg is_status;
{%- endif %}
    reg [FRAME-1:0] wrong;
    task automatic pass_or_fail;
        begin
            port = there[link];
            is_token = tx_data[link][bits[link]-3+:3] == 3'd3;
            if (is_token) tokens = tokens + 1;
            // hello and ready: a part, by its number
            if (tx_data[link][bits[link]-2+:2] == 2'd0) begin
                parts_sent[link] = parts_sent[link] | (33'd1 << tx_data[link][bits[link]-4-:{% for check in cables.check %}{{ check.sequence }}{% endfor %}]);
{%- if cables.check_training() %}
                if (port == spoiled) spoiled_frames = spoiled_frames + 1;
{%- endif %}
            end
{%- if cables.common.is_some() %}
            is_status = tx_data[link][bits[link]-3+:3] == 3'd6;
            if (kind > 8 && kind < 13) is_token = tx_data[link][bits[link]-3+:3] == 3'd7;
            draw_below(64);
{%- endif %}
            if (put[port] - brought[port] >= ROOM - 2) begin
                $display("FAIL link %0d: more than %0d on its way", port, ROOM);
                good = 1'b0;
            end
            if (cut[port] || stuck[port]) begin
                // nothing comes out
{%- if cables.check_training() %}
            end else if (spoils && faults == 0 && port == spoiled && spoiled_frames % (4 * parts(port)) == 0) begin
                queue({tx_data[link][FRAME-1:1], ~tx_data[link][0]});
{%- endif %}
            end else if (holds && port == victim) begin
                queue(tx_data[link]);
{%- if cables.own_clocks %}
                // frames without a token may be left out, but not so many in a row
                overtaken = overtaken + 1;
                if (overtaken == 1) begin_fault(port);
                if (overtaken == 16) begin
                    queue(held);
                    holds = 1'b0;
                end
{%- else %}
                queue(held);
                holds = 1'b0;
                begin_fault(port);
{%- endif %}
            end else if (armed && port == victim && (is_token || kind == 4)) begin
                if ({{ cables.act }} == 1) begin
                    begin_fault(port);
                end else if ({{ cables.act }} == 2) begin
                    queue(tx_data[link]);
                    queue(tx_data[link]);
                    begin_fault(port);
                end else if ({{ cables.act }} == 3) begin
                    held = tx_data[link];
                    holds = 1'b1;
{%- if cables.own_clocks %}
                    overtaken = 0;
{%- endif %}
                    armed = 1'b0;
                end else begin
                    draw_below(3);
                    flips = drawn + 1;
                    wrong = tx_data[link];
                    flipped[1] = -1;
                    flipped[2] = -1;
                    while (flips > 0) begin
                        draw_below(bits[link]);
                        if (drawn != flipped[1] && drawn != flipped[2]) begin
                            wrong[drawn] = ~wrong[drawn];
                            flipped[2] = flipped[1];
                            flipped[1] = drawn;
                            flips = flips - 1;
                        end
                    end
                    queue(wrong);
                    begin_fault(port);
                end
{%- if cables.common.is_some() %}
            end else if (is_status && stalls != 0 && drawn < 4) begin
                // statuses may be lost and doubled
                if (drawn == 0) begin
                    queue(tx_data[link]);
                    queue(tx_data[link]);
                end
{%- endif %}
            end else begin
                queue(tx_data[link]);
            end
        end
    endtask
{%- endif %}
