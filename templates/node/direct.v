    // input stream of own packets
    wire take = s_axis_tvalid & s_axis_tready;
{%- for flit in flit %}
    reg {{ flit.range }}in_flit;
    wire in_end = in_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if flit.is_none() %}
    wire in_end = 1'b1;
{%- endif %}
{%- for packet in packet %}
    reg {{ packet.range }}in_packet;
    assign last_in = take & in_end & (in_packet == {{ packet.bits }}'d{{ packet.last }});
{%- endfor %}
{%- if packet.is_none() %}
    assign last_in = take & in_end;
{%- endif %}
    assign last_put = last_in;
    assign s_axis_tready = empty[0];

    always @(posedge clk) begin
        if (rst) begin
            in_bank <= 1'b0;
            misframed <= 1'b0;
        end else begin
            in_bank <= in_bank ^ last_in;
            misframed <= misframed | (take & (s_axis_tlast != in_end));
        end
{%- if flit.is_some() || packet.is_some() %}
        if (rst) begin
{%- for flit in flit %}
            in_flit <= {{ flit.bits }}'d0;
{%- endfor %}
{%- for packet in packet %}
            in_packet <= {{ packet.bits }}'d0;
{%- endfor %}
        end else if (take) begin
{%- for flit in flit %}
            in_flit <= in_end ? {{ flit.bits }}'d0 : in_flit + {{ flit.bits }}'d1;
{%- endfor %}
{%- for packet in packet %}
            if (in_end) begin
                in_packet <= last_in ? {{ packet.bits }}'d0 : in_packet + {{ packet.bits }}'d1;
            end
{%- endfor %}
        end
{%- endif %}
    end