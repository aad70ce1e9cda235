// {{ module }}: where the packets lie that a node has
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire next,
    input  wire {{ look.range }}look,
{%- if !by_origin %}
{%- for axis in axes %}
    output reg  {{ axis.range }}{{ axis.name }},
{%- endfor %}
{%- for packet in packet %}
    output reg  {{ packet.range }}packet,
{%- endfor %}
{%- endif %}
    output reg  {{ port.range }}port,
    output reg  {{ step.range }}step
);

    always @(posedge clk) begin
        if (next) begin
            case (look)
{%- for line in lines() %}
                {{ look.bits }}'{{ line.look }}: {{ target }} <= {{ bits }}'{{ line.word }};  // {{ line.what }}
{%- endfor %}
                default: {{ target }} <= {{ bits }}'d0;
            endcase
        end
    end

endmodule

`default_nettype wire
