// Bench of ice40_ram.v: the same random traffic as for another model of the block memory, `theirs`, in the same modes.
`default_nettype none

module tb;
    reg clk = 1'b0;
    reg [10:0] waddr, raddr;
    reg [15:0] mask, wdata;
    reg we, wclke, re, rclke;
    wire [15:0] ours, theirs;
    SB_RAM40_4K #(
        .READ_MODE(`READ_MODE),
        .WRITE_MODE(`WRITE_MODE),
        .INIT_3(256'h123456789abcdef0fedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0)
    ) dut (
        .WADDR(waddr), .RADDR(raddr), .MASK(mask), .WDATA(wdata), .RDATA(ours),
        .WE(we), .WCLKE(wclke), .WCLK(clk), .RE(re), .RCLKE(rclke), .RCLK(clk)
    );
    theirs #(
        .READ_MODE(`READ_MODE),
        .WRITE_MODE(`WRITE_MODE),
        .INIT_3(256'h123456789abcdef0fedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0)
    ) other (
        .WADDR(waddr), .RADDR(raddr), .MASK(mask), .WDATA(wdata), .RDATA(theirs),
        .WE(we), .WCLKE(wclke), .WCLK(clk), .RE(re), .RCLKE(rclke), .RCLK(clk)
    );

    integer clock, seen, shown;
    initial begin
        seen = 0;
        shown = 0;
        for (clock = 0; clock < 4000; clock = clock + 1) begin
            {waddr, raddr} = $random;
            {mask, wdata} = $random;
            // a quarter of the rows, of which one has initial values
            {waddr[7:6], raddr[7:6]} = 4'd0;
            {we, wclke, re, rclke} = $random | $random;
            #1 clk = 1'b1;
            #1 clk = 1'b0;
            if (clock > 100 || re & rclke) shown = 1;
            if (shown != 0 && ours !== theirs) begin
                $display("FAIL %0d %h %h", clock, ours, theirs);
                $finish;
            end
            if (ours != 16'd0) seen = seen + 1;
        end
        $display("PASS %0d", seen);
    end
endmodule
