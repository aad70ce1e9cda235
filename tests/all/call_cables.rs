//! Cables between boards of lists: faults are named at their ports, and after a restart every word is right again.

use std::fs;
use std::process::Command;

use crate::fixtures::called::generated;
use crate::fixtures::command::Place;
use crate::fixtures::node_lists::{ROOTED, compiled, list, played, with_settings};
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::{has, said};

const TWO: &str = "{ collective: all-reduce, operation: sum }, { collective: broadcast, root: any }";

/// Networks, links with what else a design has, and programs: every form of ports, and both starts.
const DESIGNS: [(&str, &str, &str); 12] = [
    ("torus: [2, 4]", "link: { width: 8, boards: [2, 2], start: common, @ }, local: { order: arrival },", TWO),
    ("torus: [3, 4], dead: { nodes: [\"0,1\"] }", "link: { width: 16, boards: [1, 2], @ },", ROOTED),
    ("torus: [2, 4]", "link: { width: 8, boards: [1, 2], ports: bytes, bytes: 3, @ },", TWO),
    ("torus: [4, 4]", "link: { width: 8, boards: [2, 2], @ },", TWO),
    ("torus: [2, 4]", "link: { width: 8, boards: [1, 2], clocks: cable, @ }, local: { words: 2 },", TWO),
    ("path: 3", "link: { width: 8, boards: [3], ports: serial, @ },", "{ collective: gossip }"),
    (
        "torus: [2, 4]",
        "link: { width: 8, boards: [1, 2], start: common, clocks: cable, @ }, local: { results: memory },",
        TWO,
    ),
    ("mesh: [3, 4]", "link: { width: 8, boards: [3, 2], latency: 2, @ },", ROOTED),
    (
        "torus: [2, 4]",
        "link: { width: 8, boards: [1, 2], ports: bytes, bytes: 16, clocks: cable, start: common, @ },",
        TWO,
    ),
    (
        "lattice: [[4, 2], [0, 4]], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"] }",
        "link: { width: 8, boards: [2, 2], @ },",
        ROOTED,
    ),
    ("torus: [2, 4]", "link: { width: 8, boards: [1, 2], @ }, local: { results: memory, order: origin },", TWO),
    ("path: 3", "link: { width: 8, boards: [3], ports: serial, start: common, @ },", "{ collective: gossip }"),
];

fn config((network, more, programs): (&str, &str, &str)) -> String {
    list(network, &more.replace('@', "elastic: true, checksum: crc16"), programs)
}

/// Compiles the bench of a design, and plays calls.
fn plays(design: (&str, &str, &str)) -> Place {
    let place = generated(&config(design));
    compiled(&place, "calls_tb");
    let ended = with_settings(&place, "+seed=1");
    assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{design:?}: {}{}", ended.stdout, ended.stderr);
    place
}

/// Faults by chance on every form of ports. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn faults_on_cables_of_lists_are_named_and_the_next_calls_are_right() {
    if !has("iverilog") {
        return;
    }
    for design in sampled(DESIGNS, 12) {
        let place = plays(design);
        let faults = quick_or_full(2, 4);
        let ended = with_settings(&place, &format!("+faults={faults}"));
        let right = format!("PASS {faults} faults named, ");
        assert!(ended.code == 0 && ended.stdout.starts_with(&right), "{design:?}: {}", ended.stdout);
    }
}

/// Every kind of fault, of tokens, starts, cables and boards, on boards of two nodes. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn every_kind_of_fault_is_named_in_calls() {
    if !has("iverilog") {
        return;
    }
    let kinds = [1, 2, 3, 4, 5, 6, 7, 8, 13];
    let starts = [9, 10, 11, 12, 14];
    for (link, kinds) in sampled([("start: common, ", [&kinds[..], &starts[..]].concat()), ("", kinds.to_vec())], 2) {
        let link = format!("link: {{ width: 8, boards: [1, 2], {link}@ }},");
        let place = plays(("torus: [2, 4]", &link, TWO));
        for kind in sampled(kinds, 7) {
            let ended = with_settings(&place, &format!("+faults=2 +fault={kind} +seed={kind}"));
            assert!(ended.stdout.starts_with("PASS 2 faults named, "), "{link} {kind}: {}", ended.stdout);
        }
    }
}

/// One collective with nodes on boards is a list of one program.
#[test]
fn faults_on_cables_of_one_collective_of_nodes_are_named() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let boards = "--elastic true --checksum crc8 --boards 1x2 --width 8 --order origin";
    let ended = place.run(&format!("generate --torus 2x4 {boards} --name calls --out calls"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(played(&place, "calls_tb").stdout.starts_with("PASS "));
    let ended = with_settings(&place, "+faults=10 +seed=3");
    assert!(ended.stdout.starts_with("PASS 10 faults named, "), "{}", ended.stdout);
}

#[test]
fn faults_on_cables_of_lists_are_named_under_verilator() {
    if !has("verilator") {
        return;
    }
    let place = generated(&config(("torus: [2, 4]", "link: { width: 8, boards: [1, 2], start: common, @ },", TWO)));
    let folder = place.path().join("calls");
    let build = "--binary --timing -MAKEFLAGS OPT_FAST=-O0 -o sim --top-module calls_tb -f calls.f tb/calls_tb.v";
    let built = Command::new("verilator").args(build.split(' ')).current_dir(&folder).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    for (settings, right) in [("+runs=20", "PASS 20 calls, "), ("+faults=20", "PASS 20 faults named, ")] {
        let output = Command::new(folder.join("obj_dir/sim")).arg(settings).current_dir(&folder).output().unwrap();
        assert!(said(&output).starts_with(right), "{settings}: {}", said(&output));
    }
}

/// Modules of the link layer, and of the board around it, with faults that bring wrong words or leave a fault unnamed. A sample; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn faults_of_boards_are_seen_in_calls_over_faulty_cables() {
    if !has("iverilog") {
        return;
    }
    let design = ("torus: [2, 4]", "link: { width: 8, boards: [1, 2], @ },", TWO);
    let place = plays(design);
    let faults = [
        // damaged frames, and those of another port, are taken for good ones
        ("receiver", "sound <= seed == {1'b1, expected[14:0]};", "sound <= 1'b1;", 4),
        ("receiver", "sound <= seed == {1'b1, expected[14:0]};", "sound <= 1'b1;", 13),
        // a lost token is not missed
        ("receiver", "wire is_next = number == awaited;", "wire is_next = 1'b1;", 1),
        // a board plays on after a fault
        ("board", "assign halt = rst | error | restarting;", "assign halt = rst | restarting;", 2),
        // the neighbours of a board that stops do not
        ("sender", "stopped ? 3'd", "1'b0 ? 3'd", 1),
        // a restart does not reach the boards behind
        ("monitor", "(restart | (asked != ", "(restart | (1'd0 & asked != ", 6),
    ];
    for (part, right, wrong, kind) in sampled(faults, 3) {
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there:\n{good}");
        fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
        compiled(&place, "calls_tb");
        let ended = with_settings(&place, &format!("+faults=2 +fault={kind}"));
        assert!(
            ended.code != 0 && ended.stdout.starts_with("FAIL "),
            "{part}: `{wrong}` is not seen: {}",
            ended.stdout
        );
        fs::write(&path, good).unwrap();
    }
}
