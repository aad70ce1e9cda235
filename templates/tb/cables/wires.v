
    // by output: clocks of the frame that its wire takes, from 1
    integer of_frame [1:LINKS];
    integer at_bit;
    reg is_wrong;

    // bits of the frame that begins: 0 is the start bit; every second fault waits for a frame with a token
    reg waits_for_token;
    task automatic choose_bits;
        begin
            draw;
            waits_for_token = kind != 1 && chance[8];
            for (flips = 1; flips <= 3; flips = flips + 1) begin
                draw_below(waits_for_token ? bits[link] - 3 : bits[link]);
                if (waits_for_token) drawn = drawn + 3;
                flipped[flips] = (kind == 1) ? 0 : (kind == 2) ? bits[link] + 1 : 1 + drawn;
                // one or two of the three may be the same
                if (kind == 4 && chance[0]) flipped[flips] = flipped[1];
            end
            hit = port;
        end
    endtask

    // a wire takes a level over for a clock of the board that sends
    task automatic pass_or_fail;
        begin
            port = there[link];
            is_wrong = 1'b0;
            if (of_frame[link] == 0 && tx[link] !== 1'b1) begin
                of_frame[link] = 1;
                tokens = tokens + 1;
                if (armed && port == victim && kind != 3) begin
                    choose_bits;
                    if (!waits_for_token) begin_fault(port);
                end
            end else if (of_frame[link] == 0 && armed && port == victim && kind == 3) begin
                glitch = DIVISOR;
                of_token = 1'b0;
                begin_fault(port);
            end
            if (of_frame[link] != 0) begin
                at_bit = (of_frame[link] - 1) / DIVISOR;
                if (hit == port && of_frame[link] % DIVISOR == 0 && at_bit <= 3) begin
                    sent_kind = {sent_kind[1:0], tx[link]};
                    of_token = at_bit == 3 && sent_kind[1:0] == 2'd3;
                    if (at_bit == 3 && armed) begin
                        if (of_token) begin_fault(port);
                        else hit = 0;
                    end
                end
                if (hit == port) is_wrong = at_bit == flipped[1] || at_bit == flipped[2] || at_bit == flipped[3];
                of_frame[link] = of_frame[link] + 1;
                if (of_frame[link] > (bits[link] + 2) * DIVISOR) begin
                    of_frame[link] = 0;
                    if (hit == port) hit = 0;
                end
            end
            if (glitch != 0 && port == victim) begin
                glitch = glitch - 1;
                is_wrong = tx[link];
            end
            wired[port*ROOM+beats[(link-1)/SIDES+1]%ROOM] = tx[link] ^ is_wrong;
        end
    endtask
