// {{ module }}: watches the links of a board: ready, the first fault, restarts
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} (
    input  wire {{ gap }}clk,
    input  wire {{ gap }}rst,
    input  wire {{ gap }}restart,
    // by port
    input  wire {{ ports.range }}linked,
    input  wire {{ ports.range }}up,
    input  wire {{ ports.range }}asked,
    input  wire [{{ 4 * ports.bits - 1 }}:0] {{ codes_gap }}codes,
    output wire {{ gap }}ready,       // every link is up, no fault was met
    output reg  {{ gap }}restarting,  // high for a clock
    output reg  {{ gap }}error,       // stays until a restart
    output reg  [3:0] {{ code_gap }}error_code,
    output reg  {{ port.range }}{{ port_gap }}error_port
);

    // the lowest port with a fault, above its code
    function automatic [{{ port.bits + 3 }}:0] first(input reg [{{ 4 * ports.bits - 1 }}:0] all);
        integer at;
        begin
            first = {{ port.bits + 4 }}'d0;
            for (at = {{ ports.bits - 1 }}; at >= 0; at = at - 1) begin
                if (all[4*at+:4] != 4'd0) first = {at[{{ port.bits - 1 }}:0], all[4*at+:4]};
            end
        end
    endfunction

    reg links_hold;
    assign ready = links_hold & ~restarting;

    wire [3:0] code;
    wire {{ port.range }}place;
    assign {place, code} = first(codes);

    always @(posedge clk) begin
        links_hold <= &(up | ~linked) & ~error & (code == 4'd0) & ~rst & ~restarting;
        restarting <= (restart | (asked != {{ ports.bits }}'d0)) & ~restarting & ~rst;
        if (rst | restarting) begin
            error <= 1'b0;
            error_code <= 4'd0;
            error_port <= {{ port.bits }}'d0;
        end else if (~error & (code != 4'd0)) begin
            error <= 1'b1;
            error_code <= code;
            error_port <= place;
        end
    end

endmodule

`default_nettype wire
