// {{ module }}: plays {{ name }} and compares every arrival with the model
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }};
    localparam integer WIDTH = {{ width }};
    localparam integer TICKS = {{ ticks }};
{%- if streams %}
    localparam integer WORDS = {{ words }};  // flits of all nodes together
    localparam integer PACKETS = {{ packets }};  // own inputs of all nodes together
{%- else %}
    localparam integer FLITS = {{ flits }};
    localparam integer PACKETS = {{ packets }};  // all nodes together
{%- endif %}
    localparam integer LINKS = {{ links }};
    localparam integer DELAY = {{ delay }};  // clocks from run to the first tick
    localparam integer ENDS = {{ ticks_compared.ends }};  // ticks compared at the beginning and at the end
    localparam integer EVERY = {{ ticks_compared.every }};  // and every n-th tick between
    localparam integer COMPARED = {{ ticks_compared.count() }};  // number of compared ticks
    localparam integer HELD = {{ held }};  // clocks that run stays high beyond the end
    localparam integer VALID = {{ valid }};  // valid bit of an expected word
{%- if configured > 0 %}
    localparam integer SETTINGS = {{ configured }};  // configuration bits of the routers
{%- endif %}

    reg clk;
    reg rst = 1'b1;
    reg run = 1'b0;
    wire done;
{%- if others.len() > 0 %}
    integer other;  // number of the playing with other lengths, 0 for the design's
{%- endif %}
{%- let sums = sums() %}
{%- include "tb/clock.v" %}

    reg [WIDTH-1:0] own [1:{% if combines() %}2*WORDS{% else if streams %}WORDS{% else %}PACKETS*FLITS{% endif %}];
    reg [VALID:0] expected [1:{% if combines() %}2*COMPARED*LINKS{% else %}{% for other in others %}{{ other.ticks }}*LINKS+{% endfor %}COMPARED*LINKS{% endif %}];

    // by {% if streams %}input{% else %}packet{% endif %}, inputs of the fabric; by node and port, its outputs
    reg [WIDTH-1:0] present [1:PACKETS];
    wire [WIDTH-1:0] data [1:LINKS];
    wire valid [1:LINKS];
{%- if streams %}
    wire take [1:PACKETS];
{%- endif %}
{%- if configured > 0 %}

    // configuration, in the order of shifting
    reg configuration [1:SETTINGS];
    reg config_shift = 1'b0;
    reg config_in = 1'b0;
    wire config_out;
{%- endif %}
{%- if counted %}
    wire [31:0] flit;
    assign flit[31:{{ flit_bits }}] = 0;
{%- if !streams %}
    integer place;
{%- endif %}
{%- endif %}

    {{ name }} #(
        .WIDTH(WIDTH)
    ) fabric (
        .clk(clk),
        .rst(rst),
        .run(run),
        .done(done),
{%- if configured > 0 %}
        .config_shift(config_shift),
        .config_in(config_in),
        .config_out(config_out),
{%- endif %}
{%- if counted %}
        .flit(flit[{{ flit_bits - 1 }}:0]),
{%- endif %}
{%- for length in lengths() %}
        .{{ length.name }}({% for other in length.others %}(other == {{ loop.index }}) ? {{ length.bits }}'d{{ other }} : {% endfor %}{{ length.bits }}'d{{ length.flits }}),
{%- endfor %}
{%- for input in inputs() %}
        .{{ input.name }}(present[{{ input.index }}]),
{%- if streams %}
        .{{ input.name }}_take(take[{{ input.index }}]),
{%- endif %}
{%- endfor %}
{%- for arrival in arrivals() %}
        .{{ arrival.name }}_data(data[{{ arrival.index }}]), .{{ arrival.name }}_valid(valid[{{ arrival.index }}]){{ arrival.comma }}
{%- endfor %}
    );
{%- for gap in gaps() %}
{%- if loop.first %}

    // ports without a link
{%- endif %}
    assign data[{{ gap }}] = {WIDTH{1'b0}};
    assign valid[{{ gap }}] = 1'b0;
{%- endfor %}

{%- if streams %}

    // each own input shows its next flit once one is taken
    integer first [1:PACKETS];
    integer flits [1:PACKETS];
    integer sent [1:PACKETS];
    integer takes [1:PACKETS];
    integer input_;
    initial begin
{%- for input in inputs() %}
        first[{{ input.index }}] = {{ input.first }};
        flits[{{ input.index }}] = {{ input.flits }};
{%- endfor %}
    end
{%- for other in others %}

    // messages of other lengths, which the routers determine as well
    task automatic change_lengths_{{ loop.index }};
        begin
            other = {{ loop.index }};
{%- for input in other_inputs(other) %}
            first[{{ input.index }}] = {{ input.first }};
            flits[{{ input.index }}] = {{ input.flits }};
{%- endfor %}
        end
    endtask
{%- endfor %}
    task automatic move_on;
        for (input_ = 1; input_ <= PACKETS; input_ = input_ + 1) begin
            if (!run | rst) begin
                sent[input_] = 0;
                takes[input_] = 0;
            end else if (take[input_] !== 1'b0) begin
                sent[input_] = (sent[input_] + 1) % flits[input_];
                takes[input_] = takes[input_] + 1;
            end
        end
    endtask
{%- endif %}
{%- for pair in pairs() %}
{%- if loop.first %}

    // high where a link carries flits both ways
    wire both [1:{{ pair_count() }}];
{%- endif %}
    assign both[{{ pair.index }}] = ({% for lane in pair.here %}{% if !loop.first %} | {% endif %}valid[{{ lane }}]{% endfor %}) & ({% for lane in pair.there %}{% if !loop.first %} | {% endif %}valid[{{ lane }}]{% endfor %});
{%- endfor %}

    integer tick, link, packet, base, seen, arrivals, good{% if delay > 0 %}, cut, gap{% endif %};
    reg [VALID:0] want;
{%- if half_duplex && delay > 0 %}
    reg broken;  // true if runs are interrupted before their first tick
{%- endif %}
    // inverted bits of every packet in this run
    reg [WIDTH-1:0] mask;
{%- if combines() %}
    // true in the run with the second values
    integer second;
{%- endif %}

    // the first difference ends the run
    task automatic fail;
        begin
            $write("FAIL tick %0d, node ", tick);
{%- for axis in place.axes %}
            $write("%0d{{ axis.comma }}", (link - 1) / {{ axis.step }} % {{ axis.side }});
{%- endfor %}
            $write(", port ");
            case ((link - 1) % {{ place.ports }})
{%- for port in port_names %}
                {{ port.index }}: $write("{{ port.label }}");
{%- endfor %}
                default: $write("?");
            endcase
            if (want[VALID]) $write(": expected %h", want[WIDTH-1:0] ^ mask);
            else $write(": expected nothing");
            if (valid[link] !== 1'b0) $display(", got %h (valid %b)", data[link], valid[link]);
            else $display(", got nothing");
            good = 0;
        end
    endtask

    task automatic check_done(input reg expected_done);
        if (good == 1 && done !== expected_done) begin
            $display("FAIL tick %0d: done is %b", tick, done);
            good = 0;
        end
    endtask

{%- if half_duplex %}

    // a half-duplex link carries flits one way at a time
    task automatic check_links;
        for (link = 1; good == 1 && link <= {{ pair_count() }}; link = link + 1) begin
            if (both[link] !== 1'b0) begin
                $display("FAIL tick %0d: both ends of link %0d send", tick, link);
                good = 0;
            end
        end
    endtask
{%- endif %}

    // own inputs are unknown while nothing is played{% if half_duplex && delay > 0 %}; late sends of an interrupted run
    // must be known, to show on a wire with two drivers{% endif %}
    task automatic offer;
        for (packet = 1; packet <= PACKETS; packet = packet + 1) begin
            present[packet] = {WIDTH{1'bx}};
{%- if streams %}
            if ({{ offers() }} && flits[packet] != 0) begin
                present[packet] = own[{% if combines() %}second * WORDS + {% endif %}first[packet] + sent[packet]] ^ mask;
            end
{%- else if counted %}
            place = flit;
            if ({{ offers() }}) present[packet] = own[(packet-1)*FLITS+place+1] ^ mask;
{%- else %}
            if ({{ offers() }}) present[packet] = own[packet] ^ mask;
{%- endif %}
        end
    endtask

    task automatic clock;
        begin
{%- if streams %}
            move_on;
{%- endif %}
            @(negedge clk);
            offer;
        end
    endtask

{%- if configured > 0 %}

    // shifted in twice: the second pass shifts the first one out
    task automatic configure;
        begin
            config_shift = 1'b1;
            for (base = 1; good == 1 && base <= 2 * SETTINGS; base = base + 1) begin
                config_in = configuration[(base-1)%SETTINGS+1];
                if (base > SETTINGS && config_out !== config_in) begin
                    $display("FAIL bit %0d of the configuration: %b comes out",
                             base - SETTINGS, config_out);
                    good = 0;
                end
                @(negedge clk);
            end
            config_shift = 1'b0;
        end
    endtask
{%- endif %}

    task automatic check_silence;
        begin
            want = 0;
            for (link = 1; good == 1 && link <= LINKS; link = link + 1) begin
                if (valid[link] !== 1'b0) fail;
            end
        end
    endtask

    // plays up to a tick, with run high since the last clock; earlier runs have ended then
    task automatic play(input integer up_to);
        begin
            tick = 0;
            offer;
            repeat (DELAY) begin
                clock;
                check_done(1'b0);
            end
            check_silence;
            base = {% if combines() %}second * COMPARED * LINKS{% else if others.len() > 0 %}{{ base() }} * LINKS{% else %}0{% endif %};
            seen = 0;
            for (tick = 1; good == 1 && tick <= up_to; tick = tick + 1) begin
                clock;
{%- if half_duplex %}
                check_links;
{%- endif %}
                if (tick <= ENDS || tick > TICKS - ENDS || tick % EVERY == 0) begin
                    for (link = 1; good == 1 && link <= LINKS; link = link + 1) begin
                        want = expected[base + link];
                        if (valid[link] !== want[VALID]) fail;
                        else if (want[VALID]) begin
                            if (data[link] !== (want[WIDTH-1:0] ^ mask)) fail;
                            seen = seen + 1;
                        end
                    end
                    base = base + LINKS;
                end
                check_done(tick >= {{ done_at() }});
            end
        end
    endtask

    // nothing moves after the last tick while run is still high
    task automatic hold(input integer last);
        begin
            for (tick = last + 1; good == 1 && tick <= last + HELD; tick = tick + 1) begin
                clock;
                check_silence;
                check_done(tick >= {{ done_at() }});
            end
{%- if streams && taken::once(design.program) %}
            // and every flit was taken once
            for (packet = 1; packet <= PACKETS; packet = packet + 1) begin
                if (good == 1 && takes[packet] != flits[packet]) begin
                    $display("FAIL own input %0d: %0d of %0d flits are taken",
                             packet, takes[packet], flits[packet]);
                    good = 0;
                end
            end
{%- endif %}
        end
    endtask

    // nothing moves while run is low
    task automatic rest;
        begin
            run = 1'b0;
            repeat (DELAY + 1) clock;
            check_silence;
            check_done(1'b0);
        end
    endtask

    initial begin
        $readmemh("{{ own_path }}", own);
        $readmemh("{{ expected_path }}", expected);
        good = 1;
{%- if half_duplex && delay > 0 %}
        broken = 1'b0;
{%- endif %}
{%- if others.len() > 0 %}
        other = 0;
{%- endif %}
        mask = {WIDTH{1'b0}};
{%- if combines() %}
        second = 0;
{%- endif %}
{%- if configured > 0 %}
        $readmemh("{{ configuration_path }}", configuration);
        configure;
{%- endif %}
        repeat (DELAY + 2) clock;
        check_silence;
        // a program that a reset interrupts leaves nothing behind
        rst = 1'b0;
        run = 1'b1;
        play({{ half }});
        rst = 1'b1;
        clock;
        rst = 1'b0;
        {% if combines() %}second = 1{% else %}mask = {WIDTH{1'b1}}{% endif %};
        play(TICKS);
        arrivals = seen;
        hold(TICKS);
        // nor does a complete one
        run = 1'b0;
        clock;
        run = 1'b1;
        {% if combines() %}second = 0{% else %}mask = {WIDTH{1'b0}}{% endif %};
        play({{ again }});
        rest;
{%- if delay > 0 %}
        // nor one that is interrupted before its first tick, however soon the next run begins
{%- if half_duplex %}
        broken = 1'b1;
{%- endif %}
        for (cut = 1; cut <= DELAY; cut = cut + 1) begin
            for (gap = 1; gap <= {% if longest_gap == delay %}DELAY{% else %}1{% endif %}; gap = gap + 1) begin
                run = 1'b1;
                repeat (cut) clock;
                run = 1'b0;
                repeat (gap) clock;
                run = 1'b1;
                play({{ again }});
                rest;
            end
        end
{%- endif %}
{%- for other in others %}
        change_lengths_{{ loop.index }};
        run = 1'b1;
        play({{ other.ticks }});
        hold({{ other.ticks }});
        rest;
{%- endfor %}
        if (good == 1) begin
            $display("PASS {{ ticks_compared.compared() }}, %0d arrivals", arrivals);
            $finish(0);  // without a word
        end
        // both set the exit status of the simulator to failure
`ifdef __ICARUS__
        else $finish_and_return(1);
`else
        else $stop;
`endif
    end

endmodule

`default_nettype wire
