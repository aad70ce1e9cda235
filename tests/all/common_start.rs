//! Boards that one host starts: no board begins before all are ready, the host's board names the one that is not, and each run has
//! the word of its start.

use std::fs;

use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::net::ShapeName;
use torusweave::netlist::{BoardStart, PortClock};
use torusweave::study::pace;

use crate::blocks::{Boards, Case};
use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_board, call, counted_cells, has, verilated};

/// Tori, meshes, cycles and paths, blocks, lanes, streams, long links, both checksums, and clocks of cables.
const CASES: [Case; 10] = [
    (ShapeName::Torus, &[3, 4], "3x4", "link.start=common scheme=optimal link.checksum=crc8"),
    (
        ShapeName::Path,
        &[3],
        "3",
        "link.start=common link.clocks=cable collective=broadcast link.flits=9 link.latency=3 link.checksum=crc8",
    ),
    (ShapeName::Mesh, &[4, 6], "2x3", "link.start=common scheme=hamiltonian link.checksum=crc16"),
    (ShapeName::Torus, &[6, 8], "3x2", "link.start=common scheme=staircase link.checksum=crc16"),
    (ShapeName::Cycle, &[5], "5", "link.start=common scheme=optimal link.latency=4 link.checksum=crc8"),
    (ShapeName::Torus, &[2, 4], "2x2", "link.start=common link.clocks=cable scheme=optimal link.checksum=crc16"),
    (ShapeName::Torus, &[4, 4], "2x2", "link.start=common collective=exchange own=streams link.checksum=crc8"),
    (ShapeName::Torus, &[3, 4], "3x2", "link.start=common scheme=hamiltonian link.lanes=2 link.checksum=crc16"),
    (ShapeName::Path, &[6], "3", "link.start=common collective=broadcast link.checksum=crc8"),
    (
        ShapeName::Torus,
        &[2, 3, 2],
        "2x3x2",
        "link.start=common scheme=optimal collective=all-reduce operation=sum link.checksum=crc16",
    ),
];

/// The network with the shortest simulation that still has a board behind another.
const SMALL: Case = (ShapeName::Path, &[3], "3", "link.start=common link.checksum=crc8");
const TORUS: Case = (ShapeName::Torus, &[3, 3], "3x3", "link.start=common scheme=optimal link.checksum=crc8");
const CROSSED: Case =
    (ShapeName::Torus, &[2, 2], "2x2", "link.start=common link.clocks=cable scheme=optimal link.checksum=crc8");

/// Boards leave reset one by one; all come, or one stays in reset, or a cable is out. A sample of the designs in one of these ways, or all
/// in all under `TORUSWEAVE_FULL`.
#[test]
fn one_host_starts_every_network_once_all_boards_are_ready() {
    if !has("iverilog") {
        return;
    }
    for (number, case) in sampled(CASES, 10).enumerate() {
        let boards = Boards::of(case);
        assert_eq!(boards.compile_patient(8), "", "{case:?}");
        for held in sampled((0..3).map(|held| (held + number) % 3), 3) {
            let (held_back, seed) = (format!("+held={held}"), format!("+seed={}", number + held));
            let printed = boards.play(&["+runs=3", "+most=8", &held_back, &seed]);
            assert!(printed.starts_with(&boards.verdict(3)), "{case:?}, held {held}: {printed}");
        }
    }
}

/// To the clock: the start goes down the tree, and the status up.
#[test]
fn starts_take_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        (TORUS, PortClock::Board),
        (
            (ShapeName::Path, &[6][..], "3", "link.start=common collective=broadcast link.flits=5 link.checksum=crc16"),
            PortClock::Board,
        ),
        (
            (
                ShapeName::Torus,
                &[4, 4],
                "4x2",
                "link.start=common scheme=optimal link.latency=2 link.flits=2 link.checksum=crc16",
            ),
            PortClock::Board,
        ),
        (CROSSED, PortClock::Cable),
    ];
    for (case, clock) in sampled(designs, 3) {
        let boards = Boards::of(case);
        assert_eq!(boards.compile(), "", "{case:?}");
        let beside = pace::beside(true, clock);
        let network = boards.design.blocks();
        // across clocks a status may wait until the FIFO is empty
        let runs = if clock == PortClock::Cable { 1 } else { 3 };
        for link in [1, 6] {
            let of_link = |_, _| link + beside;
            let program = &boards.design.program;
            let clocks = pace::clocks(program, network.boards(), BoardStart::Common, runs, of_link, &|_| ());
            let links = [format!("+least={link}"), format!("+most={link}")];
            let runs_wanted = format!("+runs={runs}");
            let printed = boards.play(&["+stalls=0", "+clocks=0", "+held=0", &runs_wanted, &links[0], &links[1]]);
            let expected = format!(", {clocks} clocks, ");
            assert!(printed.starts_with("PASS ") && printed.contains(&expected), "{case:?}: {printed}, not{expected}");
        }
    }
}

/// Starts that are lost, doubled, exchanged with the next frame or damaged are named at their port, and no board begins twice or with
/// another word; cables and boards that fail between two runs are named, too. A sample, or all under `TORUSWEAVE_FULL`.
#[test]
fn faults_of_starts_are_named() {
    if !has("iverilog") {
        return;
    }
    for (case, kinds) in [(TORUS, vec![9, 5, 6, 10, 7, 8, 11, 12, 13]), (CROSSED, vec![12, 9, 10, 6, 11, 13])] {
        let boards = Boards::of(case);
        assert_eq!(boards.compile(), "", "{case:?}");
        for kind in sampled(kinds, 9) {
            let (fault, seed) = (format!("+fault={kind}"), format!("+seed={kind}"));
            let printed = boards.play(&["+most=4", "+stalls=0", "+faults=2", &fault, &seed]);
            assert!(printed.starts_with("PASS 2 faults named, "), "{case:?}, fault {kind}: {printed}");
        }
    }
}

/// A board that is reset in a run that its neighbours have ended misses it, and its parent in the tree says so.
#[test]
fn board_that_is_reset_as_its_neighbours_end_a_run_is_named() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of(SMALL);
    assert_eq!(boards.compile(), "");
    let arguments = ["+most=4", "+stalls=80", "+faults=6", "+fault=14"];
    let printed = boards.play(&arguments);
    assert!(printed.starts_with("PASS 6 faults named, "), "{printed}");
    let path = boards.folder.path().join(format!("{}.v", boards.name()));
    let text = fs::read_to_string(&path).unwrap();
    let blind = text.replace(" | owed[0]", "").replace(" | owed[1]", "");
    assert_ne!(text, blind);
    fs::write(&path, blind).unwrap();
    boards.compile();
    let printed = boards.play(&arguments);
    assert!(printed.contains("FAIL fault 14 "), "{printed}");
}

/// A play in which a mutant must be caught: its design, arguments, and the patience of its links.
type Play = (Case<'static>, &'static [&'static str], u32);

const RUNS: Play = (TORUS, &["+runs=3", "+stalls=0", "+most=4", "+held=0"], 6);
const RESET: Play = (TORUS, &["+runs=2", "+stalls=0", "+most=4", "+held=1", "+seed=5"], 6);
const CABLE: Play = (TORUS, &["+runs=2", "+stalls=0", "+most=4", "+held=2", "+seed=2"], 6);
const PAUSES: Play = (SMALL, &["+runs=60", "+stalls=95", "+held=0", "+seed=2"], 12);
const FAULTS: Play = (TORUS, &["+stalls=0", "+most=4", "+faults=4", "+fault=9"], 6);
const DOUBLED: Play = (TORUS, &["+stalls=0", "+most=4", "+faults=4", "+fault=10"], 6);
const ACROSS: Play = (CROSSED, &["+runs=20", "+stalls=50", "+clocks=3", "+held=0"], 8);

/// The bench of starts is tried: rounds, children, links and runs that are not waited for, starts and words that go elsewhere, names
/// of other boards. A sample; all under `TORUSWEAVE_FULL`.
const MUTANTS: [(Play, &str, &str, &str, &str); 18] = [
    (
        PAUSES,
        "starter",
        "rounds are not compared",
        "status_put[port] & (statuses[4*port] == sent[port])",
        "status_put[port]",
    ),
    (
        PAUSES,
        "starter",
        "a start does not wait for the link",
        "(start_valid[port]\n                & ~start_ready[port])",
        "1'b0",
    ),
    (RUNS, "starter", "children are not waited for", "late = children & ~child_ready", "late = {4{1'b0}}"),
    (ACROSS, "receiver", "starts stay outside", " (latest_kind == 3'd7) |", ""),
    (PAUSES, "starter", "a start ends no status", "if (begins | ~up[port])", "if (~up[port])"),
    (
        RUNS,
        "starter",
        "the word stays at the host's board",
        "is_host ? start_word : chosen(parent, words)",
        "start_word",
    ),
    (RUNS, "starter", "starts do not go on", "((begins & children[port])", "((begins & children[port] & is_host)"),
    (RUNS, "starter", "every board has a start of its own", "(is_host ? start : come)", "(start | come)"),
    (RUNS, "sender", "starts are not counted here", "(start_valid & start_ready) | ", ""),
    (CABLE, "starter", "links are not waited for", "ready = idle & (down == 4'd0) & ", "ready = "),
    (PAUSES, "sender", "a token leaves with the start", "~stopped & ~start_valid", "~stopped"),
    (RUNS, "receiver", "starts are not counted there", "put | start_put}", "put}"),
    (RESET, "starter", "a board names itself", "first(down, places)", "place"),
    (RUNS, "tree", "a board has another parent", "{2'd1, 2'd1}: of = {4'b0", "{2'd1, 2'd1}: of = {4'b1"),
    (RUNS, "board", "a run is not waited for", "links_hold & ~busy", "links_hold"),
    (DOUBLED, "receiver", "a doubled start is no fault", " | (kind == 3'd7);", ";"),
    (RESET, "starter", "a board does not hear of others", "first(late, child_waits)", "place"),
    (FAULTS, "starter", "rounds outlast the link", "sent[port] <= up[port] & ", "sent[port] <= "),
];

#[test]
fn mutants_of_the_common_start_are_caught() {
    if !has("iverilog") {
        return;
    }
    for case in [TORUS, SMALL, CROSSED] {
        let mut mutants = sampled(MUTANTS, 18).filter(|mutant| mutant.0.0 == case).peekable();
        if mutants.peek().is_none() {
            continue;
        }
        let boards = Boards::of(case);
        let mut passed: Vec<Play> = Vec::new();
        for (play, module, what, good, bad) in mutants {
            let (_, arguments, patience) = play;
            if !passed.contains(&play) {
                assert_eq!(boards.compile_patient(patience), "");
                let printed = boards.play(arguments);
                assert!(printed.starts_with("PASS "), "{arguments:?}: {printed}");
                passed.push(play);
            }
            let path = boards.folder.path().join(format!("{}_{module}.v", boards.design.program.title.name));
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(good), "{what}: `{good}` is not there");
            fs::write(&path, text.replace(good, bad)).unwrap();
            boards.compile_patient(patience);
            let printed = boards.play(arguments);
            assert!(printed.contains("FAIL "), "{what}: {printed}");
            fs::write(&path, text).unwrap();
        }
    }
}

/// The tree of a board whose coordinates are constant takes no logic, and a board without children none for their status.
#[test]
fn constant_coordinates_leave_no_logic_of_other_boards() {
    if !has("yosys") {
        return;
    }
    let boards =
        Boards::of((ShapeName::Mesh, &[4, 4], "4x4", "link.start=common scheme=hamiltonian link.checksum=crc16"));
    let name = boards.design.program.title.name.clone();
    let flip_flops = |x1: u32, x2: u32| {
        let top = format!(
            "module top(input clk, input halt, idle, start, input [3:0] linked, up, start_put, status_put, start_ready, \
             input [31:0] words, input [23:0] statuses, output ready, output [3:0] waits, start_valid, output [5:0] status);\n\
             wire is_host; wire [3:0] parent, children;\n\
             {name}_tree tree(.x1(2'd{x1}), .x2(2'd{x2}), .is_host(is_host), .parent(parent), .children(children));\n\
             {name}_starter starter(.clk(clk), .halt(halt), .idle(idle), .start(start), .is_host(is_host), .parent(parent), \
             .children(children), .place(4'd0), .places(16'd0), .linked(linked), .up(up), .start_put(start_put), \
             .status_put(status_put), .words(words), .statuses(statuses), .start_word(8'd0), .ready(ready), .waits(waits), \
             .status(status), .start_valid(start_valid), .start_ready(start_ready));\nendmodule\n"
        );
        fs::write(boards.folder.path().join("top.v"), top).unwrap();
        let files = format!("{name}_tree.v {name}_starter.v top.v");
        let script =
            format!("read_verilog {files}; synth_ice40 -run begin:map_luts -flatten -top top; tee -o count.txt stat");
        let (success, said) = call(&boards.folder, "yosys", &["-q", "-p", &script]);
        assert!(success, "{said}");
        let counted = fs::read_to_string(boards.folder.path().join("count.txt")).unwrap();
        let flip_flops = counted.lines().filter_map(counted_cells).filter(|(cell, _)| cell.starts_with("SB_DFF"));
        flip_flops.map(|(_, count)| count).sum::<u64>()
    };
    let (host, leaf) = (flip_flops(0, 0), flip_flops(3, 3));
    println!("{host} flip-flops at the host's board, {leaf} at a board without children");
    // two children: for each a start that waits, the round, and the status; the word and the status of a leaf
    assert!(host > leaf && leaf <= 8 + 6 + 1, "{host} and {leaf}");
}

/// Starts have numbers as tokens have: each is handed on once and in its turn.
#[test]
fn a_receiver_of_starts_is_proved() {
    if !has("yosys") || !has("z3") {
        return;
    }
    let line = "prove --cycle 5 --scheme optimal --elastic true --checksum crc8 --start common --part receiver";
    let printed = Place::new().run(line);
    assert!(
        printed.stdout.contains("  proved receiver: ") && printed.stdout.contains("its fault is seen"),
        "{printed:?}"
    );
}

/// Bytes of boards without `link.start`, but for the command in the headers.
#[test]
fn a_start_of_its_own_is_what_a_board_has_without_the_field() {
    let files = |start: &str| {
        let all = format!("link.elastic=true scheme=optimal link.checksum=crc8 {start}");
        let design = design_on(ShapeName::Torus, &[3, 4], &all.split_whitespace().collect::<Vec<_>>());
        let mut files = MemoryFiles::default();
        let options = Options { origin: "a test".to_owned(), ..design.options() };
        emit::write_all(&design.program, &options, &mut files).unwrap();
        files.0
    };
    let (plain, common) = (files(""), files("link.start=common"));
    assert!(plain == files("link.start=own"));
    assert!(plain.keys().all(|path| !path.contains("starter")) && common.keys().any(|path| path.contains("starter")));
}

#[test]
fn starts_that_do_not_fit_are_refused() {
    let place = Place::new();
    let lines = [
        "--torus 4x4 --start common",
        "--torus 4x4 --elastic true --start common",
        "--torus 4x4 --elastic true --checksum crc8 --start common --width 5",
        "--torus 4x4 --elastic true --checksum crc8 --start common --boards 4x2 --width 2",
        "--torus 4x4 --elastic true --checksum crc8 --start first",
    ]
    .map(|line| format!("{line}: {}", place.run(&format!("check {line}")).stderr));
    for least in [
        "--torus 4x4 --elastic true --checksum crc8 --start common --width 6",
        "--torus 4x4 --elastic true --checksum crc8 --start common --boards 2x1 --width 1",
    ] {
        assert_eq!(place.run(&format!("check {least}")).stderr, "", "{least}");
    }
    insta::assert_snapshot!(lines.concat());
}

#[test]
fn boards_with_a_common_start_are_clean_to_every_tool() {
    for case in sampled(CASES, 10) {
        let boards = Boards::of(case);
        let board = boards.name();
        assert_clean_board(&boards.folder, &board);
        let bench = format!(
            "--lint-only -Wall -Wno-BLKSEQ -Wno-UNUSED --timing --top-module {board}_tb -f {board}.f tb/{board}_tb.v"
        );
        for tool in ["verilator", "verilator-newest"] {
            if has(tool) {
                let said = call(&boards.folder, tool, &bench.split(' ').collect::<Vec<_>>());
                assert_eq!(said, (true, String::new()), "{case:?}");
            }
        }
    }
}

/// One design under `TORUSWEAVE_FULL`; with `TORUSWEAVE_FULL=all` every one.
#[test]
fn one_host_starts_every_network_under_verilator() {
    let full = std::env::var_os("TORUSWEAVE_FULL");
    if full.is_none() || !has("verilator") {
        return;
    }
    let is_full = full.is_some_and(|full| full == "all");
    for case in CASES.into_iter().take(if is_full { CASES.len() } else { 1 }) {
        let boards = Boards::of(case);
        let simulator = verilated(&boards.folder, &boards.name());
        for seed in 1..=3 {
            let (passed, printed) = call(&boards.folder, simulator, &["+runs=4", &format!("+seed={seed}")]);
            assert!(passed && printed.starts_with(&boards.verdict(4)), "{case:?}: {printed}");
        }
    }
}
