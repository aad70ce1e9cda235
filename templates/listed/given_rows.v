    // Rows that go out: the table says of which bank each lane's word is. The words of a bank go out in order.
    reg [{{ sizes.given - 1 }}:0] out_row;
    reg out_reads;  // a row is read, and its banks go on after it; else they begin anew
    wire [{{ sizes.given - 1 }}:0] out_index = out_base + out_row;
    wire [{{ given_bits - 1 }}:0] out_entry;
    {{ given }} out_table (.clk(clk), .ce(out_moves), .index(out_index), .entry(out_entry));
    always @(posedge clk) begin
        out_row <= (rst | out_first) ? {{ sizes.given }}'d0 : out_next ? out_row + {{ sizes.given }}'d1 : out_row;
    end
    always @(posedge clk) if (out_moves) begin
        out_reads <= out_next & ~out_first;
        out_ends <= out_entry[{{ given_bits - 1 }}];
        out_keep <= { {%- for lane in lanes.iter().rev() %}out_entry[{{ lane.keep }}]{% if !loop.last %}, {% endif %}{% endfor -%} };
    end
{%- for lane in lanes %}
    reg [{{ sizes.code - 1 }}:0] out_node_{{ lane.number }};
{%- if let Some(message) = lane.message %}
    reg [{{ sizes.message - 1 }}:0] out_message_{{ lane.number }};
    always @(posedge clk) if (out_moves) out_message_{{ lane.number }} <= out_entry{{ message }};
{%- endif %}
    assign out_user{{ lane.user }} = {% if lane.message.is_some() %}{out_node_{{ lane.number }}, out_message_{{ lane.number }}}{% else %}out_node_{{ lane.number }}{% endif %};
{%- if is_relative %}
    wire [{{ sizes.code - 1 }}:0] out_told_{{ lane.number }};
    {{ away }} out_away_{{ lane.number }} (.to(here), .from(out_entry{{ lane.from }}), .away(out_told_{{ lane.number }}));
{%- else %}
    wire [{{ sizes.code - 1 }}:0] out_told_{{ lane.number }} = out_entry{{ lane.from }};
{%- endif %}
    always @(posedge clk) if (out_moves) out_node_{{ lane.number }} <= {{ sizes.told() }} ? out_told_{{ lane.number }} : out_only;
{%- for chosen in lane.chosen %}
    reg [{{ lane.choice - 1 }}:0] out_chosen_{{ lane.number }};
    always @(posedge clk) if (out_moves) out_chosen_{{ lane.number }} <= out_entry{{ chosen }};
{%- endfor %}
{%- endfor %}
{%- for bank in receives %}
{%- include "listed/gone.v" %}
{%- endfor %}
{%- for bank in banks %}
{%- if bank.passes %}
{%- include "listed/gone.v" %}
{%- endif %}
{%- endfor %}