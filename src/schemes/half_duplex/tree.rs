//! A broadcast tree from the origin, made for half-duplex links: translated to every node it is a gossip.
//!
//! In one step all arcs of an axis have one direction, and at most as many as there are lanes use it. The copies of an arc
//! rooted at all nodes use every link of its axis once and in one direction, so no link is ever driven from both ends.

use crate::net::{Channel, NodeId, Port, Torus};
use crate::paths::moves;
use crate::paths::tree::ORIGIN;
use crate::program::{Demand, Duplex, Program, ProgramBuilder, Source, Title};

/// One arc: at `time` the node's parent sends to it out of port `by` on `lane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimedArc {
    /// The step, counted from 1.
    pub time: u32,
    /// The port of the parent.
    pub by: Port,
    /// The lane of the link.
    pub lane: u8,
    /// The node reached.
    pub node: NodeId,
}

/// Number of table entries that read packets older than one step; a node's own packet does not count.
pub fn stored(torus: &Torus, arcs: &[TimedArc]) -> usize {
    let mut reached = vec![0; torus.nodes() as usize];
    for arc in arcs {
        reached[arc.node.index()] = arc.time;
    }
    let is_old = |arc: &&TimedArc| {
        let parent = torus.neighbour(arc.node, arc.by.opposite());
        parent != ORIGIN && reached[parent.index()] + 1 < arc.time
    };
    arcs.iter().filter(is_old).count()
}

/// Every node as the root of its own copy of the tree: all do the same, by one table.
pub fn program(torus: &Torus, lanes: u8, arcs: &[TimedArc], title: Title) -> Program {
    let ticks = arcs.iter().map(|arc| arc.time).max().unwrap_or(0);
    let index = |Channel { port, lane }: Channel| port.index() * usize::from(lanes) + usize::from(lane);
    let mut entered = vec![None; torus.nodes() as usize];
    for arc in arcs {
        entered[arc.node.index()] = Some(*arc);
    }
    let mut sent = vec![Vec::new(); torus.ports() * usize::from(lanes)];
    for &TimedArc { time, by, lane, node } in arcs {
        // the packet that comes in as the tree enters the parent
        let source = match entered[torus.neighbour(node, by.opposite()).index()] {
            None => Source::own(0),
            Some(TimedArc { time: arrival, by, lane, .. }) => {
                Source::In { port: by.opposite(), lane, age: time - arrival }
            }
        };
        sent[index(Channel { port: by, lane })].push((time, source));
    }
    for sent in &mut sent {
        sent.sort_unstable();
    }
    let arrives = |Channel { port, lane }: Channel, tick| {
        sent[index(Channel { port: port.opposite(), lane })].binary_search_by_key(&tick, |(tick, _)| *tick).is_ok()
    };
    let mut builder = ProgramBuilder::on_links(torus, Duplex::Half, lanes, ticks, Demand::gossip(torus, 1));
    for (output, sent) in sent.iter().enumerate().filter(|(_, sent)| !sent.is_empty()) {
        let track = builder.track(&moves::runs(sent, ticks, arrives), Source::Idle);
        let Channel { port, lane } = Channel::from_index(output, lanes);
        for node in torus.node_ids() {
            builder.set_lane(node, port, lane, track);
        }
    }
    builder.finish(title)
}
