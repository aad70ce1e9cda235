//! Proofs of designs with several programs; wrong control words, routers, counts and wires are refuted.

use std::path::Path;

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::emit::MemoryFiles;
use torusweave::emit::node::ListDesign;
use torusweave::program::Program;
use torusweave::tools::prove::Prover;
use torusweave::tools::prove::listed::{self, ListedProof, Texts};
use torusweave::tools::prove::wires;
use torusweave::tools::prove::wiring::WiringResult;

use crate::fixtures::command::Place;
use crate::fixtures::tools::{has, skip};

const RING: &str = "name: three\ntopology: { cycle: 3 }\nlink: { width: 8 }\nprograms:\n  - { collective: gossip }\n  \
                    - { collective: all-reduce, operation: max }\n  - { collective: broadcast, root: any, flits: 2 }\n  \
                    - { collective: reduce, operation: max, root: any, flits: 3 }\n";

fn prover() -> Option<Prover> {
    let found = Prover::find();
    if let Err(error) = &found {
        skip("yosys or Z3", &error.to_string());
    }
    found.ok()
}

fn programs(config: &str) -> Programs {
    let place = Place::new();
    place.write("list.yaml", config);
    Programs::new(Config::read(&place.path().join("list.yaml")).unwrap()).unwrap()
}

/// RTL of all modules: paths and texts.
fn rtl(programs: &Programs) -> Texts {
    let mut files = MemoryFiles::default();
    programs.emitted(|design: &ListDesign| design.write_rtl(&mut files)).unwrap();
    files.0.into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// RTL with a fault: in a module's first line with some words, text in place of other text.
fn faulty(files: &Texts, module: &str, line: &str, [right, wrong]: [&str; 2]) -> Texts {
    let mut files = files.clone();
    let path = format!("three_{module}.v");
    let (_, text) = files.iter_mut().find(|(other, _)| Path::new(other).ends_with(&path)).unwrap();
    let found = text.lines().find(|other| other.contains(line)).unwrap_or_else(|| panic!("{module}: {line}"));
    assert!(found.contains(right), "{found}");
    *text = text.replacen(found, &found.replacen(right, wrong, 1), 1);
    files
}

fn proofs(prover: &Prover, programs: &Programs, numbers: &[usize], files: &Texts) -> Vec<ListedProof> {
    let each: Vec<&Program> = programs.designs.iter().map(|design| &design.program).collect();
    programs.emitted(|design: &ListDesign| listed::prove(prover, design, &each, numbers, files, |_| {})).unwrap()
}

#[test]
fn control_words_of_every_program_are_proved() {
    if prover().is_none() {
        return;
    }
    let place = Place::new();
    place.write("list.yaml", RING);
    let ended = place.run("prove list.yaml");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    for line in [
        "proved program 0, gossip, 3 of 3 nodes: ",
        "proved program 1, all-reduce, 3 of 3 nodes: ",
        "proved program 2, broadcast, node 2 as seen from its root: ",
        "proved program 3, reduce, node 2 as seen from its root: ",
        "proved wires: ",
        "proved schedule of three program 2: ",
        "proved: routers do what the control words of every program say; by yosys",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {}", ended.stdout);
    }
    let ended = place.run("prove list.yaml --part whole");
    assert!(ended.code == 2 && ended.stderr.contains("prove: `whole` is a part of one collective"), "{}", ended.stderr);
}

#[test]
fn wrong_control_words_routers_and_counts_are_refuted() {
    let Some(prover) = prover() else { return };
    let programs = programs(RING);
    let files = rtl(&programs);
    let first = |module: &str| {
        let path = format!("three_{module}.v");
        let (_, text) = files.iter().find(|(other, _)| Path::new(other).ends_with(&path)).unwrap();
        let entries = text.lines().filter(|line| line.contains(": entry <= ") && !line.contains("default"));
        entries.map(|line| line.split_once("'b").unwrap().1.trim_end_matches(';').to_owned()).collect::<Vec<_>>()
    };
    let nothing = |bits: &str| "0".repeat(bits.len());
    let words = first("words");
    let refuted =
        |number: usize, files: &Texts| proofs(&prover, &programs, &[number], files).iter().any(|it| !it.holds());
    for word in &words {
        let wrong = faulty(&files, "words", word, [word, &nothing(word)]);
        assert!(refuted(0, &wrong) || refuted(1, &wrong), "control word {word}");
    }
    let tracks = first("records").pop().unwrap();
    let wrong = faulty(&files, "records", &tracks, [&tracks, &nothing(&tracks)]);
    assert!(refuted(3, &wrong), "the last record of the last program");
    let early = faulty(&files, "sequencer", "tick != last", ["tick != last", "tick + 1 != last"]);
    assert!(refuted(1, &early), "a run that ends early");
    let other = faulty(&files, "router", "_out_data <= ", ["_out_data <= ", "_out_data <= ~"]);
    assert!(refuted(0, &other), "an inverted output");
}

#[test]
fn exchanged_wires_of_nodes_are_seen() {
    if !has("yosys") {
        return;
    }
    let Some(prover) = prover() else { return };
    let programs = programs(RING);
    let files = rtl(&programs);
    let compared =
        |files: &Texts| programs.emitted(|design: &ListDesign| wires::compare(&prover, design, files)).unwrap();
    let right = compared(&files);
    assert!(right.differences.is_empty() && right.fault_seen && right.routers == 3, "{right:?}");
    // nothing comes in by either lane of the first input of its first node
    let lanes = self::programs(
        "topology: { path: 3 }\nlink: { width: 8, lanes: 2 }\nhost: { bus: streams }\nprograms:\n  - { collective: gossip }\n",
    );
    let right = lanes.emitted(|design: &ListDesign| wires::compare(&prover, design, &rtl(&lanes))).unwrap();
    assert!(right.differences.is_empty() && right.fault_seen && right.routers == 3, "{right:?}");
    // registers on the way of links, one of which is left out
    let long = self::programs(
        "name: three\ntopology: { cycle: 3 }\nlink: { width: 8, latency: 3 }\nprograms:\n  - { collective: gossip, flits: 2 }\n",
    );
    let of_long = |files: &Texts| long.emitted(|design: &ListDesign| wires::compare(&prover, design, files)).unwrap();
    let right = of_long(&rtl(&long));
    assert!(right.differences.is_empty() && right.fault_seen, "{right:?}");
    assert!(proofs(&prover, &long, &[0], &rtl(&long)).iter().all(ListedProof::holds));
    for (line, change) in [("_way[15:8])", ["[15:8]", "[7:0]"]), ("_way <= {", ["_way[7:0], ", "_out, "])] {
        let wrong = of_long(&faulty(&rtl(&long), "system", line, change));
        assert!(
            wrong.differences.iter().any(|difference| difference.contains("is not at its link")),
            "{line}: {wrong:?}"
        );
    }
    for (module, line, change, told) in [
        ("system", ".here(2'd1)", ["2'd1", "2'd2"], "node_1.here"),
        ("system", ".shared(word)", ["(word)", "(~word)"], "shared"),
        ("system", "_in(n1_", ["n1_", "n2_"], "is not at its link"),
        ("node", "_in_data(", ["_in_data(", "_in_data(~"], "in_data is not at"),
    ] {
        let wrong = compared(&faulty(&files, module, line, change));
        assert!(wrong.differences.iter().any(|difference| difference.contains(told)), "{module}: {line}: {wrong:?}");
    }
}

/// Boards of tori, meshes, twisted and damaged networks, with every kind of port.
const BOARDS: [(&str, &str, u32); 8] = [
    ("torus: [4, 4]", "boards: [2, 2], latency: 3", 16),
    ("torus: [3, 4]", "boards: [3, 1], ports: serial", 12),
    ("torus: [2, 3]", "clocks: cable", 6),
    ("mesh: [2, 6]", "boards: [1, 3], ports: bytes, bytes: 2, clocks: cable", 12),
    ("torus: [4, 4], dead: { links: [\"0,1:x2+\", \"1,1:x2+\"] }", "boards: [2, 2], start: common", 16),
    ("lattice: [[4, 2], [0, 4]]", "boards: [2, 2]", 16),
    ("torus: [4, 4], dead: { nodes: [\"0,2\", \"0,3\", \"1,2\", \"1,3\", \"2,0\"] }", "boards: [2, 2]", 11),
    ("path: [6]", "boards: [3], lanes: 2", 6),
];

fn boards(network: &str, link: &str, host: &str) -> Programs {
    programs(&format!(
        "name: three\ntopology: {{ {network} }}\nlink: {{ width: 8, elastic: true, checksum: crc8, flits: 3, {link} }}\nhost: {host}\n\
         programs:\n  - {{ collective: gossip }}\n"
    ))
}

fn compared(prover: &Prover, programs: &Programs, files: &Texts) -> WiringResult {
    programs.emitted(|design: &ListDesign| wires::compare(prover, design, files)).unwrap()
}

#[test]
fn wires_of_every_board_and_its_cables_are_those_of_the_network() {
    let Some(prover) = prover() else { return };
    for (number, (network, link, nodes)) in BOARDS.into_iter().enumerate() {
        let programs = boards(network, link, ["{ bus: streams }", "{ bus: uart }"][number % 2]);
        let right = compared(&prover, &programs, &rtl(&programs));
        assert!(right.differences.is_empty() && right.fault_seen && right.routers == nodes, "{network}: {right:?}");
    }
}

#[test]
fn wrong_wires_of_boards_are_seen() {
    let Some(prover) = prover() else { return };
    let [torus, mesh, dead] = [0, 3, 6].map(|number| {
        let (network, link, _) = BOARDS[number];
        boards(network, link, "{ bus: streams }")
    });
    let faults = [
        (&torus, ".here({base_x1", ["base_x1 + ", ""], "here is not its code"),
        (&torus, "base_x2 = ", ["* 2'd2", "* 2'd1"], "here is not its code"),
        (&torus, ".ce(ce)", ["(ce)", "(1'b1)"], "ce of nodes is not the sequencer's ce"),
        (&torus, "n0_0_r_way <= {", ["if (ce) ", ""], "is not at its link"),
        (&torus, "n0_0_r_way <= {", ["_way[7:0], ", "_out, "], "is not at its link"),
        (&torus, ".l_in(n0_0_r_way[15:8])", ["n0_0_r", "n1_0_r"], "is not at its link"),
        (
            &torus,
            ".first({r_plan_first, ",
            ["n1_1_r_first, n0_1_r_first", "n0_1_r_first, n1_1_r_first"],
            "is not at its link",
        ),
        (&torus, "assign r_token = {", ["n1_1_r_out, n0_1_r_out", "n0_1_r_out, n1_1_r_out"], "is not at its link"),
        (&torus, " plan = {", ["played_program", "placed_program"], "does not name program and root"),
        (&torus, ".s_axis_tdata(r_s_axis_tdata)", ["r_s", "l_s"], "r is not at its cable"),
        (&torus, ".expected({16'h", ["x1 - 1'd1", "x1"], "expects another neighbour"),
        (&torus, ".identity({16'h", ["x1, x2", "x1, x1"], "has no identity of its own"),
        (&torus, ".s_axis_tdata(r_received)", ["r_received", "l_received"], "is not at the receiver's token"),
        (&mesh, "r_linked = ", ["!=", "=="], "does not know whether it has a cable"),
        (&dead, "r_linked = ", ["2'd0", "2'd2"], "does not know whether it has a cable"),
    ];
    for (programs, line, change, told) in faults {
        let wrong = compared(&prover, programs, &faulty(&rtl(programs), "board", line, change));
        assert!(wrong.differences.iter().any(|difference| difference.contains(told)), "{line}: {told}: {wrong:?}");
    }
}
