    // key of this run's data
    wire [WIDTH-1:0] key;
    wire [7:0] slice;
    genvar place;
    generate
        for (place = 0; place < WIDTH; place = place + 1) begin : g_key
            if (place < 32) begin : g_low
                assign key[place] = seed[place];
            end else begin : g_high
                assign key[place] = seed[place%32] ^ seed[(place+1+place/32)%32];
            end
        end
        if (SLICES == 1) begin : g_whole
            wire unused = turns;
            assign slice = 8'd0;
        end else begin : g_sliced
            localparam integer LAST = SLICES - 1;
            reg [7:0] turn;
            assign slice = turn;

            always @(posedge clk) begin
                if (rst_of_all) begin
                    turn <= 8'd0;
                end else if (turns) begin
                    turn <= (turn == LAST[7:0]) ? 8'd0 : turn + 8'd1;
                end
            end
        end
    endgenerate

{%- if let Some(marks) = common.marks %}

    // value of every result that is marked in this run, and the bit that marks it
    reg {{ marks.range }}marked;
    reg [WIDTH-1:0] mark;

    always @(posedge clk) begin
        if (rst_of_all) begin
            marked <= {{ marks.bits }}'d0;
        end else if (turns) begin
            marked <= marked + {{ marks.bits }}'d1;
            if (marked == {{ marks.bits }}'d{{ marks.last }}) marked <= {{ marks.bits }}'d0;
        end
    end

    genvar marking;
    generate
        for (marking = 0; marking < WIDTH; marking = marking + 1) begin : g_mark
            always @(posedge clk) begin
                if (rst_of_all) mark[marking] <= marking == 0;
                else if (turns) begin
                    mark[marking] <= (marking < DATA) & mark[(marking+DATA-1)%DATA];
                end
            end
        end
    endgenerate
{%- endif %}
