//! Boards that wait for each other: whatever links and stalls do, every board's arrivals are those of the fabric.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::emit::{Options, board_verdict};
use torusweave::net::ShapeName;
use torusweave::netlist::{BoardStart, Checksum, PortClock};
use torusweave::program::Program;
use torusweave::study::pace;

use crate::fixtures::designs::{self, Folder, design, design_on};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_board, call, counted_cells, has, verilated};

fn options(width: u32) -> Options {
    Options { elastic: true, ..designs::options(width) }
}

/// Options for links that are checked.
fn checked(width: u32, checksum: Checksum) -> Options {
    Options { checksum: Some(checksum), ..options(width) }
}

fn built(program: &Program, width: u32) -> Folder {
    let folder = Folder::with_options(program, &options(width));
    assert_eq!(compile(&folder, program), String::new());
    folder
}

/// Compiles the bench of the boards with Icarus; what that had to say.
fn compile(folder: &Folder, program: &Program) -> String {
    let board = format!("{}_board", program.title.name);
    let line = format!("-g2005 -Wall -o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
    call(folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).1
}

fn play(folder: &Folder, arguments: &[&str]) -> String {
    call(folder, "vvp", &[&["-n", "boards"], arguments].concat()).1
}

fn program(shape: ShapeName, sides: &[u32], settings: &str) -> Program {
    design_on(shape, sides, &settings.split_whitespace().collect::<Vec<_>>()).program
}

fn torus(sides: &[u32], settings: &str) -> Program {
    program(ShapeName::Torus, sides, settings)
}

/// One class and many, streams of packets and of values, delay lines, rings, stores, lanes, holes, ends of a grid, slack.
fn shapes() -> Vec<Program> {
    vec![
        torus(&[4, 4], "scheme=staircase"),
        torus(&[4, 5], "scheme=staircase switching=memory"),
        torus(&[5, 4], "scheme=staircase switching=periodic"),
        torus(&[3, 4], "scheme=optimal"),
        torus(&[3, 4], "scheme=optimal link.flits=3 link.latency=3"),
        torus(&[2, 3, 4], "scheme=optimal link.flits=3"),
        torus(&[4, 6], "scheme=zigzag switching=memory"),
        torus(&[3, 3, 3], "scheme=hamiltonian"),
        torus(&[3, 4], "scheme=hamiltonian link.lanes=2"),
        torus(&[3, 4], "collective=broadcast link.flits=5"),
        torus(&[3, 4], "collective=exchange"),
        torus(&[3, 4], "collective=scatter"),
        torus(&[3, 4], "scheme=optimal collective=reduce-scatter operation=and link.flits=2"),
        torus(&[4, 4], "scheme=staircase collective=all-reduce operation=sum"),
        torus(&[4, 4], "scheme=staircase collective=all-reduce operation=min link.flits=3 link.latency=3"),
        torus(&[3, 4], "scheme=optimal collective=all-reduce operation=sum link.latency=5"),
        torus(&[3, 3], "collective=all-reduce operation=custom adder=3"),
        torus(&[2, 3], "collective=reduce-scatter operation=custom adder=2 link.flits=2"),
        program(ShapeName::Mesh, &[3, 4], "scheme=hamiltonian"),
        program(ShapeName::Mesh, &[3, 3], "scheme=lau-zhang"),
        program(ShapeName::Cycle, &[5], "scheme=optimal link.latency=4"),
        designs::late_sender(),
        designs::rereader(),
    ]
}

#[test]
fn every_board_gets_what_it_would_in_the_fabric_under_icarus() {
    if !has("iverilog") {
        return;
    }
    let is_full = std::env::var_os("TORUSWEAVE_FULL").is_some_and(|full| full == "all");
    let (runs, seeds) = if is_full { (20, 5) } else { (2, 1) };
    let floats = torus(&[3, 3], "collective=all-reduce operation=sum number=bf16 adder=3");
    for (program, width) in [(floats, 16)].into_iter().chain(sampled(shapes(), 6).map(|program| (program, 8))) {
        let folder = built(&program, width);
        for seed in 1..=seeds {
            let printed = play(&folder, &[&format!("+runs={runs}"), &format!("+seed={seed}")]);
            assert!(
                printed.starts_with(&board_verdict(&program, program.topology.nodes(), runs)),
                "{}: {printed}",
                program.title.name
            );
        }
    }
}

/// The designs that the issue names, the second under `TORUSWEAVE_FULL`, on their own sizes, with latencies from 1 to 20 and up to half of all clocks stalled.
#[test]
fn tori_of_boards_play_under_verilator() {
    if !has("verilator") {
        return;
    }
    let programs = [
        torus(&[6, 7], "scheme=staircase switching=memory"),
        torus(&[5, 6], "scheme=staircase switching=periodic"),
        designs::optimal(&[8, 8]),
    ];
    for program in sampled(programs, 3) {
        let folder = Folder::with_options(&program, &options(16));
        let board = format!("{}_board", program.title.name);
        let simulator = verilated(&folder, &board);
        for seed in sampled(1..=4, 4) {
            let (passed, printed) = call(&folder, simulator, &["+runs=10", &format!("+seed={seed}")]);
            assert!(passed && printed.starts_with(&board_verdict(&program, program.topology.nodes(), 10)), "{printed}");
        }
    }
}

/// The bench is tried: nulls that are dropped, credits that are not waited for, room for one less, boards that are another.
#[test]
fn faults_of_boards_are_caught() {
    if !has("iverilog") {
        return;
    }
    let supplied = torus(&[4, 5], "scheme=staircase switching=memory");
    let holes = torus(&[3, 4], "scheme=optimal link.flits=2 link.latency=2");
    let summed = torus(&[3, 4], "scheme=optimal collective=all-reduce operation=sum");
    let grid = program(ShapeName::Mesh, &[3, 3], "scheme=lau-zhang");
    let faults: [(&Program, &str, &str, &str, &str); 23] = [
        (&holes, "fifo", "nulls are dropped", "s_axis_tvalid & s_axis_tready", "s_axis_tvalid & s_axis_tdata[WIDTH]"),
        (&supplied, "board", "no output is waited for", "~needs) & outputs_free", "~needs)"),
        (&supplied, "board", "one output is not waited for", "t_m_axis_tready | ~t_m_axis_tvalid", "1'b1"),
        (&supplied, "board", "no input is waited for", "(inputs_hold | ~needs)", "1'b1"),
        (&supplied, "board", "one input is not waited for", "b_filled | ~b_linked", "1'b1"),
        (&supplied, "board", "the first tick waits, too", "wire needs = begun", "wire needs = 1'b1"),
        (&supplied, "board", "it does not stall", "playing & ~stall", "playing"),
        (&supplied, "fifo", "there is room for one", "(put ^ got) != {1'b1, {ADDRESS{1'b0}}}", "put == got"),
        (&supplied, "fifo", "what came last goes first", "tokens[{1'b1, got", "tokens[{1'b1, ~got"),
        (&supplied, "fifo", "what is taken stays", "{ADDRESS{1'b0}}, take}", "{(ADDRESS+1){1'b0}}}"),
        (&supplied, "class", "a board is another", "{2'd0, 3'd1}: of = 2'd1", "{2'd0, 3'd1}: of = 2'd0"),
        (&supplied, "class", "the coordinates are exchanged", "of(x1, x2)", "of(x2[1:0], {1'b0, x1})"),
        (&supplied, "board", "the program is a tick short", "over <= played == 4'd9", "over <= played == 4'd8"),
        (&supplied, "board", "it begins before it is told", "wire playing = going[3]", "wire playing = going[2]"),
        (&supplied, "board", "it begins anew at once", "(rst | (fire & over)) ? 4'd0", "rst ? 4'd0"),
        (&supplied, "router_a", "routers do not wait", "if (ce) ", ""),
        (&supplied, "control_a", "what is told does not wait", "if (ce) ", ""),
        (&holes, "board", "what was before is valid", "t_first[WIDTH] & needs", "t_first[WIDTH]"),
        (&holes, "board", "it is a tick ahead", "played == 3'd1)", "played == 3'd2)"),
        (&holes, "board", "what nobody takes is sent", "sends & (played != 3'd5)", "sends"),
        (
            &holes,
            "board",
            "flits go on without it",
            "end else if (fire) begin\n            flit",
            "end else begin\n            flit",
        ),
        (
            &summed,
            "board",
            "what was before counts",
            "t_in_valid ? t_first[WIDTH-1:0] : {WIDTH{1'b0}}",
            "t_first[WIDTH-1:0]",
        ),
        (&grid, "board", "an end waits for nobody", "t_linked = x1 != 2'd0", "t_linked = 1'b1"),
    ];
    for program in [&supplied, &holes, &summed, &grid] {
        let folder = built(program, 8);
        let right = board_verdict(program, program.topology.nodes(), 3);
        assert!(play(&folder, &["+runs=3"]).starts_with(&right), "{}", program.title.name);
        for (of, module, what, good, bad) in faults {
            if !std::ptr::eq(of, program) {
                continue;
            }
            let path = folder.path().join(format!("{}_{module}.v", program.title.name));
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(good), "{what}: `{good}` is not there");
            fs::write(&path, text.replace(good, bad)).unwrap();
            compile(&folder, program);
            let printed = play(&folder, &["+runs=3"]);
            assert!(printed.contains("FAIL "), "{what}: {printed}");
            fs::write(&path, text).unwrap();
        }
    }
}

#[test]
fn boards_are_clean_to_every_tool() {
    let plain = shapes().into_iter().zip([1, 8, 32, 100].into_iter().cycle().map(options));
    let links = [(1, Checksum::Crc8), (8, Checksum::Crc16), (32, Checksum::Crc8), (200, Checksum::Crc16)];
    let kinds = [
        torus(&[4, 5], "scheme=staircase switching=memory"),
        torus(&[3, 4], "scheme=hamiltonian link.lanes=2"),
        program(ShapeName::Mesh, &[3, 4], "scheme=hamiltonian"),
        torus(&[3, 4], "scheme=optimal collective=all-reduce operation=sum link.latency=5"),
    ];
    let links = kinds.into_iter().zip(links.map(|(width, checksum)| checked(width, checksum)));
    for (program, options) in sampled(plain.chain(links), 4) {
        let folder = Folder::with_options(&program, &options);
        let board = format!("{}_board", program.title.name);
        assert_clean_board(&folder, &board);
    }
}

/// One build for all boards holds every router; a board that is told by constants where it is keeps one.
#[test]
fn coordinates_that_are_constant_leave_one_router() {
    if !has("yosys") {
        return;
    }
    let program = torus(&[6, 7], "scheme=staircase switching=memory");
    let folder = Folder::with_options(&program, &options(16));
    let board = format!("{}_board", program.title.name);
    let sources = fs::read_to_string(folder.path().join(format!("{board}.f"))).unwrap().replace('\n', " ");
    let path = folder.path().join(format!("{board}.v"));
    let strapped = fs::read_to_string(&path).unwrap();
    let flip_flops = |text: &str| {
        fs::write(&path, text).unwrap();
        let script = format!(
            "read_verilog {sources}; synth_ice40 -run begin:map_luts -flatten -top {board}; tee -o count.txt stat"
        );
        let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
        assert!(success, "{said}");
        let counted = fs::read_to_string(folder.path().join("count.txt")).unwrap();
        let flip_flops = counted.lines().filter_map(counted_cells).filter(|(cell, _)| cell.starts_with("SB_DFF"));
        flip_flops.map(|(_, count)| count).sum::<u64>()
    };
    let all = flip_flops(&strapped);
    let at = |x1: u32, x2: u32| {
        let ports = ["    input  wire [2:0]       x1,\n", "    input  wire [2:0]       x2,\n"];
        let constants = format!("\n);\n    wire [2:0] x1 = 3'd{x1};\n    wire [2:0] x2 = 3'd{x2};\n");
        let tied = strapped.replace(ports[0], "").replace(ports[1], "").replacen("\n);\n", &constants, 1);
        assert_ne!(tied, strapped);
        flip_flops(&tied)
    };
    let (one, other) = (at(0, 0), at(2, 5));
    println!("{board}: {all} flip-flops with every router, {one} as node 0,0, {other} as node 2,5");
    // an output is a flit of 16 bits and whether there is one
    assert!(all >= one + 2 * 4 * 16 && all > other && other > one, "{all} in all, {one} and {other} alone");
}

/// With a clock enable that is always high the fabric is what it was.
#[test]
fn the_fabric_plays_as_before() {
    if !has("iverilog") {
        return;
    }
    for program in [designs::late_sender(), designs::rereader(), designs::repeater()] {
        let folder = Folder::with_options(&program, &options(8));
        let printed = crate::fixtures::tools::play(&folder, &program.title.name);
        assert!(printed.starts_with("PASS "), "{printed}");
    }
}

/// Settings that are not supported with boards.
#[test]
fn boards_that_cannot_wait_are_refused() {
    let refused = |shape: ShapeName, sides: &[u32], settings: &str| {
        let all = format!("link.elastic=true {settings}");
        let config = all.split_whitespace().fold(Config::of(shape, sides.to_vec()), |config, it| {
            it.parse::<Setting>().unwrap().apply(&config).unwrap()
        });
        Design::new(config).unwrap_err().to_string()
    };
    assert_eq!(
        [
            refused(ShapeName::Path, &[5], "collective=gather scheme=shoulder-tap"),
            refused(ShapeName::Torus, &[4, 4], "collective=gather scheme=ports"),
            refused(ShapeName::Path, &[5], "link.duplex=pads"),
            refused(ShapeName::Torus, &[4, 4], "scheme=hamiltonian link.duplex=one-way"),
        ],
        [
            "link.elastic: not supported with schemes that find out lengths while they run (scheme shoulder-tap)",
            "link.elastic: not supported with schemes with other times at each node of a class (ports)",
            "link.elastic: not supported with `link.duplex: pads` (pads)",
            "link.elastic: not supported with `link.duplex: one-way` (one-way)",
        ]
    );
    assert!(design(&[4, 4], &["link.elastic=true"]).config.link.elastic);
    // without the name, `auto` takes a scheme that boards can wait with
    let reason = design(&[4, 4], &["link.elastic=true", "collective=gather"]).reason.unwrap();
    assert!(reason.compared.iter().all(|other| other.scheme.about().name != "ports"), "{reason}");
    assert!(reason.among.is_restricted, "{reason}");
}

/// To the clock: nothing but the links holds boards up.
#[test]
fn boards_are_as_fast_as_their_links_allow() {
    if !has("iverilog") {
        return;
    }
    for program in [
        torus(&[4, 4], "scheme=staircase"),
        torus(&[3, 4], "scheme=optimal link.flits=3 link.latency=3"),
        program(ShapeName::Mesh, &[3, 3], "scheme=lau-zhang"),
    ] {
        let folder = built(&program, 8);
        for link in [1, 2, 7, 40] {
            let links = [format!("+least={link}"), format!("+most={link}")];
            let printed = play(&folder, &["+stalls=0", "+runs=3", &links[0], &links[1]]);
            let clocks = pace::clocks(&program, &program.topology, BoardStart::Own, 3, |_, _| link, &|_| ());
            let expected = format!("{}, {clocks} clocks, ", board_verdict(&program, program.topology.nodes(), 3));
            assert!(printed.starts_with(&expected), "{printed}, not {expected}");
        }
    }
}

/// The bench of checked links, compiled with Icarus for short links that are soon given up.
fn faulty(program: &Program, checksum: Checksum) -> Folder {
    let folder = Folder::with_options(program, &checked(8, checksum));
    assert_eq!(compile_faulty(&folder, program), String::new());
    folder
}

fn compile_faulty(folder: &Folder, program: &Program) -> String {
    let board = format!("{}_board", program.title.name);
    let line = format!("-g2005 -Wall -P{board}_tb.WAITS=6 -o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
    call(folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).1
}

const SHORT: [&str; 2] = ["+most=4", "+stalls=0"];

/// The link layer takes two registers from board to board, and nothing else of the speed.
#[test]
fn checked_links_are_as_fast_as_pace_says() {
    if !has("iverilog") {
        return;
    }
    for (program, checksum) in [
        (torus(&[2, 3], "scheme=optimal link.flits=3 link.latency=3"), Checksum::Crc8),
        (program(ShapeName::Path, &[3], "collective=broadcast link.flits=5"), Checksum::Crc16),
    ] {
        let folder = faulty(&program, checksum);
        for link in [1, 4] {
            let links = [format!("+least={link}"), format!("+most={link}")];
            let printed = play(&folder, &["+stalls=0", "+runs=3", &links[0], &links[1]]);
            let clocks = pace::clocks(
                &program,
                &program.topology,
                BoardStart::Own,
                3,
                |_, _| link + pace::beside(true, PortClock::Board),
                &|_| (),
            );
            let expected = format!("{}, {clocks} clocks, ", board_verdict(&program, program.topology.nodes(), 3));
            assert!(printed.starts_with(&expected), "{printed}, not {expected}");
        }
    }
}

/// Every kind of fault of the bench: the first code is that of the fault, at its port; all boards stop; after a restart the
/// next run is right.
#[test]
fn faults_on_links_are_named_and_never_give_wrong_data() {
    if !has("iverilog") {
        return;
    }
    let program = torus(&[2, 2], "scheme=optimal");
    let folder = faulty(&program, Checksum::Crc8);
    for kind in (1..=8).chain([13]) {
        let fault = format!("+fault={kind}");
        let printed = play(&folder, &[&SHORT[..], &["+faults=2", &fault]].concat());
        assert!(printed.starts_with("PASS 2 faults named, "), "fault {kind}: {printed}");
    }
}

/// The only way from one end of a path to the other is through the board that was reset.
#[test]
fn restart_reaches_boards_behind_one_that_was_reset() {
    if !has("iverilog") {
        return;
    }
    let folder = faulty(&program(ShapeName::Path, &[4], ""), Checksum::Crc8);
    let arguments = [&SHORT[..], &["+faults=3", "+fault=7", "+seed=7"]].concat();
    let printed = play(&folder, &arguments);
    assert!(printed.starts_with("PASS 3 faults named, "), "{printed}");
    let path = folder.path().join("path_4_receiver.v");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("(renewed | (primed"));
    fs::write(&path, text.replace("(renewed | (primed", "(1'b0 | (primed")).unwrap();
    compile_faulty(&folder, &program(ShapeName::Path, &[4], ""));
    assert!(play(&folder, &arguments).contains("FAIL boards do not come back"));
}

/// An identity that is not sent whole, idle frames that do not differ, a link that trains with fewer good frames in a row.
#[test]
fn mutants_of_training_and_of_idle_frames_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = torus(&[2, 2], "scheme=optimal");
    let folder = Folder::with_options(&program, &checked(8, Checksum::Crc8));
    assert_eq!(compile(&folder, &program), "");
    let right = board_verdict(&program, 4, 2);
    assert!(play(&folder, &["+runs=2"]).starts_with(&right));
    for (module, what, good, bad, said) in [
        ("sender", "one part is sent", "at + 5'd1 : 5'd0", "at + 5'd0 : 5'd0", "of its identity"),
        ("sender", "idle frames are alike", "idle <= idle + 1'b1", "idle <= idle + 1'b0", "goes down without a fault"),
        ("receiver", "it counts down", "good + 1'b1", "good - 1'b1", "trains with wrong frames"),
    ] {
        let path = folder.path().join(format!("{}_{module}.v", program.title.name));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "{what}: `{good}` is not there");
        fs::write(&path, text.replace(good, bad)).unwrap();
        compile(&folder, &program);
        let printed = play(&folder, &["+runs=2"]);
        assert!(printed.contains("FAIL ") && printed.contains(said), "{what}: {printed}");
        fs::write(&path, text).unwrap();
    }
}

/// A frame of another port is a damaged one. Where checksums have no seed, it is taken for one of the neighbour.
#[test]
fn cables_exchanged_in_an_instant_bring_wrong_words_only_without_seeds() {
    if !has("iverilog") {
        return;
    }
    let program = torus(&[2, 3], "scheme=optimal");
    let folder = faulty(&program, Checksum::Crc8);
    let arguments = [&SHORT[..], &["+faults=3", "+fault=13"]].concat();
    let printed = play(&folder, &arguments);
    assert!(printed.starts_with("PASS 3 faults named, "), "{printed}");
    for (module, seed) in [("sender", "seed = {1'b1, identity[6:0]}"), ("receiver", "seed == {1'b1, expected[6:0]}")] {
        let path = folder.path().join(format!("torus_2x3_{module}.v"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(seed), "{module}: `{seed}` is not there");
        let (before, _) = seed.split_once('{').unwrap();
        fs::write(&path, text.replace(seed, &format!("{before}8'h80"))).unwrap();
    }
    compile_faulty(&folder, &program);
    let printed = play(&folder, &arguments);
    assert!(printed.contains("FAIL run ") && printed.contains(": expected "), "{printed}");
}

/// The bench of faults is tried: checksums, numbers, identities, timers and restarts that do not do their work. Every
/// third; all under `TORUSWEAVE_FULL`.
#[test]
fn mutants_of_the_link_layer_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = torus(&[2, 2], "scheme=optimal");
    let mutants: [(&str, u32, &str, &str, &str); 14] = [
        ("receiver", 4, "wrong bits pass", "sound <= seed == {1'b1, expected[6:0]}", "sound <= 1'b1"),
        ("crc", 4, "the checksum does not see the frame", "^(d & mask)", "^(d & mask & {BITS{1'b0}})"),
        ("receiver", 1, "numbers are not compared", "wire is_next = number == awaited", "wire is_next = 1'b1"),
        ("receiver", 3, "order is not a fault", "counts & ~is_next) ? 4'd2", "counts & ~is_next) ? 4'd0"),
        ("receiver", 5, "a link that stands still is not silent", "heard & (fresh | ~up)", "heard"),
        ("receiver", 6, "silence is not noticed", "wire silent = &waited", "wire silent = &waited & ~up"),
        ("receiver", 7, "a neighbour may be reset", "up & heard & running & (kind == 3'd0)) ? 4'd4", "1'b0) ? 4'd4"),
        ("receiver", 8, "a link trains with anybody", "wire [2:0] wrong = other | differed", "wire [2:0] wrong = 3'd0"),
        ("receiver", 8, "other ports are not named", "(trained & wrong[2]) ? 4'd8", "1'b0 ? 4'd8"),
        ("sender", 1, "a board that has stopped stays silent about it", "stopped ? 3'd4 :", "1'b0 ? 3'd4 :"),
        ("sender", 1, "idle frames have no number", "body = {kind, at,", "body = {kind, up ? 5'd0 : at,"),
        ("sender", 1, "a restart stays on its board", "(state == 2'd0 & calls) ? 3'd5", "1'b0 ? 3'd5"),
        ("monitor", 1, "a fault is not kept", "error <= 1'b1;", "error <= 1'b0;"),
        (
            "board",
            4,
            "a fault does not end the run",
            "assign halt = rst | error | restarting",
            "assign halt = rst | restarting",
        ),
    ];
    let folder = faulty(&program, Checksum::Crc8);
    for (module, kind, what, good, bad) in sampled(mutants, 10) {
        let path = folder.path().join(format!("{}_{module}.v", program.title.name));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "{what}: `{good}` is not there");
        fs::write(&path, text.replace(good, bad)).unwrap();
        compile_faulty(&folder, &program);
        let fault = format!("+fault={kind}");
        let printed = play(&folder, &[&SHORT[..], &["+faults=4", &fault]].concat());
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, text).unwrap();
    }
}
