// {{ module }}: checksum of a frame, all bits in one clock
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer BITS = {{ body }}
) (
    input  wire [BITS-1:0] d,  // the highest bit first
    output wire [{{ crc.field - 1 }}:0] c
);

    // remainder one bit later
    function automatic [{{ crc.bits - 1 }}:0] after(input reg [{{ crc.bits - 1 }}:0] remainder);
        after = {remainder[{{ crc.bits - 2 }}:0], 1'b0} ^ (remainder[{{ crc.bits - 1 }}] ? {{ crc.bits }}'h{{ crc.polynomial() }} : {{ crc.bits }}'h0);
    endfunction

    // bits of the frame that a bit of the checksum is the parity of
    function automatic [BITS-1:0] row(input reg [{{ crc.bits - 1 }}:0] chosen);
        integer bit_of;
        reg [{{ crc.bits - 1 }}:0] remainder;
        begin
            remainder = {{ crc.bits }}'h{{ crc.polynomial() }};
            for (bit_of = 0; bit_of < BITS; bit_of = bit_of + 1) begin
                row[bit_of] = (remainder & chosen) != {{ crc.bits }}'d0;
                remainder = after(remainder);
            end
        end
    endfunction

    genvar place;
    generate
        for (place = 0; place < {{ crc.bits }}; place = place + 1) begin : g_bits
            wire [BITS-1:0] mask = row({{ crc.bits }}'d1 << place);
            assign c[place] = ^(d & mask);
        end
    endgenerate
{%- if crc.field > crc.bits %}
    // the seed alone has bits here
    assign c[{{ crc.field - 1 }}:{{ crc.bits }}] = {{ crc.field - crc.bits }}'d0;
{%- endif %}

endmodule

`default_nettype wire
