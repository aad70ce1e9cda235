    // after the last tick nothing moves until run falls
    wire play = run & ~done;
{%- for last in last_tick %}
    reg {{ last.range }}played;

    always @(posedge clk) begin
        if (rst | ~run) begin
            played <= {{ last.bits }}'d0;
            done <= 1'b0;
        end else if (played == {{ last.bits }}'d{{ last.last }}) begin
            done <= 1'b1;
        end else begin
            played <= played + {{ last.bits }}'d1;
        end
    end
{%- endfor %}
{%- if last_tick.is_none() %}

    always @(posedge clk) begin
        done <= run & ~rst;
    end
{%- endif %}
{%- for flit in flit %}

    // which flit of their packets the nodes inject
    always @(posedge clk) begin
        if (rst | ~run | (flit == {{ flit.bits }}'d{{ flit.last }})) begin
            flit <= {{ flit.bits }}'d0;
        end else begin
            flit <= flit + {{ flit.bits }}'d1;
        end
    end
{%- endfor %}
{%- if first %}

    // high while the nodes inject their first packets
    reg started;
    wire first = ~started;

    always @(posedge clk) begin
        started <= run & ~rst{% for flit in flit %} & (started | (flit == {{ flit.bits }}'d{{ flit.last }})){% endfor %};
    end
{%- endif %}
{%- for table in tables %}

    // what the routers of class {{ table.class }} do in this tick
    wire {{ table.wires.word }}word_{{ table.class }};
{%- for slot in table.wires.slot %}
    wire {{ slot }}slot_{{ table.class }};
{%- endfor %}

    {{ table.module }} table_{{ table.class }} (
        .clk(clk),
        .rst(rst),
        .run(play),
{%- if table.wires.slot.is_some() %}
        .slot(slot_{{ table.class }}),
{%- endif %}
        .word(word_{{ table.class }})
    );
{%- endfor %}
