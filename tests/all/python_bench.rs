//! `python -m torusweave.bench`: a table of what every program of a design takes, and of words that are wrong.

use crate::fixtures::called::{can_call, generated, script};
use crate::fixtures::command::project;

const PROGRAMS: &str = "{ collective: all-reduce, operation: sum, count: 1 }, { collective: gossip }, \
                        { collective: broadcast, root: any, flits: 8 }, { collective: halo, count: 3 }, \
                        { collective: reduce, operation: max, root: any, flits: 4 }, { collective: scatter, root: [1, 2] }, \
                        { collective: gather, root: [0, 1], lengths: [2, 0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1] }, \
                        { collective: reduce-scatter, operation: sum }";
const HOST: &str = "host: { bus: uart, clock: 48000000 }";

#[test]
fn every_program_is_measured_and_wrong_words_are_counted() {
    if !can_call() {
        return;
    }
    let config = format!("{{ name: calls, topology: {{ torus: [3, 4] }}, {HOST}, programs: [{PROGRAMS}] }}");
    let ended = script(&generated(&config), "bench.py", &["sim:calls"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stdout, "8 programs are measured\n", "{}", ended.stderr);
}

/// Boards take the clocks of the slowest, and floats are compared in the order in which the design adds them.
#[test]
fn boards_and_floats_are_measured_too() {
    if !can_call() {
        return;
    }
    let programs = "{ collective: all-reduce, operation: sum, count: 1 }, { collective: broadcast, root: [0, 1], flits: 8 }, \
                    { collective: gossip }, { collective: reduce-scatter, operation: sum }";
    let boards = "link: { elastic: true, checksum: crc8, boards: [1, 3] }, number: f32, adder: 3";
    let config = format!("{{ name: calls, topology: {{ mesh: [2, 3] }}, {boards}, {HOST}, programs: [{programs}] }}");
    let place = generated(&config);
    let package = project().join("python/torusweave").display().to_string();
    let opening = format!("import sys\nsys.path.insert(0, {package:?})\nfrom torusweave import bench\n");
    place.write("run.py", opening + "sys.exit(bench.main(['sim:calls', '--runs', '2']))\n");
    let ended = script(&place, place.path().join("run.py").to_str().unwrap(), &[]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("calls: 6 nodes, words of 32 bits at 48 MHz; 2 calls of each program"), "{lines:?}");
    assert!(lines.len() == 7 && lines[6] == "0 of 122 words are wrong", "{lines:?}");
}
