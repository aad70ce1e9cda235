//! A broadcast tree from the origin whose arcs have distinct (port, time) labels: valid once built.
//!
//! Translated to every root it is a gossip without conflicts: the copies of an arc rooted at all nodes use all links of
//! that port once, so two arcs collide only if they share port and time.

use thiserror::Error;

use crate::net::splitmix::Splitmix;
use crate::net::{Network, NodeId, Port, Torus};

/// The root of every tree.
pub const ORIGIN: NodeId = NodeId(0);

/// One arc: at `time` the node's parent sends to it out of port `by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeArc {
    /// The step in which the arc is used, counted from 1.
    pub time: u32,
    /// The port of the parent, the direction the packet travels in.
    pub by: Port,
    /// The node reached.
    pub node: NodeId,
}

/// Why arcs are not a broadcast tree. A construction that yields such arcs has a bug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// Two arcs lead to one node, or an arc leads back to the origin.
    #[error("node {node} is reached again at step {time}", node = .node.0)]
    Again {
        /// Number of the node.
        node: NodeId,
        /// The step of the later arc.
        time: u32,
    },
    /// No arc leads to a node.
    #[error("node {node} is never reached", node = .node.0)]
    Unreached {
        /// Number of the node.
        node: NodeId,
    },
    /// An arc comes in at a port without a link.
    #[error("node {node} has no link at port {port}", node = .node.0)]
    NoLink {
        /// The node at the end of the arc.
        node: NodeId,
        /// Port of the node.
        port: Port,
    },
    /// An arc leaves its parent no later than the packet got there.
    #[error("node {node} is reached at step {time}, before its parent can send", node = .node.0)]
    Early {
        /// The node at the end of the arc.
        node: NodeId,
        /// The step of the arc.
        time: u32,
    },
    /// Two arcs share port and time.
    #[error("two arcs use port {port} at step {time}")]
    Slot {
        /// Port of the node.
        port: Port,
        /// Step of the slot, counted from 1.
        time: u32,
    },
}

/// Arc by which the tree enters a node.
#[derive(Clone, Copy, Debug)]
struct TreeEntry {
    time: u32,
    by: Port,
}

/// Step 0 stands for the origin's own start, which needs no arc.
const START: TreeEntry = TreeEntry { time: 0, by: Port::from_index(0) };

/// A broadcast tree from the origin, in the order of its steps.
#[derive(Clone, Debug)]
pub struct Tree {
    network: Network,
    arcs: Vec<TreeArc>,
    entries: Vec<TreeEntry>,
}

impl Tree {
    /// Checks that the arcs, in any order, are a tree from the origin with distinct labels.
    pub fn new(network: &Network, mut arcs: Vec<TreeArc>) -> Result<Self, TreeError> {
        arcs.sort_unstable();
        if let Some(pair) = arcs.windows(2).find(|pair| (pair[0].time, pair[0].by) == (pair[1].time, pair[1].by)) {
            return Err(TreeError::Slot { port: pair[0].by, time: pair[0].time });
        }
        let mut entries = vec![START; network.nodes() as usize];
        for &TreeArc { time, by, node } in &arcs {
            if node == ORIGIN || entries[node.index()].time > 0 {
                return Err(TreeError::Again { node, time });
            }
            // arcs come in the order of their steps, so a parent entered later has no entry yet
            let parent = network.step(node, by.opposite()).ok_or(TreeError::NoLink { node, port: by.opposite() })?;
            let ready = parent == ORIGIN || (1..time).contains(&entries[parent.index()].time);
            if time == 0 || !ready {
                return Err(TreeError::Early { node, time });
            }
            entries[node.index()] = TreeEntry { time, by };
        }
        match network.node_ids().skip(1).find(|node| entries[node.index()].time == 0) {
            Some(node) => Err(TreeError::Unreached { node }),
            None => Ok(Self { network: network.clone(), arcs, entries }),
        }
    }

    /// The network it spans.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Arcs of the tree, ordered by time, then port.
    pub fn arcs(&self) -> &[TreeArc] {
        &self.arcs
    }

    /// The step of the last arc.
    pub fn steps(&self) -> u32 {
        self.arcs.last().map_or(0, |arc| arc.time)
    }

    /// The step in which a node is reached; 0 for the origin.
    pub fn arrival(&self, node: NodeId) -> u32 {
        self.entries[node.index()].time
    }

    /// The direction in which a node is reached, the port of its parent; none for the origin.
    pub fn entered(&self, node: NodeId) -> Option<Port> {
        (node != ORIGIN).then(|| self.entries[node.index()].by)
    }

    /// The node an arc leaves.
    pub fn parent(&self, arc: TreeArc) -> NodeId {
        self.network.step(arc.node, arc.by.opposite()).expect("every arc is a link")
    }

    /// Number of steps the packet has been at the arc's parent when it leaves; none at the origin, which keeps its own.
    pub fn age(&self, arc: TreeArc) -> Option<u32> {
        let parent = self.parent(arc);
        (parent != ORIGIN).then(|| arc.time - self.arrival(parent))
    }

    /// The largest age, at least 1.
    pub fn depth(&self) -> u32 {
        self.arcs.iter().filter_map(|&arc| self.age(arc)).max().unwrap_or(1)
    }

    /// Number of arcs that read a store: those older than 1.
    pub fn stored(&self) -> usize {
        self.arcs.iter().filter(|&&arc| self.age(arc).is_some_and(|age| age > 1)).count()
    }
}

/// Nodes of an independent set by chance, without the origin and its neighbours.
pub fn reserved(torus: &Torus, percent: u32, random: &mut Splitmix) -> Vec<bool> {
    let mut reserved = vec![false; torus.nodes() as usize];
    for node in torus.node_ids().skip(1) {
        let free = |port| {
            let other = torus.neighbour(node, port);
            other != ORIGIN && !reserved[other.index()]
        };
        reserved[node.index()] = random.below(100) < percent && torus.port_ids().all(free);
    }
    reserved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    /// A ring of four: both ways round, the far node by x1+.
    fn ring() -> (Torus, Vec<TreeArc>) {
        let arc = |time, by, node| TreeArc { time, by, node: NodeId(node) };
        let arcs = vec![arc(1, Port::plus(0), 1), arc(1, Port::minus(0), 3), arc(2, Port::plus(0), 2)];
        (Torus::new(&[4]).unwrap(), arcs)
    }

    #[test]
    fn a_tree_knows_times_parents_and_ages() {
        let (torus, arcs) = ring();
        let tree = Tree::new(&torus, arcs.iter().rev().copied().collect()).unwrap();
        assert_eq!((tree.steps(), tree.depth(), tree.stored()), (2, 1, 0));
        assert_eq!(tree.arrival(NodeId(2)), 2);
        assert_eq!((tree.entered(NodeId(3)), tree.entered(ORIGIN)), (Some(Port::minus(0)), None));
        assert_eq!(tree.parent(arcs[2]), NodeId(1));
        assert_eq!((tree.age(arcs[2]), tree.age(arcs[0])), (Some(1), None));
    }

    #[test]
    fn arcs_that_are_no_tree_are_refused() {
        let (torus, arcs) = ring();
        let broken = |change: &dyn Fn(&mut Vec<TreeArc>)| {
            let mut arcs = arcs.clone();
            change(&mut arcs);
            Tree::new(&torus, arcs).unwrap_err()
        };
        assert_eq!(broken(&|arcs| arcs.truncate(2)), TreeError::Unreached { node: NodeId(2) });
        assert_eq!(broken(&|arcs| arcs[2].node = NodeId(3)), TreeError::Again { node: NodeId(3), time: 2 });
        assert_eq!(broken(&|arcs| arcs[2].node = ORIGIN), TreeError::Again { node: ORIGIN, time: 2 });
        assert_eq!(broken(&|arcs| arcs[2].time = 1), TreeError::Slot { port: Port::plus(0), time: 1 });
        assert_eq!(broken(&|arcs| arcs[0].time = 3), TreeError::Early { node: NodeId(2), time: 2 });
        assert_eq!(broken(&|arcs| arcs[1].time = 0), TreeError::Early { node: NodeId(3), time: 0 });
    }
}
