//! A broadcast tree from the origin, made for half-duplex links: translated to every node it is a gossip.
//!
//! In one step all arcs of an axis have one direction, and at most as many as there are lanes use it. The copies of an arc
//! rooted at all nodes use every link of its axis once and in one direction, so no link is ever driven from both ends.

use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::ORIGIN;

/// One arc: at `time` the node's parent sends to it out of port `by` on `lane`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arc {
    /// The step, counted from 1.
    pub time: u32,
    /// The port of the parent.
    pub by: Port,
    /// The lane of the link.
    pub lane: u8,
    /// The node reached.
    pub node: NodeId,
}

/// How many reads of the table are of packets that came in earlier than in the step before; a node keeps its own.
pub fn stored(torus: &Torus, arcs: &[Arc]) -> usize {
    let mut reached = vec![0; torus.nodes() as usize];
    for arc in arcs {
        reached[arc.node.index()] = arc.time;
    }
    let is_old = |arc: &&Arc| {
        let parent = torus.neighbour(arc.node, arc.by.opposite());
        parent != ORIGIN && reached[parent.index()] + 1 < arc.time
    };
    arcs.iter().filter(is_old).count()
}
