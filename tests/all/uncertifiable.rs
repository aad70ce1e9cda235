//! What the structural certificate cannot follow it refuses, with a reason, and names where; it never passes it.

use torusweave::check::{Violation, by_execution, by_structure};
use torusweave::net::{Port, Torus};
use torusweave::program::{Builder, Demand, Program, Run, Source, Title};

use crate::fixtures::command::Place;
use crate::fixtures::designs::{IDLE, OWN, late, run, staircase};

/// What a way of checking cannot follow is not called wrong, and fails all the same; what is wrong is.
#[test]
fn what_is_not_checked_is_not_called_wrong() {
    let place = Place::new();
    let gather = place.run("check --torus 4x5 --collective gather --structural");
    assert_eq!(gather.code, 1);
    assert!(gather.stdout.contains("4x5 torus, NOT CHECKED\n"), "{}", gather.stdout);
    assert!(gather.stdout.contains("\nin the way: ") && !gather.stdout.contains("violation"), "{}", gather.stdout);
    assert!(by_structure(&staircase(4, 4)).passed() && !by_structure(&staircase(4, 4)).is_undecided());
    let mut program = staircase(4, 4);
    program.classes[0].outputs[0].runs[1].source = Source::Idle;
    let wrong = by_execution(&program);
    assert!(!wrong.passed() && !wrong.is_undecided());
}

/// The one violation: the node, its output, and why.
fn obstacle(program: &Program) -> (Vec<u32>, String, &'static str) {
    let mut report = by_structure(program);
    assert_eq!((report.passed(), report.violations.len()), (false, 1), "{report:?}");
    let Some(Violation::NotCertifiable { node, port, why }) = report.violations.pop() else { panic!("{report:?}") };
    (node, port, why)
}

/// The runs of the first output of the first class of the 4x4: own in tick 1, then seven of one input.
fn spoiled(spoil: impl Fn(&mut Vec<Run>)) -> (Vec<u32>, String, &'static str) {
    let mut program = staircase(4, 4);
    spoil(&mut program.classes[0].outputs[0].runs);
    obstacle(&program)
}

fn at(node: [u32; 2], port: &str, why: &'static str) -> (Vec<u32>, String, &'static str) {
    (node.to_vec(), port.into(), why)
}

#[test]
fn packets_that_are_torn() {
    let mut program = staircase(4, 4).stretched(2).unwrap();
    let runs = &mut program.classes[0].outputs[0].runs;
    runs[0].ticks += 1;
    runs[1].ticks -= 1;
    assert_eq!(obstacle(&program), at([0, 0], "x1-", "runs and ages are not multiples of the flits"));
}

#[test]
fn loops_longer_than_a_number() {
    let mut program = staircase(4, 4);
    for run in program.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs) {
        if let Source::In { age, .. } = &mut run.source {
            *age = u32::MAX / 2;
        }
    }
    assert_eq!(obstacle(&program).2, "the loop is longer than 2^32 ticks");
}

#[test]
fn own_packets_that_go_out_for_longer_than_the_stream_takes_to_arrive() {
    let found = spoiled(|runs| {
        runs[0].ticks += 1;
        runs[1].ticks -= 1;
    });
    assert_eq!(found, at([0, 0], "x1-", "its own packets do not fill the ticks before the stream arrives"));
}

#[test]
fn streams_that_stop_before_the_last_tick_but_one() {
    let stopped = |ticks| {
        move |runs: &mut Vec<Run>| {
            runs[1].ticks -= ticks;
            runs.push(run(IDLE, ticks));
        }
    };
    assert_eq!(spoiled(stopped(2)), at([0, 0], "x1-", "the stream stops before the last tick but one"));
    let mut program = staircase(4, 4);
    stopped(1)(&mut program.classes[0].outputs[0].runs);
    let followed = by_structure(&program).violations;
    assert!(followed.iter().all(|found| matches!(found, Violation::Missing { .. })), "one tick can be followed");
}

#[test]
fn two_directions_with_different_packets() {
    let mut program = staircase(4, 4);
    let own = |class: usize, port: usize| program.classes[class].outputs[port].runs[0].source;
    assert_eq!((own(0, 0), own(0, 3)), (OWN, OWN), "both directions of the first cycle");
    program.classes[0].outputs[3].runs[0].source = Source::own(1);
    let (.., why) = obstacle(&program);
    assert_eq!(why, "the two directions of the cycle do not carry the same packets");
}

#[test]
fn packets_that_nobody_sends() {
    let mut program = staircase(4, 4);
    program.demand = Demand::gossip(&program.topology, 3);
    assert_eq!(obstacle(&program), at([0, 0], "x1-", "a packet of the node is on no loop"));
}

/// Loops round the columns; along the rows every output repeats its neighbour's, up to `columns` links from a loop.
fn far_from_loops(columns: u32) -> Program {
    let torus = Torus::new(&[3, columns]).unwrap();
    let mut builder = Builder::new(&torus, 2, Demand::gossip(&torus, 1));
    let round = [0, 1].map(|port| builder.track(&[run(OWN, 1)], late(1 - port, 1)));
    let (first, next) = (builder.track(&[], late(0, 1)), builder.track(&[], late(2, 1)));
    for node in torus.node_ids() {
        builder.set(node, Port::from_index(0), round[0]);
        builder.set(node, Port::from_index(1), round[1]);
        builder.set(node, Port::from_index(3), if torus.coord(node, 1) == 0 { first } else { next });
    }
    builder.finish(Title::new("far", "by hand"))
}

#[test]
fn outputs_too_many_hops_from_a_loop() {
    let followed = by_structure(&far_from_loops(5)).violations;
    assert!(followed.iter().all(|found| matches!(found, Violation::Missing { .. })), "{followed:?}");
    let mut program = far_from_loops(12);
    program.ticks = 20;
    for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs) {
        track.runs.last_mut().unwrap().ticks += 18;
    }
    assert_eq!(obstacle(&program).2, "it is too many hops away from any loop");
}

#[test]
fn reasons_are_told_with_node_and_output() {
    let mut program = staircase(4, 4);
    program.demand = Demand::gossip(&program.topology, 3);
    let report = by_structure(&program);
    assert_eq!(report.violations[0].to_string(), "node 0,0, output x1-: a packet of the node is on no loop");
}
