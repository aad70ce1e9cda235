    // register stage for the memory read
    reg out;
    reg out_tlast;
    reg [{{ lanes.words - 1 }}:0] out_keep;
    reg {{ lanes.users.range }}out_users;
    reg {{ lanes.source.range }}out_source;

    always @(posedge clk) begin
        if (rst) begin
            out <= 1'b0;
        end else if (next) begin
            out <= read;
        end
        if (next) begin
            out_tlast <= read_end;
            out_keep <= read_keep;
            out_users <= read_users;
            out_source <= source;
        end
    end

    always @(posedge clk) begin
        if (rst) begin
            m_axis_tvalid <= 1'b0;
        end else if (next) begin
            m_axis_tvalid <= out;
        end
        if (next) begin
            m_axis_tkeep <= out_keep;
            m_axis_tlast <= out_tlast;
            m_axis_tuser <= out_users;
            case (out_source)
{%- for side in lanes.sides %}
                {% if loop.last %}default{% else %}{{ lanes.source.bits }}'d{{ side.number }}{% endif %}: m_axis_tdata <= {
{%- for word in side.words %}
                    {% match word %}{% when LaneWord::Received with (words) %}words{{ words }}{% when LaneWord::Own with (name) %}{{ name }}_word{% when LaneWord::Nothing %}{WIDTH{1'b0}}{% endmatch %}{% if !loop.last %},{% endif %}
{%- endfor %}
                };
{%- endfor %}
            endcase
        end
    end
