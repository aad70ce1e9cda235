
    {{ ends.beats_out }} #(
        .BITS({{ side.high }}{{ beyond }}+1),
        .BYTES(BYTES),
        .INTERVAL(PATIENCE - {{ ends.intervals }})
    ) {{ side.name }}_beats_out (
        .clk(clk),
        .rst(rst),
        .up(links_up[{{ side.number }}]),
        .s_axis_tdata({{ side.name }}_out_tdata),
        .s_axis_tvalid({{ side.name }}_out_tvalid),
        .s_axis_tready({{ side.name }}_out_tready),
{%- if crosses %}
        .aclk({{ side.name }}_aclk),
{%- endif %}
        .m_axis_tdata({{ side.name }}_m_axis_tdata),
        .m_axis_tvalid({{ side.name }}_m_axis_tvalid),
        .m_axis_tready({{ side.name }}_m_axis_tready),
        .m_axis_tlast({{ side.name }}_m_axis_tlast)
    );

    {{ ends.beats_in }} #(
        .BITS({{ side.high }}{{ beyond }}+1),
        .BYTES(BYTES)
    ) {{ side.name }}_beats_in (
{%- if crosses %}
        .aclk({{ side.name }}_aclk),
{%- else %}
        .clk(clk),
        .rst(rst),
{%- endif %}
        .s_axis_tdata({{ side.name }}_s_axis_tdata),
        .s_axis_tvalid({{ side.name }}_s_axis_tvalid),
        .s_axis_tlast({{ side.name }}_s_axis_tlast),
        .m_axis_tdata({{ side.name }}_in_tdata),
        .m_axis_tvalid({{ side.name }}_in_tvalid)
    );