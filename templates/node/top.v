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

    // streams into all nodes and out of them, node 0 in the lowest bits
    wire [NODES*WIDTH-1:0] in_data;
    wire [NODES-1:0] in_valid;
    wire [NODES-1:0] in_ready;
    wire [NODES-1:0] in_last;
    wire [NODES*{{ by_lane }}WIDTH-1:0] out_data;
    wire [NODES-1:0] out_valid;
    wire [NODES*{{ by_lane }}USER-1:0] out_user;
{%- if address.is_some() %}
    wire [NODES-1:0] out_full;
    wire [NODES-1:0] out_free;
    wire [NODES-1:0] out_en;
    wire [NODES*ADDRESS-1:0] out_addr;
    wire unused = &{1'b0, out_addr};  // short addresses have no high bits
{%- else %}
{%- if lanes > 1 %}
    wire [NODES*LANES-1:0] out_keep;
{%- endif %}
    wire [NODES-1:0] out_ready;
    wire [NODES-1:0] out_last;
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
                .m_axis_tdata(in_data[node*WIDTH+:WIDTH]),
                .m_axis_tvalid(in_valid[node]),
                .m_axis_tready(in_ready[node]),
                .m_axis_tlast(in_last[node]),
{%- if address.is_some() %}
                .s_ram_full(out_full[node]),
                .s_ram_free(out_free[node]),
                .s_ram_en(out_en[node]),
                .s_ram_addr(out_addr[node*ADDRESS+:ADDRESS]),
                .s_ram_valid(out_valid[node]),
                .s_ram_data(out_data[node*WIDTH+:WIDTH]),
                .s_ram_user(out_user[node*USER+:USER]),
{%- else %}
                .s_axis_tdata(out_data[node*{{ by_lane }}WIDTH+:{{ by_lane }}WIDTH]),
{%- if lanes > 1 %}
                .s_axis_tkeep(out_keep[node*LANES+:LANES]),
{%- endif %}
                .s_axis_tvalid(out_valid[node]),
                .s_axis_tready(out_ready[node]),
                .s_axis_tlast(out_last[node]),
                .s_axis_tuser(out_user[node*{{ by_lane }}USER+:{{ by_lane }}USER]),
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
{%- include "node/pins.v" %}
    );

endmodule

`default_nettype wire
