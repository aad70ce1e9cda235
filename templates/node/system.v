// {{ module }}: {{ headline }}, with memories and streams
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
    output reg              busy,
    output reg              done,  // high for one clock: all packets have arrived
    output wire             misframed,  // a tlast was misplaced; cleared by rst
{%- if chain %}
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
    output wire {{ user.range }}{{ user.gap() }}m_axis_tuser
{%- else %}
{%- for node in nodes() %}
    // node {{ node.place }}
    input  wire [WIDTH-1:0] {{ node.name }}_s_axis_tdata,
    input  wire             {{ node.name }}_s_axis_tvalid,
    output wire             {{ node.name }}_s_axis_tready,
    input  wire             {{ node.name }}_s_axis_tlast,
{%- for ram in node.ram %}
    output wire             {{ node.name }}_m_ram_full,
    input  wire             {{ node.name }}_m_ram_free,
    input  wire             {{ node.name }}_m_ram_en,
    input  wire {{ ram.range }}{{ ram.gap() }}{{ node.name }}_m_ram_addr,
    output wire             {{ node.name }}_m_ram_valid,
    output wire [WIDTH-1:0] {{ node.name }}_m_ram_data,
    output wire {{ user.range }}{{ user.gap() }}{{ node.name }}_m_ram_user{% if !node.is_last %},{% endif %}
{%- endfor %}
{%- if node.ram.is_none() %}
    output wire [{% if lanes > 1 %}{{ lanes }}*{% endif %}WIDTH-1:0] {{ node.name }}_m_axis_tdata,
{%- if lanes > 1 %}
    output wire [{{ lanes - 1 }}:0] {{ node.name }}_m_axis_tkeep,
{%- endif %}
    output wire             {{ node.name }}_m_axis_tvalid,
    input  wire             {{ node.name }}_m_axis_tready,
    output wire             {{ node.name }}_m_axis_tlast,
    output wire {{ user.range }}{{ user.gap() }}{{ node.name }}_m_axis_tuser{% if !node.is_last %},{% endif %}
{%- endif %}
{%- endfor %}
{%- endif %}
);

    // A collective begins when all nodes are ready and the fabric has seen `run` low.
    wire [{{ last_ready }}:0] ready;
    wire [{{ last_wrong }}:0] wrong;
    reg {{ near.range }}near_ready;  // one bit for nodes beside each other
    reg was_busy;
    wire go = start & ~busy & ~was_busy & (&near_ready);
    reg finish;
    assign misframed = |wrong;

    always @(posedge clk) begin
        was_busy <= busy;
        near_ready <= { {{- near.bits }}{~rst}} & {
{%- for group in groups() %}
            &ready{{ group }}{% if !loop.last %},{% endif %}
{%- endfor %}
        };
    end

    always @(posedge clk) begin
        if (rst) begin
            busy <= 1'b0;
            done <= 1'b0;
        end else begin
            busy <= go | (busy & ~finish);
            done <= finish;
        end
    end

    // step of the arrivals{% if flit.is_some() %}, and their flit{% endif %}
    reg [{{ delay }}:0] begins;
    reg write;
    reg {{ step.range }}step;
{%- for flit in flit %}
    wire {{ flit.range }}flit;
    reg {{ flit.range }}step_flit;
    wire step_end = step_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
    // the last arrivals come next
{%- match before_last %}
{%- when Some(before) %}
    wire ends = write & (step == {{ step.bits }}'d{{ before.step }}){% for flit in flit %} & (step_flit == {{ flit.bits }}'d{{ before.flit }}){% endfor %};
{%- when None %}
    wire ends = begins[{{ delay }}];
{%- endmatch %}
{%- if reading.rest > 0 %}

    // clocks since the last arrivals, in which results form
    reg [{{ reading.rest - 1 }}:0] rests;
{%- endif %}

    always @(posedge clk) begin
        if (rst) begin
            begins <= {{ delay + 1 }}'d0;
            write <= 1'b0;
{%- if reading.rest > 0 %}
            rests <= {{ reading.rest }}'d0;
{%- endif %}
            finish <= 1'b0;
        end else begin
            begins <= {% if delay > 0 %}{begins[{{ delay - 1 }}:0], go}{% else %}go{% endif %};
{%- if reading.rest > 0 %}
            write <= begins[{{ delay }}] | (write & ~rests[0]);
            rests <= {% if reading.rest > 1 %}{rests[{{ reading.rest - 2 }}:0], ends}{% else %}ends{% endif %};
            finish <= rests[{{ reading.rest - 1 }}];
{%- else %}
            write <= begins[{{ delay }}] | (write & ~finish);
            finish <= ends;
{%- endif %}
        end
        if (begins[{{ delay }}]) begin
            step <= {{ step.bits }}'d0;
{%- for flit in flit %}
            step_flit <= {{ flit.bits }}'d0;
{%- endfor %}
        end else begin
{%- for flit in flit %}
            step_flit <= step_end ? {{ flit.bits }}'d0 : step_flit + {{ flit.bits }}'d1;
            if (step_end) begin
                step <= step + {{ step.bits }}'d1;
            end
{%- endfor %}
{%- if flit.is_none() %}
            step <= step + {{ step.bits }}'d1;
{%- endif %}
        end
    end
{%- for node in nodes() %}

    // node {{ node.place }}
{%- for packet in node.own %}
    wire [WIDTH-1:0] {{ node.name }}_{{ packet }};
{%- if is_streamed %}
    wire {{ node.name }}_{{ packet }}_take;
{%- endif %}
{%- endfor %}
{%- for packet in node.empty %}
    wire [WIDTH-1:0] {{ node.name }}_{{ packet }} = {WIDTH{1'b0}};
    wire {{ node.name }}_{{ packet }}_take;
{%- endfor %}
{%- for input in node.arrivals %}
{%- if input.is_linked %}
    wire [WIDTH-1:0] {{ node.name }}_{{ input.name }}_in_data;
    wire             {{ node.name }}_{{ input.name }}_in_valid;
{%- endif %}
{%- endfor %}
{%- if chain %}
    wire [WIDTH-1:0] {{ node.name }}_s_axis_tdata;
    wire             {{ node.name }}_s_axis_tvalid;
    wire             {{ node.name }}_s_axis_tready;
    wire             {{ node.name }}_s_axis_tlast;
    wire [WIDTH-1:0] {{ node.name }}_m_axis_tdata;
    wire             {{ node.name }}_m_axis_tvalid;
    wire             {{ node.name }}_m_axis_tready;
    wire             {{ node.name }}_m_axis_tlast;
    wire {{ user.range }}{{ user.gap() }}{{ node.name }}_m_axis_tuser;
{%- if !node.is_last %}
    wire [WIDTH-1:0] {{ node.name }}_chain_tdata;
    wire             {{ node.name }}_chain_tvalid;
    wire             {{ node.name }}_chain_tready;
    wire             {{ node.name }}_chain_tlast;
    wire {{ user.range }}{{ user.gap() }}{{ node.name }}_chain_tuser;
{%- endif %}
{%- endif %}
{%- if node.wrong.is_none() %}
    assign {{ node.name }}_s_axis_tready = 1'b0;
{%- endif %}
{%- if !node.gives && node.ram.is_some() %}
    assign {{ node.name }}_m_ram_full = 1'b0;
    assign {{ node.name }}_m_ram_valid = 1'b0;
    assign {{ node.name }}_m_ram_data = {WIDTH{1'b0}};
    assign {{ node.name }}_m_ram_user = {{ user.bits }}'d0;
{%- else if !node.gives %}
{%- if lanes > 1 %}
    assign {{ node.name }}_m_axis_tdata = {({{ lanes }}*WIDTH){1'b0}};
    assign {{ node.name }}_m_axis_tkeep = {{ lanes }}'d0;
{%- else %}
    assign {{ node.name }}_m_axis_tdata = {WIDTH{1'b0}};
{%- endif %}
    assign {{ node.name }}_m_axis_tvalid = 1'b0;
    assign {{ node.name }}_m_axis_tlast = 1'b0;
    assign {{ node.name }}_m_axis_tuser = {{ user.bits }}'d0;
{%- endif %}
{%- if node.unused.len() > 0 %}
    wire {{ node.name }}_unused = &{
        1'b0,
{%- for signal in node.unused %}
        {{ node.name }}_{{ signal }}{% if !loop.last %},{% endif %}
{%- endfor %}
    };
{%- endif %}
{%- for memory in node.memory %}

    {{ memory }} #(
        .WIDTH(WIDTH){% if node.parameters.len() > 0 %},{% endif %}
{%- for parameter in node.parameters %}
        .{{ parameter.constant }}({{ parameter.coordinate }}){% if !loop.last %},{% endif %}
{%- endfor %}
    ) {{ node.instance }} (
        .clk(clk),
        .rst(rst),
        .ready(ready[{{ node.ready }}]),
{%- if node.inputs.len() > 0 %}
        .write(write),
        .step(step),
{%- if flit.is_some() %}
        .step_flit(step_flit),
{%- endif %}
{%- endif %}
        .play(begins[0]),
        .finish(finish),
{%- if flit.is_some() && !is_streamed && node.own.len() > 0 %}
        .flit(flit),
{%- endif %}
{%- for packet in node.own %}
        .{{ packet }}({{ node.name }}_{{ packet }}),
{%- if is_streamed %}
        .{{ packet }}_take({{ node.name }}_{{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for input in node.inputs %}
{%- if input.is_linked %}
        .{{ input.name }}_in_data({{ node.name }}_{{ input.name }}_in_data),
{%- else %}
        .{{ input.name }}_in_data({WIDTH{1'b0}}),
{%- endif %}
{%- endfor %}
{%- for wrong in node.wrong %}
        .s_axis_tdata({{ node.name }}_s_axis_tdata),
        .s_axis_tvalid({{ node.name }}_s_axis_tvalid),
        .s_axis_tready({{ node.name }}_s_axis_tready),
        .s_axis_tlast({{ node.name }}_s_axis_tlast),
        .misframed(wrong[{{ wrong }}]){% if node.gives %},{% endif %}
{%- endfor %}
{%- if node.gives && node.ram.is_some() %}
        .m_ram_full({{ node.name }}_m_ram_full),
        .m_ram_free({{ node.name }}_m_ram_free),
        .m_ram_en({{ node.name }}_m_ram_en),
        .m_ram_addr({{ node.name }}_m_ram_addr),
        .m_ram_valid({{ node.name }}_m_ram_valid),
        .m_ram_data({{ node.name }}_m_ram_data),
        .m_ram_user({{ node.name }}_m_ram_user)
{%- else if node.gives %}
        .m_axis_tdata({{ node.name }}_m_axis_tdata),
{%- if lanes > 1 %}
        .m_axis_tkeep({{ node.name }}_m_axis_tkeep),
{%- endif %}
        .m_axis_tvalid({{ node.name }}_m_axis_tvalid),
        .m_axis_tready({{ node.name }}_m_axis_tready),
        .m_axis_tlast({{ node.name }}_m_axis_tlast),
        .m_axis_tuser({{ node.name }}_m_axis_tuser)
{%- endif %}
    );
{%- endfor %}
{%- if chain %}

    {{ link }} #(
        .WIDTH(WIDTH),
        .TAKE({{ node.ring.take }}),
        .PASS({{ node.ring.pass }}),
        .GIVE({{ node.ring.give }})
    ) {{ node.chain_instance }} (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata({{ node.before }}_tdata),
        .s_axis_tvalid({{ node.before }}_tvalid),
        .s_axis_tready({{ node.before }}_tready),
        .s_axis_tlast({{ node.before }}_tlast),
        .s_axis_tuser({% if node.is_first %}{{ user.bits }}'d0{% else %}{{ node.before }}_tuser{% endif %}),
        .in_tdata({{ node.name }}_s_axis_tdata),
        .in_tvalid({{ node.name }}_s_axis_tvalid),
        .in_tready({{ node.name }}_s_axis_tready),
        .in_tlast({{ node.name }}_s_axis_tlast),
        .out_tdata({{ node.name }}_m_axis_tdata),
        .out_tvalid({{ node.name }}_m_axis_tvalid),
        .out_tready({{ node.name }}_m_axis_tready),
        .out_tlast({{ node.name }}_m_axis_tlast),
        .out_tuser({{ node.name }}_m_axis_tuser),
        .m_axis_tdata({{ node.after }}_tdata),
        .m_axis_tvalid({{ node.after }}_tvalid),
        .m_axis_tready({{ node.after }}_tready),
        .m_axis_tlast({{ node.after }}_tlast),
        .m_axis_tuser({{ node.after }}_tuser)
    );
{%- endif %}
{%- endfor %}

    // the fabric's `done`, which `finish` comes with
    wire unused_done;
{%- for flit in spare_flit %}
    wire {{ flit.range }}unused_flit;
{%- endfor %}

    {{ name }} #(
        .WIDTH(WIDTH)
    ) fabric (
        .clk(clk),
        .rst(rst),
        .run(go | busy),
        .done(unused_done),
{%- if flit.is_some() %}
        .flit(flit),
{%- endif %}
{%- if spare_flit.is_some() %}
        .flit(unused_flit),
{%- endif %}
{%- for node in nodes() %}
{%- for packet in node.sent %}
        .{{ node.name }}_{{ packet }}({{ node.name }}_{{ packet }}),
{%- if is_streamed %}
        .{{ node.name }}_{{ packet }}_take({{ node.name }}_{{ packet }}_take),
{%- endif %}
{%- endfor %}
{%- for input in node.arrivals %}
{%- if input.is_linked %}
        .{{ node.name }}_{{ input.name }}_in_data({{ node.name }}_{{ input.name }}_in_data),
        .{{ node.name }}_{{ input.name }}_in_valid({{ node.name }}_{{ input.name }}_in_valid){% if !(node.is_last && input.is_last) %},{% endif %}
{%- endif %}
{%- endfor %}
{%- endfor %}
    );

endmodule

`default_nettype wire
