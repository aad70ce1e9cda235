    // Words are read while the call's are there. Each comes three clocks after its address.
    reg was_draining;
    reg freed;
    reg [{{ sizes.ram() - 1 }}:0] address;
    reg [2:0] reads;
    wire gives = out_total != {{ sizes.total }}'d0;
    assign m_ram_full = was_draining & gives & ~freed;
    assign m_ram_valid = reads[2];
    assign m_ram_data = out_data;
{%- if sizes.has_blocks() %}
    assign m_ram_user = out_user;
{%- endif %}
    assign m_ram_dest = given_program;
    assign drained = was_draining & (freed | ~gives);
    assign out_at = address;
    always @(posedge clk) begin
        was_draining <= drains & ~rst;
        freed <= drains & ~rst & (freed | (m_ram_full & m_ram_free));
        address <= m_ram_addr;
        reads <= rst ? 3'd0 : {reads[1:0], m_ram_en};
    end