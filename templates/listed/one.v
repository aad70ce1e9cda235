
    input  wire             start,  // play once every node is ready
    output wire             busy,
    output wire             done,  // high for one clock: all packets have arrived
    output wire             misframed,  // a tlast was misplaced; cleared by rst
{%- if has_chain %}
    // packets of the nodes, node by node
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             s_axis_tlast,
    // received packets of the nodes, node by node
    output wire [WIDTH-1:0] m_axis_tdata,
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready,
    output wire             m_axis_tlast,
    output wire [{{ sizes.user() - 1 }}:0] m_axis_tuser
{%- else %}
{%- for node in nodes %}
{%- let is_last = loop.last %}
    // {{ node.place }}
{%- for port in sizes.stream_ports() %}
    {% if port.is_input %}input  wire{% else %}output wire{% endif %}{{ port.vector() }} {{ node.name }}_{{ port.name }}{% if !is_last || !loop.last %},{% endif %}
{%- endfor %}
{%- endfor %}
{%- endif %}
);
{%- if has_chain %}
{% for node in nodes %}
{%- for port in sizes.stream_ports() %}
    wire{{ port.vector() }} {{ node.name }}_{{ port.name }};
{%- endfor %}
{%- endfor %}
{%- endif %}

    // A collective begins when a bank of every node is filled.
    wire placed;
    wire [{{ last_node }}:0] ready;
    wire [{{ last_node }}:0] wrong;
    assign misframed = |wrong;
    reg [{{ near.len() - 1 }}:0] near_ready;  // one bit for nodes beside each other
    always @(posedge clk) near_ready <= { {{- near.len() }}{~rst}} & { {%- for group in near %}&ready{{ group }}{% if !loop.last %}, {% endif %}{% endfor -%} };
    wire go = start & ~busy & (&near_ready);
    wire lacks_unused;
