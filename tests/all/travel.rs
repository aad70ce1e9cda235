//! Paths of packets: moves over half-duplex links, trees towards a root and away from it.

use std::collections::BTreeSet;

use torusweave::net::{Channel, NodeId, Port, ShapeName, Topology, Torus};
use torusweave::paths::moves::{self, LaneOf, PacketMove};
use torusweave::paths::rooted::Rooted;
use torusweave::paths::tree::{Tree, TreeArc};
use torusweave::play::Machine;
use torusweave::program::{Duplex, Program, Run, Source, Title};

use crate::fixtures::chance::Chance;

/// Packets sent on by chance, over each link one way a tick and no more than it has lanes; much of it goes on from tick to tick.
fn spread(topology: &Topology, lanes: u8, chance: &mut Chance) -> Vec<PacketMove> {
    let mut known: Vec<Vec<NodeId>> = topology.node_ids().map(|node| vec![node]).collect();
    let mut moves = Vec::new();
    for tick in 1..=chance.within(4, 12) {
        let mut now = Vec::new();
        for node in topology.node_ids() {
            for port in topology.linked_ports(node).filter(|port| port.index() % 2 == 1) {
                let there = topology.step(node, port).unwrap();
                let (from, by) = if chance.once_in(3) { (there, port.opposite()) } else { (node, port) };
                let mut tokens = BTreeSet::new();
                for _ in 0..chance.below(u32::from(lanes) + 1) {
                    let known = &known[from.index()];
                    // mostly what has come last
                    let last = if chance.once_in(3) { 0 } else { known.len().saturating_sub(2) };
                    tokens.insert(known[last + chance.below((known.len() - last) as u32) as usize]);
                }
                now.extend(tokens.into_iter().map(|token| PacketMove { tick, from, by, token }));
            }
        }
        for one in &now {
            let known = &mut known[topology.step(one.from, one.by).unwrap().index()];
            if !known.contains(&one.token) {
                known.push(one.token);
            }
        }
        moves.extend(now);
    }
    moves.sort_unstable();
    moves
}

/// The moves a program makes, each with its lane and the source it comes from.
fn made(program: &Program) -> Vec<(PacketMove, u8, Source)> {
    let mut machine = Machine::new(program);
    let mut made = Vec::new();
    for tick in 1..=program.ticks {
        machine.step();
        for register in 0..program.registers() {
            let (from, Channel { port: by, lane }) = program.owner(register);
            let Some(flit) = machine.register(register) else { continue };
            let output = program.output_index(Channel { port: by, lane });
            let source = program.class(from).outputs[output].source_at(tick);
            made.push((PacketMove { tick, from, by, token: program.demand.origin(flit).node }, lane, source));
        }
    }
    made.sort_unstable_by_key(|&(one, ..)| one);
    made
}

#[test]
fn a_program_of_moves_makes_them_and_no_others() {
    let networks = [
        (ShapeName::Path, &[5][..]),
        (ShapeName::Cycle, &[6]),
        (ShapeName::Mesh, &[3, 3]),
        (ShapeName::Torus, &[3, 4]),
    ];
    let by_parity: LaneOf = |node| (node.0 % 2) as u8;
    let (mut continued, mut told) = (0, 0);
    for seed in 0..240 {
        let mut chance = Chance(seed);
        let (shape, sides) = chance.of(&networks);
        let topology = Topology::new(shape, sides).unwrap();
        let lanes = chance.of(&[1, 2, 2]);
        let moves = spread(&topology, lanes, &mut chance);
        let lane_of = (lanes == 2 && chance.once_in(3)).then_some(by_parity);
        let program = moves::program(&topology, lanes, moves.clone(), lane_of, Title::new("t", "s"));
        assert_eq!((program.duplex, program.lanes), (Duplex::Half, lanes));
        let made = made(&program);
        assert!(made.iter().map(|&(one, ..)| one).eq(moves.iter().copied()), "{seed}");
        for (one, lane, source) in &made {
            // from where and when it first came
            let arrives =
                |other: &&PacketMove| other.token == one.token && topology.step(other.from, other.by) == Some(one.from);
            match source {
                Source::In { port, age, .. } => {
                    let first = moves.iter().filter(arrives).map(|other| other.tick).min();
                    assert_eq!(Some(one.tick - age), first, "{seed}: {one:?}");
                    let sender = topology.step(one.from, *port);
                    let is_it = |other: &PacketMove| Some(other.from) == sender && other.by == port.opposite();
                    assert!(moves.iter().filter(arrives).any(|other| Some(other.tick) == first && is_it(other)));
                }
                own => assert_eq!((*own, one.token), (Source::own(0), one.from)),
            }
            let beside = |tick| {
                made.iter().filter(move |(other, ..)| (other.tick, other.from, other.by) == (tick, one.from, one.by))
            };
            let same_lane = |of: LaneOf| {
                beside(one.tick).any(|(other, ..)| other.token != one.token && of(other.token) == of(one.token))
            };
            match lane_of {
                Some(lane_of) if !same_lane(lane_of) => {
                    assert_eq!(*lane, lane_of(one.token), "{seed}: {one:?}");
                    told += 1;
                }
                _ => {
                    if let Some((_, before, _)) = beside(one.tick - 1).find(|(.., before)| before == source) {
                        assert_eq!(lane, before, "{seed}: {one:?} goes on where it was");
                        continued += 1;
                    }
                }
            }
        }
    }
    println!("{continued} packets go on where others came from, {told} by their origin");
    assert!(continued > 200 && told > 200, "{continued}, {told}");
}

#[test]
fn an_output_changes_its_source_only_where_it_has_to() {
    let inputs = [(0, 1), (1, 1), (1, 3)].map(|(port, age)| Source::In { port: Port::from_index(port), lane: 0, age });
    let mut idle = 0;
    for seed in 0..500 {
        let mut chance = Chance(seed);
        let ticks = chance.within(1, 14);
        let arrivals: Vec<bool> = (0..2 * 20).map(|_| chance.once_in(3)).collect();
        let arrives = |input: Channel, tick: u32| arrivals[input.port.index() * 20 + tick as usize];
        let brings_nothing = |source: Source, tick: u32| match source {
            Source::In { port, age, .. } => tick <= age || !arrives(Channel::first(port), tick - age),
            _ => source == Source::Idle,
        };
        let all = [inputs[0], inputs[1], inputs[2], Source::own(0)];
        let mut sent: Vec<(u32, Source)> = (1..=ticks).map(|tick| (tick, chance.of(&all))).collect();
        sent.retain(|_| chance.once_in(3));
        let runs = moves::runs(&sent, ticks, arrives);
        if sent.is_empty() {
            assert_eq!(runs, []);
            continue;
        }
        assert!(runs.iter().all(|run| run.ticks > 0), "{runs:?}");
        assert!(runs.windows(2).all(|pair| pair[0].source != pair[1].source), "{runs:?}");
        let played: Vec<Source> =
            runs.iter().flat_map(|&Run { source, ticks }| (0..ticks).map(move |_| source)).collect();
        assert_eq!(played.len(), ticks as usize);
        for (tick, &source) in (1..).zip(&played) {
            match sent.iter().find(|&&(then, _)| then == tick) {
                Some(&(_, sent)) => assert_eq!(source, sent),
                None => assert!(brings_nothing(source, tick), "{sent:?}: {runs:?}, tick {tick}"),
            }
        }
        let mut first = 1;
        for (index, run) in runs.iter().enumerate() {
            let last = first + run.ticks - 1;
            if run.source == Source::Idle {
                idle += 1;
                let before = index.checked_sub(1).map(|before| runs[before].source);
                assert!(before.is_none_or(|before| !brings_nothing(before, first)), "{sent:?}: {runs:?}");
                let after = runs.get(index + 1).map(|after| after.source);
                assert!(after.is_none_or(|after| !brings_nothing(after, last)), "{sent:?}: {runs:?}");
            }
            first = last + 1;
        }
    }
    assert!(idle > 100, "{idle}");
}

#[test]
fn an_arc_that_waits_reads_a_store() {
    let torus = Torus::new(&[5]).unwrap();
    let arc = |time, by, node| TreeArc { time, by, node: NodeId(node) };
    let (left, right) = (Port::minus(0), Port::plus(0));
    let tree = |late| {
        Tree::new(&torus, vec![arc(1, right, 1), arc(1, left, 4), arc(2, left, 3), arc(late, right, 2)]).unwrap()
    };
    let figures = |tree: &Tree| (tree.steps(), tree.depth(), tree.stored());
    assert_eq!((figures(&tree(2)), figures(&tree(3)), figures(&tree(5))), ((2, 1, 0), (3, 2, 1), (5, 4, 1)));
}

#[test]
fn a_tree_that_is_no_path_is_named_by_number_from_its_root() {
    let torus = Topology::new(ShapeName::Torus, &[3, 3]).unwrap();
    let named = Rooted::breadth_first(&torus, NodeId(4)).named();
    assert_eq!(named, [4, 0, 1, 2, 3, 5, 6, 7, 8].map(NodeId));
}
