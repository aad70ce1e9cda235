{%- for bank in banks() %}
{%- if !loop.first %}
{% endif %}
    // {{ bank.what }}
    localparam integer LAST{{ bank.upper }} = {{ bank.last }};
{%- for base in bank.base %}
{%- for flit in in_flit %}
{%- if !is_aligned() %}
    wire {{ base.range }}{{ bank.name }}_at = {{ bank.name }}_base + {% if base.bits > flit.bits %}{ {{- base.bits - flit.bits }}'d0, put_flit}{% else %}put_flit{% endif %};
{%- endif %}
{%- endfor %}
{%- endfor %}
{%- if bank.base.is_some() || is_aligned() %}
    wire {{ bank.address.range }}{{ bank.name }}_put = {put_bank{% if bank.base.is_some() %}, {{ bank.name }}_{% if in_flit.is_some() && !is_aligned() %}at{% else %}base{% endif %}{% endif %}{% if is_aligned() %}, put_flit{% endif %}};
{%- else %}
    wire {{ bank.name }}_put = put_bank;
{%- endif %}
{%- if bank.is_kept %}
    wire {{ bank.address.range }}{{ bank.name }}_get = {% if bank.base.is_some() || is_aligned() %}{read_bank{% for base in bank.base %}, {{ read_place }}{% if base.bits < place.bits %}[{{ base.bits - 1 }}:0]{% endif %}{% endfor %}{% if is_aligned() %}, read_flit{% endif %}}{% else %}read_bank{% endif %};
{%- else if is_streamed() && !bank.is_value %}
{%- for base in bank.base %}
    reg {{ base.range }}{{ bank.name }}_taken;
    wire {{ base.range }}{{ bank.name }}_next = {{ bank.name }}_taken + {% if base.bits > 1 %}{ {{- base.bits - 1 }}'d0, {{ bank.name }}_take}{% else %}{{ bank.name }}_take{% endif %};
{%- endfor %}
{%- endif %}
{%- if bank.is_value %}
    reg [WIDTH-1:0] {{ bank.name }}_memory [FIRST:LAST{{ bank.upper }}];
    assign {{ bank.name }} = {{ bank.name }}_memory[{% if bank.base.is_some() %}{play_bank, {% if sums.is_empty() %}fold_flit{% else %}{{ bank.name }}_flit{% endif %}}{% else %}play_bank{% endif %}];
{%- else if bank.is_kept || is_streamed() %}
    (* no_rw_check *)
    reg [WIDTH-1:0] {{ bank.name }}_memory [FIRST:LAST{{ bank.upper }}];
    reg [WIDTH-1:0] {{ bank.name }}_word;
{%- if !bank.is_kept %}
    assign {{ bank.name }} = {% if bank.has_result %}hands_on ? {{ bank.name }}_result : {% endif %}{{ bank.name }}_word;
{%- endif %}
{%- else %}
    reg [WIDTH-1:0] {{ bank.name }}_memory [FIRST:LAST{{ bank.upper }}];
    assign {{ bank.name }} = {{ bank.name }}_memory[{% if is_aligned() %}{play_bank, flit}{% else %}play_bank{% endif %}];
{%- endif %}

    always @(posedge clk) begin
        if (put & to_{{ bank.name }}) begin
            {{ bank.name }}_memory[{{ bank.name }}_put] <= put_data;
        end
{%- if bank.is_kept %}
        if (next) begin
            {{ bank.name }}_word <= {{ bank.name }}_memory[{{ bank.name }}_get];
        end
{%- else if is_streamed() && !bank.is_value %}
{%- for base in bank.base %}
        {{ bank.name }}_taken <= (rst | finish) ? {{ base.bits }}'d0 : {{ bank.name }}_next;
{%- endfor %}
        {{ bank.name }}_word <= {{ bank.name }}_memory[{play_bank, {{ bank.name }}_next}];
{%- endif %}
    end
{%- endfor %}
