
    localparam integer DIVISOR = 4;  // clocks per bit: the fastest line that the core can follow
    localparam integer FIRST = 0;
    localparam integer LAST = 4095;
    reg rx;
    wire tx;
    {{ top }} #(
        .DIVISOR(DIVISOR)
    ) system (
        .clk(clk),
        .rst(rst),
        .rx(rx),
        .tx(tx)
    );

    task quiet;
        rx = 1'b1;
    endtask

    // Bytes from the design, in a ring buffer.
    reg [7:0] heard [FIRST:LAST];
    integer put;
    integer heard_count;
    integer bit_number;
    reg [7:0] byte_in;
    initial begin
        put = 0;
        heard_count = 0;
        @(negedge rst);
        forever begin
            while (tx !== 1'b0) @(negedge clk);
            repeat (DIVISOR / 2) @(negedge clk);
            for (bit_number = 0; bit_number < 8; bit_number = bit_number + 1) begin
                repeat (DIVISOR) @(negedge clk);
                byte_in = {tx, byte_in[7:1]};
            end
            repeat (DIVISOR) @(negedge clk);
            if (tx !== 1'b1) begin
                $display("call %0d: a byte without a stop bit", called);
                errors = errors + 1;
            end
            heard[put % (LAST + 1)] = byte_in;
            put = put + 1;
        end
    end

    // Bytes from the host, in a ring buffer: the line is slower than the bench.
    reg [7:0] to_say [FIRST:LAST];
    integer said_put;
    integer said;
    integer sent;
    reg [9:0] bits;
    initial begin
        said_put = 0;
        said = 0;
        forever begin
            while (said_put == said) @(negedge clk);
            bits = {1'b1, to_say[said % (LAST + 1)], 1'b0};
            for (sent = 0; sent < 10; sent = sent + 1) begin
                rx = bits[0];
                bits = bits >> 1;
                repeat (DIVISOR) @(negedge clk);
            end
            said = said + 1;
        end
    end

    task say(input [7:0] word);
        begin
            to_say[said_put % (LAST + 1)] = word;
            said_put = said_put + 1;
        end
    endtask

    task hear(output [7:0] word);
        begin
            waited = 0;
            while (put == heard_count) patience;
            word = heard[heard_count % (LAST + 1)];
            heard_count = heard_count + 1;
        end
    endtask

    task say_word(input [31:0] word);
        begin
            say(word[31:24]);
            say(word[23:16]);
            say(word[15:8]);
            say(word[7:0]);
        end
    endtask

    task hear_word(output [31:0] word);
        reg [7:0] next;
        integer count;
        begin
            for (count = 0; count < 4; count = count + 1) begin
                hear(next);
                word = {word[23:0], next};
            end
        end
    endtask

    task write_register(input integer address, input [31:0] word);
        begin
            say(8'd1);
            say(8'd1);
            say_word(address);
            say_word(word);
        end
    endtask

    task read_register(input integer address, output [31:0] word);
        begin
            say(8'd2);
            say(8'd1);
            say_word(address);
            hear_word(word);
        end
    endtask

    // Words that are moved next: up to 255 go with one command.
    integer unsent;
    integer of_command;
    task command(input [7:0] code);
        begin
            of_command = (unsent > 255) ? 255 : unsent;
            // no more than the memory holds
            while (said_put - said > LAST / 2) @(negedge clk);
            say(code);
            say(of_command[7:0]);
            say_word(DATA);
        end
    endtask

    task announce(input integer words);
        begin
            unsent = words;
            of_command = 0;
        end
    endtask

    task push_word(input [31:0] word);
        begin
            if (of_command == 0) command(8'd3);
            say_word(word);
            unsent = unsent - 1;
            of_command = of_command - 1;
        end
    endtask

    task pull_word(output [31:0] word);
        begin
            if (of_command == 0) command(8'd4);
            hear_word(word);
            unsent = unsent - 1;
            of_command = of_command - 1;
        end
    endtask
