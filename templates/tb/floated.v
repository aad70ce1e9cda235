    function automatic [31:0] floated(input reg [31:0] x);
        integer high;
        reg [31:0] fraction;
        begin
            high = 0;
            while ((x >> high) > 1) high = high + 1;
            fraction = (x << ({{ float.fraction }} - high)) & 32'd{{ float.mask }};
            floated = (x == 0) ? 32'd0 : ((high + {{ float.bias }}) << {{ float.fraction }}) | fraction;
        end
    endfunction
