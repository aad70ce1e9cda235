
    // random numbers, reproducible by seed: xorshift
    reg [31:0] chance;
    task automatic draw;
        begin
            chance = chance ^ (chance << 13);
            chance = chance ^ (chance >> 17);
            chance = chance ^ (chance << 5);
        end
    endtask