//! Designs on several boards: called from Python in simulation, with faults on the cables and in the RTL.

use std::fs;

use crate::fixtures::called::{can_call, every_tool_is_silent, generated, script, served};
use crate::fixtures::command::Place;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;

/// All collectives, for every root.
const ALL: &str = "{ collective: gossip }, { collective: all-reduce, operation: sum }, { collective: exchange }, \
                   { collective: reduce-scatter, operation: sum }, { collective: broadcast, root: any, flits: 5 }, \
                   { collective: scatter, root: any, flits: 2 }, { collective: gather, root: any }, \
                   { collective: reduce, operation: sum, root: any, flits: 3 }";
/// Collectives that have no root.
const ROOTLESS: &str = "{ collective: gossip }, { collective: exchange }, { collective: all-reduce, operation: max }";

fn config(network: &str, link: &str, programs: &str) -> String {
    format!(
        "{{ name: calls, topology: {{ {network} }}, link: {{ elastic: true, checksum: crc16, {link} }}, programs: [{programs}] }}"
    )
}

/// Two boards with halves of a 4x2 torus.
fn halves() -> String {
    config("torus: [4, 2]", "width: 8, boards: [2, 1]", "{ collective: gossip }, { collective: exchange }")
}

#[test]
fn designs_on_boards_equal_numpy_for_every_collective_and_root() {
    if !can_call() {
        return;
    }
    let networks = [
        // a cable with one dead link, and one that is not there, and dead nodes
        (
            "torus: [4, 4], dead: { links: [\"0,1 x2+\", \"1,1 x2+\", \"2,1 x1+\"], nodes: [\"0,0\", \"3,2\"] }",
            "width: 16, boards: [2, 2]",
            ROOTLESS,
            8,
        ),
        ("torus: [4, 4]", "width: 32, boards: [1, 2]", ALL, 138),
        ("mesh: [4, 6]", "width: 16, boards: [2, 3], latency: 2", ROOTLESS, 8),
        // a twist
        ("lattice: [[4, 2], [0, 4]]", "width: 16, boards: [2, 2]", ROOTLESS, 8),
        // links of three ticks; floats that take time; parallel cables; simulators of many boards take a minute to compile
        ("torus: [6, 4]", "width: 8, boards: [3, 2], latency: 3", ALL, 202),
        ("torus: [4, 4, 2]", "width: 32, boards: [2, 1, 2]", "{ collective: all-reduce, operation: sum }", 2),
        ("torus: [6, 8]", "width: 32, boards: [3, 2]", ROOTLESS, 8),
        ("torus: [16, 16]", "width: 32, boards: [4, 4]", "{ collective: gossip }", 4),
        // a board for each node, with a twist
        ("lattice: [[2, 1], [0, 5]]", "width: 8", ALL, 90),
        ("torus: [16, 16]", "width: 32, boards: [2, 2]", "{ collective: gossip }", 4),
        // a board for each node
        ("torus: [2, 3]", "width: 8", ALL, 58),
        ("path: 6", "width: 32, boards: [3]", "{ collective: gossip }, { collective: gather, root: [4] }", 6),
    ];
    for (network, link, programs, calls) in sampled(networks, 11) {
        let mut config = config(network, link, programs);
        if programs.ends_with("sum }") {
            config = config.replace("programs:", "number: f32, adder: 2, programs:");
        }
        let place = generated(&config);
        let ended = script(&place, "collectives.py", &["sim:calls", "", "60"]);
        let right = format!("{calls} calls on ");
        assert!(ended.code == 0 && ended.stdout.starts_with(&right), "{network}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn frames_between_boards_go_in_beats_and_over_wires() {
    if !can_call() {
        return;
    }
    for (ports, calls) in sampled([("ports: bytes, clocks: cable", 6), ("ports: serial", 6)], 2) {
        let link = format!("width: 8, boards: [2, 1], {ports}");
        let place = generated(&config("torus: [4, 2]", &link, "{ collective: gossip }, { collective: exchange }"));
        let ended = script(&place, "collectives.py", &["sim:calls", "", "60"]);
        let right = format!("{calls} calls on ");
        assert!(ended.code == 0 && ended.stdout.starts_with(&right), "{ports}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
#[cfg(unix)]
fn every_board_has_a_port_or_a_pseudo_terminal_that_carries_the_bytes_of_the_simulation() {
    if !can_call() {
        return;
    }
    let place = generated(&halves());
    let right = script(&place, "collectives.py", &["sim:calls"]);
    assert!(right.code == 0 && right.stdout.starts_with("6 calls on 8 nodes"), "{}{}", right.stdout, right.stderr);
    for line in ["tcp:0", "pty"] {
        let (_server, at) = served(&place, &format!("{line} --folder calls"), 2);
        let ended = script(&place, "collectives.py", &[&at, "calls"]);
        assert_eq!((ended.code, &ended.stdout), (0, &right.stdout), "{line}: {}", ended.stderr);
        let (first, second) = at.split_once(',').unwrap();
        if line == "pty" {
            let ended = script(&place, "collectives.py", &[first, "calls"]);
            assert!(
                ended.code != 0 && ended.stderr.contains("no line leads to board 1,0: name one for each"),
                "{}",
                ended.stderr
            );
        } else {
            // boards say where they are
            let turned = script(&place, "collectives.py", &[&format!("{second},{first}"), "calls"]);
            assert_eq!((turned.code, &turned.stdout), (0, &right.stdout), "{line}: {}", turned.stderr);
        }
    }
}

/// The module with all boards, changed.
fn with_cables(place: &Place, changes: &[(&str, &str)]) {
    let path = place.path().join("calls/tb/calls_boards.v");
    let mut text = fs::read_to_string(&path).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "`{from}` is not there:\n{text}");
        text = text.replace(from, to);
    }
    // clocks, and frames with a token that port b of board 0,0 has sent
    let counters = "reg [15:0] age;\n    reg [3:0] sent;\n    reg [12:0] out;\n    \
                    wire sends = b0_0_b_m_axis_tvalid & (b0_0_b_m_axis_tdata[$bits(b0_0_b_m_axis_tdata)-1-:3] == 3'd3);\n    \
                    initial {age, sent, out} = 33'd0;\n    always @(posedge clk) begin\n        age <= age + 16'd1;\n        \
                    sent <= sent + {3'd0, sends};\n        \
                    out <= (sends & sent == 4'd9) ? 13'd8191 : (out != 13'd0) ? out - 13'd1 : 13'd0;\n    end\n    \
                    // random moments from which cables are exchanged for a while\n    \
                    reg [30:0] chance;\n    reg [12:0] swapped;\n    initial {chance, swapped} = {31'd1, 13'd0};\n    \
                    wire exchanged = swapped != 13'd0;\n    always @(posedge clk) begin\n        \
                    chance <= {chance[29:0], chance[30] ^ chance[27]};\n        \
                    swapped <= exchanged ? swapped - 13'd1 : (chance[17:0] == 18'd5) ? 13'd8191 : 13'd0;\n    end\n\n    // Board 0,0.";
    assert!(text.contains("// Board 0,0."), "{text}");
    fs::write(&path, text.replacen("// Board 0,0.", counters, 1)).unwrap();
}

/// Changes of the cables, number of calls, and what is named.
type Case<'c> = (&'c [(&'c str, &'c str)], &'c str, &'c [&'c str]);

/// Changes that exchange both directions of the two cables at random moments, for a while.
const AT_ONCE: [(&str, &str); 4] = [
    (".t_s_axis_tdata(b0_0_b_m_axis_tdata)", ".t_s_axis_tdata(exchanged ? b0_0_t_m_axis_tdata : b0_0_b_m_axis_tdata)"),
    (".b_s_axis_tdata(b0_0_t_m_axis_tdata)", ".b_s_axis_tdata(exchanged ? b0_0_b_m_axis_tdata : b0_0_t_m_axis_tdata)"),
    (".t_s_axis_tdata(b1_0_b_m_axis_tdata)", ".t_s_axis_tdata(exchanged ? b1_0_t_m_axis_tdata : b1_0_b_m_axis_tdata)"),
    (".b_s_axis_tdata(b1_0_t_m_axis_tdata)", ".b_s_axis_tdata(exchanged ? b1_0_b_m_axis_tdata : b1_0_t_m_axis_tdata)"),
];

/// Faults that are met where cables are exchanged in an instant: the last of them while they lead elsewhere.
const EXCHANGED: [&str; 3] =
    ["a frame was damaged", "another port is at the other end of the cable", "the neighbour has stopped"];

/// 300 calls with cables that are exchanged at random moments, and no wrong word; without the seed of the checksum there are.
#[test]
fn cables_that_are_exchanged_in_an_instant_bring_no_wrong_word_to_any_program() {
    if std::env::var_os("TORUSWEAVE_FULL").is_none() || !can_call() {
        return;
    }
    let place = generated(&halves());
    with_cables(&place, &AT_ONCE);
    let ended = script(&place, "boards.py", &["sim:calls", "300"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    println!("{}", ended.stdout);
    let faults: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("error ")).collect();
    assert!(faults.iter().any(|line| line.contains(EXCHANGED[0])), "{}", ended.stdout);
    for (part, right, wrong) in [
        ("sender", "seed = {1'b1, identity[14:0]}", "seed = 16'h8000"),
        ("receiver", "seed == {1'b1, expected[14:0]}", "seed == 16'h8000"),
    ] {
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there:\n{good}");
        fs::write(&path, good.replace(right, wrong)).unwrap();
    }
    let ended = script(&place, "boards.py", &["sim:calls", "300"]);
    assert!(ended.code != 0 && ended.stderr.contains("AssertionError"), "{}{}", ended.stdout, ended.stderr);
}

/// Calls are right, or name board, port and fault; the design is reset, and goes on where the link does.
#[test]
fn faults_on_cables_are_named_and_no_call_brings_wrong_words() {
    if !can_call() {
        return;
    }
    // x1- and x1+ are the ports t and b of a torus of two axes
    let data = ".t_s_axis_tdata(b0_0_b_m_axis_tdata)";
    let valid = ".t_s_axis_tvalid(b0_0_b_m_axis_tvalid & ~rst)";
    let other = ".b_s_axis_tdata(b0_0_t_m_axis_tdata)";
    let flipped =
        [(data, ".t_s_axis_tdata(b0_0_b_m_axis_tdata ^ {{($bits(b0_0_b_m_axis_tdata)-1){1'b0}}, &age[11:0]})")];
    let lost = [(valid, ".t_s_axis_tvalid(b0_0_b_m_axis_tvalid & ~(sends & sent == 4'd9))")];
    let cut = [(valid, ".t_s_axis_tvalid(b0_0_b_m_axis_tvalid & out == 13'd0)")];
    let dead = [(valid, ".t_s_axis_tvalid(1'b0)")];
    let exchanged = [
        (data, ".t_s_axis_tdata(other)"),
        (other, ".b_s_axis_tdata(b0_0_b_m_axis_tdata)"),
        ("(other)", "(b0_0_t_m_axis_tdata)"),
    ];
    let cases: [Case; 6] = [
        (&AT_ONCE, "20", &EXCHANGED),
        // a link that never comes up is waited for in every call, for seconds
        (&exchanged, "2", &["board 1,0, port t: another port is at the other end of the cable"]),
        (&dead, "2", &["no link at t"]),
        (&flipped, "4", &["board 1,0, port t: a frame was damaged", "board 1,0, port t: a token was lost"]),
        (&cut, "8", &["board 1,0, port t: the link is silent, or stands still"]),
        (&lost, "8", &["board 1,0, port t: a token was lost, doubled or exchanged"]),
    ];
    for (changes, calls, named) in sampled(cases, 5) {
        let place = generated(&halves());
        with_cables(&place, changes);
        let ended = script(&place, "boards.py", &["sim:calls", calls]);
        assert_eq!(ended.code, 0, "{named:?}: {}{}", ended.stdout, ended.stderr);
        let faults: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("error ")).collect();
        let is_named = |line: &str| named.iter().any(|name| line.contains(name));
        assert!(!faults.is_empty() && faults.iter().all(|line| is_named(line)), "{named:?}: {}", ended.stdout);
    }
}

#[test]
fn boards_without_faults_are_right_and_another_program_is_named() {
    if !can_call() {
        return;
    }
    // in the second a run has one tick in which a board takes what its neighbour sent
    let pair = config("path: 2", "width: 8", "{ collective: gossip }, { collective: exchange }");
    for (config, port) in [(halves(), "board 1,0, port t"), (pair, "board 1, port x1m")] {
        let place = generated(&config);
        let ended = script(&place, "boards.py", &["sim:calls", "3"]);
        let fault = "the neighbour plays another program, or for another root";
        let right = format!("3 right\nanother program: {port}: {fault}\n");
        assert_eq!((ended.code, ended.stdout), (0, right), "{}", ended.stderr);
    }
}

/// Registers that must stop are tried, and the ticks in which links are used.
#[test]
fn faults_of_boards_are_seen_from_python() {
    if !can_call() {
        return;
    }
    let place = generated(&config("torus: [4, 2]", "width: 8, boards: [2, 1]", ALL));
    let faults = [
        ("sequencer", "if (ce) begin\n        begins", "if (1'b1) begin\n        begins"),
        ("words", "if (ce) begin", "begin"),
        ("node", "if (ce) t_own", "t_own"),
        ("node", "if (ce) b_at", "b_at"),
        ("node", "if (ce) t_to_b_count", "t_to_b_count"),
        ("router", "if (ce) l_out", "l_out"),
        ("sequencer", "(tick != sent)", "(tick + 1 != sent)"),
        ("sequencer", "(tick >= ", "(tick > "),
        ("board", "base_x1 + 2'd1", "base_x1 + 2'd0"),
        ("board", "inputs_hold | ~needs", "1'b1"),
        ("registers", "ran & ~busy & ~finished", "ran & ~busy & finished"),
    ];
    for (part, right, wrong) in sampled(faults, 3) {
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there:\n{good}");
        fs::write(&path, good.replace(right, wrong)).unwrap();
        let ended = script(&place, "collectives.py", &["sim:calls", "", "4"]);
        assert_ne!(ended.code, 0, "{part}: `{wrong}` is not seen: {}", ended.stdout);
        fs::write(&path, good).unwrap();
    }
}

/// One bitstream for all boards, whose coordinates are pins: placed, packed, unpacked, and two of it joined pin to pin.
#[test]
#[cfg(unix)]
fn two_bitstreams_joined_pin_to_pin_gather_all_words() {
    if std::env::var_os("TORUSWEAVE_FULL").is_none() || !can_call() {
        return;
    }
    if !["yosys", "nextpnr-ice40", "icepack", "iceunpack", "icebox_vlog"].into_iter().all(has) {
        return;
    }
    let config = config("torus: [4, 4]", "width: 8, boards: [1, 2]", "{ collective: gossip }");
    let fast = "host: { bus: uart, baud: 3000000 }, programs:";
    let place = generated(&config.replace("crc16", "crc8").replace("programs:", fast));
    let right = script(&place, "collectives.py", &["sim:calls"]);
    assert!(right.code == 0 && right.stdout.starts_with("4 calls on 16 nodes"), "{}{}", right.stdout, right.stderr);
    let (_server, at) = served(&place, "tcp:0 --engine bitstream calls.yaml", 2);
    let ended = script(&place, "collectives.py", &[&at, "calls", "60"]);
    assert_eq!((ended.code, ended.stdout), (0, right.stdout), "{}", ended.stderr);
}

/// The pins of a board before it is placed.
#[test]
fn every_tool_is_silent_about_the_pins_of_boards() {
    let halves = halves().replace("programs:", "host: { bus: uart, baud: 3000000 }, programs:");
    let place = generated(&halves);
    let board =
        place.command().args(["fpga", "calls.yaml", "--device", "hx8k", "--out", "board"]).env("PATH", "").output();
    assert!(board.unwrap().status.success());
    let folder = place.path().join("board");
    let script = fs::read_to_string(folder.join("synth.ys")).unwrap();
    let all: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("read_verilog ")).collect();
    fs::write(folder.join("calls.f"), all.join("\n") + "\n").unwrap();
    every_tool_is_silent(&folder, "calls_fpga");
    let pins = fs::read_to_string(folder.join("board.pcf")).unwrap();
    let wires = ["-pullup yes x1_0 C16", "-pullup yes t_rx D16", "t_tx E16", "-pullup yes b_rx F16", "b_tx G16"];
    assert!(wires.iter().all(|wire| pins.contains(&format!("set_io {wire}\n"))), "{pins}");
    let many = place.run("fpga calls.yaml --device ecp5-25k");
    assert!(many.code == 2 && many.stderr.contains("fpga --device: 5 pins to other boards"), "{}", many.stderr);
}

#[test]
fn every_tool_is_silent_about_designs_on_boards() {
    let hosts = ["uart", "axi-lite", "uart", "uart"];
    let tops = ["calls_uart", "calls_axil", "calls_uart", "calls_uart"];
    let networks = [
        ("torus: [4, 4]", "boards: [1, 2]"),
        ("mesh: [4, 6]", "boards: [2, 3]"),
        ("torus: [3, 2]", "latency: 3"),
        ("lattice: [[4, 2], [0, 4]], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"] }", "boards: [2, 2]"),
    ];
    for ((host, top), (network, link)) in hosts.into_iter().zip(tops).zip(networks) {
        let config = config(network, &format!("width: 32, {link}"), ROOTLESS);
        let place = generated(&config.replace("programs:", &format!("host: {{ bus: {host} }}, programs:")));
        every_tool_is_silent(&place.path().join("calls"), top);
    }
}

#[test]
fn designs_on_boards_that_are_not_supported_are_refused_with_a_cure() {
    let gossip = "{ collective: gossip }";
    let cases = [
        (config("torus: [4, 4]", "boards: [3, 2]", gossip), "link.boards: "),
        (config("torus: [4, 4]", "boards: [1, 2]", gossip).replace("checksum: crc16, ", ""), "link.checksum: "),
        (config("lattice: [[4, 2], [0, 4]]", "width: 8, boards: [4, 1]", gossip), "link.boards: "),
        (config("torus: [4, 4]", "boards: [1, 2], ports: serial, clocks: cable", gossip), "link.ports: "),
        (config("torus: [4, 4]", "boards: [1, 2], bytes: 4", gossip), "link.bytes: "),
        (config("torus: [4, 4]", "boards: [1, 2], start: common", gossip), "link.start: "),
        (
            config("torus: [4, 4]", "width: 32, boards: [1, 2]", gossip).replace("crc16", "crc8"),
            "link.checksum: frames of 141 bits are longer than the 119 that it covers",
        ),
        (config("torus: [4, 4]", "boards: [1, 2]", gossip).replace("elastic: true, ", ""), "link."),
    ];
    for (config, words) in cases {
        let place = Place::new();
        place.write("calls.yaml", &config);
        let ended = place.run("generate calls.yaml");
        assert_eq!(ended.code, 2, "{config}: {}", ended.stdout);
        assert!(ended.stderr.contains(words) && ended.stderr.contains("help: "), "{config}: {}", ended.stderr);
    }
}
