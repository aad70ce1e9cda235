// {{ module }}: checks a wire that two boards drive
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input wire             clk,
    input wire             run,
    input wire [WIDTH-1:0] pad,
    input wire [1:0]       sends  // sends of both ends
);
    reg [1:0] last = 2'b00;  // sends in the tick before

    task automatic fail(input reg [8*28:1] what);
        begin
            $display("FAIL %m, time %0t: %0s", $time, what);
`ifdef __ICARUS__
            $finish_and_return(1);
`else
            $stop;
`endif
        end
    endtask

    // at any time: a wire with two drivers that disagree is unknown
    always @(pad) begin
        if (run && pad !== {WIDTH{1'bz}} && (^pad) === 1'bx) fail("two drivers at once");
    end

    // in the middle of a tick
    always @(negedge clk) begin
        if (run) begin
            if (sends === 2'b11) fail("both ends send");
            if ((sends & {last[0], last[1]}) !== 2'b00) fail("a turn without silence");
            if (sends === 2'b00 && pad !== {WIDTH{1'bz}}) fail("driven in silence");
            if (sends !== 2'b00 && (^pad) === 1'bx) fail("nobody drives what is sent");
        end
        last <= run ? sends : 2'b00;
    end

endmodule

`default_nettype wire
