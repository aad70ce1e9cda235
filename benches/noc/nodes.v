// nodes: counts the clocks of a collective through the nodes of a fabric, beside the bench that is generated for them (BENCH)
//
// From the clock in which the first word is taken from a processing element to the one in which the last is given to one, as
// bench.v counts. Play one run without pauses: +runs=1 +full=1.
`default_nettype none

module nodes;

    integer clocks = 0;
    integer first = -1;

    always @(posedge `BENCH.clk) begin
        clocks = clocks + 1;
        if (first < 0 && (`BENCH.in_valid & `BENCH.in_ready) != 0) first = clocks;
        if ((`BENCH.out_valid & `BENCH.out_ready) != 0) $display("CLOCKS %0d", clocks - first);
    end

endmodule

`default_nettype wire
