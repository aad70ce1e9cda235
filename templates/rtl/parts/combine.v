{%- for combine in output.combine %}
{%- if combine.ahead %}
    // own value, taken one tick ahead; the neutral element if none is taken
    reg [WIDTH-1:0] {{ output.port }}_own;
{%- if !output.is_certain %}
    reg {{ output.port }}_has_own;
{%- endif %}

    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ output.port }}_own <= {{ output.port }}_takes ? {{ combine.own }} : {{ combine.rest }};
{%- if !output.is_certain %}
        {{ output.port }}_has_own <= {{ output.port }}_takes;
{%- endif %}
    end

    wire [WIDTH-1:0] {{ output.port }}_with_0 = {{ output.port }}_own;
{%- else %}
    wire [WIDTH-1:0] {{ output.port }}_with_0 = {{ combine.own }};
{%- endif %}
{%- for arrival in combine.arrivals %}

    // {{ arrival.what }}
    wire [WIDTH-1:0] {{ output.port }}_late_{{ loop.index0 }} =
{%- match arrival.counts %}
{%- when Some(counts) %}
{%- match combine.rest %}
{%- when Neutral::Zeros %}
        {WIDTH{ {{- counts }}}} & {{ arrival.data }};
{%- when Neutral::Ones %}
        {WIDTH{~{{ counts }}}} | {{ arrival.data }};
{%- else %}
        {{ counts }} ? {{ arrival.data }} : {{ combine.rest }};
{%- endmatch %}
{%- when None %}
        {{ arrival.data }};
{%- endmatch %}
    wire [WIDTH-1:0] {{ output.port }}_with_{{ loop.index }} =
        {{ arrival.operator }};
{%- endfor %}

    // holds the neutral element while nothing is sent
    always @(posedge clk) {% if ce %}if (ce) {% endif %}begin
        {{ output.port }}_out_data <= {{ output.port }}_rests ?
            {{ combine.rest }} : {{ output.port }}_with_{{ combine.arrivals.len() }};
{%- if output.is_certain %}
        {{ output.port }}_out_valid <= {{ output.port }}_sends;
{%- else %}
        {{ output.port }}_out_valid <= {{ output.port }}_sends &
            ({{ output.port }}_{% if combine.ahead %}has_own{% else %}takes{% endif %}
{%- for arrival in combine.arrivals %} |
            {% match arrival.counts %}{% when Some(counts) %}({{ counts }} & {{ arrival.valid }}){% when None %}{{ arrival.valid }}{% endmatch %}
{%- endfor %});
{%- endif %}
    end
{%- endfor %}
