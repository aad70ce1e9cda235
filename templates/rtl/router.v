// {{ module }}: {{ headline }}
//
{%- for line in notes %}
// {{ line }}
{%- endfor %}
`resetall
`timescale 1ns / 1ps
`default_nettype none

module {{ module }} #(
    parameter integer WIDTH = {{ width }}
) (
{%- for signal in signals %}
    {{ signal.kind }} {{ signal.range }} {{ signal.name }}{{ signal.comma }}{{ signal.note }}
{%- endfor %}
);
{%- for table in playback.tables %}

    // what each output sends
    wire {{ table.word_range }}word;
{%- if table.has_store %}
    wire {{ table.slot_range }}slot;
{%- endif %}

    {{ table.module }} table_rom (
        .clk(clk),
        .rst(rst),
        .run(run),
{%- if table.has_store %}
        .slot(slot),
{%- endif %}
        .word(word)
    );
{%- endfor %}
{%- for field in playback.fields %}
{%- if loop.first %}
{% endif %}
    wire {{ field.range }}{{ field.name }} = {{ field.part }};
{%- endfor %}
{%- for store in playback.stores %}

    // what arrived at {{ store.label }}, by tick, read one tick ahead of its use
    reg [WIDTH:0] {{ store.name }} [1:{{ store.words }}];
{%- for read in store.reads %}
    reg [WIDTH:0] {{ read.name }};
{%- endfor %}

    always @(posedge clk) begin
        {{ store.name }}[slot] <= {{ store.arrival }};
{%- for read in store.reads %}
        {{ read.name }} <= {{ store.name }}[{{ read.slot }}];
{%- endfor %}
    end
{%- endfor %}
{%- for counter in counters %}

    // {{ counter.what }}
    reg {{ counter.range }}{{ counter.name }};

    always @(posedge clk) begin
        if (rst | ~run) begin
            {{ counter.name }} <= {{ counter.zero }};
        end else if ({{ counter.name }} != {{ counter.last }}) begin
            {{ counter.name }} <= {{ counter.name }} + {{ counter.one }};
{%- if counter.wraps %}
        end else begin
            {{ counter.name }} <= {{ counter.start }};
{%- endif %}
        end
    end
{%- endfor %}
{%- for line in lines %}

    // {{ line.what }}
    reg {{ line.data_range }} {{ line.port }}_line_data;
    reg {{ line.valid_range }}{{ line.port }}_line_valid;

    always @(posedge clk) begin
        {{ line.port }}_line_data <= {{ line.next_data }};
        if (rst | ~run) begin
            {{ line.port }}_line_valid <= {{ line.none }};
        end else begin
            {{ line.port }}_line_valid <= {{ line.next_valid }};
        end
    end
{%- endfor %}
{%- for ring in rings %}

    // {{ ring.what }}:
    // a ring of {{ ring.words }} words, read just before it is written and one tick ahead of its use;
    // what is left in it from an earlier run is never valid
    reg [WIDTH:0] {{ ring.name }} [1:{{ ring.words }}];
    reg [WIDTH:0] {{ ring.name }}_word;
    reg {{ ring.slot_range }}{{ ring.name }}_slot;
    reg {{ ring.name }}_full;
    reg {{ ring.name }}_live;
    wire [WIDTH-1:0] {{ ring.name }}_data = {{ ring.name }}_word[WIDTH-1:0];
    wire {{ ring.name }}_valid = {{ ring.name }}_word[WIDTH] & {{ ring.name }}_live;

    always @(posedge clk) begin
        {{ ring.name }}_word <= {{ ring.name }}[{{ ring.name }}_slot];
        {{ ring.name }}[{{ ring.name }}_slot] <= {{ ring.arrival }};
        {{ ring.name }}_live <= {{ ring.name }}_full & run & ~rst;
        if (rst | ~run) begin
            {{ ring.name }}_slot <= {{ ring.first }};
            {{ ring.name }}_full <= 1'b0;
        end else if ({{ ring.name }}_slot == {{ ring.last }}) begin
            {{ ring.name }}_slot <= {{ ring.first }};
            {{ ring.name }}_full <= 1'b1;
        end else begin
            {{ ring.name }}_slot <= {{ ring.name }}_slot + {{ ring.first }};
        end
    end
{%- endfor %}

    always @(posedge clk) begin
        if (rst | ~run) begin
{%- for output in driven %}
            {{ output }}_out_valid <= 1'b0;
{%- endfor %}
        end else begin
{%- for output in outputs %}
            // {{ output.rule }}
{%- for leg in output.legs %}
{%- if leg.chained %}
            {{ leg.head }}
{%- for load in leg.loads %}
                {{ load }}
{%- endfor %}
{%- else %}
{%- for load in leg.loads %}
            {{ load }}
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- if output.chained %}
            end
{%- endif %}
{%- endfor %}
{%- for output in playback.choosers %}
            // {{ output.label }}
            case ({{ output.select }})
{%- for arm in output.arms %}
                {{ arm.value }}: begin  // {{ arm.what }}
{%- for load in arm.loads %}
                    {{ load }}
{%- endfor %}
                end
{%- endfor %}
            endcase
{%- endfor %}
        end
    end

endmodule

`resetall
