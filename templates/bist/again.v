            default: if (said & anew) begin
                state <= 3'd0;
                count <= {{ count }}'d8;
                over <= 1'b0;
            end
        endcase
        if (rst) begin
            state <= 3'd0;
            count <= {{ count }}'d8;
            over <= 1'b0;
        end
    end
