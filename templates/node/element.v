// {{ module }}: your processing element, one at each node
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer NODE = 0  // number of the node, row by row, from 0
) (
    input  wire             clk,
    input  wire             rst,
{%- for calls in calls %}
{%- if calls.is_common %}
    // call of all boards: taken in a clock in which start and ready are high; all elements of the host's board ask for the same,
    // and ready is low at other boards
{%- else %}
    // call: taken in a clock in which start and ready are high; all elements ask for the same
{%- endif %}
    output wire             start,
    input  wire             ready,
    output reg  [{{ calls.program - 1 }}:0] program_number,
    output reg  [{{ calls.node - 1 }}:0] root,
{%- if calls.is_common %}
    // call that the nodes take words for next, at every board; called is high for its first clock
    input  wire             called,
    input  wire [{{ calls.program - 1 }}:0] called_program,
    input  wire [{{ calls.node - 1 }}:0] called_root,
{%- endif %}
{%- endfor %}
    input  wire             done,  // high for one clock: a collective is over
    // words that the node sends
    output wire [WIDTH-1:0] m_axis_tdata,
    output wire             m_axis_tvalid,
    input  wire             m_axis_tready,
{%- if tells %}
    output wire             m_axis_tlast,  // with the last word of {{ block_text }}
{%- endif %}
{%- for calls in calls %}
    output reg  [{{ calls.program - 1 }}:0] m_axis_tdest,  // program that they are for
{%- endfor %}
{%- match address %}
{%- when Some(bits) %}
    // words that it has in the end
    input  wire             s_ram_full,  // they can be read
    output wire             s_ram_free,  // they are not needed any more
    output wire             s_ram_en,
    output wire [{{ bits - 1 }}:0] {{ user.gap() }}s_ram_addr,
    input  wire             s_ram_valid,  // three clocks after s_ram_en
    input  wire [WIDTH-1:0] s_ram_data,
{%- if tells %}
    input  wire {{ user.range }}{{ user.gap() }}s_ram_user,  // whose it is: {{ whose }}
{%- endif %}
{%- for calls in calls %}
    input  wire [{{ calls.program - 1 }}:0] s_ram_dest,  // program that they are of
{%- endfor %}
{%- when None %}
    // words that it has in the end
    input  wire [{% if lanes > 1 %}{{ lanes }}*{% endif %}WIDTH-1:0] s_axis_tdata,
{%- if lanes > 1 %}
    input  wire [{{ lanes - 1 }}:0] s_axis_tkeep,
{%- endif %}
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             s_axis_tlast,
{%- if tells %}
    input  wire {{ user.range }}{{ user.gap() }}s_axis_tuser,  // whose it is: {{ whose }}
{%- endif %}
{%- for calls in calls %}
    input  wire [{{ calls.program - 1 }}:0] s_axis_tdest,  // program that they are of
{%- endfor %}
{%- endmatch %}
    // output of the element to the outside
    output reg  [WIDTH-1:0] result
);
{% if let Some(calls) = calls %}
{% include "node/calls.v" %}
{%- else %}
    // Replace what follows. It sends its number, and then the number before it and so on; `result` is the last word that came.
    wire [WIDTH+31:0] number = { {WIDTH{1'b0}}, NODE[31:0]};
    reg [WIDTH-1:0] word;
    assign m_axis_tdata = word;
    assign m_axis_tvalid = ~rst;
{%- match block %}
{%- when Some(count) %}
    reg {{ count.range }}place;
    assign m_axis_tlast = place == {{ count.bits }}'d{{ count.last }};
{%- when None %}
    assign m_axis_tlast = 1'b1;
{%- endmatch %}

    always @(posedge clk) begin
        if (rst) begin
            word <= number[WIDTH-1:0];
{%- for count in block %}
            place <= {{ count.bits }}'d0;
{%- endfor %}
        end else if (m_axis_tready) begin
            word <= word - { {(WIDTH-1){1'b0}}, 1'b1};
{%- for count in block %}
            place <= m_axis_tlast ? {{ count.bits }}'d0 : place + {{ count.bits }}'d1;
{%- endfor %}
        end
    end
{%- endif %}
{%- match address %}
{%- when Some(bits) %}

    assign s_ram_en = s_ram_full;
    assign s_ram_free = s_ram_full;
    assign s_ram_addr = {{ bits }}'d0;

    always @(posedge clk) begin
        if (rst) begin
            result <= {WIDTH{1'b0}};
        end else if (s_ram_valid) begin
            result <= s_ram_data;
        end
    end

    wire unused = &{1'b0, done, number[WIDTH+31:WIDTH]{% if tells %}, s_ram_user{% endif %}{% for calls in calls %}, s_ram_dest{{ calls.unused_root() }}{% endfor %}};
{%- when None %}

    assign s_axis_tready = 1'b1;

    always @(posedge clk) begin
        if (rst) begin
            result <= {WIDTH{1'b0}};
        end else if (s_axis_tvalid{% if lanes > 1 && calls.is_some() %} & s_axis_tkeep[0]{% endif %}) begin
            result <= s_axis_tdata{% if lanes > 1 %}[WIDTH-1:0]{% endif %};
        end
    end

    wire unused = &{1'b0, done, number[WIDTH+31:WIDTH], {% if lanes > 1 %}s_axis_tdata, s_axis_tkeep, {% endif %}s_axis_tlast{% if tells %}, s_axis_tuser{% endif %}{% for calls in calls %}, s_axis_tdest{{ calls.unused_root() }}{% endfor %}};
{%- endmatch %}

endmodule

`default_nettype wire
