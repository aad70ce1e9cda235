//! Boards of lattices and of damaged networks: ports know themselves from a table, and every node's arrivals are those of the fabric.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::Config;

use crate::blocks::Boards;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_board, has};

/// Boards of a network, with settings of links and of the design.
fn boards(network: &str, link: &str, rest: &str) -> Boards {
    let text = format!("{{ topology: {{ {network} }}, link: {{ width: 8, elastic: true, {link} }}, {rest} }}");
    Boards::of_design(Design::new(Config::parse(&text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}")))
}

const TWISTED: &str = "lattice: [[4, 2], [0, 4]]";
/// A link of a cable between blocks of 2x2 nodes, and one within a block.
const DAMAGED: &str = "torus: [4, 4], dead: { links: [\"0,1 x2+\", \"2,2 x2+\"] }";
/// Both links of a cable between blocks of 2x2 nodes.
const CUT: &str = "torus: [4, 4], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"] }";

/// Twists along one axis and two, dead links of every place, dead nodes, borders; every collective, long links, and values.
const CASES: [(&str, &str, &str); 15] = [
    (TWISTED, "boards: [2, 2]", ""),
    (DAMAGED, "boards: [2, 2]", ""),
    (CUT, "boards: [2, 2], checksum: crc8", "collective: all-reduce, operation: sum"),
    ("lattice: [[4, 1], [0, 5]]", "checksum: crc8", ""),
    ("torus: [3, 4], dead: { nodes: [\"1,2\"] }", "checksum: crc8", ""),
    (DAMAGED, "boards: [2, 2], checksum: crc8", "collective: reduce, operation: max, root: [1, 2]"),
    (DAMAGED, "boards: [2, 2], checksum: crc16", "collective: reduce-scatter, operation: max"),
    (TWISTED, "boards: [2, 2], checksum: crc8", "collective: all-reduce, operation: min"),
    ("lattice: [[3, 1, 0], [0, 3, 1], [0, 0, 2]]", "", ""),
    ("mesh: [3, 4], dead: { links: [\"0,1 x2+\"] }", "checksum: crc8", "collective: broadcast, root: [2, 3]"),
    (CUT, "boards: [2, 2], checksum: crc16, latency: 2", ""),
    (DAMAGED, "checksum: crc8", "collective: exchange"),
    ("lattice: [[6, 3], [0, 9]]", "boards: [2, 3], checksum: crc16, clocks: cable", ""),
    (TWISTED, "boards: [2, 2], checksum: crc16, start: common", ""),
    ("lattice: [[2, 1], [0, 3]]", "checksum: crc16, ports: serial", ""),
];

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn nodes_of_lattices_and_of_damaged_networks_get_what_they_would_in_the_fabric() {
    if !has("iverilog") {
        return;
    }
    for case in sampled(CASES, 5) {
        let (network, link, rest) = case;
        let boards = boards(network, link, rest);
        let waits = if link.contains("serial") { 13 } else { 7 };
        assert_eq!(boards.compile_patient(waits), "", "{case:?}");
        let printed = boards.play(&["+runs=2"]);
        assert!(printed.starts_with(&boards.verdict(2)), "{case:?}: {printed}");
    }
}

/// The tables are tried: a dead link that is alive, a cable that is missing, and one to another board.
#[test]
fn wrong_places_of_boards_are_caught() {
    if !has("iverilog") {
        return;
    }
    let dead = (DAMAGED, "boards: [2, 2]", "");
    let cut = (CUT, "boards: [2, 2], checksum: crc8", "");
    let twisted = (TWISTED, "boards: [2, 2], checksum: crc8", "");
    for (case, good, bad) in [
        (cut, "r_linked = ~((board_place == 2'd0))", "r_linked = ~((board_place == 2'd1))"),
        (
            twisted,
            "b_there =\n        (board_place == 2'd0) ? 2'd",
            "b_there =\n        (board_place == 2'd0) ? 2'd1 & 2'd",
        ),
        (dead, "_alive = ~(", "_alive = ("),
    ] {
        let (network, link, rest) = case;
        let boards = boards(network, link, rest);
        assert_eq!(boards.compile_patient(7), "");
        assert!(boards.play(&["+runs=2"]).starts_with(&boards.verdict(2)), "{case:?}");
        let path = boards.folder.path().join(format!("{}.v", boards.name()));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "`{good}` is not there:\n{text}");
        fs::write(&path, text.replacen(good, bad, 1)).unwrap();
        assert_eq!(boards.compile_patient(7), "");
        let printed = boards.play(&["+runs=2"]);
        assert!(printed.contains("FAIL "), "{bad}: {printed}");
    }
}

#[test]
fn boards_of_lattices_and_of_damaged_networks_are_clean_to_every_tool() {
    for (network, link) in [(TWISTED, "boards: [2, 2], checksum: crc8"), (DAMAGED, "boards: [2, 2]")] {
        let boards = boards(network, link, "");
        assert_clean_board(&boards.folder, &boards.name());
    }
}

/// Faults are named at their port, also where a table says who is at the other end.
#[test]
fn faults_on_cables_of_twisted_blocks_are_named() {
    if !has("iverilog") {
        return;
    }
    let boards = boards(TWISTED, "boards: [2, 2], checksum: crc16", "");
    assert_eq!(boards.compile(), "");
    for kind in [1, 4, 8, 13] {
        let printed = boards.play(&["+most=4", "+stalls=0", "+faults=1", &format!("+fault={kind}")]);
        assert!(printed.starts_with("PASS 1 faults named, "), "fault {kind}: {printed}");
    }
}
