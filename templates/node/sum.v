    // Values enter the adders in the step of their last arrival; results are kept when they leave them.
{%- for late in lates %}
    reg [WIDTH-1:0] {{ late.name }};  // {{ late.steps }} steps after it arrived
    always @(posedge clk) {{ late.name }} <= {{ late.from }};
{%- endfor %}
{%- for flit in folded_flit %}
{%- if has_partials() %}
    localparam integer LASTFLIT = {{ flit.last }};
{%- endif %}
{%- endfor %}
{%- for sum in sums %}

    // own value and result of packet {{ sum.packet }}
    wire [WIDTH-1:0] {{ sum.value }};
    wire {{ sum.name }}_begins = write{% if folded_flit.is_none() %} & (step == {{ step.bits }}'d{{ sum.first }}){% else %}{% if sum.first > 0 %} & (step >= {{ step.bits }}'d{{ sum.first }}){% endif %}{% if !is_last_step(*sum.last) %} & (step <= {{ step.bits }}'d{{ sum.last }}){% endif %}{% endif %};
{%- for adder in sum.adders %}
    wire [WIDTH-1:0] {{ adder.name }};
{%- if adder.waits %}
    reg [WIDTH-1:0] {{ adder.name }}_1;
{%- for clock in 1..adder_ticks %}
    reg [WIDTH-1:0] {{ adder.name }}_{{ clock + 1 }};
{%- endfor %}
    assign {{ adder.name }} = {{ adder.name }}_{{ adder_ticks }};

    always @(posedge clk) begin
        {{ adder.name }}_1 <= {{ adder.one }};
{%- for clock in 1..adder_ticks %}
        {{ adder.name }}_{{ clock + 1 }} <= {{ adder.name }}_{{ clock }};
{%- endfor %}
    end
{%- else %}
    {{ unit }} #(.WIDTH(WIDTH)) {{ adder.name }}_unit (
        .clk(clk), .ce(1'b1),
        .a({{ adder.one }}), .b({% match adder.other %}{% when Some(other) %}{{ other }}{% when None %}{{ neutral }}{% endmatch %}),
        .y({{ adder.name }})
    );
{%- endif %}
{%- endfor %}
    reg [{{ sum.ticks - 1 }}:0] {{ sum.name }}_forms;
    wire {{ sum.name }}_done = {{ sum.name }}_forms[{{ sum.ticks - 1 }}];
{%- for flit in folded_flit %}
    reg {{ flit.range }}{{ sum.value }}_flit;
    reg {{ flit.range }}{{ sum.name }}_flit;
{%- endfor %}

    always @(posedge clk) begin
        {{ sum.name }}_forms <= rst ? {{ sum.ticks }}'d0 : {% if sum.ticks > 1 %}{ {{- sum.name }}_forms[{{ sum.ticks - 2 }}:0], {{ sum.name }}_begins}{% else %}{{ sum.name }}_begins{% endif %};
{%- for flit in folded_flit %}
        {{ sum.value }}_flit <= ({{ sum.name }}_begins & ({{ sum.value }}_flit != {{ flit.bits }}'d{{ flit.last }})) ? {{ sum.value }}_flit + {{ flit.bits }}'d1 : {{ flit.bits }}'d0;
        {{ sum.name }}_flit <= ({{ sum.name }}_done & ({{ sum.name }}_flit != {{ flit.bits }}'d{{ flit.last }})) ? {{ sum.name }}_flit + {{ flit.bits }}'d1 : {{ flit.bits }}'d0;
{%- endfor %}
    end
{%- if sum.is_handed %}
    reg [WIDTH-1:0] {{ sum.name }}_kept{% if folded_flit.is_some() %} [FIRST:LASTFLIT]{% endif %};
{%- endif %}
    localparam integer LASTRESULT{{ sum.packet }} = {{ sum.last_result }};
    reg [WIDTH-1:0] {{ sum.name }}_memory [FIRST:LASTRESULT{{ sum.packet }}];
    reg [WIDTH-1:0] {{ sum.name }}_word;

    always @(posedge clk) begin
        if ({{ sum.name }}_done) begin
{%- if sum.is_handed %}
            {{ sum.name }}_kept{% if folded_flit.is_some() %}[{{ sum.name }}_flit]{% endif %} <= {{ sum.total }};
{%- endif %}
            {{ sum.name }}_memory[{% if folded_flit.is_some() %}{play_bank, {{ sum.name }}_flit}{% else %}play_bank{% endif %}] <= {{ sum.total }};
        end
        if (next) begin
            {{ sum.name }}_word <= {{ sum.name }}_memory[
{%- match folded_flit %}
{%- when Some(flit) %}{read_bank, {{ read_place }}{% if flit.bits < place.bits %}[{{ flit.bits - 1 }}:0]{% endif %}}
{%- when None %}read_bank
{%- endmatch %}];
        end
    end
{%- endfor %}
{%- for first in hands_on() %}

    // from here on the router takes results as they complete
    wire hands_on = write{% if first > 0 %} & (step >= {{ step.bits }}'d{{ first }}){% endif %};
{%- endfor %}
{%- for packet in own %}
{%- for handed in packet.handed %}
{%- let sum = sums[*handed] %}
{%- match folded_flit %}
{%- when Some(flit) %}
    reg {{ flit.range }}{{ packet.name }}_given;

    always @(posedge clk) begin
        {{ packet.name }}_given <= hands_on ? {{ packet.name }}_given + {% if flit.bits > 1 %}{ {{- flit.bits - 1 }}'d0, {{ packet.name }}_take}{% else %}{{ packet.name }}_take{% endif %} : {{ flit.bits }}'d0;
    end

    wire [WIDTH-1:0] {{ packet.name }}_result = ({{ sum.name }}_done & ({{ sum.name }}_flit == {{ packet.name }}_given)) ?
        {{ sum.total }} : {{ sum.name }}_kept[{{ packet.name }}_given];
{%- when None %}
    wire [WIDTH-1:0] {{ packet.name }}_result = {{ sum.name }}_done ? {{ sum.total }} : {{ sum.name }}_kept;
{%- endmatch %}
{%- if !packet.has_words %}
    assign {{ packet.name }} = {{ packet.name }}_result;
{%- endif %}
{%- endfor %}
{%- endfor %}
