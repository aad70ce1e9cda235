//! Views of the torus in a search: as it is, or folded by v -> -v so that half a tree is searched and its mirror image added.
//!
//! A half tree takes at most one arc an axis in a step; the mirror image of an arc uses the opposite port, so the two
//! never share a label, whatever the sign of each. Only the nodes with v = -v are left over.

use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::ORIGIN;

/// Largest number of arcs per step in a search.
pub const SLOTS: usize = 6;

/// An arc of the searched tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeMove {
    pub node: NodeId,
    pub by: Port,
}

/// Arcs of one step: at most one per slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepArcs {
    pub moves: [Option<TreeMove>; SLOTS],
}

impl StepArcs {
    /// The arcs taken.
    pub fn taken(&self) -> impl Iterator<Item = TreeMove> + '_ {
        self.moves.iter().copied().flatten()
    }
}

/// Folding of the torus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// v and -v are taken together; a slot is an axis.
    Mirrored,
    /// Every node for itself; a slot is a port.
    Flat,
}

impl FoldKind {
    /// Arcs of the search in a step.
    pub fn slots(self, axes: usize) -> usize {
        match self {
            FoldKind::Mirrored => axes,
            FoldKind::Flat => 2 * axes,
        }
    }
}

/// Neighbours and twins, laid out for the search.
pub struct SearchLayout {
    pub kind: FoldKind,
    ports: usize,
    neighbours: Vec<NodeId>,
    twins: Vec<NodeId>,
}

impl SearchLayout {
    pub fn new(torus: &Torus, kind: FoldKind) -> Self {
        let negative = |node: NodeId| {
            let coords: Vec<u32> = torus.coords(node).iter().zip(torus.dims()).map(|(x, side)| side - x).collect();
            torus.node(&coords)
        };
        let twins = match kind {
            FoldKind::Mirrored => torus.node_ids().map(negative).collect(),
            FoldKind::Flat => torus.node_ids().collect(),
        };
        let around = |node| torus.port_ids().map(move |port| torus.neighbour(node, port));
        Self { kind, ports: torus.ports(), neighbours: torus.node_ids().flat_map(around).collect(), twins }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.twins.len()
    }

    /// Largest number of arcs in a step.
    pub fn slots(&self) -> usize {
        self.kind.slots(self.ports / 2)
    }

    /// The ports that share a slot.
    pub fn ports(&self, slot: usize) -> impl Iterator<Item = Port> + use<> {
        let ports = match self.kind {
            FoldKind::Mirrored => 2 * slot..2 * slot + 2,
            FoldKind::Flat => slot..slot + 1,
        };
        ports.map(Port::from_index)
    }

    /// The slot of a port.
    pub fn slot(&self, port: Port) -> usize {
        match self.kind {
            FoldKind::Mirrored => port.axis(),
            FoldKind::Flat => port.index(),
        }
    }

    /// The node at the other end of the link at `port`.
    pub fn neighbour(&self, node: NodeId, port: Port) -> NodeId {
        self.neighbours[node.index() * self.ports + port.index()]
    }

    /// All neighbours of a node, in port order.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[node.index() * self.ports..][..self.ports]
    }

    /// The node that is taken together with this one.
    pub fn twin(&self, node: NodeId) -> NodeId {
        self.twins[node.index()]
    }

    /// The one that stands for a node and its twin.
    pub fn representative(&self, node: NodeId) -> NodeId {
        node.min(self.twin(node))
    }

    /// Each node to be searched, twins once.
    pub fn searched(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others().filter(|&node| match self.kind {
            FoldKind::Mirrored => node < self.twin(node),
            FoldKind::Flat => true,
        })
    }

    /// The nodes the fold leaves over: those that are their own mirror images.
    pub fn left_over(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others().filter(|&node| self.kind == FoldKind::Mirrored && self.twin(node) == node)
    }

    fn others(&self) -> impl Iterator<Item = NodeId> + use<> {
        (ORIGIN.0 + 1..self.nodes() as u32).map(NodeId)
    }
}
