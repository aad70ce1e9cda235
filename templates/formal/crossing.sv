// {{ module }}: asserts that {{ crossing }} loses, doubles and exchanges nothing
//
// Two clocks rise in any steps, together or apart. Items, and the steps in which they come and are taken, are arbitrary.
// Each bit of a pointer may be caught as it was in the step before, by itself.
{%- match mode %}
{%- when Mode::Order %}
// The writing side waits for `s_axis_tready` only.
{%- when Mode::Credits %}
// The writing side knows, no sooner than a bit crosses, that less than {{ tokens }} wait, and ignores `s_axis_tready`.
{%- endmatch %}
`default_nettype none

module {{ module }} (
    input wire cable_clk,
    input wire board_clk,
    input wire [WIDTH:0] data,
    input wire offers,
    input wire accepts,
    input wire rst,
    input wire marks,  // this item is watched
    // bits that are caught late
    input wire [ADDRESS:0] slow_put,
    input wire [ADDRESS:0] slow_got,
    // registers of the crossing
    input wire [ADDRESS:0] put,
    input wire [ADDRESS:0] put_gray,
    input wire [ADDRESS:0] got,
    input wire [ADDRESS:0] got_gray,
    input wire [ADDRESS:0] put_before,
    input wire [ADDRESS:0] put_early,
    input wire [ADDRESS:0] put_late,
    input wire [ADDRESS:0] got_before,
    input wire [ADDRESS:0] got_early,
    input wire [ADDRESS:0] got_late,
    input wire drained,
{%- for at in places() %}
    input wire [WIDTH:0] token_{{ at }}{% if !loop.last %},{% endif %}
{%- endfor %}
);

    localparam integer WIDTH = 1;
    localparam integer ADDRESS = {{ address }};
    localparam [ADDRESS:0] ROOM = {{ room }};

    (* gclk *) reg step;
    reg begun = 1'b0;
    always @(posedge step) begun <= 1'b1;

    wire ready;
    wire filled;
    wire [WIDTH:0] first;
    wire takes = accepts & filled;
{%- if is_checked %}
    wire alone;
{%- endif %}

    {{ crossing }} #(
        .WIDTH(WIDTH),
        .ADDRESS(ADDRESS)
    ) crossing (
        .s_axis_aclk(cable_clk),
        .s_axis_tdata(data),
        .s_axis_tvalid(offers),
        .s_axis_tready(ready),
{%- if is_checked %}
        .alone(alone),
{%- endif %}
        .clk(board_clk),
        .rst(rst),
        .first(first),
        .filled(filled),
        .take(takes)
    );

    // numbers of pointers, and how far each is behind
{%- for name in ["put_gray", "got_gray", "put_before", "put_early", "put_late", "got_before", "got_early", "got_late"] %}
    wire [ADDRESS:0] n_{{ name }};
{%- for bit in 0..=address %}
    assign n_{{ name }}[{{ bit }}] = ^{{ name }}[ADDRESS:{{ bit }}];
{%- endfor %}
{%- endfor %}
    wire [ADDRESS:0] since_got_before = put - n_got_before;
    wire [ADDRESS:0] since_got_early = put - n_got_early;
    wire [ADDRESS:0] since_got_late = put - n_got_late;
    wire [ADDRESS:0] got_moved = got - n_got_before;
    wire [ADDRESS:0] put_moved = put - n_put_before;
    wire [ADDRESS:0] until_put_before = n_put_before - got;
    wire [ADDRESS:0] until_put_early = n_put_early - got;
    wire [ADDRESS:0] until_put_late = n_put_late - got;
    wire [ADDRESS:0] waits = put - got;

    // the watched item, any of them: its place and its data
    reg marked = 1'b0;
    reg passed = 1'b0;
    reg [ADDRESS:0] mark_at;
    reg [WIDTH:0] mark;

    always @(posedge cable_clk) begin
        if (offers & ready & marks & ~marked) begin
            marked <= 1'b1;
            mark_at <= put;
            mark <= data;
        end
    end

    // a watched item leaves in its turn, or is dropped there by a reset; one that waits when the reset comes is dropped
    wire drops = (rst | ~drained) & (got_gray != put_late);
    reg doomed = 1'b0;
    wire [ADDRESS:0] until_mark = mark_at - got;

    // items that have come, and that have left
    reg [ADDRESS:0] came = 0;
    reg [ADDRESS:0] left = 0;
    always @(posedge cable_clk) if (offers & ready) came <= came + 1'b1;
    always @(posedge board_clk) if (takes | drops) left <= left + 1'b1;

    always @(posedge board_clk) begin
        if ((takes | drops) & marked & (got == mark_at)) passed <= 1'b1;
        if (rst & marked & (until_mark < until_put_late)) doomed <= 1'b1;
    end

    // the watched item leaves as it came; nothing leaves that did not come
    always @* begin
        if (takes & marked & ~passed & (got == mark_at)) assert (first == mark);
        if (takes & marked & ~passed & (got == mark_at)) assert (!doomed);
        if (takes | drops) assert (waits != 0);
        assert (waits <= ROOM && came == put && left == got);
{%- if is_checked %}
        if (alone) assert (waits == 0);
{%- endif %}
    end

    reg [WIDTH:0] marked_token;
    always @* begin
        case (mark_at[ADDRESS-1:0])
{%- for at in places() %}
            {{ address }}'d{{ at }}: marked_token = token_{{ at }};
{%- endfor %}
        endcase
    end

    always @* begin
        if (!begun) begin
            assume (!cable_clk && !board_clk);
            assume (put == 0 && put_gray == 0 && got == 0 && got_gray == 0);
            assume (put_before == 0 && put_early == 0 && put_late == 0);
            assume (got_before == 0 && got_early == 0 && got_late == 0);
        end
    end

    // one bit of a pointer changes at a time
    reg [ADDRESS:0] put_was;
    reg [ADDRESS:0] got_was;
    always @(posedge step) begin
        put_was <= put_gray;
        got_was <= got_gray;
    end
    wire [ADDRESS:0] put_changes = put_gray ^ put_was;
    wire [ADDRESS:0] got_changes = got_gray ^ got_was;

    always @* begin
        if (begun) begin
            assert ((put_changes & (put_changes - 1'b1)) == 0);
            assert ((got_changes & (got_changes - 1'b1)) == 0);
        end
        // each register of a pointer is older than the one before it
        assert (n_put_gray == put && n_got_gray == got);
        assert (since_got_late <= ROOM && since_got_late >= since_got_early);
        assert (since_got_early >= since_got_before && since_got_before >= waits && got_moved <= 1);
        assert (until_put_late <= until_put_early && until_put_early <= until_put_before);
        assert (until_put_before <= waits && put_moved <= 1);
        if (marked & ~passed) assert (until_mark < waits && marked_token == mark);
        if (doomed) assert (marked);
        if (marked & ~passed & doomed) assert (!drained && until_mark < until_put_late);
{%- if mode == Mode::Credits %}
        assert (since_got_early <= {{ tokens }} && since_got_before <= {{ tokens }} && since_got_late <= {{ tokens + 1 }});
{%- endif %}
    end
{%- if mode == Mode::Credits %}

    always @* begin
        if (offers) assume (since_got_before < {{ tokens }});
        if (offers) assert (ready);
    end
{%- endif %}

endmodule

`default_nettype wire
