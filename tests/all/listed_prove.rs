//! Proofs of designs with several programs; wrong control words, routers, counts and wires are refuted.

use std::path::Path;

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::emit::formal::listed::{self as formal, ListedSubject};
use torusweave::emit::node::ListDesign;
use torusweave::net::NodeId;
use torusweave::program::Program;
use torusweave::tools::prove::listed::{self, ListedProof, Texts};
use torusweave::tools::prove::wires;
use torusweave::tools::prove::wiring::WiringResult;
use torusweave::tools::prove::{Prover, SolverVerdict};

use crate::fixtures::command::Place;
use crate::fixtures::ranges::sampled;
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
    programs.emitted(listed::rtl).unwrap()
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
    let mut questions = programs.emitted(|design| formal::questions(design, &each));
    questions.retain(|question| numbers.contains(&question.program));
    listed::prove(prover, &questions, files, |_| {}).unwrap()
}

/// Proof of all nodes together, in RTL that is changed first.
fn whole(prover: &Prover, programs: &Programs, number: usize, change: impl Fn(&Texts) -> Texts) -> ListedProof {
    let each: Vec<&Program> = programs.designs.iter().map(|design| &design.program).collect();
    programs.emitted(|design| {
        let narrow = formal::narrow(design);
        let mut questions = formal::whole_questions(&narrow, &each, &[number]);
        let right = listed::rtl(&narrow).unwrap();
        let files = change(&right);
        // a fault in the RTL leaves nothing to ask about another one
        questions[0].wrong = questions[0].wrong.take().filter(|_| files == right);
        listed::prove(prover, &questions, &files, |_| {}).unwrap().remove(0)
    })
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
    // a solver takes long where nodes have control words of their own
    assert!(!ended.stdout.contains("as a whole"), "{}", ended.stdout);
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
    place.write("shared.yaml", WHOLE[1]);
    let ended = place.run("prove shared.yaml --program all-reduce");
    assert!(ended.stdout.contains("proved program 1, all-reduce, all nodes as a whole: "), "{}", ended.stdout);
    let ended = place.run("prove shared.yaml --program exchange --part whole");
    assert!(ended.stdout.contains("\nproved: all nodes together do what every program says"), "{}", ended.stdout);
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
    for word in sampled(&words, 3) {
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

/// Units in the place of the adders: one and several in a row, of one and several flits, on the way for one tick and more.
const FLOATS: [&str; 3] = [
    "name: three\ntopology: { cycle: 3 }\nlink: { width: 16 }\nnumber: bf16\nadder: 2\nprograms:\n  - { collective: gossip }\n  \
     - { collective: all-reduce, operation: sum }\n  - { collective: reduce, operation: sum, root: any, flits: 2 }\n",
    "topology: { torus: [2, 3] }\nlink: { width: 32, flits: 2 }\nnumber: f32\nadder: 1\nhost: { bus: streams }\nprograms:\n  \
     - { collective: reduce-scatter, operation: max }\n  - { collective: broadcast, root: any }\n",
    "topology: { path: 3 }\nlink: { width: 16, latency: 2 }\nnumber: f16\nadder: 1\nprograms:\n  \
     - { collective: reduce, operation: sum, root: [1] }\n  - { collective: all-reduce, operation: sum }\n",
];

#[test]
fn lists_of_floats_are_proved_for_any_function_of_two_values() {
    let Some(prover) = prover() else { return };
    for config in sampled(FLOATS, 2) {
        let programs = programs(config);
        let numbers: Vec<usize> = (0..programs.designs.len()).collect();
        for proof in proofs(&prover, &programs, &numbers, &rtl(&programs)) {
            assert!(proof.holds() && proof.width == 2, "{config}: {proof:?}");
        }
    }
}

#[test]
fn wrong_adders_and_their_control_words_are_refuted() {
    let Some(prover) = prover() else { return };
    let programs = programs(FLOATS[0]);
    let files = rtl(&programs);
    let faults = [
        (
            "router",
            ".a(unit_0_operand_0), .b(unit_0_operand_1)",
            ["_0), .b(unit_0_operand_1", "_1), .b(unit_0_operand_0"],
        ),
        ("router", "unit_0_row_1_1 = unit_0_wait_1_1[2*WIDTH-1:WIDTH]", ["[2*WIDTH-1:WIDTH]", "[WIDTH-1:0]"]),
        ("router", "unit_0_out_data <= unit_0_row_2_0", ["row_2_0", "row_1_0"]),
        ("router", "x1m_out_data <= x1m_row_1_0", ["row_1_0", "operand_0"]),
        ("router", "x1p_operand_0 = ~x1p_has_0", ["~x1p_has_0", "x1p_has_0"]),
    ];
    for (module, line, change) in sampled(faults, 3) {
        let wrong = faulty(&files, module, line, change);
        assert!(proofs(&prover, &programs, &[1], &wrong).iter().any(|proof| !proof.holds()), "{line}");
    }
    // each word in which a sum is loaded
    let (_, words) = files.iter().find(|(path, _)| path.ends_with("three_words.v")).unwrap();
    let words: Vec<&str> =
        words.lines().filter(|line| line.contains(": entry <= ") && !line.contains("default")).collect();
    for line in sampled(words, 3) {
        let bits = line.split_once("'b").unwrap().1.trim_end_matches(';');
        let wrong = faulty(&files, "words", line, [bits, &"0".repeat(bits.len())]);
        let is_refuted = |number| proofs(&prover, &programs, &[number], &wrong).iter().any(|proof| !proof.holds());
        assert!(bits.bytes().all(|bit| bit == b'0') || (0..2).any(is_refuted), "{line}");
    }
}

/// Nodes with a host and with streams, on long links, with adders that take ticks.
const WHOLE: [&str; 3] = [
    "name: three\ntopology: { torus: [2, 3] }\nlink: { width: 8 }\nprograms:\n  - { collective: gossip }\n  \
     - { collective: all-reduce, operation: max }\n",
    "name: three\ntopology: { cycle: 3 }\nlink: { width: 8, latency: 2 }\nhost: { bus: streams }\nprograms:\n  \
     - { collective: exchange }\n  - { collective: all-reduce, operation: sum }\n",
    "name: three\ntopology: { cycle: 3 }\nlink: { width: 16 }\nnumber: bf16\nadder: 1\nprograms:\n  \
     - { collective: all-reduce, operation: sum }\n",
];

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn nodes_are_proved_as_a_whole_one_program_after_the_other() {
    let Some(prover) = prover() else { return };
    for config in sampled(WHOLE, 3) {
        let programs = programs(config);
        for number in sampled(0..programs.designs.len(), 2) {
            let proof = whole(&prover, &programs, number, Texts::clone);
            assert!(proof.holds() && proof.fault.is_some(), "{config}: {proof:?}");
        }
    }
    // nodes have control words of their own, as seen from the root
    let proof = whole(&prover, &programs(RING), 3, Texts::clone);
    assert!(proof.holds() && proof.subject == ListedSubject::Whole { root: Some(NodeId(2)) }, "{proof:?}");
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn faults_around_the_routers_are_refuted_by_the_whole() {
    let Some(prover) = prover() else { return };
    let [ring, torus, long] = [RING, WHOLE[0], WHOLE[1]].map(programs);
    let faults = [
        (&ring, 2, "node", "wire mine = ", ["put_position == position", "put_position != position"]),
        (&ring, 3, "place", "origin <= ", ["moved ? root_code", "moved ? 2'd0"]),
        (&ring, 3, "away", "assign away", ["x1_away", "x1_apart"]),
        (&ring, 3, "node", "track_last == tick", ["_at + ", "_at - "]),
        (&torus, 0, "system", ".shared(word)", ["(word)", "(~word)"]),
        (&torus, 1, "system", "_in(n0_1_", ["n0_1_", "n0_2_"]),
        (&torus, 1, "sequencer", "tick != last", ["tick != last", "tick + 1 != last"]),
        (&long, 0, "system", "n0_x1m_way <= {", ["_x1m_out", "_x1p_out"]),
        (&long, 1, "router", "_out_data <= ", ["_out_data <= ", "_out_data <= ~"]),
    ];
    for (programs, number, module, line, change) in sampled(faults, 5) {
        let wrong = whole(&prover, programs, number, |files| faulty(files, module, line, change));
        assert!(wrong.verdict != SolverVerdict::Holds, "{module}: {line}");
    }
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
        ("tile", ".here(here)", ["(here)", "(~here)"], "node.here is not that of its tile"),
        ("tile", "_in),", ["_in)", "_out)"], "is not that of its tile"),
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
