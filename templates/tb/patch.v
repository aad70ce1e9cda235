// {{ module }}: plays {{ name }} whole, then with dead links and the patch, and compares every arrival with the model
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }};
    localparam integer WIDTH = {{ width }};
    localparam integer PACKETS = {{ inputs.len() }};
    localparam integer LINKS = {{ links.len() }};
    localparam integer BEFORE = {{ before }};  // ticks of the whole network
    localparam integer AFTER = {{ after }};  // ticks of the damaged one
    localparam integer FRAMES = {{ frames }};  // frames of the patch
    localparam integer BITS = {{ frame_bits }};  // bits of a frame
    localparam integer VALID = {{ valid }};  // valid bit of an expected word

    reg clk;
    reg rst = 1'b1;
    reg run = 1'b0;
    reg config_shift = 1'b0;
    reg config_in = 1'b0;
    wire config_out;
    wire done;
    initial clk = 1'b0;
    always #5 clk = ~clk;

    reg [WIDTH-1:0] own [1:PACKETS];
    reg [VALID:0] whole [1:BEFORE*LINKS];
    reg [VALID:0] damaged [1:AFTER*LINKS];
    reg [BITS-1:0] patch [1:FRAMES];
    reg [LINKS:1] is_dead;
    wire [WIDTH-1:0] data [1:LINKS];
    wire valid [1:LINKS];

    {{ name }} #(
        .WIDTH(WIDTH)
    ) fabric (
        .clk(clk),
        .rst(rst),
        .run(run),
        .done(done),
        .config_shift(config_shift),
        .config_in(config_in),
        .config_out(config_out),
{%- for input in inputs %}
        .{{ input }}(own[{{ loop.index }}]),
{%- endfor %}
{%- for link in links %}
        .{{ link.name }}_data(data[{{ loop.index }}]), .{{ link.name }}_valid(valid[{{ loop.index }}]){% if !loop.last %},{% endif %}
{%- endfor %}
    );

    integer tick, link, arrivals, good, place;
    reg [VALID:0] want;

    // plays a run from its first clock, and compares up to a tick
    task automatic play(input integer ticks, input integer up_to, input reg after);
        begin
            run = 1'b1;
            repeat ({{ delay }}) @(negedge clk);
            for (tick = 1; good == 1 && tick <= up_to; tick = tick + 1) begin
                @(negedge clk);
                for (link = 1; good == 1 && link <= LINKS; link = link + 1) begin
                    want = after ? damaged[(tick-1)*LINKS+link] : whole[(tick-1)*LINKS+link];
                    if (!is_dead[link]) begin
                        if (valid[link] !== want[VALID] || (want[VALID] && data[link] !== want[WIDTH-1:0])) begin
                            $display("FAIL %0s tick %0d, arrival %0d: expected %h, got %h (valid %b)",
                                     after ? "patched" : "whole", tick, link, want, data[link], valid[link]);
                            good = 0;
                        end
                        if (want[VALID]) arrivals = arrivals + 1;
                    end
                end
                if (good == 1 && done !== (tick >= ticks)) begin
                    $display("FAIL tick %0d: done is %b", tick, done);
                    good = 0;
                end
            end
        end
    endtask

    initial begin
        $readmemh("{{ own_path }}", own);
        $readmemh("{{ whole_path }}", whole);
        $readmemh("{{ damaged_path }}", damaged);
        $readmemh("{{ patch_path }}", patch);
        good = 1;
        arrivals = 0;
        is_dead = {LINKS{1'b0}};
        repeat ({{ delay + 1 }}) @(negedge clk);
        rst = 1'b0;
        play(BEFORE, BEFORE, 1'b0);
        run = 1'b0;
        @(negedge clk);
        play(BEFORE, BEFORE / 2, 1'b0);
        // the links die while the schedule runs: nobody knows what their wires say from now on
{%- for link in links %}
{%- if link.is_dead %}
        is_dead[{{ loop.index }}] = 1'b1;
        force fabric.{{ link.name }}_data = {WIDTH{1'bx}};
        force fabric.{{ link.name }}_valid = 1'bx;
{%- endif %}
{%- endfor %}
        @(negedge clk);
        run = 1'b0;
        config_shift = 1'b1;
        for (place = 0; place < FRAMES * BITS; place = place + 1) begin
            config_in = patch[place/BITS+1][BITS-1-place%BITS];
            @(negedge clk);
        end
        config_shift = 1'b0;
        @(negedge clk);
        play(AFTER, AFTER, 1'b1);
        // a reset keeps the patch
        rst = 1'b1;
        @(negedge clk);
        rst = 1'b0;
        play(AFTER, AFTER, 1'b1);
        if (good == 1) begin
            $display("PASS %0d ticks whole, %0d ticks patched, %0d arrivals", BEFORE, AFTER, arrivals);
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
