// {{ module }}: addresses of the packets in a node's memory
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
    output wire {{ axis.range }}{{ axis.name }},
{%- endfor %}
{%- for packet in packet %}
    output wire {{ packet.range }}packet,
{%- endfor %}
{%- endif %}
    output wire {{ port.range }}port,
{%- if marks_last %}
    output wire last,
{%- endif %}
    output wire {{ step.range }}step
);

    reg [{{ bits - 1 }}:0] answer;
    assign {{ target }} = answer;

    always @(posedge clk) begin
        if (next) begin
            case (look)
{%- for line in lines() %}
                {{ look.bits }}'{{ line.look }}: answer <= {{ bits }}'{{ line.word }};  // {{ line.what }}
{%- endfor %}
                default: answer <= {{ bits }}'d0;
            endcase
        end
    end

endmodule

`default_nettype wire
