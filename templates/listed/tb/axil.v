
    reg [11:0] awaddr;
    reg awvalid;
    wire awready;
    reg [31:0] wdata;
    reg wvalid;
    wire wready;
    wire [1:0] bresp;
    wire bvalid;
    reg bready;
    reg [11:0] araddr;
    reg arvalid;
    wire arready;
    wire [31:0] rdata;
    wire [1:0] rresp;
    wire rvalid;
    reg rready;
    {{ top }} system (
        .aclk(clk),
        .aresetn(~rst),
        .s_axi_awaddr(awaddr),
        .s_axi_awprot(3'd0),
        .s_axi_awvalid(awvalid),
        .s_axi_awready(awready),
        .s_axi_wdata(wdata),
        .s_axi_wstrb(4'hf),
        .s_axi_wvalid(wvalid),
        .s_axi_wready(wready),
        .s_axi_bresp(bresp),
        .s_axi_bvalid(bvalid),
        .s_axi_bready(bready),
        .s_axi_araddr(araddr),
        .s_axi_arprot(3'd0),
        .s_axi_arvalid(arvalid),
        .s_axi_arready(arready),
        .s_axi_rdata(rdata),
        .s_axi_rresp(rresp),
        .s_axi_rvalid(rvalid),
        .s_axi_rready(rready)
    );

    task quiet;
        begin
            awaddr = 12'd0;
            awvalid = 1'b0;
            wdata = 32'd0;
            wvalid = 1'b0;
            bready = 1'b0;
            araddr = 12'd0;
            arvalid = 1'b0;
            rready = 1'b0;
        end
    endtask

    // Address and data come in either order, and the response waits at random.
    reg address_taken;
    reg data_taken;
    task write_register(input integer address, input [31:0] word);
        begin
            awaddr = {address[9:0], 2'b00};
            wdata = word;
            awvalid = $random(chance) % 2 == 0;
            wvalid = ~awvalid;
            address_taken = 1'b0;
            data_taken = 1'b0;
            waited = 0;
            while (!address_taken || !data_taken) begin
                #1;
                address_taken = address_taken | (awvalid & awready);
                data_taken = data_taken | (wvalid & wready);
                patience;
                awvalid = ~address_taken & (awvalid | ($random(chance) % 2 == 0));
                wvalid = ~data_taken & (wvalid | ($random(chance) % 2 == 0));
            end
            while ($random(chance) % 4 == 0) @(negedge clk);
            bready = 1'b1;
            #1;
            while (!bvalid) begin
                patience;
                #1;
            end
            if (bresp != 2'b00) begin
                $display("call %0d: write response %b", called, bresp);
                errors = errors + 1;
            end
            @(negedge clk);
            bready = 1'b0;
        end
    endtask

    task read_register(input integer address, output [31:0] word);
        begin
            araddr = {address[9:0], 2'b00};
            arvalid = 1'b1;
            waited = 0;
            #1;
            while (!arready) begin
                patience;
                #1;
            end
            @(negedge clk);
            arvalid = 1'b0;
            while ($random(chance) % 4 == 0) @(negedge clk);
            rready = 1'b1;
            #1;
            while (!rvalid) begin
                patience;
                #1;
            end
            word = rdata;
            if (rresp != 2'b00) begin
                $display("call %0d: read response %b", called, rresp);
                errors = errors + 1;
            end
            @(negedge clk);
            rready = 1'b0;
        end
    endtask

    task push_word(input [31:0] word);
        write_register(DATA, word);
    endtask

    task pull_word(output [31:0] word);
        read_register(DATA, word);
    endtask
