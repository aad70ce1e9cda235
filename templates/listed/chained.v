
{%- if !loop.last %}
    wire [WIDTH-1:0] {{ node.name }}_chain_tdata;
    wire {{ node.name }}_chain_tvalid;
    wire {{ node.name }}_chain_tready;
    wire {{ node.name }}_chain_tlast;
    wire [{{ sizes.user() - 1 }}:0] {{ node.name }}_chain_tuser;
{%- endif %}
    {{ chain }} #(
        .WIDTH(WIDTH),
        .TAKE({{ node.counted.take }}),
        .PASS({{ node.counted.pass }}),
        .GIVE({{ node.counted.give }})
    ) {{ node.chain }} (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({{ node.chained }}_tdata),
        .s_axis_tvalid({{ node.chained }}_tvalid),
        .s_axis_tready({{ node.chained }}_tready),
        .s_axis_tlast({{ node.chained }}_tlast),
        .s_axis_tuser({% if loop.first %}{{ sizes.user() }}'d0{% else %}{{ node.chained }}_tuser{% endif %}),
        .in_tdata({{ node.name }}_s_axis_tdata),
        .in_tvalid({{ node.name }}_s_axis_tvalid),
        .in_tready({{ node.name }}_s_axis_tready),
        .in_tlast({{ node.name }}_s_axis_tlast),
        .out_tdata({{ node.name }}_m_axis_tdata),
        .out_tvalid({{ node.name }}_m_axis_tvalid),
        .out_tready({{ node.name }}_m_axis_tready),
        .out_tlast({{ node.name }}_m_axis_tlast),
        .out_tuser({{ node.name }}_m_axis_tuser),
        .m_axis_tdata({% if loop.last %}m_axis{% else %}{{ node.name }}_chain{% endif %}_tdata),
        .m_axis_tvalid({% if loop.last %}m_axis{% else %}{{ node.name }}_chain{% endif %}_tvalid),
        .m_axis_tready({% if loop.last %}m_axis{% else %}{{ node.name }}_chain{% endif %}_tready),
        .m_axis_tlast({% if loop.last %}m_axis{% else %}{{ node.name }}_chain{% endif %}_tlast),
        .m_axis_tuser({% if loop.last %}m_axis{% else %}{{ node.name }}_chain{% endif %}_tuser)
    );
