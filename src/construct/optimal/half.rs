//! Half trees: each step takes at most one arc an axis, and the mirror image v -> -v takes the opposite port.
//!
//! A half tree together with its mirror image is a tree without conflicts, whatever sign each arc has. Only the nodes
//! with v = -v are left over.

use crate::torus::{NodeId, Port, Torus};

/// As many axes as a half tree is searched on.
pub const AXES: usize = 4;

/// An arc of the half tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub node: NodeId,
    pub by: Port,
}

/// What one step of the half tree takes: at most one arc an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub moves: [Option<Move>; AXES],
}

impl Step {
    /// The arcs taken.
    pub fn taken(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().copied().flatten()
    }
}

/// Neighbours and mirror images, laid out for the search.
pub struct Mirror {
    ports: usize,
    neighbours: Vec<NodeId>,
    inverses: Vec<NodeId>,
}

impl Mirror {
    pub fn new(torus: &Torus) -> Self {
        let inverse = |node: NodeId| {
            let negated: Vec<u32> = torus.coords(node).iter().zip(torus.dims()).map(|(x, side)| side - x).collect();
            torus.node(&negated)
        };
        let neighbours = |node| torus.port_ids().map(move |port| torus.neighbour(node, port));
        Self {
            ports: torus.ports(),
            neighbours: torus.node_ids().flat_map(neighbours).collect(),
            inverses: torus.node_ids().map(inverse).collect(),
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.inverses.len()
    }

    /// The node at the other end of the link at `port`.
    pub fn neighbour(&self, node: NodeId, port: Port) -> NodeId {
        self.neighbours[node.index() * self.ports + port.index()]
    }

    /// All neighbours of a node, in port order.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[node.index() * self.ports..][..self.ports]
    }

    /// The mirror image -v.
    pub fn inverse(&self, node: NodeId) -> NodeId {
        self.inverses[node.index()]
    }

    /// The one that stands for a node and its mirror image.
    pub fn representative(&self, node: NodeId) -> NodeId {
        node.min(self.inverse(node))
    }

    /// The nodes that are their own mirror images, without the origin.
    pub fn self_inverse(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others().filter(|&node| self.inverse(node) == node)
    }

    /// Every node but the origin.
    fn others(&self) -> impl Iterator<Item = NodeId> + use<> {
        (1..self.nodes() as u32).map(NodeId)
    }

    /// The nodes that stand for a pair.
    pub fn pairs(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others().filter(|&node| node < self.inverse(node))
    }
}
