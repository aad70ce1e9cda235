//! Nodes that look alike: a translation that keeps the network takes one to the other.

use super::network::AxisEnd;
use super::{Network, NodeId};

/// Orbits of the live nodes under the translations that map the live network onto itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbits {
    first: Vec<NodeId>,
    of: Vec<u32>,
    by: Vec<NodeId>,
}

/// Orbit of a dead node.
const NONE: u32 = u32::MAX;

impl Orbits {
    /// The first node of every orbit, in order.
    pub fn first(&self) -> &[NodeId] {
        &self.first
    }

    /// Position of a node's orbit in [`Orbits::first`]; none if the node is dead.
    pub fn of(&self, node: NodeId) -> Option<usize> {
        Some(self.of[node.index()]).filter(|&orbit| orbit != NONE).map(|orbit| orbit as usize)
    }

    /// Translation that takes the first node of the orbit to this node, as the image of node 0.
    pub fn by(&self, node: NodeId) -> NodeId {
        self.by[node.index()]
    }
}

impl Network {
    /// Orbits of the live nodes.
    pub fn orbits(&self) -> Orbits {
        let translations = self.translations();
        let nodes = self.nodes() as usize;
        let mut orbits = Orbits { first: Vec::new(), of: vec![NONE; nodes], by: vec![NodeId(0); nodes] };
        for node in self.node_ids().filter(|&node| self.is_live(node)) {
            if orbits.of[node.index()] != NONE {
                continue;
            }
            for &by in &translations {
                let there = self.translated(node, by);
                orbits.of[there.index()] = orbits.first.len() as u32;
                orbits.by[there.index()] = by;
            }
            orbits.first.push(node);
        }
        orbits
    }

    /// Number of orbits of the live nodes.
    pub fn orbit_count(&self) -> u64 {
        if self.dead().is_some() {
            return self.orbits().first().len() as u64;
        }
        (0..self.axes())
            .filter(|&axis| self.end(axis) == AxisEnd::Open)
            .map(|axis| u64::from(self.side(axis)))
            .product()
    }

    /// Returns true if every translation keeps the network: offsets have a meaning, and what one node does all can do.
    pub fn is_homogeneous(&self) -> bool {
        let is_open = (0..self.axes()).any(|axis| self.end(axis) == AxisEnd::Open);
        !is_open && (self.dead().is_none() || self.translations().len() == self.nodes() as usize)
    }

    /// Translations that map the live network onto itself, each as the image of node 0; the identity comes first.
    fn translations(&self) -> Vec<NodeId> {
        let is_along =
            |by: NodeId| (0..self.axes()).all(|axis| self.end(axis) != AxisEnd::Open || self.coord(by, axis) == 0);
        let Some(dead) = self.dead() else { return self.node_ids().filter(|&by| is_along(by)).collect() };
        // a translation that keeps the network maps dead parts to dead parts of the same kind
        let ends: Vec<_> = self
            .node_ids()
            .filter(|&node| dead.is_live(node))
            .flat_map(|node| self.port_ids().map(move |port| (node, port)))
            .filter(|&(node, port)| dead.has(self.register(node, port)))
            .collect();
        let between = |from: NodeId, to: NodeId| self.node(&self.offset(from, to));
        let mut candidates: Vec<NodeId> = match (dead.nodes(), ends.as_slice()) {
            (&[first, ..], _) => dead.nodes().iter().map(|&to| between(first, to)).collect(),
            (_, &[(first, port), ..]) => {
                ends.iter().filter(|end| end.1 == port).map(|&(to, _)| between(first, to)).collect()
            }
            _ => self.node_ids().collect(),
        };
        candidates.retain(|&by| {
            is_along(by)
                && dead.nodes().iter().all(|&node| !dead.is_live(self.translated(node, by)))
                && ends.iter().all(|&(node, port)| dead.has(self.register(self.translated(node, by), port)))
        });
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}
