//! Boards with clocks of their own: whatever the clocks are, every node's arrivals are those of the fabric.

use std::fs;

use torusweave::net::ShapeName;
use torusweave::netlist::{BoardStart, PortClock};
use torusweave::study::pace;

use crate::blocks::{Boards, Case};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_board, call, has, verilated};

/// Links that are trusted and links that are checked, one kind of board and several, borders, long links, lanes, streams and values.
const CASES: [Case; 8] = [
    (ShapeName::Torus, &[2, 4], "2x2", "link.clocks=cable scheme=optimal link.checksum=crc16"),
    (ShapeName::Torus, &[3, 4], "3x4", "link.clocks=cable scheme=optimal link.flits=3 link.latency=3"),
    (ShapeName::Mesh, &[3, 3], "3x3", "link.clocks=cable scheme=lau-zhang"),
    (ShapeName::Torus, &[4, 5], "2x5", "link.clocks=cable scheme=staircase switching=memory link.checksum=crc8"),
    (ShapeName::Cycle, &[5], "5", "link.clocks=cable scheme=optimal link.latency=4 link.checksum=crc8"),
    (ShapeName::Torus, &[3, 4], "3x2", "link.clocks=cable scheme=hamiltonian link.lanes=2"),
    (ShapeName::Torus, &[4, 4], "2x2", "link.clocks=cable collective=exchange own=streams"),
    (
        ShapeName::Torus,
        &[4, 4],
        "2x2",
        "link.clocks=cable scheme=optimal collective=all-reduce operation=sum link.flits=2",
    ),
];

/// One clock for all, phases, periods within 100 ppm, and periods up to 2:3; a sample of the designs, or all under `TORUSWEAVE_FULL`.
#[test]
fn every_node_gets_what_it_would_in_the_fabric_whatever_the_clocks_are() {
    if !has("iverilog") {
        return;
    }
    for (number, case) in sampled(CASES, 6).enumerate() {
        let boards = Boards::of(case);
        // links pause for 32 clocks now and then
        assert_eq!(boards.compile_patient(8), "", "{case:?}");
        for clocks in [1 + number % 2, 3] {
            let printed = boards.play(&["+runs=2", &format!("+clocks={clocks}"), &format!("+seed={}", number + 1)]);
            assert!(printed.starts_with(&boards.verdict(2)), "{case:?}, clocks {clocks}: {printed}");
        }
    }
}

/// Links of 1 to 200 clocks, with a link layer and without.
#[test]
fn links_of_up_to_200_clocks_may_have_any_clocks() {
    if !has("iverilog") {
        return;
    }
    for checksum in ["", "link.checksum=crc8"] {
        let settings = format!("link.clocks=cable collective=broadcast link.flits=9 link.latency=3 {checksum}");
        let boards = Boards::of((ShapeName::Path, &[3], "3", &settings));
        assert_eq!(boards.compile_patient(11), "");
        let clocks = if checksum.is_empty() { "+clocks=2" } else { "+clocks=3" };
        let printed = boards.play(&["+runs=2", "+most=200", "+stalls=10", clocks]);
        assert!(printed.starts_with(&boards.verdict(2)), "{checksum}: {printed}");
    }
}

/// To the clock, where edges come at once; between each other, they save a clock of a link at most.
#[test]
fn a_crossing_takes_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    for (case, is_checked) in [
        ((ShapeName::Path, &[3][..], "3", "link.clocks=cable collective=broadcast link.flits=9 link.latency=3"), false),
        ((ShapeName::Torus, &[2, 3], "2x3", "link.clocks=cable scheme=optimal"), false),
        ((ShapeName::Torus, &[4, 2], "2x1", "link.clocks=cable scheme=optimal link.checksum=crc16"), true),
    ] {
        let boards = Boards::of(case);
        assert_eq!(boards.compile(), "", "{case:?}");
        let beside = pace::beside(is_checked, PortClock::Cable);
        let network = boards.design.blocks();
        let clocks = |link| {
            pace::clocks(&boards.design.program, network.boards(), BoardStart::Own, 3, |_, _| link + beside, &|_| ())
        };
        for link in [1, 6] {
            let links = [format!("+least={link}"), format!("+most={link}")];
            let play = |kind| boards.play(&["+stalls=0", "+runs=3", kind, &links[0], &links[1]]);
            let (alike, apart) = (play("+clocks=0"), play("+clocks=1"));
            let expected = format!("{}, {} clocks, ", boards.verdict(3), clocks(link));
            assert!(alike.starts_with(&expected), "{case:?}: {alike}, not {expected}");
            let taken: u64 = apart.split(", ").nth(1).unwrap().trim_end_matches(" clocks").parse().unwrap();
            assert!((clocks(link - 1)..=clocks(link) + 1).contains(&taken), "{case:?}: {apart}, not {expected}");
        }
    }
}

/// Every kind of fault of the bench, while clocks differ by up to 2:3; the clock of a cable that is pulled out stands still.
#[test]
fn faults_are_named_across_clocks() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of((ShapeName::Torus, &[2, 2], "2x2", "link.clocks=cable scheme=optimal link.checksum=crc8"));
    assert_eq!(boards.compile(), "");
    for kind in sampled([1, 2, 13, 4, 3, 6, 5, 8, 7], 4) {
        let (fault, clocks) = (format!("+fault={kind}"), format!("+clocks={}", 2 + kind % 4 / 2));
        let printed = boards.play(&["+most=4", "+stalls=0", "+faults=1", &fault, &clocks]);
        assert!(printed.starts_with("PASS 1 faults named, "), "fault {kind}: {printed}");
    }
}

/// Parts of an identity come in their order, so that each is compared: a hash that differs in its highest bit is another design.
#[test]
fn another_design_is_named_across_clocks() {
    if !has("iverilog") {
        return;
    }
    let settings = "link.clocks=cable collective=broadcast link.checksum=crc8 link.width=2";
    let boards = Boards::of((ShapeName::Path, &[3], "3", settings));
    let path = boards.folder.path().join(format!("{}.v", boards.name()));
    let text = fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once(".expected({16'h").unwrap();
    let (hash, after) = after.split_at(4);
    let other = u16::from_str_radix(hash, 16).unwrap() ^ 0x8000;
    fs::write(&path, format!("{before}.expected({{16'h{other:04x}{after}")).unwrap();
    boards.compile();
    for clocks in 0..=3 {
        let printed = boards.play(&["+runs=1", &format!("+clocks={clocks}")]);
        assert!(printed.contains("code 6 at port 0 without a fault"), "{printed}");
    }
}

/// The bench of clocks is tried: registers and pointers of the crossing, its room, its reset, and what a receiver lets in.
#[test]
fn mutants_of_the_crossing_are_caught() {
    if !has("iverilog") {
        return;
    }
    let plain: Case =
        (ShapeName::Path, &[3], "3", "link.clocks=cable collective=broadcast link.flits=9 link.latency=3");
    let checked: Case = (
        ShapeName::Path,
        &[3],
        "3",
        "link.clocks=cable collective=broadcast link.flits=9 link.latency=3 link.checksum=crc8",
    );
    let mutants: [(Case, &str, u32, &str, &str, &str); 12] = [
        (plain, "sync", 0, "a register is missing", "assign q = late", "assign q = early"),
        (plain, "crossing", 0, "the pointer is not waited for", "got_gray != put_seen", "got_gray != put_gray"),
        (plain, "crossing", 0, "it is full too early", "!= {2'b11, {(ADDRESS-1){1'b0}}}", "== {(ADDRESS+1){1'b0}}"),
        (plain, "board", 0, "it has half the room", "integer ADDRESS = 3", "integer ADDRESS = 2"),
        (plain, "crossing", 0, "a flit is always there", "waits & ~drains", "~drains"),
        (plain, "crossing", 0, "what is taken stays", "drains ? waits : take}", "1'b0}"),
        (plain, "crossing", 0, "what came last goes first", "tokens[{1'b1, got", "tokens[{1'b1, ~got"),
        (plain, "crossing", 0, "a reset does not end", "~rst & (drained | ~waits)", "~rst & drained"),
        (checked, "receiver", 0, "tokens enter while it is empty", "| (latest_kind == 3'd3) |", "|"),
        (checked, "receiver", 4, "damaged frames stay outside", "(~whole | ", "(whole & "),
        (checked, "receiver", 5, "frames that stand still are new", "{right, same, changed,", "{right, same, 1'b1,"),
        (checked, "receiver", 1, "idle frames stay outside", "(alone & (~is_part |", "(alone & (is_part &"),
    ];
    for case in [plain, checked] {
        let boards = Boards::of(case);
        assert_eq!(boards.compile(), "");
        let network = boards.design.blocks();
        let beside = pace::beside(case == checked, PortClock::Cable);
        let clocks =
            pace::clocks(&boards.design.program, network.boards(), BoardStart::Own, 2, |_, _| 4 + beside, &|_| ());
        let right = format!("{}, {clocks} clocks, ", boards.verdict(2));
        let at_once = ["+runs=2", "+stalls=0", "+least=4", "+most=4", "+clocks=0"];
        let printed = boards.play(&at_once);
        assert!(printed.starts_with(&right), "{printed}, not {right}");
        for (_, module, fault, what, good, bad) in mutants.into_iter().filter(|mutant| mutant.0 == case) {
            let path = boards.folder.path().join(format!("{}_{module}.v", boards.design.program.title.name));
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(good), "{what}: `{good}` is not there");
            fs::write(&path, text.replace(good, bad)).unwrap();
            boards.compile();
            let is_caught = if fault == 0 {
                let stalled = || boards.play(&["+runs=8", "+stalls=80", "+clocks=3"]);
                !boards.play(&at_once).starts_with(&right) || stalled().contains("FAIL ")
            } else {
                let fault = format!("+fault={fault}");
                boards.play(&["+most=4", "+stalls=0", "+faults=6", "+clocks=3", &fault]).contains("FAIL ")
            };
            assert!(is_caught, "{what}");
            fs::write(&path, text).unwrap();
        }
    }
}

/// One design under `TORUSWEAVE_FULL`; with `TORUSWEAVE_FULL=all` every one, and a torus that the issue names.
#[test]
fn boards_with_clocks_of_their_own_play_under_verilator() {
    let full = std::env::var_os("TORUSWEAVE_FULL");
    if full.is_none() || !has("verilator") {
        return;
    }
    let is_full = full.is_some_and(|full| full == "all");
    let torus: Case = (ShapeName::Torus, &[16, 16], "4x4", "link.clocks=cable scheme=staircase link.checksum=crc16");
    for case in
        [torus].into_iter().take(usize::from(is_full)).chain(CASES.into_iter().take(if is_full { 8 } else { 1 }))
    {
        let boards = Boards::of(case);
        let simulator = verilated(&boards.folder, &boards.name());
        for seed in 1..=3 {
            let (passed, printed) = call(&boards.folder, simulator, &["+runs=3", &format!("+seed={seed}")]);
            assert!(passed && printed.starts_with(&boards.verdict(3)), "{case:?}: {printed}");
        }
    }
}

#[test]
fn boards_with_crossings_are_clean_to_every_tool() {
    for case in sampled(CASES, 6) {
        let boards = Boards::of(case);
        let board = boards.name();
        assert_clean_board(&boards.folder, &board);
        // the newest Verilator, and the clocks of the bench
        let rtl = format!("--lint-only -Wall --top-module {board} -f {board}.f");
        let bench = format!(
            "--lint-only -Wall -Wno-BLKSEQ -Wno-UNUSED --timing --top-module {board}_tb -f {board}.f tb/{board}_tb.v"
        );
        for (tool, line) in [("verilator", &bench), ("verilator-newest", &rtl), ("verilator-newest", &bench)] {
            if has(tool) {
                let said = call(&boards.folder, tool, &line.split(' ').collect::<Vec<_>>());
                assert_eq!(said, (true, String::new()), "{case:?}");
            }
        }
    }
}
