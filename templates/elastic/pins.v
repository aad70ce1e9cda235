
    wire [{{ side.high }}{{ beyond }}:0] {{ side.name }}_passed_tdata;
    wire {{ side.name }}_passed_tvalid;
    wire {{ side.name }}_passed_tready;
    {{ ends.throttle }} #(
        .BITS({{ side.high }}{{ beyond }}+1),
        .INTERVAL(PATIENCE - {{ ends.intervals }})
    ) {{ side.name }}_throttle (
        .clk(clk),
        .rst(rst),
        .up(links_up[{{ side.number }}]),
        .s_axis_tdata({{ side.name }}_out_tdata),
        .s_axis_tvalid({{ side.name }}_out_tvalid),
        .s_axis_tready({{ side.name }}_out_tready),
        .m_axis_tdata({{ side.name }}_passed_tdata),
        .m_axis_tvalid({{ side.name }}_passed_tvalid),
        .m_axis_tready({{ side.name }}_passed_tready)
    );

    {{ ends.wire_out }} #(
        .BITS({{ side.high }}{{ beyond }}+1),
        .DIVISOR(DIVISOR)
    ) {{ side.name }}_wire_out (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({{ side.name }}_passed_tdata),
        .s_axis_tvalid({{ side.name }}_passed_tvalid),
        .s_axis_tready({{ side.name }}_passed_tready),
        .tx({{ side.name }}_tx)
    );

    {{ ends.wire_in }} #(
        .BITS({{ side.high }}{{ beyond }}+1),
        .DIVISOR(DIVISOR)
    ) {{ side.name }}_wire_in (
        .clk(clk),
        .rst(rst),
        .rx({{ side.name }}_rx),
        .m_axis_tdata({{ side.name }}_in_tdata),
        .m_axis_tvalid({{ side.name }}_in_tvalid)
    );