
    // combination of two values by any function, but for two rules that sums keep: bit 0 of a result is 0, and such a value beside the
    // neutral one stays itself
    localparam [1:0] NOTHING = {{ neutral }};

    function [1:0] both;
        input [1:0] one;
        input [1:0] other;
        both = (other == NOTHING && !one[0]) ? one : {any_function[{one, other}], 1'b0};
    endfunction
