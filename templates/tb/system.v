// {{ module }}: plays {{ system }} many times, with streams that pause at random
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }};
    localparam integer WIDTH = {{ width }};
    localparam integer NODES = {{ nodes }};
    localparam integer STREAMS = {% if chain %}1{% else %}NODES{% endif %};
    localparam integer ALLGIVEN = {{ listed.given }};  // output words per collective, at all nodes
    localparam integer USER = {{ user.bits }};
{%- if lanes > 1 %}
    localparam integer LANES = {{ lanes }};  // words of an output per clock
{%- endif %}
{%- for bits in address %}
    localparam integer ADDRESS = {{ bits }};
{%- endfor %}
    localparam integer COPIES = (WIDTH + 63) / 64;
    localparam integer PATIENCE = {{ patience }};  // clocks without any word before it fails
    localparam integer RESETS = 4;  // in the middle of runs, before those that are counted
    localparam integer SPAN = {{ span }};  // most clocks up to such a reset
    localparam integer HELD = {{ held }};  // clocks of the first reset, and at most of a later one
    localparam integer FIRST = 4;  // collectives that fill the banks, before clocks are counted

    reg clk;
    reg rst;
    reg start;
    wire busy;
    wire done;
    wire misframed;
{%- if let Some(sums) = sums %}
{% include "tb/sums.v" %}
    initial begin
        clk = 1'b0;
        check_sums;
        forever #5 clk = ~clk;
    end
{%- else %}
    initial clk = 1'b0;
    always #5 clk = ~clk;
{%- endif %}

    // concatenated, stream 0 in the lowest bits
    reg [STREAMS*WIDTH-1:0] in_data;
    reg [STREAMS-1:0] in_valid;
    reg [STREAMS-1:0] in_last;
    wire [STREAMS-1:0] in_ready;
    wire [STREAMS*{{ by_lane }}WIDTH-1:0] out_data;
{%- if lanes > 1 %}
    wire [STREAMS*LANES-1:0] out_keep;
{%- endif %}
    wire [STREAMS-1:0] out_valid;
{%- if address.is_some() %}
    wire [STREAMS-1:0] out_full;
    reg [STREAMS-1:0] out_free;
    reg [STREAMS-1:0] out_en;
    reg [STREAMS*ADDRESS-1:0] out_addr;
{%- else %}
    wire [STREAMS-1:0] out_last;
{%- endif %}
    wire [STREAMS*{{ by_lane }}USER-1:0] out_user;
{%- if address.is_none() %}
    reg [STREAMS-1:0] out_ready;
    reg [STREAMS-1:0] waited;  // word that was not taken at the last edge
{%- endif %}

    {{ system }} #(
        .WIDTH(WIDTH)
    ) system (
        .clk(clk),
        .rst(rst),
        .start(start),
        .busy(busy),
        .done(done),
        .misframed(misframed),
{%- if chain %}
        .s_axis_tdata(in_data),
        .s_axis_tvalid(in_valid),
        .s_axis_tready(in_ready),
        .s_axis_tlast(in_last),
        .m_axis_tdata(out_data),
        .m_axis_tvalid(out_valid),
        .m_axis_tready(out_ready),
        .m_axis_tlast(out_last),
        .m_axis_tuser(out_user)
{%- endif %}
{%- include "node/pins.v" %}
    );

    // random numbers, reproducible by seed: xorshift
    reg [31:0] chance;
    task automatic draw;
        begin
            chance = chance ^ (chance << 13);
            chance = chance ^ (chance >> 17);
            chance = chance ^ (chance << 5);
        end
    endtask

    // data of a flit in a run, flits counted over all nodes
    reg [63:0] mixed;
    reg [64*COPIES-1:0] wide;
{%- if let Some(float) = numbers %}
    // a whole number as a float: these are so small that sums of all nodes' are exact, in any order
    reg [31:0] whole;

{% include "tb/floated.v" %}
{% endif %}
    task automatic mix(input integer of_run, input integer number);
        begin
            mixed = {32'd0, number} + ({32'd0, of_run} * 64'hd1b54a32d192ed03);
            mixed = mixed * 64'h9e3779b97f4a7c15;
            wide = {COPIES{mixed}};
{%- if let Some(numbers) = numbers %}
            whole = {% if nodes > numbers.most %}(mixed[63:32] % {{ nodes }} >= {{ numbers.most / 2 }}) ? 0 : {% endif %}mixed[31:0] % {{ numbers.largest }} + 1;
            wide = floated(whole);
{%- endif %}
        end
    endtask

    // per output word: {% if address.is_some() %}its address, {% endif %}its origin, whether it ends a block, and the number of the input word
    reg [{% if address.is_some() %}ADDRESS+{% endif %}USER+32:0] listed [1:ALLGIVEN];
    // per input word: whether it ends a block
    reg ends [1:{{ taken }}];
    // per stream: input and output words per collective, and those of the streams before it
    integer taken [1:STREAMS];
    integer before_in [1:{% if chain %}NODES{% else %}STREAMS{% endif %}];
    integer given [1:STREAMS];
    integer before_out [1:STREAMS];

    integer runs, seed, clocks, still, stream, words, dones, resets, cut, held, hold, first_done, last_done, full, rate{% if lanes > 1 %}, lane{% endif %};
    integer fed [1:STREAMS];
    integer got [1:STREAMS];
    reg [7:0] in_pause [1:STREAMS];
    reg [7:0] out_pause [1:STREAMS];
    reg [7:0] start_pause;
    reg good;
{%- if address.is_some() %}
    // words that were asked for in the collective that is read, from the first one on, up or down
    integer asked [1:STREAMS];
    integer first [1:STREAMS];
    reg down [1:STREAMS];
    // words on their way out, the first one in the lowest bits
    integer lag;
    integer late [1:4*STREAMS];
    reg [3:0] due [1:STREAMS];
{%- endif %}

    initial begin
        if (!$value$plusargs("runs=%d", runs)) runs = {{ runs }};
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $readmemh("{{ listed.path }}", listed);
        $readmemh("{{ listed.ends }}", ends);
{%- for stream in listed.streams %}
{%- if stream.is_stream %}
        taken[{{ stream.index }}] = {{ stream.taken }};
{%- endif %}
        before_in[{{ stream.index }}] = {{ stream.before_in }};
{%- if stream.is_stream %}
        given[{{ stream.index }}] = {{ stream.given }};
        before_out[{{ stream.index }}] = {{ stream.before_out }};
{%- endif %}
{%- endfor %}
        if (!$value$plusargs("full=%d", full)) full = 0;
        chance = 32'h2545f491 ^ seed;
        clocks = 0;
        still = 0;
        words = 0;
        dones = 0;
        resets = (full != 0) ? 0 : RESETS;  // neither resets nor pauses
        cut = SPAN;
        held = 0;
        hold = HELD;
        rst = 1'b1;
        good = 1'b1;
        start = 1'b0;
        in_valid = 0;
{%- if address.is_some() %}
        out_free = 0;
        out_en = 0;
        out_addr = 0;
{%- else %}
        out_ready = 0;
        waited = 0;
{%- endif %}
        start_pause = 8'd0;
        for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
            fed[stream] = 0;
            got[stream] = 0;
{%- if address.is_some() %}
            asked[stream] = 0;
            due[stream] = 4'd0;
{%- endif %}
            in_pause[stream] = 8'd0;
            out_pause[stream] = 8'd0;
        end
    end

    // a reset in the middle of a run: all begins anew, and nothing of before is left
    task automatic interrupt;
        begin
            rst <= 1'b1;
            resets = resets - 1;
            draw;
            cut = {8'd0, chance[31:8]};
            cut = 1 + cut % SPAN;
            draw;
            hold = {24'd0, chance[31:24]};
            hold = 1 + hold % HELD;
            clocks = 0;
            still = 0;
            words = 0;
            dones = 0;
            start <= 1'b0;
            in_valid <= 0;
{%- if address.is_none() %}
            out_ready <= 0;
            waited <= 0;
{%- endif %}
            for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
                fed[stream] = 0;
                got[stream] = 0;
{%- if address.is_some() %}
                asked[stream] = 0;
                due[stream] = 4'd0;
{%- endif %}
            end
        end
    endtask

    // expected output word
    integer place;
    reg [{% if address.is_some() %}ADDRESS+{% endif %}USER+32:0] entry;
{%- if operation.is_some() %}
    integer node;
    reg [WIDTH-1:0] combined;
{%- endif %}
    reg [WIDTH-1:0] got_data;
{%- if address.is_none() %}
    reg [WIDTH-1:0] kept_data;
{%- endif %}
    reg [USER-1:0] got_user;
    reg [USER-1:0] want_user;
    task automatic compare;
        begin
            place = {% if address.is_some() %}late[4*stream-3]{% else %}got[stream] % given[stream]{% endif %};
            entry = listed[before_out[stream] + place + 1];
            mix(got[stream] / given[stream], {% if operation.is_some() %}before_in[1] + {% endif %}entry[31:0]);
{%- for operation in operation %}
            combined = {{ term() }}[WIDTH-1:0];
            for (node = 2; node <= {% if chain %}NODES{% else %}STREAMS{% endif %}; node = node + 1) begin
                mix(got[stream] / given[stream], before_in[node] + entry[31:0]);
{%- match operation %}
{%- when Operation::Sum | Operation::Custom %}
                combined = combined + {{ term() }}[WIDTH-1:0];
{%- when Operation::Max %}
                if ({% if is_signed %}$signed({{ term() }}[WIDTH-1:0]) > $signed(combined){% else %}{{ term() }}[WIDTH-1:0] > combined{% endif %}) combined = {{ term() }}[WIDTH-1:0];
{%- when Operation::Min %}
                if ({% if is_signed %}$signed({{ term() }}[WIDTH-1:0]) < $signed(combined){% else %}{{ term() }}[WIDTH-1:0] < combined{% endif %}) combined = {{ term() }}[WIDTH-1:0];
{%- when Operation::Xor %}
                combined = combined ^ wide[WIDTH-1:0];
{%- when Operation::And %}
                combined = combined & wide[WIDTH-1:0];
{%- when Operation::Or %}
                combined = combined | wide[WIDTH-1:0];
{%- endmatch %}
            end
            wide{% if numbers.is_some() %} = floated(combined){% else %}[WIDTH-1:0] = combined{% endif %};
{%- endfor %}
            want_user = entry[33+:USER];
            got_user = out_user[{% if lanes > 1 %}((stream-1)*LANES+lane){% else %}(stream-1){% endif %}*USER+:USER];
            if (got_data !== wide[WIDTH-1:0] || got_user !== want_user{% if address.is_some() %}) begin
                $display("FAIL stream %0d, run %0d, word %0d: got %h of %h",
                    stream - 1, got[stream] / given[stream], place, got_data, got_user);
                $display("expected %h of %h", wide[WIDTH-1:0], want_user);
{%- else %}
                || out_last[stream-1] !== entry[32]) begin
                $display("FAIL stream %0d, run %0d, word %0d: got %h of %h, last %b",
                    stream - 1, got[stream] / given[stream], place, got_data, got_user, out_last[stream-1]);
                $display("expected %h of %h, last %b",
                    wide[WIDTH-1:0], want_user, entry[32]);
{%- endif %}
                good = 1'b0;
            end
            got[stream] = got[stream] + 1;
            words = words + 1;
        end
    endtask

{%- if address.is_none() %}

    // a word that waited must be stable
    reg [STREAMS*{{ by_lane }}WIDTH-1:0] waiting;
{%- endif %}
{%- if lanes > 1 %}
    reg [LANES*WIDTH-1:0] got_row;
    reg [LANES*WIDTH-1:0] kept_row;
{%- endif %}
    reg [STREAMS*WIDTH-1:0] next_data;
    reg [STREAMS-1:0] next_valid;
    reg [STREAMS-1:0] next_last;
{%- if address.is_none() %}
    reg [STREAMS-1:0] next_ready;
{%- else %}

    // words are asked for in the clock in which they are there; a reset goes before
    always @(negedge clk) begin
        out_en = 0;
        out_free = 0;
        if (good) begin
            for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
                draw;
                out_addr[(stream-1)*ADDRESS+:ADDRESS] = {ADDRESS{1'bx}};
                if (rst) begin
                    {out_en[stream-1], out_free[stream-1]} = chance[1:0];
                end else if (out_full[stream-1] !== 1'b0 && chance[7:0] >= out_pause[stream]) begin
                    if (asked[stream] == 0) begin
                        first[stream] = {16'd0, chance[31:16]};
                        first[stream] = first[stream] % given[stream];
                        down[stream] = chance[8];
                    end
                    if (asked[stream] < given[stream]) begin
                        late[4*stream] = (first[stream] + (down[stream] ? given[stream] - asked[stream] : asked[stream])) % given[stream];
                        due[stream] = due[stream] | 4'd8;
                        asked[stream] = asked[stream] + 1;
                        entry = listed[before_out[stream] + late[4*stream] + 1];
                        out_en[stream-1] = 1'b1;
                        out_addr[(stream-1)*ADDRESS+:ADDRESS] = entry[USER+33+:ADDRESS];
                    end
                    // with the last word, or later
                    if (asked[stream] == given[stream] && (full != 0 || chance[9])) begin
                        out_free[stream-1] = 1'b1;
                        asked[stream] = 0;
                    end
                end
            end
        end
    end
{%- endif %}

    always @(posedge clk) begin
        held = rst ? held + 1 : 0;
        if (held == hold) rst <= 1'b0;
        if (!rst && good) begin
            still = still + 1;
            clocks = clocks + 1;
            next_data = in_data;
            next_valid = in_valid;
            next_last = in_last;
            draw;
            start <= chance[7:0] >= start_pause;
            for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
{%- if address.is_some() %}
                got_data = out_data[(stream-1)*WIDTH+:WIDTH];
                if (out_valid[stream-1] !== due[stream][0]) begin
                    $display("FAIL stream %0d: valid is %b, expected %b", stream - 1, out_valid[stream-1], due[stream][0]);
                    good = 1'b0;
                end
                if (good && due[stream][0]) begin
                    still = 0;
                    compare;
                end
                for (lag = 4 * stream - 3; lag < 4 * stream; lag = lag + 1) late[lag] = late[lag+1];
                due[stream] = due[stream] >> 1;
{%- else %}
{%- if lanes > 1 %}
                got_row = out_data[(stream-1)*LANES*WIDTH+:LANES*WIDTH];
                kept_row = waiting[(stream-1)*LANES*WIDTH+:LANES*WIDTH];
                if (waited[stream-1]
                    && (out_valid[stream-1] !== 1'b1 || got_row !== kept_row)) begin
{%- else %}
                got_data = out_data[(stream-1)*WIDTH+:WIDTH];
                kept_data = waiting[(stream-1)*WIDTH+:WIDTH];
                if (waited[stream-1]
                    && (out_valid[stream-1] !== 1'b1 || got_data !== kept_data)) begin
{%- endif %}
                    $display("FAIL stream %0d: a word that waited has changed", stream - 1);
                    good = 1'b0;
                end
                if (good && out_valid[stream-1] !== 1'b0 && out_ready[stream-1]) begin
                    still = 0;
{%- if lanes > 1 %}
                    if (out_keep[(stream-1)*LANES+:LANES] === {LANES{1'b0}}) begin
                        $display("FAIL stream %0d: a row without a word", stream - 1);
                        good = 1'b0;
                    end
                    for (lane = 0; lane < LANES; lane = lane + 1) begin
                        got_data = out_data[((stream-1)*LANES+lane)*WIDTH+:WIDTH];
                        if (good && out_keep[(stream-1)*LANES+lane] !== 1'b0) compare;
                    end
{%- else %}
                    compare;
{%- endif %}
                end
{%- endif %}
                if (clocks % 64 == 0) begin
                    // each end runs at full speed for a while, or pauses sometimes, or often
                    draw;
                    in_pause[stream] = chance[0] ? 8'd0 : (chance[1] ? 8'd128 : 8'd250);
                    out_pause[stream] = chance[2] ? 8'd0 : (chance[3] ? 8'd128 : 8'd250);
                    start_pause = chance[4] ? 8'd0 : 8'd240;
                    if (full != 0) {in_pause[stream], out_pause[stream], start_pause} = 24'd0;
                end
                draw;
{%- if address.is_none() %}
                next_ready[stream-1] = chance[7:0] >= out_pause[stream];
{%- endif %}
                if (in_valid[stream-1] && in_ready[stream-1]) begin
                    still = 0;
                    fed[stream] = fed[stream] + 1;
                end
                if (!in_valid[stream-1] || in_ready[stream-1]) begin
                    next_valid[stream-1] = 1'b0;
                    next_data[(stream-1)*WIDTH+:WIDTH] = {WIDTH{1'bx}};
                    next_last[stream-1] = 1'bx;
                    if (fed[stream] < runs * taken[stream] && chance[15:8] >= in_pause[stream]) begin
                        mix(fed[stream] / taken[stream], before_in[stream] + fed[stream] % taken[stream]);
                        next_data[(stream-1)*WIDTH+:WIDTH] = wide[WIDTH-1:0];
                        next_last[stream-1] = ends[before_in[stream]+fed[stream]%taken[stream]+1];
                        next_valid[stream-1] = 1'b1;
                    end
                end
            end
{%- if address.is_none() %}
            waited <= out_valid & ~out_ready;
            waiting <= out_data;
{%- endif %}
            in_data <= next_data;
            in_valid <= next_valid;
            in_last <= next_last;
{%- if address.is_none() %}
            out_ready <= next_ready;
{%- endif %}
            if (done !== 1'b0) begin
                dones = dones + 1;
                if (dones == FIRST) first_done = clocks;
                last_done = clocks;
            end
            if (good && misframed !== 1'b0) begin
                $display("FAIL misframed is %b", misframed);
                good = 1'b0;
            end
            // some clocks more, to see that no further word follows
            if (good && resets == 0 && still == ((words == runs * ALLGIVEN) ? 200 : PATIENCE)) begin
                if (words == runs * ALLGIVEN && dones == runs && busy === 1'b0) begin
                    if (full != 0 && runs > FIRST) begin
                        rate = 100 * (last_done - first_done) / (runs - FIRST);
                        $display("%0d.%02d clocks per collective", rate / 100, rate % 100);
                    end
                    $display("PASS %0d collectives, %0d words", runs, words);
                    $finish(0);  // without a word
                end else begin
                    $display("FAIL %0d words and %0d collectives, expected %0d and %0d",
                        words, dones, runs * ALLGIVEN, runs);
                    good = 1'b0;
                end
            end
            if (good && resets != 0 && clocks == cut) interrupt;
            // both set the exit status of the simulator to failure
            if (!good) begin
`ifdef __ICARUS__
                $finish_and_return(1);
`else
                $stop;
`endif
            end
        end
    end

endmodule

`default_nettype wire
