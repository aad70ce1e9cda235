

    // by output: beats of the present frame that the link has taken, and what waited for it
    integer of_frame [1:LINKS];
    reg waited [1:LINKS];
    reg [FRAME-1:0] offered [1:LINKS];
    // input of the frame with the fault, its beat, and its wrong bits
    integer hit;
    integer hit_beat;
    integer at_bit;
    // boards that were reset, and may have broken a frame off
    reg broken [1:BOARDS];
    reg is_token;
    reg [FRAME-1:0] beat;

    // a link takes a beat over, for the clock of the board at its other end
    task automatic queue;
        begin
            if (put[port] - brought[port] >= ROOM - 2) begin
                $display("FAIL link %0d: more than %0d on its way", port, ROOM);
                good = 1'b0;
            end
            slot = port * ROOM + put[port] % ROOM;
            token[slot] = beat;
            due[slot] = beats[OFFSET+(port-1)/SIDES+1] + latency[port];
            put[port] = put[port] + 1;
        end
    endtask

    // the fault that is due in a frame with a token
    task automatic choose_beat;
        begin
            draw_below((bits[link] + FRAME - 2) / (FRAME - 1));
            hit_beat = (kind == 3) ? (bits[link] - 1) / (FRAME - 1) : drawn;
            for (flips = 1; flips <= 3; flips = flips + 1) begin
                draw_below(bits[link]);
                flipped[flips] = drawn;
                // one or two of the three may be the same
                if (chance[0]) flipped[flips] = flipped[1];
            end
            // neither a doubled last beat of several nor what is said of the only beat changes a frame
            of_token = (kind != 2 || bits[link] <= FRAME - 1 || hit_beat != (bits[link] - 1) / (FRAME - 1))
                && (kind != 3 || bits[link] > FRAME - 1);
            hit = port;
            begin_fault(port);
        end
    endtask

    task automatic pass_or_fail;
        begin
            port = there[link];
            beat = tx_data[link];
            is_token = of_frame[link] == 0 && beat[FRAME-2-:3] == 3'd3;
            if (is_token) begin
                tokens = tokens + 1;
                if (armed && port == victim) choose_beat;
            end
            if (hit == port && kind == 4) begin
                for (flips = 1; flips <= 3; flips = flips + 1) begin
                    at_bit = FRAME - 2 - flipped[flips] % (FRAME - 1);
                    if (flipped[flips] / (FRAME - 1) == of_frame[link]) beat[at_bit] = ~tx_data[link][at_bit];
                end
            end
            if (hit == port && kind == 3 && hit_beat == of_frame[link]) beat[FRAME-1] = 1'b0;
            if (!cut[port] && !stuck[port]) begin
                if (hit != port || hit_beat != of_frame[link] || kind != 1) queue;
                if (hit == port && hit_beat == of_frame[link] && kind == 2) queue;
            end
            of_frame[link] = of_frame[link] + 1;
            if (tx_data[link][FRAME-1] !== 1'b0) begin
                if (of_frame[link] != (bits[link] + FRAME - 2) / (FRAME - 1) && !broken[(link-1)/SIDES+1]) begin
                    $display("FAIL output %0d sends a frame of %0d beats", link, of_frame[link]);
                    good = 1'b0;
                end
                of_frame[link] = 0;
                if (hit == port) hit = 0;
            end
        end
    endtask

    // between two edges of a port
    task automatic watch_output;
        begin
            board = (link - 1) / SIDES + 1;
            if (reset[board]) broken[board] = 1'b1;
            else if (ready[board] === 1'b1) broken[board] = 1'b0;
            if (waited[link] && tx_valid[link] === 1'b1 && tx_data[link] !== offered[link] && !broken[board]) begin
                $display("FAIL output %0d changes a beat that waits", link);
                good = 1'b0;
            end
            waited[link] = tx_valid[link] === 1'b1 && !tx_ready[link];
            offered[link] = tx_data[link];
        end
    endtask
