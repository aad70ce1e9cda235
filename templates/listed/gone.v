
{%- for lane in bank.goes %}
{%- if bank.memory.bits > 0 %}
    reg [{{ bank.memory.bits - 1 }}:0] {{ bank.name }}_gone;  // next word of {{ bank.name }} that goes out
    always @(posedge clk) begin
        if (out_moves & out_entry[{{ lanes[lane.lane].keep }}]{% if lane.bits > 0 %} & (out_entry{{ lanes[lane.lane].chosen.as_deref().unwrap_or("") }} == {{ lane.bits }}'d{{ lane.choice }}){% endif %}) begin
            {{ bank.name }}_gone <= {{ bank.name }}_gone + {{ bank.memory.bits }}'d1;
        end
        if (rst | (out_moves & ~out_reads)) {{ bank.name }}_gone <= {{ bank.memory.bits }}'d0;
    end
{%- endif %}
{%- endfor %}