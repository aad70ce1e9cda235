//! Demands other than gossip: model and check count wanted packets, and only those.

use torusweave::check::{CheckReport, Violation, by_execution, by_structure};
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::play::steps_to_complete;
use torusweave::program::{Demand, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To};

fn message(from: Sender, to: To, flits: u32) -> Message {
    Message { from, to, flits }
}

fn own(packet: u32, ticks: u32) -> Run {
    Run { source: Source::own(packet), ticks }
}

fn from(port: Port) -> Source {
    Source::input(port, 1)
}

fn title() -> Title {
    Title::new("t", "by hand")
}

/// The tick after which everybody knows what it wants, by the check and by the model.
fn complete(program: &Program) -> (Option<u32>, Option<u32>) {
    (by_execution(program).complete_at, steps_to_complete(program))
}

const LEFT: Port = Port::minus(0);
const RIGHT: Port = Port::plus(0);

/// On a path of four, node 0 has a packet of two flits for everybody.
fn broadcast() -> Program {
    let path = Topology::new(ShapeName::Path, &[4]).unwrap();
    let demand = Demand::new(&path, vec![message(Sender::Node(NodeId(0)), To::All, 2)]);
    let mut builder = ProgramBuilder::new(&path, 4, demand);
    for node in path.node_ids().filter(|&node| path.step(node, RIGHT).is_some()) {
        let track =
            if node.0 == 0 { builder.track(&[own(0, 2)], Source::Idle) } else { builder.track(&[], from(LEFT)) };
        builder.set(node, RIGHT, track);
    }
    builder.finish(title())
}

/// On a cycle of four, node 1 has a packet for each of the others, the farthest first.
fn scatter() -> Program {
    let cycle = Topology::new(ShapeName::Cycle, &[4]).unwrap();
    let root = NodeId(1);
    let to = [3, 2, 0].map(|node| message(Sender::Node(root), To::Node(NodeId(node)), 1));
    let mut builder = ProgramBuilder::new(&cycle, 2, Demand::new(&cycle, to.to_vec()));
    let right = builder.track(&[own(0, 1), own(1, 1)], Source::Idle);
    let left = builder.track(&[own(2, 1)], Source::Idle);
    let on = builder.track(&[], from(LEFT));
    builder.set(root, RIGHT, right);
    builder.set(root, LEFT, left);
    builder.set(NodeId(2), RIGHT, on);
    builder.finish(title())
}

/// On a cycle of three every node has a packet for its right and one for its left neighbour.
fn exchange() -> Program {
    let cycle = Topology::new(ShapeName::Cycle, &[3]).unwrap();
    let to = [1, 2].map(|offset| message(Sender::Every, To::Offset(vec![offset]), 1));
    let mut builder = ProgramBuilder::new(&cycle, 1, Demand::new(&cycle, to.to_vec()));
    let (right, left) = (builder.track(&[own(0, 1)], Source::Idle), builder.track(&[own(1, 1)], Source::Idle));
    for node in cycle.node_ids() {
        builder.set(node, RIGHT, right);
        builder.set(node, LEFT, left);
    }
    builder.finish(title())
}

#[test]
fn a_program_is_complete_when_every_node_knows_what_it_wants() {
    assert_eq!(complete(&broadcast()), (Some(4), Some(4)));
    assert_eq!(complete(&scatter()), (Some(2), Some(2)));
    assert_eq!(complete(&exchange()), (Some(1), Some(1)));
}

#[test]
fn only_what_is_wanted_can_be_missing() {
    let missing = |program: &Program| -> Vec<(Vec<u32>, u64)> {
        let missing = |violation: &Violation| match violation {
            Violation::Missing { node, missing, .. } => (node.clone(), *missing),
            other => panic!("{other}"),
        };
        by_execution(program).violations.iter().map(missing).collect()
    };
    let mut swapped = scatter();
    for class in &mut swapped.classes {
        class.outputs[1].runs.reverse();
    }
    // node 2 wants the second packet and gets it first; the farthest packet does not reach node 3 in time
    assert_eq!(missing(&swapped), [(vec![3], 1)]);
    let mut crossed = exchange();
    crossed.classes[0].outputs.swap(0, 1);
    assert_eq!(missing(&crossed), [(vec![0], 2), (vec![1], 2), (vec![2], 2)]);
}

#[test]
fn a_node_sends_only_packets_it_has() {
    let mut program = scatter();
    let root = program.class_of[1];
    program.class_of.set(NodeId(3), root);
    let CheckReport { violations, .. } = by_execution(&program);
    assert!(violations.iter().all(|violation| matches!(violation, Violation::Packet { .. })), "{violations:?}");
    assert_eq!(violations.len(), 3);
}

#[test]
fn truncated_packets_are_torn() {
    let mut program = broadcast();
    let root = program.class_of[0].index();
    program.classes[root].outputs[1].runs = vec![own(0, 1), Run { source: Source::Idle, ticks: 3 }];
    let torn = |violation: &Violation| matches!(violation, Violation::Torn { .. });
    assert_eq!(by_execution(&program).violations.iter().filter(|violation| torn(violation)).count(), 3);
}

#[test]
fn only_gossip_is_certified_by_structure() {
    assert!(matches!(by_structure(&exchange()).violations[..], [Violation::NotCertifiable { .. }]));
}

#[test]
fn ports_that_look_out_of_the_grid_are_neither_driven_nor_read() {
    let mut program = broadcast();
    let last = program.class_of[3].index();
    program.classes[last].outputs[1] = program.classes[program.class_of[1].index()].outputs[1].clone();
    let outside = Violation::Outside { node: vec![3], port: "x1+".into() };
    assert_eq!(by_execution(&program).violations, [outside]);
    let mut program = broadcast();
    let first = program.class_of[0].index();
    program.classes[first].outputs[1].runs[1].source = from(LEFT);
    let outside = Violation::Outside { node: vec![0], port: "x1-".into() };
    assert_eq!(by_execution(&program).violations, [outside]);
}

#[test]
fn messages_stand_in_the_second_format() {
    let json = broadcast().json();
    assert!(json.contains("\"format\": \"torusweave-program/2\""), "{json}");
    assert!(json.contains("\"messages\": [\n    {\"from\": 0, \"to\": null, \"flits\": 2}\n  ],"), "{json}");
    assert!(exchange().json().contains("{\"from\": null, \"to\": {\"offset\": [2]}, \"flits\": 1}"));
}
