//! Calls that no program or root is for, words for another program and ends at wrong places are told at ports of their own, and calls
//! that follow are right.

use std::fs;

use crate::fixtures::called::generated;
use crate::fixtures::command::Place;
use crate::fixtures::node_lists::{compiled, list, with_settings};
use crate::fixtures::tools::has;

/// Three nodes, of which node u sends word 10, 20 or 30, in hexadecimal, in a gossip. A row for each call: what came to every node, ends,
/// and what the ports say.
const BENCH: &str = r#"
module misuse_tb;
    reg clk = 1'b0, rst = 1'b1, start = 1'b0;
    always #5 clk = ~clk;
    reg [1:0] called = 2'd0, root = 2'd0;
    reg [2:0] valid = 3'd0, last = 3'd0;
    reg [7:0] word [0:2];
    reg [1:0] dest [0:2];
    wire ready, busy, done, absent;
    wire [2:0] taken, given, reads, astray, misframed;
    wire [7:0] out [0:2];
    reg patient = 1'b1;  // readers wait until there is a word
    assign reads = patient ? given : 3'd7;
    calls_system system (
        .clk(clk), .rst(rst), .start(start), .ready(ready), .program_number(called), .root(root), .busy(busy), .done(done), .absent(absent),
        .n0_s_axis_tdata(word[0]), .n0_s_axis_tvalid(valid[0]), .n0_s_axis_tready(taken[0]), .n0_s_axis_tlast(last[0]), .n0_s_axis_tdest(dest[0]),
        .n0_m_axis_tdata(out[0]), .n0_m_axis_tvalid(given[0]), .n0_m_axis_tready(reads[0]), .n0_m_axis_tlast(), .n0_m_axis_tuser(), .n0_m_axis_tdest(),
        .n1_s_axis_tdata(word[1]), .n1_s_axis_tvalid(valid[1]), .n1_s_axis_tready(taken[1]), .n1_s_axis_tlast(last[1]), .n1_s_axis_tdest(dest[1]),
        .n1_m_axis_tdata(out[1]), .n1_m_axis_tvalid(given[1]), .n1_m_axis_tready(reads[1]), .n1_m_axis_tlast(), .n1_m_axis_tuser(), .n1_m_axis_tdest(),
        .n2_s_axis_tdata(word[2]), .n2_s_axis_tvalid(valid[2]), .n2_s_axis_tready(taken[2]), .n2_s_axis_tlast(last[2]), .n2_s_axis_tdest(dest[2]),
        .n2_m_axis_tdata(out[2]), .n2_m_axis_tvalid(given[2]), .n2_m_axis_tready(reads[2]), .n2_m_axis_tlast(), .n2_m_axis_tuser(), .n2_m_axis_tdest(),
        .astray(astray), .misframed(misframed)
    );
    reg [23:0] came [0:2];
    integer node, ends = 0;
    always @(posedge clk) begin
        for (node = 0; node < 3; node = node + 1) begin
            if (given[node] & reads[node]) came[node] <= {came[node], out[node]};
            if (valid[node] & taken[node]) valid[node] <= 1'b0;
        end
        if (!rst) ends <= ends + done;
    end
    task clear;
        begin
            {came[0], came[1], came[2]} = 72'd0;
            ends = 0;
        end
    endtask
    task call(input [1:0] number, input [1:0] of_root);
        begin
            {called, root, start} = {number, of_root, 1'b1};
            #1;
            while (!ready) begin
                @(negedge clk);
                #1;
            end
            @(negedge clk);
            start = 1'b0;
        end
    endtask
    task offer(input integer at, input [1:0] number, input [7:0] data, input ends_block);
        begin
            word[at] = data;
            dest[at] = number;
            last[at] = ends_block;
            valid[at] = 1'b1;
        end
    endtask
    task told;
        begin
            repeat (80) @(negedge clk);
            $display("%h %h %h, %0d ended, busy %b, absent %b, astray %b, misframed %b, waiting %b", came[0], came[1], came[2], ends, busy,
                absent, astray, misframed, valid);
            clear;
        end
    endtask
    task reset;
        begin
            rst = 1'b1;
            @(negedge clk);
            rst = 1'b0;
        end
    endtask
    task gossip;
        begin
            call(2'd0, 2'd0);
            offer(0, 2'd0, 8'h10, 1'b1);
            offer(1, 2'd0, 8'h20, 1'b1);
            offer(2, 2'd0, 8'h30, 1'b1);
            told;
        end
    endtask
    initial begin
        clear;
        {word[0], word[1], word[2], dest[0], dest[1], dest[2]} = 30'd0;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        // readers that wait for words, and those that do not
        gossip;
        patient = 1'b0;
        gossip;
        // no such program, no such root; calls that follow are right
        call(2'd3, 2'd0);
        told;
        gossip;
        reset;
        call(2'd2, 2'd3);
        told;
        reset;
        // a word for another program waits, also over a reset, for a call of that program
        call(2'd0, 2'd0);
        offer(0, 2'd0, 8'h10, 1'b1);
        offer(1, 2'd1, 8'h21, 1'b1);
        offer(2, 2'd0, 8'h30, 1'b1);
        told;
        reset;
        call(2'd1, 2'd0);
        told;
        reset;
        // an end of a block that is missing
        call(2'd0, 2'd0);
        offer(0, 2'd0, 8'h10, 1'b1);
        offer(1, 2'd0, 8'h20, 1'b1);
        offer(2, 2'd0, 8'h30, 1'b0);
        told;
        gossip;
        reset;
        gossip;
        $finish;
    end
endmodule
"#;

/// What each node has after a gossip.
const GOSSIP: &str = "103020 201030 302010, 1 ended, busy 0, ";
const NOTHING: &str = "000000 000000 000000, 0 ended, ";

fn printed(place: &Place) -> Vec<String> {
    compiled(place, "misuse_tb");
    let ended = with_settings(place, "+runs=1");
    ended.stdout.lines().filter(|line| !line.contains("$finish")).map(str::to_owned).collect()
}

#[test]
fn wrong_calls_and_words_are_told_and_harm_no_later_call() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: gossip }, { collective: exchange }, { collective: broadcast, root: any, flits: 2 }";
    let place = generated(&list("cycle: 3", "link: { width: 8 }, local: { order: arrival },", programs));
    place.write("calls/tb/misuse_tb.v", BENCH);
    let all_well = "absent 0, astray 000, misframed 000, waiting 000";
    let told = [
        format!("{GOSSIP}{all_well}"),
        format!("{GOSSIP}{all_well}"),
        format!("{NOTHING}busy 0, absent 1, astray 000, misframed 000, waiting 000"),
        format!("{GOSSIP}absent 1, astray 000, misframed 000, waiting 000"),
        format!("{NOTHING}busy 0, absent 1, astray 000, misframed 000, waiting 000"),
        format!("{NOTHING}busy 1, absent 0, astray 010, misframed 000, waiting 010"),
        // its word is taken after the reset, and the call waits for those of the others
        format!("{NOTHING}busy 1, {all_well}"),
        format!("{GOSSIP}absent 0, astray 000, misframed 100, waiting 000"),
        format!("{GOSSIP}absent 0, astray 000, misframed 100, waiting 000"),
        format!("{GOSSIP}{all_well}"),
    ];
    assert_eq!(printed(&place), told);
    for (part, right, wrong) in [
        ("caller", "ready & start & ~is_there", "ready & start & ~is_there & 1'b0"),
        ("caller", "absent <= 1'b0;", ""),
        ("stream", "lacks & s_axis_tvalid & ~is_for_it", "s_axis_tvalid & ~is_for_it & 1'b0"),
        ("stream", "if (rst) astray <= 1'b0;", ""),
        ("stream", "was_last != in_ends", "was_last & ~in_ends"),
        ("stream", "if (rst) misframed <= 1'b0;", ""),
    ] {
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there:\n{good}");
        fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
        assert_ne!(printed(&place), told, "{part}: `{wrong}` is not seen");
        fs::write(&path, good).unwrap();
    }
}
