    // Arrivals by step, all inputs side by side. A bank is never read while it is written, so the result of
    // such a read does not matter.
    localparam integer FIRST = 0;
    localparam integer LAST = {{ last_address }};
    wire {{ address.range }}write_address = {play_bank, step{% if flit.is_some() %}, step_flit{% endif %}};
    wire {{ address.range }}read_address = {read_bank, {{ read_place }}{% if step.bits < place.bits %}[{{ step.bits - 1 }}:0]{% endif %}{% if flit.is_some() %}, read_flit{% endif %}};
    (* no_rw_check *)
    reg [{{ inputs.len() }}*WIDTH-1:0] received [FIRST:LAST];
    reg [{{ inputs.len() }}*WIDTH-1:0] words;

    always @(posedge clk) begin
        if (write) begin
            received[write_address] <= {
{%- for input in inputs.iter().rev() %}
                {{ input.name }}_in_data{% if !loop.last %},{% endif %}
{%- endfor %}
            };
        end
        if (next) begin
            words <= received[read_address];
        end
    end
