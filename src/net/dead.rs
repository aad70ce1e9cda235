//! Dead parts of a network: nodes without a router, and links that carry nothing.

use bitvec::vec::BitVec;

use super::{NodeId, Port};

/// Nodes and links taken away from a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    pub(super) nodes: Vec<NodeId>,
    pub(super) links: Vec<(NodeId, Port)>,
    /// by register, whether the link at it is dead
    pub(super) ends: BitVec,
}

impl Dead {
    /// Dead nodes, in order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Dead links, in order, each by the end that comes first. Links of dead nodes are here only if they were named.
    pub fn named_links(&self) -> &[(NodeId, Port)] {
        &self.links
    }

    /// Returns true if a node is alive.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_err()
    }

    /// Returns true if the link at an output register is dead.
    pub(super) fn has(&self, register: usize) -> bool {
        self.ends[register]
    }

    /// The number of dead directed links.
    pub(super) fn links(&self) -> u64 {
        self.ends.count_ones() as u64
    }
}
