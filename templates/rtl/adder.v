{%- macro hold(is_held, range, name, value) %}
{%- if is_held %}
    reg  {{ range }}{{ name }};
    always @(posedge clk) if (ce) {{ name }} <= {{ value }};
{%- else %}
    wire {{ range }}{{ name }} = {{ value }};
{%- endif %}
{%- endmacro -%}
// {{ module }}: a + b of {{ number }}
{% include "rtl/parts/floats.v" %}
    localparam integer S = {{ sizes.fraction + 4 }};  // bits of a sum: one before the point, the fraction, three below

    // 1: which of the two is larger, and whether one is no number
    wire [E+M-1:0] a_size = {% if flush %}(a[E+M-1:M] == {E{1'b0}}) ? {(E+M){1'b0}} : {% endif %}a[E+M-1:0];
    wire [E+M-1:0] b_size = {% if flush %}(b[E+M-1:M] == {E{1'b0}}) ? {(E+M){1'b0}} : {% endif %}b[E+M-1:0];
    wire a_top = &a[E+M-1:M];
    wire b_top = &b[E+M-1:M];
    wire a_some = |a[M-1:0];
    wire b_some = |b[M-1:0];
    wire opposite = a[E+M] ^ b[E+M];
    wire less = a_size < b_size;
    // flags: the sum is a NaN, infinite, negative; and its sign if it is zero
    wire [3:0] kind = {
        (a_top & a_some) | (b_top & b_some) | (a_top & b_top & opposite),
        a_top | b_top,
        less ? b[E+M] : a[E+M],
        a[E+M] & b[E+M]
    };
{{- hold(held[0], "[E+M-1:0] ", "a_1", "a_size") }}
{{- hold(held[0], "[E+M-1:0] ", "b_1", "b_size") }}
{{- hold(held[0], "", "less_1", "less") }}
{{- hold(held[0], "", "opposite_1", "opposite") }}
{{- hold(held[0], "[3:0] ", "kind_1", "kind") }}

    // 2: the larger first
{{- hold(held[1], "[E+M-1:0] ", "larger_2", "less_1 ? b_1 : a_1") }}
{{- hold(held[1], "[E+M-1:0] ", "lesser_2", "less_1 ? a_1 : b_1") }}
{{- hold(held[1], "", "opposite_2", "opposite_1") }}
{{- hold(held[1], "[3:0] ", "kind_2", "kind_1") }}

    // 3: how far apart they are; a subnormal number has the exponent of the smallest others
    wire larger_is_normal = |larger_2[E+M-1:M];
    wire lesser_is_normal = |lesser_2[E+M-1:M];
    wire [E-1:0] exponent = larger_2[E+M-1:M] | { {(E-1){1'b0}}, ~larger_is_normal};
    wire [E-1:0] below = lesser_2[E+M-1:M] | { {(E-1){1'b0}}, ~lesser_is_normal};
{{- hold(held[2], "[E-1:0] ", "distance_3", "exponent - below") }}
{{- hold(held[2], "[E-1:0] ", "exponent_3", "exponent") }}
{{- hold(held[2], "[M:0] ", "large_3", "{larger_is_normal, larger_2[M-1:0]}") }}
{{- hold(held[2], "[M:0] ", "small_3", "{lesser_is_normal, lesser_2[M-1:0]}") }}
{{- hold(held[2], "", "opposite_3", "opposite_2") }}
{{- hold(held[2], "[3:0] ", "kind_3", "kind_2") }}

    // 4: the smaller is moved by fours; whether anything is lost
    wire [S-1:0] whole = {small_3, 3'b000};
    wire [{{ sizes.distance - 1 }}:0] fours = {distance_3[{{ sizes.distance - 1 }}:2], 2'b00};
    wire [S-1:0] out_of_sight = whole & ~({S{1'b1}} << fours);
    wire far = |distance_3[E-1:{{ sizes.distance }}];
{{- hold(held[3], "[S-1:0] ", "small_4", "whole >> fours") }}
{{- hold(held[3], "[1:0] ", "ones_4", "distance_3[1:0]") }}
{{- hold(held[3], "", "far_4", "far") }}
{{- hold(held[3], "", "lost_4", "far ? |small_3 : |out_of_sight") }}
{{- hold(held[3], "[E-1:0] ", "exponent_4", "exponent_3") }}
{{- hold(held[3], "[M:0] ", "large_4", "large_3") }}
{{- hold(held[3], "", "opposite_4", "opposite_3") }}
{{- hold(held[3], "[3:0] ", "kind_4", "kind_3") }}

    // 5: by ones; what is lost is joined to the lowest bit
    wire [S-1:0] moved = small_4 >> ones_4;
    wire lost = lost_4 | (|(small_4[2:0] & ~(3'b111 << ones_4)));
{{- hold(held[4], "[S-1:0] ", "small_5", "far_4 ? { {(S-1){1'b0}}, lost_4} : {moved[S-1:1], moved[0] | lost}") }}
{{- hold(held[4], "[E-1:0] ", "exponent_5", "exponent_4") }}
{{- hold(held[4], "[M:0] ", "large_5", "large_4") }}
{{- hold(held[4], "", "opposite_5", "opposite_4") }}
{{- hold(held[4], "[3:0] ", "kind_5", "kind_4") }}

    // 6: the sum or the difference, one carry chain; and how far it may be moved up before it is subnormal
    wire [S+1:0] sum = {1'b0, large_5, 4'b0001} + { {1'b0, small_5} ^ {(S+1){opposite_5}}, opposite_5};
    wire [S:0] stop = {1'b1, {S{1'b0}}} >> exponent_5;
{{- hold(held[5], "[S:0] ", "sum_6", "sum[S+1:1]") }}
{{- hold(held[5], "[S-1:0] ", "stop_6", "stop[S-1:0]") }}
{{- hold(held[5], "[E-1:0] ", "exponent_6", "exponent_5") }}
{{- hold(held[5], "[3:0] ", "kind_6", "kind_5") }}

    // 7: leading zeros by groups of four bits, the highest first; where a sum must stop it seems to begin
    wire [{{ 4 * sizes.groups - 1 }}:0] probe = { {sum_6[S-1] | stop_6[S-1] | sum_6[S], sum_6[S-2:0] | stop_6[S-2:0]}
{%- if 4 * sizes.groups > sizes.fraction + 4 %}, {{ 4 * sizes.groups - sizes.fraction - 4 }}'d0{% endif %}};
    wire [{{ sizes.groups - 1 }}:0] some = {
{%- for group in 0..sizes.groups %}
        |probe[{{ 4 * group + 3 }}:{{ 4 * group }}]{% if !loop.last %},{% endif %}
{%- endfor %}
    };
    wire [{{ 2 * sizes.groups - 1 }}:0] zeros = {
{%- for group in 0..sizes.groups %}
        ~(|probe[{{ 4 * group + 3 }}:{{ 4 * group + 2 }}]), ~probe[{{ 4 * group + 3 }}] & (probe[{{ 4 * group + 2 }}] | ~probe[{{ 4 * group + 1 }}]){% if !loop.last %},{% endif %}
{%- endfor %}
    };
    wire [{{ sizes.index - 1 }}:0] group =
{%- for group in 0..sizes.groups - 1 %}
        some[{{ group }}] ? {{ sizes.index }}'d{{ group }} :
{%- endfor %}
        {{ sizes.index }}'d{{ sizes.groups - 1 }};
{{- hold(held[6], "[S-1:0] ", "sum_7", "sum_6[S] ? {sum_6[S:2], sum_6[1] | sum_6[0]} : sum_6[S-1:0]") }}
{{- hold(held[6], "", "up_7", "sum_6[S]") }}
{%- if held[6] %}
    reg  [{{ sizes.index - 1 }}:0] group_7;
    reg  [{{ 2 * sizes.groups - 1 }}:0] zeros_7;
    always @(posedge clk) if (ce) group_7 <= group;
    always @(posedge clk) if (ce) zeros_7 <= zeros;
{%- else %}
    wire [{{ sizes.index - 1 }}:0] group_7 = group;
    wire [{{ 2 * sizes.groups - 1 }}:0] zeros_7 = zeros;
{%- endif %}
{{- hold(held[6], "[E-1:0] ", "exponent_7", "exponent_6") }}
{{- hold(held[6], "[3:0] ", "kind_7", "kind_6") }}

    // 8: moved up by fours
    wire [{{ 2 * (1 << sizes.index) - 1 }}:0] all_zeros = {
{%- if (1 << sizes.index) > sizes.groups %}{{ 2 * ((1 << sizes.index) - sizes.groups) }}'d0, {% endif %}zeros_7};
    wire [1:0] ones = all_zeros[{group_7, 1'b0}+:2];
{{- hold(held[7], "[S-1:0] ", "sum_8", "sum_7 << {group_7, 2'b00}") }}
{{- hold(held[7], "[1:0] ", "ones_8", "ones") }}
{%- if held[7] %}
    reg  [{{ sizes.index - 1 }}:0] group_8;
    always @(posedge clk) if (ce) group_8 <= group_7;
{%- else %}
    wire [{{ sizes.index - 1 }}:0] group_8 = group_7;
{%- endif %}
{{- hold(held[7], "", "up_8", "up_7") }}
{{- hold(held[7], "[E-1:0] ", "exponent_8", "exponent_7") }}
{{- hold(held[7], "[2:0] ", "kind_8", "{kind_7[3:2], (|sum_7) ? kind_7[1] : kind_7[0]}") }}

    // 9: by ones; the exponent falls by as much, or rises by one
    wire [E:0] by = up_8 ? {(E+1){1'b0}} : ~{ {(E-{{ sizes.index + 1 }}){1'b0}}, group_8, ones_8};
    wire [E+1:0] raised = {1'b0, exponent_8, 1'b1} + {by, 1'b1};
{{- hold(held[8], "[S-1:0] ", "sum_9", "sum_8 << ones_8") }}
{{- hold(held[8], "[E:0] ", "exponent_9", "raised[E+1:1]") }}
{{- hold(held[8], "[2:0] ", "kind_9", "kind_8") }}

    // 10: whether it is rounded up; without the bit before the point it is subnormal
{{- hold(held[9], "[E+M:0] ", "cut_10", "{sum_9[S-1] ? exponent_9 : {(E+1){1'b0}}, sum_9[M+2:3]}") }}
{{- hold(held[9], "", "round_10", "sum_9[2] & (sum_9[1] | sum_9[0] | sum_9[3])") }}
{{- hold(held[9], "[2:0] ", "kind_10", "kind_9") }}

    // 11: rounded
{{- hold(held[10], "[E+M:0] ", "rounded_11", "cut_10 + { {(E+M){1'b0}}, round_10}") }}
{{- hold(held[10], "[2:0] ", "kind_11", "kind_10") }}

    // 12: what is no number
    wire over = rounded_11[E+M] | (&rounded_11[E+M-1:M]);
    always @(posedge clk) if (ce) begin
        if (kind_11[2]) y <= {1'b0, {(E+1){1'b1}}, {(M-1){1'b0}}};
        else if (kind_11[1] | over) y <= {kind_11[0], {E{1'b1}}, {M{1'b0}}};
{%- if flush %}
        else if (rounded_11[E+M-1:M] == {E{1'b0}}) y <= {kind_11[0], {(E+M){1'b0}}};
{%- endif %}
        else y <= {kind_11[0], rounded_11[E+M-1:0]};
    end

    // carries in, and bits that are known
    wire unused = &{1'b0, sum[0], stop[S], some[{{ sizes.groups - 1 }}], raised[0]};

endmodule

`default_nettype wire
