    // play of the proof that the checkers see, in which one error of each kind is made for all of them
    reg [PROOFS-1:0] proof;
    reg {{ checked.range }}checkers;  // number of those that saw valid inverted
    wire is_proof = |proof[PROOFS-1:2];
    wire rst_of_all = state == 3'd0;
    wire clears = rst_of_all | (state == 3'd6);  // records and counts
