//! Faults that the testbench sees only in runs that are held, broken off before their first tick, or of other lengths.

use std::fs;

use torusweave::emit::Options;
use torusweave::net::ShapeName;

use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::{call, has, play};

/// A design's settings, and faults: a file's end, what it says, and what the fault says instead.
struct Case {
    shape: ShapeName,
    sides: &'static [u32],
    settings: &'static [&'static str],
    faults: &'static [[&'static str; 3]],
}

/// Plays a design's testbench with each of the faults; without one it passes.
fn each_is_caught(case: &Case) {
    if !has("iverilog") {
        return;
    }
    let design = designs::design_on(case.shape, case.sides, case.settings);
    let folder = Folder::with_options(&design.program, &Options { width: 8, ..design.options() });
    let name = &design.program.title.name;
    assert!(play(&folder, name).starts_with("PASS "), "{:?}", case.settings);
    for [file, from, to] in case.faults {
        let path = folder.path().join(format!("{name}{file}"));
        let right = fs::read_to_string(&path).unwrap();
        assert_eq!(right.matches(from).count(), 1, "{from}");
        fs::write(&path, right.replace(from, to)).unwrap();
        let printed = play(&folder, name);
        assert!(printed.contains("FAIL "), "{to}: {printed}");
        fs::write(&path, right).unwrap();
    }
}

/// On long links a word that is sent too late arrives more than two ticks beyond the end.
#[test]
fn fabric_that_plays_on_while_run_is_held_is_caught() {
    each_is_caught(&Case {
        shape: ShapeName::Torus,
        sides: &[3, 5],
        settings: &["scheme=optimal", "link.latency=3"],
        faults: &[[".v", "go <= ~(hold | last | over);", "go <= ~(hold | last & over);"]],
    });
}

/// A run that is stopped before its first tick must leave no taken flit, no counted tick and no word behind.
#[test]
fn run_that_is_broken_off_before_its_first_tick_leaves_nothing_behind() {
    each_is_caught(&Case {
        shape: ShapeName::Path,
        sides: &[5],
        settings: &["scheme=fdf", "collective=gather", "root=0", "lengths=[2,1,2,1,3]"],
        faults: &[
            [".v", "playing <= hold ? 6'd0 : {playing[4:0], go};", "playing <= hold ? 6'd1 : {playing[4:0], go};"],
            [".v", "playing <= hold ? 6'd0 : {playing[4:0], go};", "playing <= {playing[4:0], go};"],
            [".v", "n2_own_0_taken & playing[5] & ~hold", "n2_own_0_taken & playing[5]"],
            ["_control_b.v", "2'b00: word <= 2'b0_0;", "2'b00: word <= 2'b0_1;"],
        ],
    });
}

/// A flit that is taken twice looks right where it is the only one.
#[test]
fn own_input_that_is_taken_too_often_or_never_is_caught() {
    each_is_caught(&Case {
        shape: ShapeName::Path,
        sides: &[5],
        settings: &["scheme=fdf", "collective=gather", "root=0", "lengths=[2,1,2,1,3]"],
        faults: &[
            [".v", "n1_own_0_taken & playing[5] & ~hold", "n1_own_0_taken | playing[5] & ~hold"],
            [".v", "n1_own_0_taken & playing[5] & ~hold", "n1_own_0_taken & playing[5] & hold"],
        ],
    });
}

/// One vector of lengths could be built in.
#[test]
fn protocol_that_is_right_for_one_vector_of_lengths_is_caught() {
    each_is_caught(&Case {
        shape: ShapeName::Path,
        sides: &[6],
        settings: &["scheme=shoulder-tap", "collective=gather", "tree=path", "lengths=[0,2,3,0,2,1]"],
        faults: &[
            ["_tap.v", "count <= count - one;", ";"],
            ["_tap.v", "2'd2}", "2'd3}"],
            ["_tap.v", "(length == one) ? 2'd3 : 2'd2", "2'd2"],
            ["_tap_last.v", "count <= count + one;", ";"],
            // the last node sends as soon as it is tapped
            ["_tap_last.v", "count <= one;", ";"],
        ],
    });
}

/// The bench of boards looks at what every board says.
#[test]
fn done_of_any_board_is_compared() {
    if !has("iverilog") {
        return;
    }
    let design = designs::design_on(ShapeName::Path, &[5], &["scheme=lau-zhang", "link.duplex=pads", "name=d"]);
    let folder = Folder::with_options(&design.program, &design.options());
    let plays = || {
        let benches = ["tb/d_boards_link.v", "tb/d_boards.v", "tb/d_boards_tb.v"];
        let (built, said) = call(&folder, "iverilog", &[&["-g2005", "-o", "sim", "-f", "d.f"], &benches[..]].concat());
        assert!(built, "{said}");
        call(&folder, "vvp", &["-n", "sim"]).1
    };
    assert!(plays().starts_with("PASS "));
    let path = folder.path().join("d_pads_e.v");
    let right = fs::read_to_string(&path).unwrap();
    for late in [" : {ending, last};", " : {ending, 1'b0};"] {
        let wrong = right.replace(" : {ending, over};", late);
        assert_ne!(wrong, right);
        fs::write(&path, wrong).unwrap();
        assert!(plays().contains("FAIL "), "{late}");
    }
}

/// Files of a design, one of which has a fault.
fn catches(settings: &[&str], list: &str, bench: &str, [file, from, to]: [&str; 3]) {
    if !has("iverilog") {
        return;
    }
    let settings = [settings, &["link.width=8", "name=d"]].concat();
    let design = designs::design_on(ShapeName::Torus, &[2, 2], &settings);
    let folder = Folder::with_options(&design.program, &design.options());
    let plays = || {
        let (built, said) = call(&folder, "iverilog", &["-g2005", "-o", "sim", "-f", list, bench]);
        assert!(built, "{said}");
        call(&folder, "timeout", &["60", "vvp", "-n", "sim"]).1
    };
    let right = plays();
    assert!(right.starts_with("PASS "), "{right}");
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let wrong = text.replace(from, to);
    assert_ne!(wrong, text, "{file}: {from}");
    fs::write(&path, wrong).unwrap();
    let said = plays();
    assert!(said.starts_with("FAIL "), "{file}, {to}: {said}");
}

/// A run is over when every tick of it has been compared.
#[test]
fn boards_that_never_play_are_caught() {
    let settings = ["scheme=optimal", "link.elastic=true"];
    catches(&settings, "d_board.f", "tb/d_board_tb.v", ["d_board.v", "over <= 1'b0;", "over <= 1'b1;"]);
}

/// The bench of a system resets it in the middle of runs.
#[test]
fn words_that_a_reset_leaves_in_a_system_are_caught() {
    let ring = ["scheme=staircase", "link.flits=2", "local.order=origin", "host=chain"];
    let kept = ["d_chain.v", "if (rst) begin\n            kept <= 1'b0;", "if (rst) begin\n            ;"];
    catches(&ring, "d_system.f", "tb/d_system_tb.v", kept);
}

/// Nodes have two banks that change places: an even number of runs hides which is the first.
#[test]
fn bank_that_is_the_wrong_one_at_first_is_caught() {
    let streams = ["scheme=staircase", "link.flits=2", "local.order=arrival"];
    let fault = ["d_system.v", "play_bank <= ~rst & ", "play_bank <= rst | "];
    catches(&streams, "d_system.f", "tb/d_system_tb.v", fault);
}
