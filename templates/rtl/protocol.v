// {{ name }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ name }} #(
    parameter integer WIDTH = {{ width }},
    parameter integer COUNT = {{ count }}  // bits of a length, and of a number of ticks
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    output reg              done,
{%- for node in nodes() %}
    // node {{ node.place }}
{%- if !node.is_root %}
    input  wire [COUNT-1:0] {{ node.name }}_length,
    input  wire [WIDTH-1:0] {{ node.name }}_own_0,
    output wire             {{ node.name }}_own_0_take,
{%- endif %}
{%- for arrival in node.arrivals %}
    output wire [WIDTH-1:0] {{ arrival.name }}_data,
    output wire             {{ arrival.name }}_valid{{ arrival.comma }}
{%- endfor %}
{%- endfor %}
);

{%- for node in nodes() %}
{%- if node.has_sent %}
    wire {{ node.name }}_sent;
{%- endif %}
{%- endfor %}

    // all messages are sent, and no flit is in flight
    wire quiet = 1'b1
{%- for node in nodes() %}
{%- if node.has_sent %}
        & {{ node.name }}_sent
{%- endif %}
{%- for up in node.up %}
        & ~{{ up }}_valid
{%- endfor %}
{%- endfor %};

    always @(posedge clk) begin
        done <= run & ~rst & (done | quiet);
    end
{%- if taps %}

    // the root is free from the beginning
    reg tapped;
    reg tap_root_valid;
    wire [COUNT-1:0] tap_root = { {COUNT-1{1'b0}}, 1'b1};

    always @(posedge clk) begin
        tapped <= run & ~rst;
        tap_root_valid <= run & ~rst & ~tapped;
    end
{%- endif %}

    // outputs that never send
{%- for node in nodes() %}
{%- for arrival in node.tied %}
    assign {{ arrival.name }}_data  = {WIDTH{1'b0}};
    assign {{ arrival.name }}_valid = 1'b0;
{%- endfor %}
{%- endfor %}
{%- for node in nodes() %}
{%- for wires in node.certifies %}
    wire {{ wires }}_token;
    wire [COUNT-1:0] {{ wires }}_order;
    wire {{ wires }}_order_valid;
    wire [COUNT-1:0] {{ wires }}_lag;
    wire [COUNT-1:0] {{ wires }}_flits;
    wire {{ wires }}_certificate_valid;
{%- endfor %}
{%- for wires in node.taps %}
    wire [COUNT-1:0] {{ wires }}_tap;
    wire {{ wires }}_tap_valid;
{%- endfor %}
{%- endfor %}
{%- for node in nodes() %}
{%- if node.has_sent %}

    {{ node.module }} #(
{%- if !node.is_root %}
        .WIDTH(WIDTH),
{%- endif %}
        .COUNT(COUNT)
    ) {{ node.instance }} (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- if !node.is_root %}
        .length({{ node.name }}_length),
        .own_0({{ node.name }}_own_0),
        .own_0_take({{ node.name }}_own_0_take),
{%- endif %}
{%- for up in node.up %}
        .up_out_data({{ up }}_data), .up_out_valid({{ up }}_valid),
{%- endfor %}
{%- if taps %}
        .tap_in({{ node.tap }}), .tap_in_valid({{ node.tap }}_valid),
{%- for child in node.children %}
        .tap_out({{ node.name }}_tap), .tap_out_valid({{ node.name }}_tap_valid),
        .up_in_data({{ child.arrival }}_data), .up_in_valid({{ child.arrival }}_valid),
{%- endfor %}
{%- else %}
{%- for wires in node.certifies %}
        .token_in({{ wires }}_token),
        .order_in({{ wires }}_order), .order_in_valid({{ wires }}_order_valid),
        .lag_out({{ wires }}_lag), .flits_out({{ wires }}_flits),
        .certificate_out_valid({{ wires }}_certificate_valid),
{%- endfor %}
{%- for child in node.children %}
        .token_{{ child.number }}_out({{ child.name }}_token),
        .order_{{ child.number }}_out({{ child.name }}_order),
        .order_{{ child.number }}_out_valid({{ child.name }}_order_valid),
        .lag_{{ child.number }}_in({{ child.name }}_lag), .flits_{{ child.number }}_in({{ child.name }}_flits),
        .certificate_{{ child.number }}_in_valid({{ child.name }}_certificate_valid),
{%- if !node.is_root %}
        .up_{{ child.number }}_in_data({{ child.arrival }}_data), .up_{{ child.number }}_in_valid({{ child.arrival }}_valid),
{%- endif %}
{%- endfor %}
{%- endif %}
        .sent({{ node.name }}_sent)
    );
{%- endif %}
{%- endfor %}

endmodule

`default_nettype wire
