// {{ module }}: what a node has of its own, and what it has received
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }},
{%- if tables.len() > 1 %}
    parameter integer TABLE = 0,  // which table says where packets lie
{%- endif %}
{%- for axis in axes %}
    parameter integer {{ axis.constant }} = 0{% if !loop.last %},{% endif %}
{%- endfor %}
) (
    input  wire             clk,
    input  wire             rst,
    // one collective
    output wire             ready,  // own packets are here, and room for others
    input  wire             write,  // what arrives is of this step
    input  wire {{ step.range }}{{ step.gap() }}step,
{%- for flit in flit %}
    input  wire {{ flit.range }}{{ flit.gap() }}step_flit,
{%- endfor %}
    input  wire             finish,  // no more arrives after this
    // own packets
{%- for flit in flit %}
    input  wire {{ flit.range }}{{ flit.gap() }}flit,
{%- endfor %}
{%- for packet in own %}
    output wire [WIDTH-1:0] {{ packet.name }},
{%- endfor %}
    // what arrives
{%- for input in inputs %}
    input  wire [WIDTH-1:0] {{ input.name }}_in_data,
    input  wire             {{ input.name }}_in_valid,
{%- endfor %}
    // own packets come in
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             s_axis_tlast,
    output reg              misframed,  // tlast has come at a wrong place
    // all packets go out
    output reg  [WIDTH-1:0] m_axis_tdata,
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready,
    output reg              m_axis_tlast,
    output reg  {{ user.range }}{{ user.gap() }}m_axis_tuser
);

    // Two banks, each for one collective: own packets come in, then what arrives is put beside them, then all go out.
    reg in_bank;
    reg play_bank;
    reg out_bank;
    reg [1:0] loaded;
    reg [1:0] played;
    wire last_in;
    wire last_read;
    reg read_bank;

    assign ready = loaded[play_bank] & ~played[play_bank];

    always @(posedge clk) begin
        if (rst) begin
            loaded <= 2'b00;
            played <= 2'b00;
            play_bank <= 1'b0;
        end else begin
            loaded <= (loaded | {last_in & in_bank, last_in & ~in_bank})
                & ~{last_read & read_bank, last_read & ~read_bank};
            played <= (played | {finish & play_bank, finish & ~play_bank})
                & ~{last_read & read_bank, last_read & ~read_bank};
            play_bank <= play_bank ^ finish;
        end
    end

    // own packets come in
    wire take = s_axis_tvalid & s_axis_tready;
{%- for flit in flit %}
    reg {{ flit.range }}in_flit;
    wire in_end = in_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if flit.is_none() %}
    wire in_end = 1'b1;
{%- endif %}
{%- for packet in packet %}
    reg {{ packet.range }}in_packet;
    assign last_in = take & in_end & (in_packet == {{ packet.bits }}'d{{ packet.last }});
{%- endfor %}
{%- if packet.is_none() %}
    assign last_in = take & in_end;
{%- endif %}
    assign s_axis_tready = ~loaded[in_bank];

    always @(posedge clk) begin
        if (rst) begin
            in_bank <= 1'b0;
            misframed <= 1'b0;
{%- for flit in flit %}
            in_flit <= {{ flit.bits }}'d0;
{%- endfor %}
{%- for packet in packet %}
            in_packet <= {{ packet.bits }}'d0;
{%- endfor %}
        end else if (take) begin
            in_bank <= in_bank ^ last_in;
            misframed <= misframed | (s_axis_tlast != in_end);
{%- for flit in flit %}
            in_flit <= in_end ? {{ flit.bits }}'d0 : in_flit + {{ flit.bits }}'d1;
{%- endfor %}
{%- for packet in packet %}
            if (in_end) begin
                in_packet <= last_in ? {{ packet.bits }}'d0 : in_packet + {{ packet.bits }}'d1;
            end
{%- endfor %}
        end
    end

    // which packet goes out next
    wire next = ~m_axis_tvalid | m_axis_tready;
    wire more = loaded[out_bank] & played[out_bank];
{%- for flit in flit %}
    reg {{ flit.range }}out_flit;
    wire out_end = out_flit == {{ flit.bits }}'d{{ flit.last }};
{%- endfor %}
{%- if flit.is_none() %}
    wire out_end = 1'b1;
{%- endif %}
{%- if by_origin %}
{%- for packet in packet %}
    reg {{ packet.range }}out_packet;
    wire packet_last = out_packet == {{ packet.bits }}'d{{ packet.last }};
{%- endfor %}
{%- if packet.is_none() %}
    wire packet_last = 1'b1;
{%- endif %}
{%- for axis in axes %}
    reg {{ axis.range }}out_{{ axis.name }};
    wire {{ axis.name }}_last = out_{{ axis.name }} == {{ axis.bits }}'d{{ axis.last }};
{%- endfor %}
    wire out_last = packet_last{% for axis in axes %} & {{ axis.name }}_last{% endfor %};
{%- for axis in axes %}
{%- if axis.is_round %}
    wire {{ axis.range }}away_{{ axis.name }} = out_{{ axis.name }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
{%- else %}
    wire [{{ axis.bits }}:0] up_{{ axis.name }} = {1'b0, out_{{ axis.name }}} - {1'b0, {{ axis.constant }}[{{ axis.bits - 1 }}:0]};
    wire {{ axis.range }}away_{{ axis.name }} = up_{{ axis.name }}[{{ axis.bits - 1 }}:0]
        + (up_{{ axis.name }}[{{ axis.bits }}] ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
    wire {{ look.range }}look = { {%- for axis in axes %}away_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, out_packet{% endif %}};
{%- else %}
    reg {{ look.range }}look;
    wire out_last = look == {{ look.bits }}'d{{ look.last }};
{%- endif %}

    always @(posedge clk) begin
        if (rst) begin
            out_bank <= 1'b0;
{%- for flit in flit %}
            out_flit <= {{ flit.bits }}'d0;
{%- endfor %}
{%- if by_origin %}
{%- for packet in packet %}
            out_packet <= {{ packet.bits }}'d0;
{%- endfor %}
{%- for axis in axes %}
            out_{{ axis.name }} <= {{ axis.bits }}'d0;
{%- endfor %}
{%- else %}
            look <= {{ look.bits }}'d0;
{%- endif %}
        end else if (next & more) begin
{%- for flit in flit %}
            out_flit <= out_end ? {{ flit.bits }}'d0 : out_flit + {{ flit.bits }}'d1;
{%- endfor %}
            out_bank <= out_bank ^ (out_end & out_last);
{%- if by_origin %}
{%- for packet in packet %}
            if (out_end) begin
                out_packet <= packet_last ? {{ packet.bits }}'d0 : out_packet + {{ packet.bits }}'d1;
            end
{%- endfor %}
{%- for axis in axes %}
            if (out_end & packet_last{% for inner in axis.inner %} & {{ inner }}_last{% endfor %}) begin
                out_{{ axis.name }} <= {{ axis.name }}_last ? {{ axis.bits }}'d0 : out_{{ axis.name }} + {{ axis.bits }}'d1;
            end
{%- endfor %}
{%- else %}
            if (out_end) begin
                look <= out_last ? {{ look.bits }}'d0 : look + {{ look.bits }}'d1;
            end
{%- endif %}
        end
    end

    // where it lies
{%- if !by_origin %}
{%- for axis in axes %}
    wire {{ axis.range }}away_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    wire {{ packet.range }}read_packet;
{%- endfor %}
{%- endif %}
    wire {{ port.range }}port;
    wire {{ step.range }}read_step;
{% if tables.len() > 1 %}
    generate
{%- endif %}
{%- for table in tables %}
{%- if tables.len() > 1 %}
        {% if !loop.first %}end else {% endif %}if (TABLE == {{ loop.index0 }}) begin : g_table_{{ loop.index0 }}
{%- endif %}
{{ inside }}    {{ table }} order (
{{ inside }}        .clk(clk),
{{ inside }}        .next(next),
{{ inside }}        .look(look),
{%- if !by_origin %}
{%- for axis in axes %}
{{ inside }}        .{{ axis.name }}(away_{{ axis.name }}),
{%- endfor %}
{%- if packet.is_some() %}
{{ inside }}        .packet(read_packet),
{%- endif %}
{%- endif %}
{{ inside }}        .port(port),
{{ inside }}        .step(read_step)
{{ inside }}    );
{%- endfor %}
{%- if tables.len() > 1 %}
        end
    endgenerate
{%- endif %}

    // while it is looked up
    reg read;
    reg read_end;
    reg read_last;
{%- for flit in flit %}
    reg {{ flit.range }}read_flit;
{%- endfor %}
{%- if by_origin %}
{%- for axis in axes %}
    reg {{ axis.range }}read_{{ axis.name }};
{%- endfor %}
{%- for packet in packet %}
    reg {{ packet.range }}read_packet;
{%- endfor %}
{%- else %}
    // the node's own coordinates and how far away, modulo the sides
{%- for axis in axes %}
{%- if axis.is_round %}
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }};
{%- else %}
    wire {{ axis.range }}left_{{ axis.name }} = {{ axis.bits }}'d{{ axis.last }} - {{ axis.constant }}[{{ axis.bits - 1 }}:0];
    wire {{ axis.range }}read_{{ axis.name }} = {{ axis.constant }}[{{ axis.bits - 1 }}:0] + away_{{ axis.name }}
        - ((away_{{ axis.name }} > left_{{ axis.name }}) ? {{ axis.bits }}'d{{ axis.last + 1 }} : {{ axis.bits }}'d0);
{%- endif %}
{%- endfor %}
{%- endif %}
    assign last_read = next & read & read_end & read_last;

    always @(posedge clk) begin
        if (rst) begin
            read <= 1'b0;
        end else if (next) begin
            read <= more;
        end
        if (next) begin
            read_bank <= out_bank;
            read_end <= out_end;
            read_last <= out_last;
{%- for flit in flit %}
            read_flit <= out_flit;
{%- endfor %}
{%- if by_origin %}
{%- for axis in axes %}
            read_{{ axis.name }} <= out_{{ axis.name }};
{%- endfor %}
{%- if packet.is_some() %}
            read_packet <= out_packet;
{%- endif %}
{%- endif %}
        end
    end

    // What arrives, by step, the inputs side by side. A bank is never read while it is written: nothing has to
    // decide what comes out then.
    localparam integer FIRST = 0;
    localparam integer LAST = {{ last_address }};
    wire {{ address.range }}write_address = {play_bank, step{% if flit.is_some() %}, step_flit{% endif %}};
    wire {{ address.range }}read_address = {read_bank, read_step{% if flit.is_some() %}, read_flit{% endif %}};
    wire [{{ inputs.len() - 1 }}:0] arrives = {
{%- for input in inputs.iter().rev() %}
        {{ input.name }}_in_valid{% if !loop.last %},{% endif %}
{%- endfor %}
    };
    (* no_rw_check *)
    reg [{{ inputs.len() }}*WIDTH-1:0] received [FIRST:LAST];
    reg [{{ inputs.len() }}*WIDTH-1:0] words;

    always @(posedge clk) begin
        if (write & (|arrives)) begin
            received[write_address] <= {
{%- for input in inputs.iter().rev() %}
                {{ input.name }}_in_data{% if !loop.last %},{% endif %}
{%- endfor %}
            };
        end
        if (next) begin
            words <= received[read_address];
        end
    end

    // its own packets, read for the router as well
    localparam integer LASTOWN = {{ last_own }};
{%- for flit in flit %}
    wire {{ own_address.range }}in_address = {in_bank, in_flit};
    wire {{ own_address.range }}play_address = {play_bank, flit};
    wire {{ own_address.range }}own_address = {read_bank, read_flit};
{%- endfor %}
{%- if flit.is_none() %}
    wire in_address = in_bank;
    wire play_address = play_bank;
    wire own_address = read_bank;
{%- endif %}
{%- for packet in own %}

    reg [WIDTH-1:0] {{ packet.name }}_memory [FIRST:LASTOWN];
    reg [WIDTH-1:0] {{ packet.name }}_word;
    assign {{ packet.name }} = {{ packet.name }}_memory[play_address];

    always @(posedge clk) begin
        if (take{% if let Some(which) = packet.which %} & (in_packet == {{ which.bits }}'d{{ which.number }}){% endif %}) begin
            {{ packet.name }}_memory[in_address] <= s_axis_tdata;
        end
        if (next) begin
            {{ packet.name }}_word <= {{ packet.name }}_memory[own_address];
        end
    end
{%- endfor %}

    // while it is read
    reg out;
    reg out_tlast;
    reg {{ port.range }}out_port;
    reg {{ user.range }}out_user;

    always @(posedge clk) begin
        if (rst) begin
            out <= 1'b0;
        end else if (next) begin
            out <= read;
        end
        if (next) begin
            out_tlast <= read_end;
            out_port <= port;
            out_user <= { {%- for axis in axes %}read_{{ axis.name }}{% if !loop.last %}, {% endif %}{% endfor %}{% if packet.is_some() %}, read_packet{% endif %}};
        end
    end
{%- for packet in packet %}
    reg {{ packet.range }}out_own;

    always @(posedge clk) begin
        if (next) begin
            out_own <= read_packet;
        end
    end
{%- endfor %}

    always @(posedge clk) begin
        if (rst) begin
            m_axis_tvalid <= 1'b0;
        end else if (next) begin
            m_axis_tvalid <= out;
        end
        if (next) begin
            m_axis_tlast <= out_tlast;
            m_axis_tuser <= out_user;
            case (out_port)
{%- for input in inputs %}
                {{ port.bits }}'d{{ loop.index0 }}: m_axis_tdata <= words{{ input.words }};
{%- endfor %}
{%- if own.len() == 1 %}
                default: m_axis_tdata <= {% for packet in own %}{{ packet.name }}_word{% endfor %};
{%- else %}
                default: begin
                    case (out_own)
{%- for packet in own %}
                        {% if loop.last %}default{% else %}{% if let Some(which) = packet.which %}{{ which.bits }}'d{{ which.number }}{% endif %}{% endif %}: m_axis_tdata <= {{ packet.name }}_word;
{%- endfor %}
                    endcase
                end
{%- endif %}
            endcase
        end
    end

endmodule

`default_nettype wire
