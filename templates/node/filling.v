    // input stream of own words; each waits one clock for the lookup of its banks
    wire take = s_axis_tvalid & s_axis_tready;
{%- for flit in in_flit %}
    reg {{ flit.range }}in_flit;
    wire in_end = in_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if in_flit.is_none() %}
    wire in_end = 1'b1;
{%- endif %}
    reg {{ in_look.range }}in_look;
    wire in_over = in_end & (in_look == {{ in_look.bits }}'d{{ in_look.last }});
    assign last_in = take & in_over;
    assign s_axis_tready = empty[0];

    always @(posedge clk) begin
        if (rst) begin
            in_bank <= 1'b0;
            in_look <= {{ in_look.bits }}'d0;
{%- for flit in in_flit %}
            in_flit <= {{ flit.bits }}'d0;
{%- endfor %}
        end else if (take) begin
            in_bank <= in_bank ^ in_over;
{%- for flit in in_flit %}
            in_flit <= in_end ? {{ flit.bits }}'d0 : in_flit + {{ flit.bits }}'d1;
{%- endfor %}
            if (in_end) begin
                in_look <= in_over ? {{ in_look.bits }}'d0 : in_look + {{ in_look.bits }}'d1;
            end
        end
    end

    // word to write, and its address in each bank
    reg put;
    reg put_end;
    reg put_over;
    reg put_tlast;
    reg [WIDTH-1:0] put_data;
{%- for flit in in_flit %}
    reg {{ flit.range }}put_flit;
{%- endfor %}
    assign last_put = put & put_over;
{%- if marks_in() %}
    wire put_ends;
{%- endif %}
{%- for bank in banks() %}
    wire to_{{ bank.name }};
{%- for count in bank.base %}
    wire {{ count.range }}{{ bank.name }}_base;
{%- endfor %}
{%- endfor %}
{% if fills.len() > 1 %}
    generate
{%- endif %}
{%- for fill in fills %}
{%- if fills.len() > 1 %}
        {% if !loop.first %}end else {% endif %}if (FILL == {{ fill.number }}) begin : g_fill_{{ fill.number }}
{%- endif %}
{{ inside_fill }}    {{ fill.module }} fill (
{{ inside_fill }}        .clk(clk),
{{ inside_fill }}        .look(in_look),
{%- for bank in banks() %}
{%- for count in bank.base %}
{{ inside_fill }}        .{{ bank.name }}_base({{ bank.name }}_base),
{%- endfor %}
{{ inside_fill }}        .to_{{ bank.name }}(to_{{ bank.name }}){% if !loop.last || marks_in() %},{% endif %}
{%- endfor %}
{%- if marks_in() %}
{{ inside_fill }}        .last(put_ends)
{%- endif %}
{{ inside_fill }}    );
{%- endfor %}
{%- if fills.len() > 1 %}
        end
    endgenerate
{%- endif %}

    always @(posedge clk) begin
        if (rst) begin
            put <= 1'b0;
            misframed <= 1'b0;
        end else begin
            put <= take;
            misframed <= misframed | (put & (put_tlast != {% if marks_in() %}(put_end & put_ends){% else %}put_end{% endif %}));
        end
        put_bank <= in_bank;
        put_end <= in_end;
        put_over <= in_over;
        put_tlast <= s_axis_tlast;
        put_data <= s_axis_tdata;
{%- for flit in in_flit %}
        put_flit <= in_flit;
{%- endfor %}
    end
