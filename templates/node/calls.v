    // Replace what follows. It calls every program in turn, then all again with the next root. It sends its number, and then the
    // number before it and so on; `result` is the last word that came{% if lanes > 1 %} at place 0{% endif %}.
    wire [WIDTH+31:0] number = { {WIDTH{1'b0}}, NODE[31:0]};
    assign start = ~rst;

    // Words that the node sends for {% if calls.is_common %}the call that has come{% else %}the next call{% endif %}.
    wire [{{ calls.total - 1 }}:0] words =
{%- for program in calls.programs %}
        ({{ calls.number() }} == {{ calls.program }}'d{{ loop.index0 }}) ? {% if program.is_of_root %}(({% for root in program.roots %}NODE == {{ root }}{% if !loop.last %} | {% endif %}{% else %}{{ calls.root() }} == NODE[{{ calls.node - 1 }}:0]{% endfor %}) ? {% endif %}{{ calls.total }}'d{{ program.words }}{% if program.is_of_root %} : {{ calls.total }}'d0){% endif %} :  // {{ program.name }}
{%- endfor %}
        {{ calls.total }}'d0;
    reg [{{ calls.total - 1 }}:0] left;
    reg [WIDTH-1:0] word;
    assign m_axis_tdata = word;
    assign m_axis_tvalid = left != {{ calls.total }}'d0;
{%- if tells %}
{%- match block %}
{%- when Some(count) %}
    reg {{ count.range }}place;
    wire {{ count.range }}last_place =
{%- for program in calls.programs %}
        (m_axis_tdest == {{ calls.program }}'d{{ loop.index0 }}) ? {{ count.bits }}'d{{ program.last }} :
{%- endfor %}
        {{ count.bits }}'d0;
    assign m_axis_tlast = place == last_place;
{%- when None %}
    assign m_axis_tlast = 1'b1;
{%- endmatch %}
{%- endif %}

    always @(posedge clk) begin
        if (m_axis_tvalid & m_axis_tready) begin
            word <= word - { {(WIDTH-1){1'b0}}, 1'b1};
            left <= left - {{ calls.total }}'d1;
{%- if tells %}
{%- for count in block %}
            place <= m_axis_tlast ? {{ count.bits }}'d0 : place + {{ count.bits }}'d1;
{%- endfor %}
{%- endif %}
        end
{%- if calls.is_common %}
        if (called) begin
            m_axis_tdest <= called_program;
            left <= words;
        end
        if (start & ready) begin
{%- else %}
        if (start & ready) begin
            m_axis_tdest <= program_number;
            left <= words;
{%- endif %}
            program_number <= program_number + {{ calls.program }}'d1;
            if (program_number == {{ calls.program }}'d{{ calls.last_program }}) begin
                program_number <= {{ calls.program }}'d0;
                root <= (root == {{ calls.node }}'d{{ calls.last_node }}) ? {{ calls.node }}'d0 : root + {{ calls.node }}'d1;
            end
        end
        if (rst) begin
            word <= number[WIDTH-1:0];
            left <= {{ calls.total }}'d0;
            program_number <= {{ calls.program }}'d0;
            root <= {{ calls.node }}'d0;
            m_axis_tdest <= {{ calls.program }}'d0;
{%- if tells %}
{%- for count in block %}
            place <= {{ count.bits }}'d0;
{%- endfor %}
{%- endif %}
        end
    end