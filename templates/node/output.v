    // register stage for the memory read
    reg out;
{%- if !is_memory() %}
    reg out_tlast;
{%- endif %}
    reg [{{ port.last }}:0] out_from;  // one bit for each memory
    reg {{ user.range }}out_user;

    always @(posedge clk) begin
        if (rst) begin
            out <= 1'b0;
        end else if (next) begin
            out <= read;
        end
        if (next) begin
{%- if !is_memory() %}
            out_tlast <= read_end{% if marks_last %} & read_ends{% endif %};
{%- endif %}
            out_from <= { {%- for from in sources() %}port == {{ port.bits }}'d{{ from }}{% if !loop.last %}, {% endif %}{% endfor %}};
            out_user <= { {%- for axis in axes %}read_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, read_packet{% endif %}};
        end
    end
{%- if is_direct() %}
{%- for packet in packet %}
    reg {{ packet.range }}out_own;

    always @(posedge clk) begin
        if (next) begin
            out_own <= read_packet;
        end
    end
{%- endfor %}
{%- endif %}

{%- if is_direct() && own.len() > 1 %}
    wire [WIDTH-1:0] own_word =
{%- for packet in own %}
{%- if loop.last %}
        {{ packet.name }}_word;
{%- else %}
{%- for which in packet.which %}
        (out_own == {{ which.bits }}'d{{ which.number }}) ? {{ packet.name }}_word :
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- endif %}

    always @(posedge clk) begin
        if (rst) begin
            {{ out() }}valid <= 1'b0;
        end else if (next) begin
            {{ out() }}valid <= out;
        end
        if (next) begin
{%- if !is_memory() %}
            m_axis_tlast <= out_tlast;
{%- endif %}
            {{ out() }}user <= out_user;
            {{ out() }}data <= {WIDTH{1'b0}}
{%- for input in inputs %}
                | ({WIDTH{out_from[{{ loop.index0 }}]}} & words{{ input.words }})
{%- endfor %}
{%- if is_direct() %}
                | ({WIDTH{out_from[{{ port.last }}]}} & {% if own.len() == 1 %}{{ own[0].name }}{% else %}own{% endif %}_word)
{%- else %}
{%- if kept.is_some() %}
                | ({WIDTH{out_from[{{ inputs.len() }}]}} & kept_word)
{%- endif %}
{%- for result in results() %}
                | ({WIDTH{out_from[{{ result.port }}]}} & {{ result.name }}_word)
{%- endfor %}
{%- endif %};
        end
    end