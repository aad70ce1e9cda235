    // register stage for the memory read
    reg out;
    reg out_tlast;
    reg {{ port.range }}out_port;
    reg {{ user.range }}out_user;

    always @(posedge clk) begin
        if (rst) begin
            out <= 1'b0;
        end else if (next) begin
            out <= read;
        end
        if (next) begin
            out_tlast <= read_end{% if marks_last %} & read_ends{% endif %};
            out_port <= port;
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

    always @(posedge clk) begin
        if (rst) begin
            m_axis_tvalid <= 1'b0;
        end else if (next) begin
            m_axis_tvalid <= out;
        end
        if (next) begin
            m_axis_tlast <= out_tlast;
            m_axis_tuser <= out_user;
            case (out_port)
{%- for input in inputs %}
                {% if kept.is_none() && kind.fold.is_none() && !is_direct() && loop.last %}default{% else %}{{ port.bits }}'d{{ loop.index0 }}{% endif %}: m_axis_tdata <= words{{ input.words }};
{%- endfor %}
{%- if !is_direct() %}
{%- if kept.is_some() %}
                {% if kind.fold.is_none() %}default{% else %}{{ port.bits }}'d{{ inputs.len() }}{% endif %}: m_axis_tdata <= kept_word;
{%- endif %}
{%- for result in results() %}
                {% if loop.last %}default{% else %}{{ port.bits }}'d{{ result.port }}{% endif %}: m_axis_tdata <= {{ result.name }}_word;
{%- endfor %}
{%- else if own.len() == 1 %}
                default: m_axis_tdata <= {% for packet in own %}{{ packet.name }}_word{% endfor %};
{%- else %}
                default: begin
                    case (out_own)
{%- for packet in own %}
                        {% if loop.last %}default{% else %}{% if let Some(which) = packet.which %}{{ which.bits }}'d{{ which.number }}{% endif %}{% endif %}: m_axis_tdata <= {{ packet.name }}_word;
{%- endfor %}
                    endcase
                end
{%- endif %}
            endcase
        end
    end
