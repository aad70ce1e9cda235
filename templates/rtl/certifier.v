// {{ module }}: gathers up a tree by certificates and orders, {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
{%- if !root %}
    parameter integer WIDTH = {{ width }},
{%- endif %}
    parameter integer COUNT = {{ count }}  // bits of a length, and of a number of ticks
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             run,
{%- if !root %}
    // the node's own message
    input  wire [COUNT-1:0] length,  // number of its flits, held while run is high
    input  wire [WIDTH-1:0] own_0,
    output wire             own_0_take,
    // the parent: a token requests a certificate, an order gives the tick of the first flit
    input  wire             token_in,
    input  wire [COUNT-1:0] order_in,
    input  wire             order_in_valid,
    output reg  [COUNT-1:0] lag_out,
    output reg  [COUNT-1:0] flits_out,
    output reg              certificate_out_valid,
    output reg  [WIDTH-1:0] up_out_data,
    output reg              up_out_valid,
{%- endif %}
{%- for child in children %}
    // child {{ child.number }}
    output reg              token_{{ child.number }}_out,
    output reg  [COUNT-1:0] order_{{ child.number }}_out,
    output reg              order_{{ child.number }}_out_valid,
    input  wire [COUNT-1:0] lag_{{ child.number }}_in,
    input  wire [COUNT-1:0] flits_{{ child.number }}_in,
    input  wire             certificate_{{ child.number }}_in_valid,
{%- if !root %}
    input  wire [WIDTH-1:0] up_{{ child.number }}_in_data,
    input  wire             up_{{ child.number }}_in_valid,
{%- endif %}
{%- endfor %}
    output wire             sent     // high when its orders and its message are out
);

    wire [COUNT-1:0] none = {COUNT{1'b0}};
    wire [COUNT-1:0] one = { {(COUNT-1){1'b0}}, 1'b1};
{%- if !children.is_empty() %}
    wire [COUNT-1:0] orders = { {(COUNT-8){1'b0}}, 8'd{{ orders }}};  // duration in ticks
{%- endif %}

    // 0: not asked yet; 1: asks its children; 2: has certified; 3: orders, sends, forwards
    reg [1:0] state;
{%- if root %}
    wire begins = (state == 2'd0) & run;
{%- else %}
    wire begins = (state == 2'd0) & token_in;
{%- endif %}
{%- for child in children %}

    // certificate of child {{ child.number }}: number of flits without a gap, and ticks after an order
    reg certified_{{ child.number }};
    reg [COUNT-1:0] lag_{{ child.number }}_kept;
    reg [COUNT-1:0] flits_{{ child.number }}_kept;
    wire [COUNT-1:0] lag_{{ child.number }} =
        certificate_{{ child.number }}_in_valid ? lag_{{ child.number }}_in : lag_{{ child.number }}_kept;
    wire [COUNT-1:0] flits_{{ child.number }} =
        certificate_{{ child.number }}_in_valid ? flits_{{ child.number }}_in : flits_{{ child.number }}_kept;
    wire empty_{{ child.number }} = flits_{{ child.number }} == none;

    always @(posedge clk) begin
        lag_{{ child.number }}_kept <= lag_{{ child.number }};
        flits_{{ child.number }}_kept <= flits_{{ child.number }};
        certified_{{ child.number }} <=
            (certified_{{ child.number }} | certificate_{{ child.number }}_in_valid) & run & ~rst;
    end
{%- endfor %}
{%- for pair in pairs %}
{%- if loop.first %}

    // the order of the children: those with nothing to send last, the smaller lag first, then the lower number
{%- endif %}
    wire before_{{ pair.one }}_{{ pair.other }} = (~empty_{{ pair.one }} & empty_{{ pair.other }}) |
        ((empty_{{ pair.one }} == empty_{{ pair.other }}) & (lag_{{ pair.one }} <= lag_{{ pair.other }}));
    wire before_{{ pair.other }}_{{ pair.one }} = ~before_{{ pair.one }}_{{ pair.other }};
{%- endfor %}
{%- for child in children %}

    // flits before those of child {{ child.number }}, and its delay after them
    wire [COUNT-1:0] ahead_{{ child.number }} = {{ own_length }}
{%- for other in child.others %} +
        (before_{{ other }}_{{ child.number }} ? flits_{{ other }} : none){% endfor %};
    wire [COUNT-1:0] need_{{ child.number }} = lag_{{ child.number }}{% if all_port %} + one{% endif %};
    wire [COUNT-1:0] late_{{ child.number }} =
        (~empty_{{ child.number }} & (need_{{ child.number }} > ahead_{{ child.number }})) ? need_{{ child.number }} - ahead_{{ child.number }} : none;
    wire [COUNT-1:0] latest_{{ child.number }} =
{%- if loop.first %} late_0;{% else %} (late_{{ child.number }} > latest_{{ child.number - 1 }}) ? late_{{ child.number }} : latest_{{ child.number - 1 }};{% endif %}
{%- endfor %}

    // certificate of this node
{%- if children.is_empty() %}
    wire certifies = begins;
    wire [COUNT-1:0] lag = one;
    wire [COUNT-1:0] flits = length;
{%- else %}
    wire certifies = (state == 2'd1)
{%- for child in children %} &
        (certified_{{ child.number }} | certificate_{{ child.number }}_in_valid){% endfor %};
    wire [COUNT-1:0] lag = latest_{{ last }} + orders;
{%- if !root %}
    wire [COUNT-1:0] flits = length{% for child in children %} + flits_{{ child.number }}{% endfor %};
{%- endif %}
{%- endif %}

    // from here on: ticks until the first own flit must be at the parent
{%- if root %}
    wire goes = certifies;
    wire [COUNT-1:0] start = lag;
{%- else %}
    wire goes = (state == 2'd2) & order_in_valid;
    wire [COUNT-1:0] start = order_in;
{%- endif %}
{%- if !root || single_port %}
    wire running = (goes | (state == 2'd3)) & run & ~rst;
{%- endif %}

    always @(posedge clk) begin
        if (rst | ~run) begin
            state <= 2'd0;
        end else if (goes) begin
            state <= 2'd3;
        end else if (certifies) begin
            state <= 2'd2;
        end else if (begins) begin
            state <= 2'd1;
        end
    end
{%- if !children.is_empty() %}
{%- if single_port %}

    // turns of the children, and ticks until the next child's first flit must be here
    reg {{ turn }}turn_kept;
    reg [COUNT-1:0] left_kept;
    wire {{ turn }}turn = goes ? {{ turn_bits }}'d0 : turn_kept;
    wire [COUNT-1:0] left_now = goes ? start + {{ own_length }} : left_kept;
    wire [COUNT-1:0] left = (left_now == none) ? none : left_now - one;
{%- for child in children %}
    wire ordered_{{ child.number }} = running & (turn =={% if child.others.is_empty() %} {{ turn_bits }}'d0{% else %}
{%- for other in child.others %}{% if !loop.first %} +{% endif %}
        (before_{{ other }}_{{ child.number }} ? {{ turn_bits }}'d1 : {{ turn_bits }}'d0){% endfor %}{% endif %});
{%- endfor %}

    always @(posedge clk) begin
        left_kept <= left
{%- for child in children %} +
            (ordered_{{ child.number }} ? flits_{{ child.number }} : none){% endfor %};
        turn_kept <= (running & (turn != {{ turn_bits }}'d{{ children.len() }})) ? turn + {{ turn_bits }}'d1 : turn;
    end
{%- for child in children %}

    always @(posedge clk) begin
        order_{{ child.number }}_out <= (left == none) ? none : left - one;
        order_{{ child.number }}_out_valid <= ordered_{{ child.number }};
        token_{{ child.number }}_out <= {% if loop.first %}begins{% else %}(state == 2'd1) & certificate_{{ child.number - 1 }}_in_valid{% endif %} & run & ~rst;
    end
{%- endfor %}
{%- else %}
{%- for child in children %}

    wire [COUNT-1:0] place_{{ child.number }} = start + ahead_{{ child.number }};

    always @(posedge clk) begin
        order_{{ child.number }}_out <= (place_{{ child.number }} > one) ? place_{{ child.number }} - one - one : none;
        order_{{ child.number }}_out_valid <= goes & run & ~rst;
        token_{{ child.number }}_out <= begins & run & ~rst;
    end
{%- endfor %}
{%- endif %}
{%- endif %}
{%- if root %}

    assign sent = (state == 2'd3){% if single_port %} & (turn_kept == {{ turn_bits }}'d{{ children.len() }}){% endif %};
{%- else %}

    // the node's own flits, from the tick of its order on
    reg [COUNT-1:0] count_kept;
    reg [COUNT-1:0] flit;
    wire [COUNT-1:0] count = goes ? start : count_kept;
    wire sends = running & (count <= one) & (flit != length);
    assign own_0_take = sends;
    assign sent = (state == 2'd3) & (flit == length){% if single_port && !children.is_empty() %} & (turn_kept == {{ turn_bits }}'d{{ children.len() }}){% endif %};

    always @(posedge clk) begin
        count_kept <= (count == none) ? none : count - one;
        if (rst | ~run) begin
            flit <= none;
        end else if (sends) begin
            flit <= flit + one;
        end
    end

    always @(posedge clk) begin
        lag_out <= lag;
        flits_out <= flits;
        certificate_out_valid <= certifies & run & ~rst;
    end
{%- if children.is_empty() %}

    always @(posedge clk) begin
        up_out_data  <= own_0;
        up_out_valid <= sends;
    end
{%- else %}

    // forwards flits of the children
    wire [WIDTH-1:0] relayed_data =
{%- for child in children %}
        ({WIDTH{up_{{ child.number }}_in_valid}} & up_{{ child.number }}_in_data){% if loop.last %};{% else %} |{% endif %}
{%- endfor %}
    wire relayed_valid = (state == 2'd3) & (
{%- for child in children %}{% if !loop.first %} | {% endif %}up_{{ child.number }}_in_valid{% endfor %});

    always @(posedge clk) begin
        up_out_data  <= sends ? own_0 : relayed_data;
        up_out_valid <= (sends | relayed_valid) & run & ~rst;
    end
{%- endif %}
{%- endif %}

endmodule

`default_nettype wire
