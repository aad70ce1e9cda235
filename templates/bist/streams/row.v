// {{ common.name }}_row: hands on the words of a row one by one, from the lowest place on, with what stands beside them
//
// A row is taken with its last word. A word is {{ order }}.
{%- for line in common.notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ common.name }}_row #(
    parameter integer WIDTH = {{ common.width }}
) (
    input  wire clk,
    input  wire restarts,  // the row that waits is not gone on with
    // stream out of the node
    input  wire [{{ sizes.lanes() }}*WIDTH-1:0] row_data,
    input  wire [{{ sizes.lanes() - 1 }}:0] row_keep,
    input  wire [{{ sizes.lanes() * sizes.user() - 1 }}:0] row_user,
    input  wire row_last,
    input  wire [{{ sizes.program - 1 }}:0] row_dest,
    input  wire row_valid,
    output wire row_ready,
    // words one by one
    output reg  [WIDTH+{{ beside - 1 }}:0] out,
    output wire out_valid,
    input  wire out_ready
);

    localparam integer LANES = {{ sizes.lanes() }};

    // places whose words have been handed on, the others, and the lowest of them
    reg [LANES-1:0] gone;
    wire [LANES-1:0] left = row_keep & ~gone;
    wire [LANES-1:0] next = left & (~left + { {(LANES-1){1'b0}}, 1'b1});
    wire [LANES-1:0] after = left & ~next;
    assign out_valid = row_valid & (left != {LANES{1'b0}});
    assign row_ready = (after == {LANES{1'b0}}) & (out_ready | (left == {LANES{1'b0}}));
    always @(posedge clk) begin
        if (out_valid & out_ready) gone <= (after == {LANES{1'b0}}) ? {LANES{1'b0}} : gone | next;
        if (restarts) gone <= {LANES{1'b0}};
    end

    integer lane;
    always @* begin
        out = { {(WIDTH+{{ beside }}){1'b0}}};
        for (lane = 0; lane < LANES; lane = lane + 1) begin
            if (next[lane]) begin
                out = {row_user[lane*{{ sizes.user() }}+:{{ sizes.user() }}], lane[{{ place - 1 }}:0], row_last, row_dest, row_data[lane*WIDTH+:WIDTH]};
            end
        end
    end

endmodule

`default_nettype wire
