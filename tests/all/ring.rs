//! The ring of one host, when what it is fed is wrong.

use std::fs;

use torusweave::emit::system_verdict;
use torusweave::netlist::{Host, Order};

use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::has;
use crate::nodes::{options, play};

/// Packets on the ring are delimited by `tlast`: a wrong one corrupts or stops all that follows, until `rst`.
#[test]
fn reset_recovers_a_ring_that_a_wrong_tlast_stopped() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(2, 2).stretched(2).unwrap();
    let folder = Folder::with_options(&program, &options(8, Order::Origin, Host::Chain));
    let path = folder.path().join(format!("tb/{}_system_tb.v", program.title.name));
    let bench = fs::read_to_string(&path).unwrap();
    let again = "rst = 1'b0;
        // 3,000 clocks with every tlast wrong, then all from the beginning
        repeat (3000) @(negedge clk);
        $display(\"%0d words with a wrong tlast\", words);
        rst = 1'b1;
        is_wrong = 1'b0;
        {still, words, dones} = 0;
        in_valid = 0;
        waited = 0;
        for (stream = 1; stream <= STREAMS; stream = stream + 1) begin
            fed[stream] = 0;
            got[stream] = 0;
        end
        @(negedge clk);
        @(negedge clk) rst = 1'b0;";
    let mut wrong = bench.clone();
    for (from, to) in [
        ("    reg good;\n", "    reg good;\n    reg is_wrong = 1'b1;\n"),
        ("rst = 1'b0;", again),
        ("== FLITS - 1;", "== FLITS - 1 ^ is_wrong;"),
        ("good = 1'b0;", "good = is_wrong;"),
    ] {
        assert!(wrong.contains(from), "{from}");
        wrong = wrong.replace(from, to);
    }
    fs::write(&path, wrong).unwrap();
    let printed = play(&folder, &program, 5, 1);
    assert!(printed.contains("FAIL "), "{printed}");
    assert_eq!(printed.trim_end().lines().last().unwrap(), system_verdict(&program, 5));
}
