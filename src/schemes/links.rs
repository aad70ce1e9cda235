//! Cycle of each link of a network.

use crate::net::{NodeId, Port, Topology};
use crate::paths::cover::Cover;

/// A network whose links are shared out among cycles.
pub trait SharedLinks {
    /// Network whose links are on cycles.
    fn topology(&self) -> &Topology;

    /// Number of cycles.
    fn cycles(&self) -> usize;

    /// Fills in the cycle of the link at every port of a node, or the number of cycles for a link of none.
    fn at(&self, node: NodeId, neighbours: &[NodeId], cycles: &mut [usize]);

    /// The axis along which each cycle has more links than along any other, if the construction knows it. It must where
    /// the cycles' numbers differ from node to node.
    fn main_axes(&self) -> Option<Vec<Option<usize>>> {
        None
    }
}

impl SharedLinks for Cover {
    fn topology(&self) -> &Topology {
        self.topology()
    }

    fn cycles(&self) -> usize {
        self.cycles()
    }

    fn at(&self, node: NodeId, _: &[NodeId], cycles: &mut [usize]) {
        for (index, cycle) in cycles.iter_mut().enumerate() {
            *cycle = self.owner(node, Port::from_index(index)).unwrap_or(self.cycles());
        }
    }
}
