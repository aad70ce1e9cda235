//! Links with lanes, and links that carry flits one way at a time: programs by hand, and what may not be on them.

use std::fs;

use torusweave::check::{CheckReport, Violation, by_either, by_execution, by_structure};
use torusweave::emit::{self, MemoryFiles};
use torusweave::net::Torus;
use torusweave::paths::supply::Switching;
use torusweave::play::steps_to_complete;
use torusweave::program::{Duplex, Program, Source, Title};
use torusweave::schemes::staircase;

use crate::fixtures::by_hand::{RIGHT, cycle_of_four, one_way_round, path_of_three, track};
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::{edited, has, play, toolchain};

const OWN: Source = Source::own(0);
const IDLE: Source = Source::Idle;

#[test]
fn programs_on_half_duplex_links_are_executed_by_check_and_model_alike() {
    for (program, turns) in [(path_of_three(), 1), (cycle_of_four(), 2), (one_way_round(), 0)] {
        let report = by_execution(&program);
        assert!(report.passed(), "{report:?}");
        assert_eq!(report.complete_at, Some(program.ticks));
        assert_eq!(report.traffic.unwrap().turns, turns);
        assert_eq!(steps_to_complete(&program), Some(program.ticks));
    }
}

#[test]
fn both_ends_of_a_half_duplex_link_may_not_send_at_once() {
    let torus = Torus::new(&[4, 4]).unwrap();
    let title = Title::new("t", "staircase");
    let mut program = staircase::program(&torus, Switching::None, title).unwrap();
    assert!(by_execution(&program).passed());
    program.duplex = Duplex::Half;
    let CheckReport { violations, .. } = by_execution(&program);
    assert_eq!(violations.len(), 32 * 8);
    let first = Violation::BothWays { node: vec![0, 0], port: "x1+".into(), neighbour: vec![1, 0], tick: 1 };
    assert_eq!(violations[0], first);
    assert_eq!(first.to_string(), "node 0,0 and node 1,0: both ends of the half-duplex link at x1+ send at tick 1");
}

#[test]
fn a_link_that_turns_one_tick_early_is_caught() {
    let mut program = path_of_three();
    let centre = program.class_of[1].index();
    for track in &mut program.classes[centre].outputs {
        track.runs.remove(0);
        track.runs[1].ticks += 1;
    }
    let both = |violation: &&Violation| matches!(violation, Violation::BothWays { tick: 1, .. });
    assert_eq!(by_execution(&program).violations.iter().filter(both).count(), 2);
}

/// Programs with faults in routers: a link that turns a tick early, both ends drive, lanes are swapped.
fn wrong() -> Vec<(Program, Program)> {
    let mut early = path_of_three();
    let centre = early.class_of[1].index();
    for track in &mut early.classes[centre].outputs {
        track.runs.remove(0);
        track.runs[1].ticks += 1;
    }
    let mut both = one_way_round();
    both.classes[0].outputs[1] = track(&[(Source::own(0), 1), (Source::Idle, 3)]);
    let mut swapped = cycle_of_four();
    swapped.classes[0].outputs.swap(0, 1);
    vec![(path_of_three(), early), (one_way_round(), both), (cycle_of_four(), swapped)]
}

/// The RTL of one program under the name of the other.
fn rtl_of(program: &Program) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    emit::write_rtl(program, &designs::options(8), &mut files).unwrap();
    files
}

#[test]
fn wrong_rtl_on_half_duplex_links_is_caught_by_the_testbench() {
    if !has("iverilog") {
        return;
    }
    for (right, wrong) in wrong() {
        let folder = Folder::with(&right, 8);
        for (path, text) in rtl_of(&wrong).0 {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let printed = play(&folder, &right.title.name);
        assert!(printed.starts_with("FAIL "), "{}: {printed}", right.title.name);
    }
}

#[test]
fn wrong_rtl_on_half_duplex_links_is_caught_by_lockstep() {
    let Some(tools) = toolchain() else { return };
    for (right, wrong) in wrong() {
        let wrong = rtl_of(&wrong).0;
        let instead =
            |path: &str, text: String| wrong.get(path).map_or(text, |bytes| String::from_utf8(bytes.clone()).unwrap());
        let simulator = edited(&tools, &right, &designs::options(8), None, &instead).unwrap();
        assert!(simulator.play(5).unwrap().is_err(), "{}", right.title.name);
    }
}

/// The testbench watches the links themselves: it needs no expected word to know that both ends send.
#[test]
fn a_testbench_that_expects_both_ends_to_send_still_fails() {
    if !has("iverilog") {
        return;
    }
    let (_, both) = wrong().swap_remove(1);
    let printed = play(&Folder::with(&both, 8), &both.title.name);
    assert!(printed.starts_with("FAIL tick 1: both ends of link "), "{printed}");
}

#[test]
fn swapped_lanes_are_caught() {
    for (class, output) in [(0, 0), (1, 2)] {
        let mut program = cycle_of_four();
        program.classes[class].outputs.swap(output, output + 1);
        assert!(!by_execution(&program).passed(), "class {class}, outputs {output} and {}", output + 1);
    }
}

/// The certificate of one class follows lanes, sees turns and both ends at once, and says what the execution says.
#[test]
fn structure_equals_execution_where_all_nodes_are_alike() {
    let mut doubled = one_way_round();
    doubled.classes[0].outputs[1] = track(&[(OWN, 1), (IDLE, 3)]);
    let mut laned = one_way_round();
    laned.lanes = 2;
    let second = |list: &[(Source, u32)]| track(list);
    let late = Source::In { port: RIGHT, lane: 1, age: 2 };
    laned.classes[0].outputs = vec![
        second(&[(OWN, 1), (IDLE, 3)]),
        second(&[(IDLE, 1), (Source::input(RIGHT, 1), 1), (IDLE, 1), (late, 1)]),
        second(&[(IDLE, 4)]),
        second(&[(IDLE, 4)]),
    ];
    for program in [one_way_round(), doubled, laned] {
        let (executed, certified) = (by_execution(&program), by_structure(&program));
        assert_eq!(executed.complete_at, certified.complete_at);
        assert_eq!((executed.traffic, executed.duplicates), (certified.traffic, certified.duplicates));
        assert_eq!(executed.link_use, certified.link_use);
        assert_eq!(executed.passed(), certified.passed());
    }
    assert!(matches!(by_structure(&path_of_three()).violations[..], [Violation::NotCertifiable { .. }]));
    assert!(by_either(&path_of_three()).passed());
}

#[test]
fn a_lane_that_does_not_exist_is_not_read() {
    let mut program = path_of_three();
    let centre = program.class_of[1].index();
    program.classes[centre].outputs[0].runs[2].source = Source::In { port: RIGHT, lane: 1, age: 2 };
    let CheckReport { violations, .. } = by_execution(&program);
    assert_eq!(violations, [Violation::Input { class: centre as u32, port: "x1-".into(), age: 2 }]);
}

#[test]
fn lanes_and_duplex_stand_in_the_second_format() {
    let json = cycle_of_four().json();
    assert!(json.contains("\"format\": \"torusweave-program/2\""), "{json}");
    assert!(json.contains("\"lanes\": 2, \"packets\": 1,\n  \"duplex\": \"half\",\n"), "{json}");
    let line =
        "{ \"port\": \"x1-\", \"lane\": 1, \"runs\": [{\"in\": \"x1+\", \"lane\": 1, \"age\": 1, \"ticks\": 2}, ";
    assert!(json.contains(line), "{json}");
}
