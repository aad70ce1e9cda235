    // Words are read while the call's are there. Each comes three clocks after its address.
{%- if !sizes.is_one %}
    reg was_draining;
    reg freed;
{%- endif %}
    reg [{{ sizes.ram() - 1 }}:0] address;
    reg [2:0] reads;
{%- if sizes.is_one %}
    reg {{ sizes.bank_number() }}near_bank;
    reg {{ sizes.bank_number() }}read_bank;
    reg [1:0] frees;
    assign out_bank = read_bank;
    assign m_ram_full = played[0];
    assign given = played[0] & m_ram_free;
    assign read = frees[1];
{%- else %}
    wire gives = out_words != {{ sizes.total }}'d0;
    assign m_ram_full = was_draining & gives & ~freed;
    assign m_ram_dest = given_program;
    assign drained = was_draining & (freed | ~gives);
{%- endif %}
    assign m_ram_valid = reads[2];
    assign m_ram_data = out_data;
{%- if sizes.has_blocks() %}
    assign m_ram_user = out_user;
{%- endif %}
    assign out_at = address;
    always @(posedge clk) begin
{%- if sizes.is_one %}
        near_bank <= give_bank;
        read_bank <= near_bank;
        frees <= rst ? 2'd0 : {frees[0], given};
{%- else %}
        was_draining <= drains & ~rst;
        freed <= drains & ~rst & (freed | (m_ram_full & m_ram_free));
{%- endif %}
        address <= m_ram_addr;
        reads <= rst ? 3'd0 : {reads[1:0], m_ram_en};
    end
