// {{ module }}: starts a board together with all others
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
    input  wire {{ gap }}clk,
    input  wire {{ gap }}halt,  // reset, fault or restart
    input  wire {{ gap }}idle,  // {% if tells_end %}a call can be taken: no fault, every link was up{% else %}no run, no fault, every link was up{% endif %}
{%- if tells_end %}
    input  wire {{ gap }}ended,  // no call is under way
{%- endif %}
    // place of the board in the tree, by port
    input  wire {{ gap }}is_host,
    input  wire {{ ports.range }}{{ ports_gap }}parent,
    input  wire {{ ports.range }}{{ ports_gap }}children,
    // coordinates of the board, and of its neighbours by port
    input  wire {{ place.range }}{{ place_gap }}place,
    input  wire [{{ ports.bits * place.bits - 1 }}:0] {{ places_gap }}places,
    // links by port
    input  wire {{ ports.range }}{{ ports_gap }}linked,
    input  wire {{ ports.range }}{{ ports_gap }}up,
    // a start or a status that has come, by port
    input  wire {{ ports.range }}{{ ports_gap }}start_put,
    input  wire {{ ports.range }}{{ ports_gap }}status_put,
    input  wire [{{ ports.bits }}*WIDTH-1:0] words,
    input  wire [{{ ports.bits * status - 1 }}:0] {{ statuses_gap }}statuses,
    // at the host's board
    input  wire {{ gap }}start,
    input  wire [WIDTH-1:0]   start_word,
    // readiness of this board and all behind it, and the first that is not ready
    output wire {{ gap }}ready,
    output wire {{ place.range }}{{ place_gap }}waits,
    output wire {{ gap }}begins,
    output reg  [WIDTH-1:0]   word,  // of the last start
    // ports for which the board was not ready for a start that came
    output wire {{ ports.range }}{{ ports_gap }}refused,
    // children that have not told the end of the last run: one that fails until then may miss it
    output reg  {{ ports.range }}{{ ports_gap }}owed,
    // to the parent: first board that is not ready, {% if tells_end %}no call is under way here, {% endif %}all are ready, starts that came modulo 2
    output reg  [{{ status - 1 }}:0] {{ status_gap }}status,
    // to the children: a start waits to be sent; it has been
    output reg  {{ ports.range }}{{ ports_gap }}start_valid,
    input  wire {{ ports.range }}{{ ports_gap }}start_ready
);

    // coordinates for the lowest port
    function automatic {{ place.range }}first(
        input reg {{ ports.range }}ports,
        input reg [{{ ports.bits * place.bits - 1 }}:0] all
    );
        integer at;
        begin
            first = {{ place.bits }}'d0;
            for (at = {{ ports.bits - 1 }}; at >= 0; at = at - 1) begin
                if (ports[at]) first = all[{{ place.bits }}*at+:{{ place.bits }}];
            end
        end
    endfunction

    // word of the start that comes from the parent
    function automatic [WIDTH-1:0] chosen(
        input reg {{ ports.range }}ports,
        input reg [{{ ports.bits }}*WIDTH-1:0] all
    );
        integer at;
        begin
            chosen = {WIDTH{1'b0}};
            for (at = 0; at < {{ ports.bits }}; at = at + 1) begin
                chosen = chosen | ({WIDTH{ports[at]}} & all[WIDTH*at+:WIDTH]);
            end
        end
    endfunction

    // starts that were sent to a child, and that came from the parent, since the link is up, modulo 2
    reg {{ ports.range }}sent;
    reg came;
    // last status of a child that belongs to the last start
    reg {{ ports.range }}child_ready;
    reg [{{ ports.bits * place.bits - 1 }}:0] child_waits;

    wire {{ ports.range }}down = linked & ~up;
    wire {{ ports.range }}late = children & ~child_ready;
    assign ready = idle & (down == {{ ports.bits }}'d0) & (late == {{ ports.bits }}'d0);
    assign waits = (down != {{ ports.bits }}'d0) ? first(down, places) : idle ? first(late, child_waits) : place;

    wire come = (start_put & parent) != {{ ports.bits }}'d0;
    assign begins = ready & (is_host ? start : come);
    // ports with a link that is down, or with boards behind them that are not ready
    wire refuses = (start_put & ~(parent & {{ "{" }}{{ ports.bits }}{ready}})) != {{ ports.bits }}'d0;
    wire {{ ports.range }}at_fault = (down != {{ ports.bits }}'d0) ? down : (late != {{ ports.bits }}'d0) ? late : start_put;
    assign refused = at_fault & {{ "{" }}{{ ports.bits }}{refuses}};

    integer port;
    always @(posedge clk) begin
        if (begins) word <= is_host ? start_word : chosen(parent, words);
        came <= ((up & parent) != {{ ports.bits }}'d0) & (came ^ begins);
        status <= {waits, {% if tells_end %}ended, {% endif %}ready, came};
        for (port = 0; port < {{ ports.bits }}; port = port + 1) begin
            sent[port] <= up[port] & (sent[port] ^ (begins & children[port]));
            if (halt | ~up[port]) owed[port] <= 1'b0;
            else if (begins) owed[port] <= children[port];
            start_valid[port] <= ~halt & ((begins & children[port]) | (start_valid[port] & ~start_ready[port]));
            if (begins | ~up[port]) begin
                child_ready[port] <= 1'b0;
                child_waits[{{ place.bits }}*port+:{{ place.bits }}] <= places[{{ place.bits }}*port+:{{ place.bits }}];
            end else if (status_put[port] & (statuses[{{ status }}*port] == sent[port])) begin
                child_ready[port] <= statuses[{{ status }}*port+1];
                if (statuses[{{ status }}*port+{{ below - 1 }}]) owed[port] <= 1'b0;
                child_waits[{{ place.bits }}*port+:{{ place.bits }}] <= statuses[{{ status }}*port+{{ below }}+:{{ place.bits }}];
            end
        end
    end

endmodule

`default_nettype wire
