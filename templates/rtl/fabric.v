// {{ name }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ name }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
    output reg              done,
{%- for flit in flit %}
    output reg  {{ flit.range }}{{ flit.gap }}flit,
{%- endfor %}
{%- for node in interfaces() %}
    // node {{ node.place }}
{%- for packet in node.packets %}
    input  wire [WIDTH-1:0] {{ node.name }}_{{ packet }},
{%- if streams %}
    output wire             {{ node.name }}_{{ packet }}_take,
{%- endif %}
{%- endfor %}
{%- for arrival in node.arrivals %}
    output wire [WIDTH-1:0] {{ arrival.name }}_data,
    output wire             {{ arrival.name }}_valid{{ arrival.comma }}
{%- endfor %}
{%- endfor %}
);

    // after the last tick nothing moves until run falls
    wire play = run & ~done;
{%- for last in last_tick %}
    reg {{ last.range }}played;

    always @(posedge clk) begin
        if (rst | ~run) begin
            played <= {{ last.bits }}'d0;
            done <= 1'b0;
        end else if (played == {{ last.bits }}'d{{ last.last }}) begin
            done <= 1'b1;
        end else begin
            played <= played + {{ last.bits }}'d1;
        end
    end
{%- endfor %}
{%- if last_tick.is_none() %}

    always @(posedge clk) begin
        done <= run & ~rst;
    end
{%- endif %}
{%- for flit in flit %}

    // which flit of their packets the nodes inject
    always @(posedge clk) begin
        if (rst | ~run | (flit == {{ flit.bits }}'d{{ flit.last }})) begin
            flit <= {{ flit.bits }}'d0;
        end else begin
            flit <= flit + {{ flit.bits }}'d1;
        end
    end
{%- endfor %}
{%- if first %}

    // high while the nodes inject their first packets
    reg started;
    wire first = ~started;

    always @(posedge clk) begin
        started <= run & ~rst{% for flit in flit %} & (started | (flit == {{ flit.bits }}'d{{ flit.last }})){% endfor %};
    end
{%- endif %}
{%- for table in tables %}

    // what the routers of class {{ table.class }} do in this tick
    wire {{ table.wires.word }}word_{{ table.class }};
{%- for slot in table.wires.slot %}
    wire {{ slot }}slot_{{ table.class }};
{%- endfor %}

    {{ table.module }} table_{{ table.class }} (
        .clk(clk),
        .rst(rst),
        .run(play),
{%- if table.wires.slot.is_some() %}
        .slot(slot_{{ table.class }}),
{%- endif %}
        .word(word_{{ table.class }})
    );
{%- endfor %}
{%- if ties %}

    // where nothing is ever sent
{%- endif %}
{%- for arrival in tied() %}
    assign {{ arrival }}_data  = {WIDTH{1'b0}};
    assign {{ arrival }}_valid = 1'b0;
{%- endfor %}
{%- for node in instances() %}

    {{ node.router }} #(
        .WIDTH(WIDTH){% for opening in node.opening %},
        .START({{ opening.start }}),
        .LENGTH({{ opening.length }}){% endfor %}
    ) {{ node.instance }} (
        .clk(clk),
        .rst(rst),
        .run(play),
{%- for control in node.controls %}
        .{{ control.port }}({{ control.wire }}),
{%- endfor %}
{%- for packet in node.packets %}
        .{{ packet }}({{ node.name }}_{{ packet }}),
{%- if streams %}
        .{{ packet }}_take({{ node.name }}_{{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for link in node.reads %}
        .{{ link.port }}_data({{ link.arrival }}_data), .{{ link.port }}_valid({{ link.arrival }}_valid),
{%- endfor %}
{%- for link in node.drives %}
        .{{ link.port }}_data({{ link.arrival }}_data), .{{ link.port }}_valid({{ link.arrival }}_valid){{ link.comma }}
{%- endfor %}
    );
{%- endfor %}

endmodule

`default_nettype wire
