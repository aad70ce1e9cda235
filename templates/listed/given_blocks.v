
{%- if sizes.has_told() %}
    // node of the block that was read in the clock before
    wire [{{ sizes.code - 1 }}:0] out_code = out_entry[{{ out_code() + sizes.code - 1 }}:{{ out_code() }}];
{%- if is_relative %}
    wire [{{ sizes.code - 1 }}:0] out_node;
    {{ away }} out_whose (.to(here), .from(out_code), .away(out_node));
{%- else %}
    wire [{{ sizes.code - 1 }}:0] out_node = out_code;
{%- endif %}
    always @(posedge clk) {% if sizes.has_moves() %}if (out_moves) {% endif %}out_user <= {% if sizes.message > 0 %}{ {{- sizes.told() }} ? out_node : out_only, out_entry[{{ out_code() - 1 }}:{{ out_code() - sizes.message }}]}{% else %}{{ sizes.told() }} ? out_node : out_only{% endif %};
{%- else %}
    reg [{{ sizes.code - 1 }}:0] out_node;
    always @(posedge clk) {% if sizes.has_moves() %}if (out_moves) {% endif %}begin
        out_node <= out_all ? out_block : out_only;
        out_user <= out_node;
    end
{%- endif %}
{%- if !sizes.has_read_port() %}
{%- if sizes.has_out_ends() %}
    reg out_end;
    assign out_ends = out_end;
    always @(posedge clk) {% if sizes.has_moves() %}if (out_moves) {% endif %}out_end <= out_entry[{{ given_bits - 1 }}];
{%- else %}
    reg [1:0] out_end;
    assign out_ends = out_end[1];
    always @(posedge clk) {% if sizes.has_moves() %}if (out_moves) {% endif %}out_end <= {out_end[0], out_flit == out_last};
{%- endif %}
{%- endif %}