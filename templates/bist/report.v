// {{ common.name }}_report: sends the result of the self-test over a serial line
//
// Serial line with 8 data bits, no parity, one stop bit, and numbers in decimal, counted from 1:
{%- if common.of_streams %}
// `PASS runs calls words nodes`, or `FAIL run word node m want got`, words in hexadecimal, `-` for no word;
// `FAIL run calls flag` if a wrong node or call was reported, or calls did not end; `FAIL run calls compared words` if no
// difference was found, but fewer or more words were compared than the calls have; `FAIL 1 calls reported errors` if,
// after the first run, the checkers did not report the errors made for them.
{%- else %}
// `PASS runs ticks arrivals checkers`, or `FAIL run tick node port want got`, words in hexadecimal, `-` for no
// word; `FAIL run tick done` if `done` was wrong; `FAIL run ticks compared arrivals` if no difference was found, but
// fewer or more arrivals were compared than the program has; `FAIL 1 ticks reported errors` if, after
// the first run, the checkers did not report the errors made for them.
{%- endif %}
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_report #(
    parameter integer WIDTH = {{ common.width }},
    parameter integer TICK = {{ common.tick }},  // bits of a tick
    parameter integer CLOCK = {{ common.clock }},  // Hz
    parameter integer BAUD = {{ common.baud }}
) (
    input  wire             clk,
    input  wire             rst,
    // start: high for one tick; finished: high when all is sent; the other inputs are held meanwhile
    input  wire             start,
    output reg              finished,
    input  wire             failed,
    input  wire             at_done,
    input  wire             at_count,
    input  wire             is_proof,
    input  wire [23:0]      arrivals,
    input  wire {{ checked.range }}{{ checked.gap() }}checkers,
    input  wire [23:0]      run,
    input  wire [TICK-1:0]  tick,
{%- for axis in axes %}
    input  wire {{ axis.range }}{{ axis.gap }}{{ axis.name }},
{%- endfor %}
    input  wire {{ port.range }}{{ port.gap() }}port,
    input  wire             is_wanted,
    input  wire             is_got,
    input  wire [WIDTH-1:0] want,
    input  wire [WIDTH-1:0] got,
    output reg              tx
);

    localparam integer HEX = (WIDTH + 3) / 4;
    localparam integer DECIMAL = 8;  // digits of a decimal number, from 24 bits
    localparam integer DIGITS = (HEX > DECIMAL) ? HEX : DECIMAL;
    localparam integer PERIOD = CLOCK / BAUD;

    // transmitter: ten bits per character
    reg [9:0] frame;
    reg [3:0] bits;
    reg [15:0] pause;
    wire idle = bits == 4'd0;
    reg send;
    reg [7:0] letter;

    always @(posedge clk) begin
        if (rst) begin
            bits <= 4'd0;
            tx <= 1'b1;
            pause <= 16'd0;
        end else if (send & idle) begin
            frame <= {1'b1, letter, 1'b0};
            bits <= 4'd11;
            pause <= 16'd0;
        end else if (pause != 16'd0) begin
            pause <= pause - 16'd1;
        end else if (~idle) begin
            if (bits != 4'd1) tx <= frame[0];
            frame <= {1'b1, frame[9:1]};
            bits <= bits - 4'd1;
            pause <= (bits == 4'd1) ? 16'd0 : PERIOD[15:0] - 16'd1;
        end
    end

    // text to send, step by step
    reg [7:0] step;
    reg [1:0] kind;  // 0: character; 1: decimal number; 2: hexadecimal word; 3: end
    reg [7:0] symbol;
    reg [23:0] value;
    reg is_run;
    reg is_tick;
    reg is_count;
    reg is_checkers;
{%- for axis in axes %}
    reg is_{{ axis.name }};
{%- endfor %}
    reg jumps;
    reg [7:0] target;
    reg is_there;
    reg [WIDTH-1:0] word;

    always @(posedge clk) begin
        kind <= 2'd0;
        symbol <= " ";
        is_run <= step == 8'd5;
        is_tick <= step == 8'd7;
        is_count <= step == 8'd9;
        is_checkers <= step == 8'd11;
{%- for axis in axes %}
        is_{{ axis.name }} <= step == 8'd{{ axis.step }};
{%- endfor %}
        // a step lasts many ticks, so one tick of delay does no harm
        value <= ({24{is_run}} & run)
{%- for axis in axes %}
            | ({24{is_{{ axis.name }} }} & { {{ 24 - axis.bits }}'d0, {{ axis.name }}})
{%- endfor %}
            | ({24{is_tick}} & { {(24-TICK){1'b0}}, tick})
            | ({24{is_count}} & arrivals)
            | ({24{is_checkers}} & { {{ 24 - checked.bits }}'d0, checkers});
        jumps <= (((step == 8'd8) | (step == 8'd9)) & failed) | (step == 8'd{{ count_start + 8 }});
        target <= at_done ? 8'd{{ done_start }} : 8'd{{ fail_start }};
        if (at_count) target <= 8'd{{ count_start }};
        if (step == 8'd9) target <= 8'd12;
        if (step == 8'd{{ count_start + 8 }}) target <= 8'd9;
        is_there <= is_wanted;
        word <= want;
        case (step)
            8'd0: symbol <= failed ? "F" : "P";
            8'd1: symbol <= "A";
            8'd2: symbol <= failed ? "I" : "S";
            8'd3: symbol <= failed ? "L" : "S";
            8'd5: kind <= 2'd1;
            8'd7: kind <= 2'd1;
            8'd9: kind <= 2'd1;
            8'd11: kind <= 2'd1;
            8'd12: symbol <= 8'd10;
            8'd13: kind <= 2'd3;
{%- for letter in letters %}
            8'd{{ letter.0 }}: symbol <= "{{ letter.1 }}";
{%- endfor %}
{%- for letter in counted %}
            8'd{{ letter.0 }}: symbol <= is_proof ? "{{ letter.1 }}" : "{{ letter.2 }}";
{%- endfor %}
            8'd{{ done_start + 4 }}: symbol <= 8'd10;
            8'd{{ done_start + 5 }}: kind <= 2'd3;
{%- for axis in axes %}
            8'd{{ axis.step }}: kind <= 2'd1;
            8'd{{ axis.step + 1 }}: symbol <= "{{ axis.after }}";
{%- endfor %}
{%- for letter in labels %}
            8'd{{ letter.step }}:
            case (port)
{%- for label in letter.by_port %}
                {{ port.bits }}'d{{ label.0 }}: symbol <= "{{ label.1 }}";
{%- endfor %}
                default: symbol <= " ";
            endcase
{%- endfor %}
            8'd{{ words }}: kind <= 2'd2;
            8'd{{ words + 2 }}: begin
                kind <= 2'd2;
                is_there <= is_got;
                word <= got;
            end
            8'd{{ words + 3 }}: symbol <= 8'd10;
            8'd{{ words + 4 }}: kind <= 2'd3;
            default: symbol <= " ";
        endcase
    end

    // doubles a decimal number and adds a bit: digits of five and more are raised to eight and more, so that doubling carries
    function automatic [31:0] doubled(input reg [31:0] figures, input reg one);
        integer at;
        reg [3:0] figure;
        begin
            for (at = 0; at < DECIMAL; at = at + 1) begin
                figure = figures[4*at+:4];
                doubled[4*at+:4] = (figure > 4'd4) ? figure + 4'd3 : figure;
            end
            doubled = (doubled << 1) | {31'd0, one};
        end
    endfunction

    // 0: idle; 1: take a step; 2: convert a number to digits; 3: send a digit; 4: wait for the transmitter
    reg [2:0] state;
    reg [4*DIGITS-1:0] shown;
    reg [23:0] binary;
    reg [15:0] left;
    reg skip;  // leading zeros
    reg alone;  // a character that is not a digit
    wire [3:0] digit = shown[4*DIGITS-1-:4];
    wire [4*HEX-1:0] filled;
    assign filled[WIDTH-1:0] = word;
    generate
        if (4 * HEX > WIDTH) begin : g_fill
            assign filled[4*HEX-1:WIDTH] = 0;
        end
    endgenerate

    always @(posedge clk) begin
        send <= 1'b0;
        case (state)
            3'd1: begin
                letter <= symbol;
                skip <= 1'b0;
                alone <= 1'b1;
                shown[4*DIGITS-1-:32] <= 32'd0;
                binary <= value;
                left <= 16'd24;
                step <= jumps ? target : step + 8'd1;
                case (kind)
                    2'd0: begin
                        send <= 1'b1;
                        state <= 3'd4;
                    end
                    2'd1: state <= 3'd2;
                    2'd2: begin
                        shown[4*DIGITS-1-:4*HEX] <= filled;
                        left <= HEX[15:0];
                        if (is_there) begin
                            alone <= 1'b0;
                            state <= 3'd3;
                        end else begin
                            letter <= "-";
                            send <= 1'b1;
                            state <= 3'd4;
                        end
                    end
                    default: begin
                        finished <= 1'b1;
                        state <= 3'd0;
                    end
                endcase
            end
            3'd2: begin
                shown[4*DIGITS-1-:32] <= doubled(shown[4*DIGITS-1-:32], binary[23]);
                binary <= {binary[22:0], 1'b0};
                left <= left - 16'd1;
                if (left == 16'd1) begin
                    left <= DECIMAL[15:0];
                    skip <= 1'b1;
                    alone <= 1'b0;
                    state <= 3'd3;
                end
            end
            3'd3: begin
                left <= left - 16'd1;
                shown <= shown << 4;
                if (~skip || digit != 4'd0 || left == 16'd1) begin
                    skip <= 1'b0;
                    letter <= (digit > 4'd9) ? 8'd87 + {4'd0, digit} : 8'd48 + {4'd0, digit};
                    send <= 1'b1;
                    state <= 3'd4;
                end
            end
            3'd4: if (idle & ~send) state <= (alone || left == 16'd0) ? 3'd1 : 3'd3;
            default: begin
                step <= 8'd0;
                if (start) begin
                    finished <= 1'b0;
                    state <= 3'd1;
                end
            end
        endcase
        if (rst) begin
            state <= 3'd0;
            finished <= 1'b0;
        end
    end

endmodule

`default_nettype wire
