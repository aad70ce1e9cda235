{%- if is_ring %}
    reg [{{ sizes.program - 1 }}:0] chosen;
    reg [{{ sizes.node - 1 }}:0] root_number;
    wire placed;
    reg start;
    wire busy;
    wire done;
    wire lacking;
    wire [{{ nodes - 1 }}:0] misframed;
    reg [32:0] s_data;
    reg s_valid;
    wire s_ready;
    wire [32:0] m_data;
    wire m_valid;
    wire m_ready;
    {{ top }} system (
        .clk(clk),
        .rst(rst),
        .program_number(chosen),
        .root(root_number),
        .placed(placed),
        .start(start),
        .busy(busy),
        .done(done),
        .lacking(lacking),
        .misframed(misframed),
        .s_data(s_data),
        .s_valid(s_valid),
        .s_ready(s_ready),
        .m_data(m_data),
        .m_valid(m_valid),
        .m_ready(m_ready)
    );

    task quiet;
        begin
            chosen = {{ sizes.program }}'d0;
            root_number = {{ sizes.node }}'d0;
            start = 1'b0;
            s_valid = 1'b0;
            s_data = 33'd0;
            pulls = 1'b0;
            ends = 0;
        end
    endtask

    // Too few words and too many: the first node is named until a reset.
    task greet;
        reg [31:0] first_call;
        integer word;
        begin
            first_call = call_at(0);
            choose({16'd0, first_call[31:16]}, {16'd0, first_call[15:0]});
            start = 1'b1;
            @(negedge clk);
            start = 1'b0;
            waited = 0;
            while (!lacking) patience;
            @(negedge clk);
            if (misframed == 0) begin
                $display("no node is named that lacks words");
                errors = errors + 1;
            end
            rst = 1'b1;
            repeat (4) @(negedge clk);
            rst = 1'b0;
            @(negedge clk);
            choose({16'd0, first_call[31:16]}, {16'd0, first_call[15:0]});
            push_head(WRITE, NODES - 1, 0);
            for (word = 0; word <= MOST; word = word + 1) push_word(32'd0);
            push_head(4'd0, 0, 0);
            drain;
            if (!misframed[NODES-1]) begin
                $display("no node is named that got too many words");
                errors = errors + 1;
            end
            rst = 1'b1;
            repeat (4) @(negedge clk);
            ends = 0;
            rst = 1'b0;
            @(negedge clk);
            if (misframed != 0) begin
                $display("a reset leaves the names of nodes");
                errors = errors + 1;
            end
        end
    endtask

    task choose(input integer number, input integer root);
        begin
            chosen = number[{{ sizes.program - 1 }}:0];
            root_number = root[{{ sizes.node - 1 }}:0];
            @(negedge clk);
            waited = 0;
            while (!placed) patience;
        end
    endtask

    // Headers come round by themselves, and their ends are counted; words wait.
    reg pulls;
    integer ends;
    integer returned;
    assign m_ready = (m_valid & m_data[32]) | pulls;
    always @(posedge clk) begin
        if (rst) returned <= 0;
        else if (m_valid & m_ready & (m_data[32:28] == 5'h10)) returned <= returned + 1;
    end

    // A word goes in when it is ready; pauses come at random.
    task push(input [32:0] word);
        begin
            while ($random(chance) % 4 == 0) @(negedge clk);
            s_data = word;
            s_valid = 1'b1;
            waited = 0;
            #1;
            while (!s_ready) begin
                patience;
                #1;
            end
            @(negedge clk);
            s_valid = 1'b0;
            if (word[32:28] == 5'h10) ends = ends + 1;
        end
    endtask

    task push_head(input [3:0] operation, input integer node, input integer each);
        push({1'b1, operation, node[11:0], each[15:0]});
    endtask

    task push_word(input [31:0] word);
        push({1'b0, word});
    endtask

    task pull_word(output [31:0] word);
        begin
            while ($random(chance) % 4 == 0) @(negedge clk);
            waited = 0;
            while (!m_valid || m_data[32]) patience;
            word = m_data[31:0];
            pulls = 1'b1;
            @(negedge clk);
            pulls = 1'b0;
        end
    endtask

    task drain;
        begin
            waited = 0;
            while (returned != ends) begin
                if (m_valid && !m_data[32]) begin
                    $display("FAIL: call %0d: words were left over", called);
                    $fatal(1);
                end
                patience;
            end
        end
    endtask

    task run;
        begin
            drain;
            start = 1'b1;
            @(negedge clk);
            start = 1'b0;
            waited = 0;
            while (!done) begin
                if (lacking) begin
                    $display("call %0d: a node lacks words", called);
                    errors = errors + 1;
                end
                patience;
            end
        end
    endtask

    task break_off;
        begin
            drain;
            start = 1'b1;
            @(negedge clk);
            start = 1'b0;
            repeat (called % 7) @(negedge clk);
            rst = 1'b1;
            repeat (4) @(negedge clk);
            ends = 0;
            rst = 1'b0;
            @(negedge clk);
        end
    endtask

    task settle;
        begin
            drain;
            if (busy || misframed != 0) begin
                $display("call %0d: busy, or a node lacked words", called);
                errors = errors + 1;
            end
        end
    endtask
{%- else %}
    // Registers, by their address in words.
    localparam integer ID = 0;
    localparam integer HASH = 2;
    localparam integer CTRL = 4;
    localparam integer STATUS = 5;
    localparam integer PROGRAM = 6;
    localparam integer ROOT = 7;
    localparam integer RUNS = 9;
    localparam integer MISFRAMED = 10;
    localparam integer HEAD = 16;
    localparam integer DATA = 17;
{% if is_uart %}{% include "listed/tb/uart.v" %}{% else %}{% include "listed/tb/axil.v" %}{% endif %}

    task greet;
        reg [31:0] got;
        begin
            read_register(ID, got);
            if (got !== 32'h54574345) begin
                $display("ID is %h", got);
                errors = errors + 1;
            end
            read_register(HASH, got);
            if (got !== 32'h{{ hash }}) begin
                $display("HASH is %h", got);
                errors = errors + 1;
            end
            // no such register: an error, which a reset clears
            write_register(100, 32'd1);
            status(32'h00040004, 32'h00ff0004);
            write_register(CTRL, 32'd2);
            status(32'h00000000, 32'h00ff0004);
            runs_counted = 32'd0;
            mistakes;
        end
    endtask

    // An error and the first node with a wrong number of words, within a while; a reset clears both.
    task fails(input [7:0] code, input [31:0] node);
        reg [31:0] got;
        integer tries;
        begin
            got = 32'd0;
            for (tries = 0; tries < {% if is_uart %}100{% else %}1000{% endif %} && !got[2]; tries = tries + 1) read_register(STATUS, got);
            if ({got[23:16], got[2]} !== {code, 1'b1}) begin
                $display("FAIL: STATUS is %h, not error %0d", got, code);
                $fatal(1);
            end
            read_register(MISFRAMED, got);
            if (got !== node) begin
                $display("error %0d: MISFRAMED is %h, not %h", code, got, node);
                errors = errors + 1;
            end
            write_register(CTRL, 32'd2);
            status(32'h00000000, 32'h00ff0007);
            read_register(MISFRAMED, got);
            if (got !== 32'hffffffff) begin
                $display("MISFRAMED is %h after a reset", got);
                errors = errors + 1;
            end
        end
    endtask

    // Mistakes of a host: too few words and too many, a start and another program while a run waits.
    task mistakes;
        reg [31:0] first_call;
        integer first_node;
        integer word;
        begin
            first_call = call_at(0);
            first_node = 0;
            while (total({16'd0, first_call[31:16]}, {16'd0, first_call[15:0]}, first_node) == 0) first_node = first_node + 1;
            choose({16'd0, first_call[31:16]}, {16'd0, first_call[15:0]});
            write_register(CTRL, 32'd1);
            fails(8'd7, (collective({16'd0, first_call[31:16]}) == BROADCAST || collective({16'd0, first_call[31:16]}) == SCATTERING)
                ? {16'd0, first_call[15:0]} : first_node);
            choose({16'd0, first_call[31:16]}, {16'd0, first_call[15:0]});
            push_head(WRITE, NODES - 1, 0);
{%- if is_uart %}
            announce(MOST + 1);
{%- endif %}
            for (word = 0; word <= MOST; word = word + 1) push_word(32'd0);
            push_head(4'd0, 0, 0);
            fails(8'd7, NODES - 1);
            // a packet without an end is on the ring
            push_head(WRITE, 0, 0);
            write_register(CTRL, 32'd1);
            status(32'h00000001, 32'h00ff0005);
            write_register(CTRL, 32'd1);
            fails(8'd2, 32'hffffffff);
            push_head(WRITE, 0, 0);
            write_register(CTRL, 32'd1);
            write_register(PROGRAM, 32'd0);
            fails(8'd3, 32'hffffffff);
        end
    endtask

    task status(input [31:0] wanted, input [31:0] mask);
        reg [31:0] got;
        begin
            read_register(STATUS, got);
            if ((got & mask) !== wanted) begin
                $display("call %0d: STATUS is %h", called, got);
                errors = errors + 1;
            end
        end
    endtask

    task choose(input integer number, input integer root);
        begin
            write_register(PROGRAM, number);
            write_register(ROOT, root);
        end
    endtask

    task push_head(input [3:0] operation, input integer node, input integer each);
        write_register(HEAD, {operation, node[11:0], each[15:0]});
    endtask

    // Runs are counted, whatever resets come between.
    reg [31:0] runs_before;
    reg [31:0] runs_counted;
    task run;
        begin
            read_register(RUNS, runs_before);
            if (runs_before < runs_counted) begin
                $display("call %0d: RUNS is %0d after %0d", called, runs_before, runs_counted);
                errors = errors + 1;
            end
            write_register(CTRL, 32'd1);
        end
    endtask

    task break_off;
        begin
            write_register(CTRL, 32'd1);
            repeat (called % 7) @(negedge clk);
            write_register(CTRL, 32'd2);
        end
    endtask

    // Done, no error, nothing busy.
    task settle;
        begin
            status(32'h00000002, 32'h00ff0007);
            read_register(RUNS, runs_counted);
            if (runs_counted !== runs_before + 32'd1) begin
                $display("call %0d: RUNS is %0d after %0d", called, runs_counted, runs_before);
                errors = errors + 1;
            end
        end
    endtask
{%- endif %}
