
    // before the first run boards leave reset one by one, and one of them stays in it, or a cable is out:
    // the host's board names it, and no board begins; the same between the first run and the second
    reg holding;
    reg held_again;
    integer held_kind, held_board, held_link, held_since, settled, ended_since, enough;
    integer leaves [1:BOARDS];
    integer at_board;

    // 0 all come, 1 a board stays in reset, 2 a cable is out
    task automatic choose_held;
        begin
            settled = 0;
            ended_since = 0;
            held_since = 0;
            held_again = 1'b0;
            enough = (BOARDS + 1) * (most + 100) + {% if cables.serial.is_some() || cables.transceiver.is_some() %}(4 + BOARDS){% else %}4{% endif %} * (1 << WAITS);
            if (!$value$plusargs("held=%d", held_kind)) held_kind = 1 + seed % 2;
            draw_below(BOARDS - 1);
            held_board = (HOST + drawn) % BOARDS + 1;
            draw_below(LINKS);
            held_link = drawn + 1;
            while (there[held_link] == 0) held_link = held_link % LINKS + 1;
            for (board = 1; board <= BOARDS; board = board + 1) begin
                draw_below(2 << WAITS);
                leaves[board] = (held_kind == 0) ? 0 : drawn;
                reset[board] = leaves[board] != 0;
            end
            if (held_kind == 2) cut_cable(held_link, 1);
            holding = held_kind != 0;
        end
    endtask

    reg all_others;
    reg is_named;
    task automatic hold_back;
        begin
            still = 0;
            all_others = 1'b1;
            for (board = 1; board <= BOARDS; board = board + 1) begin
                all_others = all_others && clocks > leaves[board];
                if (clocks >= leaves[board] && (held_kind != 1 || board != held_board)) reset[board] = 1'b0;
                for (port = 1; port <= SIDES; port = port + 1) begin
                    link = (board - 1) * SIDES + port;
                    if (there[link] != 0) begin
                        other = (there[link] - 1) / SIDES + 1;
                        if (held_kind == 1 && (board == held_board || other == held_board)) begin
                            // down
                        end else if (held_kind == 2 && (link == held_link || link == there[held_link])) begin
                            // down
                        end else begin
                            all_others = all_others && links_up[board][port-1] === 1'b1;
                        end
                    end
                end
                if (busy[board] !== 1'b0) begin
                    $display("FAIL board %0d begins before all are ready", board - 1);
                    good = 1'b0;
                end
            end
            if (ready[HOST] !== 1'b0 && clocks > leaves[HOST] && (!held_again || settled > enough / 2)) begin
                $display("FAIL the host's board does not wait");
                good = 1'b0;
            end
            settled = all_others ? settled + 1 : 0;
            if (settled == enough) begin
                at_board = named_board(HOST);
                is_named = (held_kind == 1) ? at_board == held_board :
                    at_board == (held_link - 1) / SIDES + 1 || at_board == (there[held_link] - 1) / SIDES + 1;
                if (!is_named) begin
                    $display("FAIL the host's board waits for board %0d", at_board - 1);
                    good = 1'b0;
                end
                holding = 1'b0;
                reset[held_board] = 1'b0;
                cut_cable(held_link, 0);
            end
            if (clocks - held_since > (BOARDS + 8) * (16 * most + 400 + 16 * (1 << WAITS))) begin
                $display("FAIL the links of other boards do not come up");
                good = 1'b0;
            end
        end
    endtask

    // all have played one run: a board is reset, or a cable is pulled out, and later all go on without a restart
    task automatic hold_again;
        begin
            // the host's board has heard that all have ended it
            all_others = ready[HOST] === 1'b1;
            for (board = 1; board <= BOARDS; board = board + 1) begin
                all_others = all_others && over[board] == 1 && dones[board] == 1 && busy[board] === 1'b0;
            end
{%- for common in cables.common %}
{%- if common.tells_end %}
            // a board that can take another call tells later that it has ended the last
            ended_since = all_others ? ended_since + 1 : 0;
            all_others = ended_since > enough;
{%- endif %}
{%- endfor %}
            if (all_others) begin
                held_again = 1'b1;
                holding = 1'b1;
                held_since = clocks;
                settled = 0;
                if (held_kind == 1) reset[held_board] = 1'b1;
                if (held_kind == 2) cut_cable(held_link, 1);
            end
        end
    endtask
