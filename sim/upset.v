        // for the testbench, before it plays: plays so many ticks, flips one bit of one register on the way, and ends with `run`
        // low for a tick, and no reset; +victim=number +bit=number +at=tick +ticks=number choose, upsets.inc lists
        // `UPSET(number, path)
`define UPSET(number, register) number: register = register ^ flip;
        begin : upset
            integer victim, place, at, ticks;
            reg [8191:0] flip;
            if ($value$plusargs("victim=%d", victim) == 0) victim = 0;
            if ($value$plusargs("bit=%d", place) == 0) place = 0;
            if ($value$plusargs("at=%d", at) == 0) at = 1;
            if ($value$plusargs("ticks=%d", ticks) == 0) ticks = TICKS + DELAY + 2;
            flip = 1;
            flip = flip << place;
            rst = 1'b0;
            run = 1'b1;
            offer;
            for (tick = 1; tick <= ticks; tick = tick + 1) begin
                @(negedge clk);
                if (tick == at) begin
                    case (victim)
`include "upsets.inc"
                        default: ;
                    endcase
                end
            end
            run = 1'b0;
            @(negedge clk);
        end
