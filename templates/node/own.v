    // own packets, which the router reads as well
    localparam integer LASTOWN = {{ last_own }};
{%- for flit in flit %}
    wire {{ own_address.range }}in_address = {in_bank, in_flit};
    wire {{ own_address.range }}play_address = {play_bank, flit};
    wire {{ own_address.range }}own_address = {read_bank, read_flit};
{%- endfor %}
{%- if flit.is_none() %}
    wire in_address = in_bank;
    wire play_address = play_bank;
    wire own_address = read_bank;
{%- endif %}
{%- for packet in own %}

    reg [WIDTH-1:0] {{ packet.name }}_memory [FIRST:LASTOWN];
    reg [WIDTH-1:0] {{ packet.name }}_word;
    assign {{ packet.name }} = {{ packet.name }}_memory[play_address];

    always @(posedge clk) begin
        if (take{% if let Some(which) = packet.which %} & (in_packet == {{ which.bits }}'d{{ which.number }}){% endif %}) begin
            {{ packet.name }}_memory[in_address] <= s_axis_tdata;
        end
        if (next) begin
            {{ packet.name }}_word <= {{ packet.name }}_memory[own_address];
        end
    end
{%- endfor %}
