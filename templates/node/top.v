// {{ module }}: {{ headline }}, with a processing element at each node
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             start,  // play once every node is ready
    output wire             busy,
    output wire             done,  // high for one clock: all packets have arrived
    output wire             misframed,  // a tlast was misplaced; cleared by rst
    // outputs of the elements, node 0 in the lowest bits
    output wire [{{ nodes }}*WIDTH-1:0] results
);

    localparam integer NODES = {{ nodes }};
    localparam integer USER = {{ user.bits }};
{%- for bits in address %}
    localparam integer ADDRESS = {{ bits }};
{%- endfor %}
{%- if lanes > 1 %}
    localparam integer LANES = {{ lanes }};
{%- endif %}

    // streams of all nodes, node 0 in the lowest bits: from the elements, and to them
    wire [NODES*WIDTH-1:0] sent_data;
    wire [NODES-1:0] sent_valid;
    wire [NODES-1:0] sent_ready;
    wire [NODES-1:0] sent_last;
    wire [NODES*{{ by_lane }}WIDTH-1:0] given_data;
    wire [NODES-1:0] given_valid;
    wire [NODES*{{ by_lane }}USER-1:0] given_user;
{%- if address.is_some() %}
    wire [NODES-1:0] given_full;
    wire [NODES-1:0] given_free;
    wire [NODES-1:0] given_en;
    wire [NODES*ADDRESS-1:0] given_addr;
    wire unused = &{1'b0, given_addr};  // short addresses have no high bits
{%- else %}
{%- if lanes > 1 %}
    wire [NODES*LANES-1:0] given_keep;
{%- endif %}
    wire [NODES-1:0] given_ready;
    wire [NODES-1:0] given_last;
{%- endif %}

    genvar node;
    generate
        for (node = 0; node < NODES; node = node + 1) begin : g_node
            {{ element }} #(
                .WIDTH(WIDTH),
                .NODE(node)
            ) element (
                .clk(clk),
                .rst(rst),
                .done(done),
                .m_axis_tdata(sent_data[node*WIDTH+:WIDTH]),
                .m_axis_tvalid(sent_valid[node]),
                .m_axis_tready(sent_ready[node]),
                .m_axis_tlast(sent_last[node]),
{%- if address.is_some() %}
                .s_ram_full(given_full[node]),
                .s_ram_free(given_free[node]),
                .s_ram_en(given_en[node]),
                .s_ram_addr(given_addr[node*ADDRESS+:ADDRESS]),
                .s_ram_valid(given_valid[node]),
                .s_ram_data(given_data[node*WIDTH+:WIDTH]),
                .s_ram_user(given_user[node*USER+:USER]),
{%- else %}
                .s_axis_tdata(given_data[node*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH]),
{%- if lanes > 1 %}
                .s_axis_tkeep(given_keep[node*LANES+:LANES]),
{%- endif %}
                .s_axis_tvalid(given_valid[node]),
                .s_axis_tready(given_ready[node]),
                .s_axis_tlast(given_last[node]),
                .s_axis_tuser(given_user[node*{{ by_lane }}USER+:{{ by_lane }}USER]),
{%- endif %}
                .result(results[node*WIDTH+:WIDTH])
            );
        end
    endgenerate

    {{ system }} #(
        .WIDTH(WIDTH)
    ) system (
        .clk(clk),
        .rst(rst),
        .start(start),
        .busy(busy),
        .done(done),
        .misframed(misframed),
{%- for pins in pins() %}
        .{{ pins.name }}s_axis_tdata(sent_data[{{ pins.index }}*WIDTH+:WIDTH]),
{%- for signal in ["valid", "ready", "last"] %}
        .{{ pins.name }}s_axis_t{{ signal }}(sent_{{ signal }}[{{ pins.index }}]),
{%- endfor %}
{%- if let Some(bits) = pins.address %}
{%- for signal in ["full", "free", "en", "valid"] %}
        .{{ pins.name }}m_ram_{{ signal }}(given_{{ signal }}[{{ pins.index }}]),
{%- endfor %}
        .{{ pins.name }}m_ram_addr(given_addr[{{ pins.index }}*ADDRESS+:{{ bits }}]),
        .{{ pins.name }}m_ram_data(given_data[{{ pins.index }}*WIDTH+:WIDTH]),
        .{{ pins.name }}m_ram_user(given_user[{{ pins.index }}*USER+:USER]){{ pins.comma }}
{%- else %}
{%- for signal in ["valid", "ready", "last"] %}
        .{{ pins.name }}m_axis_t{{ signal }}(given_{{ signal }}[{{ pins.index }}]),
{%- endfor %}
{%- if lanes > 1 %}
        .{{ pins.name }}m_axis_tkeep(given_keep[{{ pins.index }}*LANES+:LANES]),
{%- endif %}
        .{{ pins.name }}m_axis_tdata(given_data[{{ pins.index }}*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH]),
        .{{ pins.name }}m_axis_tuser(given_user[{{ pins.index }}*{{ by_lane }}USER+:{{ by_lane }}USER]){{ pins.comma }}
{%- endif %}
{%- endfor %}
    );

endmodule

`default_nettype wire
