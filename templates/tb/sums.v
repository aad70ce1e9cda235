    // The unit that adds, alone: numbers far apart and close, that cancel, that are subnormal, that lie halfway between two,
    // and no numbers. Each sum is formed exactly, as a whole number, and rounded to the nearest.
    localparam integer FRACTION = {{ sums.fraction }};
    localparam integer EXACT = {{ sums.exact() }};  // bits of a sum, from the smallest subnormal number up
    localparam integer SUMS = {{ sums.count() }};

    reg sum_clk;
    reg [31:0] sum_a;
    reg [31:0] sum_b;
    wire [{{ sums.width() - 1 }}:0] sum_y;
    {{ sums.module }} adds (
        .clk(sum_clk),
        .ce(1'b1),
        .a(sum_a[{{ sums.width() - 1 }}:0]),
        .b(sum_b[{{ sums.width() - 1 }}:0]),
        .y(sum_y)
    );

    wire [31:0] sum_got = {% if sums.width() < 32 %}{ {{- 32 - sums.width() }}'d0, sum_y}{% else %}sum_y{% endif %};

    // size of a float in units of the smallest subnormal number
    function automatic [EXACT-1:0] exactly(input reg [31:0] x);
        reg [31:0] of_exponent;
        reg [31:0] of_digits;
        begin
            of_exponent = (x >> FRACTION) & 32'd{{ sums.top() }};
            of_digits = x & 32'd{{ sums.mask() }};
            if (of_exponent != 32'd0) begin
                of_digits = of_digits | (32'd1 << FRACTION);
                of_exponent = of_exponent - 32'd1;
{%- if sums.flush %}
            end else begin
                of_digits = 32'd0;
{%- endif %}
            end
            exactly = { {(EXACT-32){1'b0}}, of_digits} << of_exponent;
        end
    endfunction

    function automatic [31:0] rounded(input reg is_negative, input reg [EXACT-1:0] exact);
        integer sum_high;
        reg [EXACT-1:0] sum_kept;
        reg [EXACT-1:0] sum_half;
        reg [EXACT-1:0] sum_rest;
        reg [31:0] of_size;
        begin
            sum_high = EXACT - 1;
            while (sum_high > FRACTION && !exact[sum_high]) sum_high = sum_high - 1;
            sum_kept = exact >> (sum_high - FRACTION);
            sum_half = ({ {(EXACT-1){1'b0}}, 1'b1} << (sum_high - FRACTION)) >> 1;
            sum_rest = exact - (sum_kept << (sum_high - FRACTION));
            // a carry out of the digits makes the exponent one more
            of_size = (sum_high - FRACTION) << FRACTION;
            of_size = of_size + sum_kept[31:0];
            if (sum_rest > sum_half || (sum_rest == sum_half && sum_rest != {EXACT{1'b0}} && of_size[0])) of_size = of_size + 32'd1;
            if (of_size > 32'd{{ sums.infinity() }}) of_size = 32'd{{ sums.infinity() }};
{%- if sums.flush %}
            if (of_size <= 32'd{{ sums.mask() }}) of_size = 32'd0;
{%- endif %}
            rounded = of_size | (is_negative ? 32'd{{ sums.sign() }} : 32'd0);
        end
    endfunction

    function automatic [31:0] sum_of(input reg [31:0] x, input reg [31:0] y);
        reg [31:0] x_size;
        reg [31:0] y_size;
        reg x_negative;
        reg y_negative;
        begin
            x_size = x & (32'd{{ sums.sign() }} - 32'd1);
            y_size = y & (32'd{{ sums.sign() }} - 32'd1);
            x_negative = (x & 32'd{{ sums.sign() }}) != 32'd0;
            y_negative = (y & 32'd{{ sums.sign() }}) != 32'd0;
            if (x_size > 32'd{{ sums.infinity() }} || y_size > 32'd{{ sums.infinity() }}
                || (x_size == 32'd{{ sums.infinity() }} && y_size == 32'd{{ sums.infinity() }} && x_negative != y_negative))
                sum_of = 32'd{{ sums.infinity() }} | (32'd1 << (FRACTION - 1));
            else if (x_size == 32'd{{ sums.infinity() }}) sum_of = x;
            else if (y_size == 32'd{{ sums.infinity() }}) sum_of = y;
            else if (x_negative == y_negative) sum_of = rounded(x_negative, exactly(x) + exactly(y));
            else if (exactly(x) == exactly(y)) sum_of = 32'd0;
            else if (exactly(x) > exactly(y)) sum_of = rounded(x_negative, exactly(x) - exactly(y));
            else sum_of = rounded(y_negative, exactly(y) - exactly(x));
        end
    endfunction

    // float of a sign in the lowest bit, an exponent and digits
    function automatic [31:0] float_of(input reg [31:0] sum_sign, input reg [31:0] of_exponent, input reg [31:0] of_digits);
        float_of = (sum_sign[0] ? 32'd{{ sums.sign() }} : 32'd0) | ((of_exponent & 32'd{{ sums.top() }}) << FRACTION) | (of_digits & 32'd{{ sums.mask() }});
    endfunction

    reg [31:0] sum_chance;
    function automatic [31:0] drawn_from(input reg [31:0] x);
        reg [31:0] mixed_bits;
        begin
            mixed_bits = x ^ (x << 13);
            mixed_bits = mixed_bits ^ (mixed_bits >> 17);
            drawn_from = mixed_bits ^ (mixed_bits << 5);
        end
    endfunction

    // a pair of each of eight kinds; gaps between exponents, and bits that differ, go through all
    task automatic choose_pair(input integer of_pair);
        reg [31:0] sum_gap;
        reg [31:0] sum_sign;
        reg [31:0] of_digits;
        reg [31:0] sum_others;
        reg [31:0] sum_middle;
        begin
            sum_gap = (of_pair / 8) % (FRACTION + 5);
            sum_chance = drawn_from(sum_chance);
            sum_sign = sum_chance;
            of_digits = sum_chance >> 4;
            sum_chance = drawn_from(sum_chance);
            sum_others = sum_chance >> 4;
            sum_middle = 32'd{{ sums.top() }} / 2 + 32'd3;
            case (of_pair % 8)
                // far apart: the same sign, and opposite ones
                0: sum_b = float_of(sum_sign, sum_middle - sum_gap, sum_others);
                1: sum_b = float_of(~sum_sign, sum_middle - sum_gap, sum_others);
                // all but the lowest bits cancel
                2: sum_b = float_of(~sum_sign, sum_middle, of_digits ^ (32'd1 << (sum_gap % 32'd{{ sums.fraction }})) ^ (sum_others & ((32'd1 << (sum_gap % 32'd{{ sums.fraction }})) - 32'd1)));
                // halfway between two numbers, or one bit beside
                3: sum_b = float_of(sum_sign >> 1, sum_middle - sum_gap, ((sum_others << 1 | 32'd1) << sum_gap) >> 1 ^ {31'd0, sum_others[24] & sum_others[25]});
                // subnormal, or nearly
                4: sum_b = float_of(sum_sign >> 1, sum_others >> 24 & 32'd3, sum_others);
                // cancel to a subnormal number
                5: sum_b = float_of(~sum_sign, 32'd1 + sum_gap - (sum_others >> 24 & 32'd1), of_digits ^ (sum_others & ((32'd1 << (sum_gap % 32'd{{ sums.fraction }})) - 32'd1)));
                // on the way to infinity
                6: sum_b = float_of(sum_sign, 32'd{{ sums.top() }} - 32'd1 - (sum_others >> 24 & 32'd3), sum_others | (32'd{{ sums.mask() }} & {32{sum_others[26]}}));
                // zeros, infinities, no numbers, the smallest and the largest
                default: sum_b = float_of(sum_others >> 1, (sum_others[25] ? 32'd{{ sums.top() }} : 32'd0) - {31'd0, sum_others[24]}, sum_others[27] ? 32'd0 : sum_others[26] ? 32'd{{ sums.mask() }} : 32'd1);
            endcase
            case (of_pair % 8)
                4: sum_a = float_of(sum_sign, of_digits >> 24 & 32'd3, of_digits);
                5: sum_a = float_of(sum_sign, 32'd1 + sum_gap, of_digits);
                6: sum_a = float_of(sum_sign, 32'd{{ sums.top() }} - 32'd1 - (of_digits >> 24 & 32'd1), of_digits);
                7: sum_a = float_of(sum_sign, (of_digits[25] ? 32'd{{ sums.top() }} : 32'd0) + (of_digits[24] ? sum_gap : 32'd0), of_digits[26] ? 32'd0 : of_digits);
                default: sum_a = float_of(sum_sign, sum_middle, of_digits);
            endcase
        end
    endtask

    integer sum_number;
    task automatic check_sums;
        begin
            sum_clk = 1'b0;
            sum_chance = 32'h2545f491;
            for (sum_number = 0; sum_number < SUMS; sum_number = sum_number + 1) begin
                choose_pair(sum_number);
                repeat ({{ sums.ticks }}) begin
                    #1 sum_clk = 1'b1;
                    #1 sum_clk = 1'b0;
                end
                if (sum_got !== sum_of(sum_a, sum_b)) begin
                    $display("FAIL %h + %h is %h, not %h", sum_a, sum_b, sum_got, sum_of(sum_a, sum_b));
`ifdef __ICARUS__
                    $finish_and_return(1);
`else
                    $stop;
`endif
                end
            end
        end
    endtask
