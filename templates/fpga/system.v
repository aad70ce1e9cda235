// {{ module }}: {{ system }} on few pins, to measure its area and clock on a device
//
// It plays over and over. Inputs of the nodes are shifted in bit by bit. Outputs are summed up from node to
// node; the last sum is shifted out bit by bit. No register has more than one look-up table before it, so none of this limits
// the clock.
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire reset,
    input  wire serial_in,
    output wire serial_out,
    output reg  led
);

    localparam integer WIDTH = {{ width }};
{%- match address %}
{%- when Some(bits) %}
    // inputs: a word, its valid and last bits, the free and enable bits of the read port, and the address
    localparam integer IN = WIDTH + {{ bits + 4 }};
    // outputs: a word, its origin, its valid bit, whether there are words, and the ready bit of the input
{%- when None %}
    // inputs: a word, its valid and last bits, and the ready bit of the output
    localparam integer IN = WIDTH + 3;
    // outputs: a word, its origin, its valid and last bits, and the ready bit of the input
{%- endmatch %}
    localparam integer OUT = {% if lanes > 1 %}{{ lanes }}*{% endif %}WIDTH + {{ user + 3 }};

    reg rst;
    wire busy;
    wire done;
    wire misframed;

    always @(posedge clk) begin
        rst <= reset;
        led <= busy ^ done ^ misframed;
    end

    reg [{{ streams.len() }}*IN-1:0] in;

    always @(posedge clk) begin
        in <= {in[{{ streams.len() }}*IN-2:0], serial_in};
    end
{%- for stream in streams %}

    wire [OUT-1:0] {{ stream.name }}out;
    reg [OUT-1:0] {{ stream.name }}sum;

    always @(posedge clk) begin
        {{ stream.name }}sum <= {{ stream.name }}out{% if !loop.first %} ^ {{ stream.before }}{% endif %};
    end
{%- endfor %}

    reg [OUT-1:0] shown;
    assign serial_out = shown[OUT-1];

    always @(posedge clk) begin
{%- for stream in streams %}
{%- if stream.is_last %}
        shown <= {shown[OUT-2:0], serial_in} ^ {{ stream.name }}sum;
{%- endif %}
{%- endfor %}
    end

    {{ system }} #(
        .WIDTH(WIDTH)
    ) system (
        .clk(clk),
        .rst(rst),
        .start(1'b1),
        .busy(busy),
        .done(done),
        .misframed(misframed),
{%- for stream in streams %}
        .{{ stream.name }}s_axis_tdata(in[{{ loop.index0 }}*IN+:WIDTH]),
        .{{ stream.name }}s_axis_tvalid(in[{{ loop.index0 }}*IN+WIDTH]),
        .{{ stream.name }}s_axis_tlast(in[{{ loop.index0 }}*IN+WIDTH+1]),
        .{{ stream.name }}s_axis_tready({{ stream.name }}out[OUT-1]),
{%- if let Some(bits) = stream.address %}
        .{{ stream.name }}m_ram_full({{ stream.name }}out[OUT-2]),
        .{{ stream.name }}m_ram_free(in[{{ loop.index0 }}*IN+WIDTH+2]),
        .{{ stream.name }}m_ram_en(in[{{ loop.index0 }}*IN+WIDTH+3]),
        .{{ stream.name }}m_ram_addr(in[{{ loop.index0 }}*IN+WIDTH+4+:{{ bits }}]),
        .{{ stream.name }}m_ram_valid({{ stream.name }}out[OUT-3]),
        .{{ stream.name }}m_ram_data({{ stream.name }}out[WIDTH-1:0]),
        .{{ stream.name }}m_ram_user({{ stream.name }}out[OUT-4:WIDTH]){% if !stream.is_last %},{% endif %}
{%- else %}
        .{{ stream.name }}m_axis_tdata({{ stream.name }}out[{% if lanes > 1 %}{{ lanes }}*{% endif %}WIDTH-1:0]),
{%- if lanes > 1 %}
        .{{ stream.name }}m_axis_tkeep({{ stream.name }}out[OUT-4-:{{ lanes }}]),
        .{{ stream.name }}m_axis_tuser({{ stream.name }}out[OUT-{{ lanes + 4 }}:{{ lanes }}*WIDTH]),
{%- else %}
        .{{ stream.name }}m_axis_tuser({{ stream.name }}out[OUT-4:WIDTH]),
{%- endif %}
        .{{ stream.name }}m_axis_tvalid({{ stream.name }}out[OUT-3]),
        .{{ stream.name }}m_axis_tlast({{ stream.name }}out[OUT-2]),
        .{{ stream.name }}m_axis_tready(in[{{ loop.index0 }}*IN+WIDTH+2]){% if !stream.is_last %},{% endif %}
{%- endif %}
{%- endfor %}
    );

endmodule

`default_nettype wire
