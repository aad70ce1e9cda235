//! Programs that the structural certificate cannot follow are refused with a reason and a place, and never passed.

use std::sync::Arc;

use torusweave::check::{Violation, by_execution, by_structure};
use torusweave::net::{NodeId, Port, ShapeName, Topology, Torus};
use torusweave::program::{
    ClassId, ClassMap, Demand, Duplex, Entries, Operands, Operation, PartialOrder, Program, ProgramBuilder, Reduction,
    Run, Source, Title, Track, Window,
};

use crate::fixtures::command::Place;
use crate::fixtures::designs::{IDLE, OWN, late, run, staircase};
use crate::reduce;

/// Programs that a method cannot follow fail as "not checked", not as wrong; wrong ones fail as wrong.
#[test]
fn unchecked_programs_are_not_reported_wrong() {
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
fn torn_packets_are_not_certified() {
    let mut program = staircase(4, 4).stretched(2).unwrap();
    let runs = &mut program.classes[0].outputs[0].runs;
    runs[0].ticks += 1;
    runs[1].ticks -= 1;
    assert_eq!(obstacle(&program), at([0, 0], "x1-", "runs and ages are not multiples of the flits"));
}

#[test]
fn loops_longer_than_a_number_are_not_certified() {
    let mut program = staircase(4, 4);
    for run in program.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs) {
        if let Source::In { age, .. } = &mut run.source {
            *age = u32::MAX / 2;
        }
    }
    assert_eq!(obstacle(&program).2, "the loop is longer than 2^32 ticks");
}

#[test]
fn own_packets_longer_than_the_stream_are_not_certified() {
    let found = spoiled(|runs| {
        runs[0].ticks += 1;
        runs[1].ticks -= 1;
    });
    assert_eq!(found, at([0, 0], "x1-", "its own packets do not fill the ticks before the stream arrives"));
}

#[test]
fn streams_that_stop_early_are_not_certified() {
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
fn directions_with_different_packets_are_not_certified() {
    let mut program = staircase(4, 4);
    let own = |class: usize, port: usize| program.classes[class].outputs[port].runs[0].source;
    assert_eq!((own(0, 0), own(0, 3)), (OWN, OWN), "both directions of the first cycle");
    program.classes[0].outputs[3].runs[0].source = Source::own(1);
    let (.., why) = obstacle(&program);
    assert_eq!(why, "the two directions of the cycle do not carry the same packets");
}

#[test]
fn unsent_packets_are_not_certified() {
    let mut program = staircase(4, 4);
    program.demand = Demand::gossip(&program.topology, 3);
    assert_eq!(obstacle(&program), at([0, 0], "x1-", "a packet of the node is on no loop"));
}

/// Loops round the columns; along the rows every output repeats its neighbour's, up to `columns` links from a loop.
fn far_from_loops(columns: u32) -> Program {
    let torus = Torus::new(&[3, columns]).unwrap();
    let mut builder = ProgramBuilder::new(&torus, 2, Demand::gossip(&torus, 1));
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
fn outputs_far_from_a_loop_are_not_certified() {
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

/// The certificate names the damaged output, at a node of its class.
#[test]
fn the_output_that_stands_in_the_way_is_named() {
    let right = staircase(6, 4);
    let mut named = 0;
    for (class, port) in (0..right.classes.len()).flat_map(|class| right.topology.port_ids().map(move |p| (class, p))) {
        let mut program = right.clone();
        let runs = &mut program.classes[class].outputs[port.index()].runs;
        let [Run { source: OWN | Source::Own { packet: 1, .. }, .. }, Run { source: Source::In { age: 1, .. }, .. }] =
            runs[..]
        else {
            continue;
        };
        runs[0].ticks += 1;
        runs[1].ticks -= 1;
        let (node, output, why) = obstacle(&program);
        assert_eq!(why, "its own packets do not fill the ticks before the stream arrives");
        let of = program.class_of[program.topology.node(&node).index()].index();
        assert_eq!((of, output), (class, port.to_string()), "{node:?}");
        named += 1;
    }
    assert!(named > 4, "{named}");
}

#[test]
fn packets_off_every_cycle_are_not_certified() {
    let mut program = staircase(4, 4);
    let node = program.topology.node_ids().find(|node| program.class_of[node.index()].index() == 1).unwrap();
    for track in &mut program.classes[1].outputs {
        track.runs[0].source = OWN;
    }
    let (at, port, why) = obstacle(&program);
    assert_eq!((at, port.as_str()), (program.topology.coords(node), "x1-"));
    assert_eq!(why, "a packet of the node is on no loop");
}

/// The limit is far beyond the relay of a relay: a chain of outputs that each repeat the one before.
#[test]
fn eight_hops_are_followed_and_nine_are_not() {
    let long = |columns| {
        let mut program = far_from_loops(columns);
        program.ticks = 20;
        for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs) {
            track.runs.last_mut().unwrap().ticks += 18;
        }
        program
    };
    // the first column is on loops: its output to the second is a hop away
    for columns in 3..=8 {
        let (executed, certified) = (by_execution(&long(columns)), by_structure(&long(columns)));
        assert_eq!((certified.link_use, certified.violations), (executed.link_use, executed.violations), "{columns}");
    }
    assert_eq!(obstacle(&long(9)).2, "it is too many hops away from any loop");
}

/// Why a program is refused before anything is followed.
fn beyond(program: &Program) -> &'static str {
    let (node, port, why) = obstacle(program);
    assert_eq!((node, port.as_str()), (vec![0; program.topology.axes()], "x1-"), "nothing has been looked at");
    why
}

#[test]
fn gossip_with_windows_or_joins_is_not_certified() {
    let right = staircase(4, 4);
    let why = "packets in a row, windows and joined inputs are not certified by structure";
    let mut windows = right.clone();
    windows.windows = vec![Window::default(); 16];
    assert_eq!(beyond(&windows), why);
    let mut rows = right.clone();
    rows.classes[1].outputs[2].runs[0].source = Source::Own { packet: 0, through: 1 };
    assert_eq!(beyond(&rows), why);
    let why = "lanes and half-duplex links are certified by structure only where all nodes are alike";
    for duplex in [Duplex::Half, Duplex::Pads] {
        assert_eq!(beyond(&Program { duplex, ..right.clone() }), why);
    }
    let mut lanes = Program { lanes: 2, ..right.clone() };
    for class in &mut lanes.classes {
        class.outputs = class.outputs.iter().flat_map(|track| [track.clone(), track.clone()]).collect();
    }
    assert_eq!(beyond(&lanes), why);
    let mut alike = lanes.clone();
    alike.classes.truncate(1);
    alike.class_of = ClassMap::uniform(16);
    assert!(!by_structure(&alike).is_undecided());
}

#[test]
fn reductions_of_different_nodes_are_not_certified() {
    let why = "reductions are certified by structure only where all nodes are alike";
    let right = reduce::design(ShapeName::Torus, &[4, 4], "optimal none reduce-scatter sum").program;
    assert!(by_structure(&right).passed());
    let reduction = right.reduction.as_deref().unwrap();
    let mut apart = right.clone();
    apart.classes.push(right.classes[0].clone());
    apart.class_of.set(NodeId(5), ClassId(1));
    let results = vec![reduction.results[0].clone(); 2];
    apart.reduction = Some(Arc::new(Reduction { results, ..reduction.clone() }));
    assert!(by_execution(&apart).passed());
    assert_eq!(beyond(&apart), why);
    let with_order =
        |order| Program { reduction: Some(Arc::new(Reduction { order, ..reduction.clone() })), ..right.clone() };
    let entries = |node, output| {
        let entry = |n| reduction.order.entry(&right.topology, node, output, n).unwrap();
        (0..reduction.order.len(node, output)).map(entry).collect()
    };
    let of_node = |node| (0..4).map(|output| entries(node, output)).collect();
    let nodes = right.topology.node_ids().map(of_node).collect();
    let listed = with_order(PartialOrder { entries: Entries::Nodes(nodes), starts: false });
    assert!(by_execution(&listed).passed());
    assert_eq!(beyond(&listed), why);
    assert_eq!(beyond(&with_order(PartialOrder { starts: true, ..reduction.order.clone() })), why);
    // all alike, and yet not round
    let mesh = Topology::new(ShapeName::Mesh, &[2, 2]).unwrap();
    let idle = Track { runs: vec![run(IDLE, 1)], repeat_from: None, inject: None };
    let title = Title::new("t", "by hand");
    let mut silent = Program::uniform(&mesh, 1, Demand::gossip(&mesh, 1), vec![idle; 4], title);
    let order = PartialOrder { entries: Entries::Offsets(vec![Vec::new(); 4]), starts: false };
    let results = vec![vec![Operands::of([])]];
    silent.reduction = Some(Arc::new(Reduction::of_words(Operation::Sum, 1, order, results)));
    assert_eq!(beyond(&silent), why);
}
