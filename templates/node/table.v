// {{ module }}: rows of a node's memories in the order in which they are handed out
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire clk,
    input  wire next,
    input  wire {{ look.range }}look,
    output wire ends,  // this is the last row
    output wire [{{ words - 1 }}:0] keep,
    output wire {{ users.range }}users,
    output wire {{ source.range }}source,
    output wire {{ step.range }}step
);

    assign ends = look == {{ look.bits }}'d{{ last }};

    reg [{{ bits - 1 }}:0] answer;
    assign {keep, users, source, step} = answer;

    always @(posedge clk) begin
        if (next) begin
            case (look)
{%- for line in lines %}
                {{ look.bits }}'d{{ loop.index0 }}: answer <= {{ bits }}'b{{ line.word }};  // {{ line.what }}
{%- endfor %}
                default: answer <= {{ bits }}'d0;
            endcase
        end
    end

endmodule

`default_nettype wire
