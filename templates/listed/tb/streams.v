    reg [{{ sizes.program - 1 }}:0] chosen;
    reg [{{ sizes.node - 1 }}:0] root_number;
    reg start;
    wire ready;
    wire busy;
    wire done;
    wire absent;
    wire [NODES-1:0] astray;
    reg [WIDTH-1:0] give_data;
    reg [NODES-1:0] give_valid;
    wire [NODES-1:0] give_ready;
    wire [NODES*WIDTH-1:0] take_data;
    wire [NODES-1:0] take_valid;
    reg [NODES-1:0] take_ready;
    wire [NODES-1:0] take_last;
    wire [{{ sizes.program }}*NODES-1:0] take_dest;
    {{ top }} dut (
        .clk(clk),
        .rst(rst),
        .start(start),
        .ready(ready),
        .program_number(chosen),
        .root(root_number),
        .busy(busy),
        .done(done),
        .absent(absent),
{%- for node in streams %}
        .{{ node }}_s_axis_tdata(give_data),
        .{{ node }}_s_axis_tvalid(give_valid[{{ loop.index0 }}]),
        .{{ node }}_s_axis_tready(give_ready[{{ loop.index0 }}]),
        .{{ node }}_s_axis_tdest(chosen),
        .{{ node }}_m_axis_tdata(take_data[{{ loop.index0 }}*WIDTH+:WIDTH]),
        .{{ node }}_m_axis_tvalid(take_valid[{{ loop.index0 }}]),
        .{{ node }}_m_axis_tready(take_ready[{{ loop.index0 }}]),
        .{{ node }}_m_axis_tlast(take_last[{{ loop.index0 }}]),
        .{{ node }}_m_axis_tdest(take_dest[{{ loop.index0 }}*{{ sizes.program }}+:{{ sizes.program }}]),
{%- endfor %}
        .astray(astray)
    );

    task quiet;
        begin
            chosen = {{ sizes.program }}'d0;
            root_number = {{ sizes.node }}'d0;
            start = 1'b0;
            give_valid = {NODES{1'b0}};
            give_data = {WIDTH{1'b0}};
            take_ready = {NODES{1'b0}};
        end
    endtask

    task greet;
        begin
        end
    endtask

    // A call is taken while the one before plays or gives its words.
    task choose(input integer number, input integer root);
        begin
            chosen = number[{{ sizes.program - 1 }}:0];
            root_number = root[{{ sizes.node - 1 }}:0];
            start = 1'b1;
            waited = 0;
            #1;
            while (!ready) begin
                patience;
                #1;
            end
            @(negedge clk);
            start = 1'b0;
        end
    endtask

    // Words go to one node, or so many to each of all nodes.
    integer giver;
    integer give_each;
    integer given;
    task push_head(input [3:0] operation, input integer node, input integer each);
        begin
            if (operation != 4'd0) begin
                giver = node;
                give_each = each;
                given = 0;
            end
        end
    endtask

    task push_word(input [WIDE-1:0] word);
        begin
            while ($random(chance) % 4 == 0) @(negedge clk);
            give_data = word[WIDTH-1:0];
            give_valid[giver] = 1'b1;
            waited = 0;
            #1;
            while (!give_ready[giver]) begin
                patience;
                #1;
            end
            @(negedge clk);
            give_valid[giver] = 1'b0;
            given = given + 1;
            if (given == give_each) begin
                giver = giver + 1;
                given = 0;
            end
        end
    endtask

    // Words come likewise, while those of the next call go.
    integer taker;
    integer take_each;
    integer taken;
    reg [{{ sizes.program - 1 }}:0] expected;
    task ask(input integer number, input integer node, input integer each);
        begin
            expected = number[{{ sizes.program - 1 }}:0];
            taker = node;
            take_each = each;
            taken = 0;
        end
    endtask

    task pull_word(output [WIDE-1:0] word);
        begin
            while ($random(chance) % 4 == 0) @(negedge clk);
            waited = 0;
            while (!take_valid[taker]) patience;
            word = {WIDE{1'b0}};
            word[WIDTH-1:0] = take_data[taker*WIDTH+:WIDTH];
            taken = taken + 1;
            if (take_dest[taker*{{ sizes.program }}+:{{ sizes.program }}] !== expected || take_last[taker] !== (taken == take_each)) begin
                $display("call %0d: a word of another program, or a wrong end", called);
                errors = errors + 1;
            end
            take_ready[taker] = 1'b1;
            @(negedge clk);
            take_ready[taker] = 1'b0;
            if (taken == take_each) begin
                taker = taker + 1;
                taken = 0;
            end
        end
    endtask

    task break_off;
        begin
            repeat (called % 7) @(negedge clk);
            rst = 1'b1;
            repeat (4) @(negedge clk);
            rst = 1'b0;
            @(negedge clk);
        end
    endtask

    // Nothing is left, and no word was for another program.
    task settle;
        begin
            waited = 0;
            while (busy) patience;
            if (take_valid != {NODES{1'b0}} || astray != {NODES{1'b0}} || absent) begin
                $display("call %0d: words are left over, or for another program", called);
                errors = errors + 1;
            end
        end
    endtask
