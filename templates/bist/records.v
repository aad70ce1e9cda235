    // the records shift by, port by port, one step in four ticks; the earliest difference is kept,
    // and the counts are added up; in a proof, the reports
    reg [1:0] phase;
    reg [RECORD-1:0] head;
    reg [RECORD-1:0] kept;
    reg [TICK-1:0] head_count;
    reg [23:0] arrivals;
    reg [23:0] due;
    reg earlier;
    reg at_end;
{%- for axis in axes %}
    reg {{ axis.range }}{{ axis.name }};
    reg {{ axis.range }}kept_{{ axis.name }};
{%- endfor %}
    reg {{ port.range }}port;
    reg {{ port.range }}kept_port;
    wire [TICK-1:0] kept_tick = kept[BELOW+:TICK];

    always @(posedge clk) begin
        head <= {{ first_record }}_record;
        head_count <= {{ first_record }}_count;
        counted <= looked;
        // before the first run nothing is played, and the count must be found wrong
        due <= all_arrivals;
        if (proof[2]) due <= CHECKERS[23:0];
        if (|proof[SPOILS+2:3]) due <= all_receivers;
{%- if common.combines %}
        if (proof[SPOILS+3]) due <= BALANCES[23:0];
{%- endif %}
        // an unknown count in a simulation is a wrong count
        if (arrivals == due) miscounted <= 1'b0;
        else miscounted <= 1'b1;
        earlier <= head[RECORD-1] & (~found | (head[BELOW+:TICK] < kept_tick));
        at_end <= (port == {{ port.bits }}'d{{ port.last }})
{%- for axis in axes %}
            & ({{ axis.name }} == {{ axis.bits }}'d{{ axis.last }})
{%- endfor %};
        phase <= phase + 2'd1;
        shift <= (state == 3'd5) & (phase == 2'd3) & ~looked;
        if (counted & proof[2]) checkers <= arrivals[{{ checked.bits - 1 }}:0];
        if (state == 3'd4) arrivals <= 24'd0;
        if (state != 3'd5) begin
            phase <= 2'd1;
            looked <= 1'b0;
{%- for axis in axes %}
            {{ axis.name }} <= {{ axis.bits }}'d0;
{%- endfor %}
            port <= {{ port.bits }}'d0;
        end else if (phase == 2'd0) begin
            looked <= at_end;
            arrivals <= arrivals + (is_proof ? {23'd0, head[RECORD-1]} : { {{- 24 - common.tick }}'d0, head_count});
            if (earlier) begin
                found <= 1'b1;
                kept <= head;
{%- for axis in axes %}
                kept_{{ axis.name }} <= {{ axis.name }};
{%- endfor %}
                kept_port <= port;
            end
            port <= port + {{ port.bits }}'d1;
            if (port == {{ port.bits }}'d{{ port.last }}) port <= {{ port.bits }}'d0;
{%- for axis in axes %}
            if (
                (port == {{ port.bits }}'d{{ port.last }})
{%- for inner in axis.inner %}
                & ({{ inner.0 }} == {{ inner.1 }}'d{{ inner.2 }})
{%- endfor %}
            ) begin
                {{ axis.name }} <= {{ axis.name }} + {{ axis.bits }}'d1;
                if ({{ axis.name }} == {{ axis.bits }}'d{{ axis.last }}) {{ axis.name }} <= {{ axis.bits }}'d0;
            end
{%- endfor %}
        end
        if (clears) found <= 1'b0;
    end
