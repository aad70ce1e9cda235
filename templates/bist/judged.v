            3'd5: if (counted) begin
                state <= (misjudged | is_last) ? 3'd7 : 3'd6;
                passed <= ~misjudged & is_last;
                failed <= misjudged;
                if (~(misjudged | is_last)) proof <= proof << 1;
                count <= {{ count }}'d8;
                over <= 1'b0;
            end
