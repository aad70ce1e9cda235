    // Arrivals are combined with the node's own values in these steps.
{%- for window in windows() %}
    wire window_{{ loop.index0 }} = write{% if folded_flit.is_none() %} & (step == {{ step.bits }}'d{{ window.first }}){% else %}{% if window.first > 0 %} & (step >= {{ step.bits }}'d{{ window.first }}){% endif %}{% if window.has_end %} & (step <= {{ step.bits }}'d{{ window.last }}){% endif %}{% endif %};
{%- endfor %}
{%- for flit in folded_flit %}
{%- if has_partials() %}
    localparam integer LASTFLIT = {{ flit.last }};
{%- endif %}
    reg {{ flit.range }}fold_flit;

    always @(posedge clk) begin
        if (~({% for window in windows() %}window_{{ loop.index0 }}{% if !loop.last %} | {% endif %}{% endfor %}) | (fold_flit == {{ flit.bits }}'d{{ flit.last }})) begin
            fold_flit <= {{ flit.bits }}'d0;
        end else begin
            fold_flit <= fold_flit + {{ flit.bits }}'d1;
        end
    end
{%- endfor %}
{%- for result in results() %}

    // own value and result of packet {{ result.packet }}
    wire [WIDTH-1:0] {{ result.value }};
{%- if result.has_partial %}
    reg [WIDTH-1:0] {{ result.partial }}{% if folded_flit.is_some() %} [FIRST:LASTFLIT]{% endif %};
{%- endif %}
    wire [WIDTH-1:0] {{ result.total }}_0 = {% if result.windows.len() > 1 %}window_{{ result.windows[0] }} ? {{ result.value }} : {{ result.partial }}{% if folded_flit.is_some() %}[fold_flit]{% endif %}{% else %}{{ result.value }}{% endif %};
{%- for arrival in result.arrivals %}
    wire [WIDTH-1:0] {{ result.total }}_late_{{ loop.index0 }} = {% if arrival.is_always %}{{ arrival.name }}_in_data{% else if rest == Neutral::Least || rest == Neutral::Most %}({% for window in arrival.windows %}window_{{ window }}{% if !loop.last %} | {% endif %}{% endfor %}) ? {{ arrival.name }}_in_data : {{ rest }}{% else if rest == Neutral::Zeros %}{WIDTH{ {%- for window in arrival.windows %}window_{{ window }}{% if !loop.last %} | {% endif %}{% endfor %}}} & {{ arrival.name }}_in_data{% else %}{WIDTH{~({% for window in arrival.windows %}window_{{ window }}{% if !loop.last %} | {% endif %}{% endfor %})}} | {{ arrival.name }}_in_data{% endif %};
    wire [WIDTH-1:0] {{ result.total }}_{{ loop.index }} =
{%- match operation %}
{%- when Operation::Sum | Operation::Custom %}
        {{ result.total }}_{{ loop.index0 }} + {{ result.total }}_late_{{ loop.index0 }};
{%- when Operation::Max %}
        ({% if signed %}$signed({{ result.total }}_{{ loop.index0 }}) < $signed({{ result.total }}_late_{{ loop.index0 }}){% else %}{{ result.total }}_{{ loop.index0 }} < {{ result.total }}_late_{{ loop.index0 }}{% endif %}) ?
        {{ result.total }}_late_{{ loop.index0 }} : {{ result.total }}_{{ loop.index0 }};
{%- when Operation::Min %}
        ({% if signed %}$signed({{ result.total }}_late_{{ loop.index0 }}) < $signed({{ result.total }}_{{ loop.index0 }}){% else %}{{ result.total }}_late_{{ loop.index0 }} < {{ result.total }}_{{ loop.index0 }}{% endif %}) ?
        {{ result.total }}_late_{{ loop.index0 }} : {{ result.total }}_{{ loop.index0 }};
{%- when Operation::Xor %}
        {{ result.total }}_{{ loop.index0 }} ^ {{ result.total }}_late_{{ loop.index0 }};
{%- when Operation::And %}
        {{ result.total }}_{{ loop.index0 }} & {{ result.total }}_late_{{ loop.index0 }};
{%- when Operation::Or %}
        {{ result.total }}_{{ loop.index0 }} | {{ result.total }}_late_{{ loop.index0 }};
{%- endmatch %}
{%- endfor %}
    localparam integer LASTRESULT{{ result.packet }} = {{ result.last }};
    reg [WIDTH-1:0] {{ result.name }}_memory [FIRST:LASTRESULT{{ result.packet }}];
    reg [WIDTH-1:0] {{ result.name }}_word;

    always @(posedge clk) begin
{%- if result.has_partial %}
        if ({% for window in result.windows %}window_{{ window }}{% if !loop.last %} | {% endif %}{% endfor %}) begin
            {{ result.partial }}{% if folded_flit.is_some() %}[fold_flit]{% endif %} <= {{ result.total }}_{{ result.arrivals.len() }};
        end
{%- endif %}
        if (window_{{ result.last_window }}) begin
            {{ result.name }}_memory[{% if folded_flit.is_some() %}{play_bank, fold_flit}{% else %}play_bank{% endif %}] <= {{ result.total }}_{{ result.arrivals.len() }};
        end
        if (next) begin
            {{ result.name }}_word <= {{ result.name }}_memory[
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
{%- for result in packet.result %}
{%- match folded_flit %}
{%- when Some(flit) %}
    reg {{ flit.range }}{{ packet.name }}_given;

    always @(posedge clk) begin
        {{ packet.name }}_given <= hands_on ? {{ packet.name }}_given + {% if flit.bits > 1 %}{ {{- flit.bits - 1 }}'d0, {{ packet.name }}_take}{% else %}{{ packet.name }}_take{% endif %} : {{ flit.bits }}'d0;
    end

    wire [WIDTH-1:0] {{ packet.name }}_result = (window_{{ result.last_window }} & (fold_flit == {{ packet.name }}_given)) ?
        {{ result.total }}_{{ result.arrivals }} : {{ result.partial }}[{{ packet.name }}_given];
{%- when None %}
    wire [WIDTH-1:0] {{ packet.name }}_result = window_{{ result.last_window }} ? {{ result.total }}_{{ result.arrivals }} : {{ result.partial }};
{%- endmatch %}
{%- if !packet.has_words %}
    assign {{ packet.name }} = {{ packet.name }}_result;
{%- endif %}
{%- endfor %}
{%- endfor %}
