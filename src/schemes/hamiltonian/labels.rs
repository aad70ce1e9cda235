//! Cycle that owns each link, the walk along one cycle, and rings as the products need them.

use crate::net::{AxisDirection, NodeId, Port, Topology, Torus};
use crate::paths::cover::Walk;
use crate::schemes::links::SharedLinks;

/// A link by its lower end: it leaves `low` by the plus port of `axis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelledLink {
    low: NodeId,
    axis: u8,
}

impl LabelledLink {
    /// The copy of this link in the factor's copy at `node` of the other factor. A node of a factor is the node of
    /// the torus whose other coordinates are 0, so the two simply add up.
    pub fn at(self, node: NodeId) -> Self {
        Self { low: NodeId(self.low.0 + node.0), axis: self.axis }
    }
}

/// The label of every link: the number of the cycle that owns it.
///
/// One array serves all levels of the construction: a factor labels the links of its own axes at coordinates 0, is
/// traced, and the product then labels them anew.
pub struct Labels<'t> {
    torus: &'t Torus,
    /// at `low * axes + axis`
    labels: Vec<u8>,
}

impl<'t> Labels<'t> {
    /// Every link has label 0.
    pub fn new(torus: &'t Torus) -> Self {
        Self { torus, labels: vec![0; torus.nodes() as usize * torus.axes()] }
    }

    /// The torus whose links these are.
    pub fn torus(&self) -> &'t Torus {
        self.torus
    }

    /// The label of the link that leaves a node by the plus port of an axis.
    pub fn of_low(&self, low: NodeId, axis: usize) -> u8 {
        self.labels[low.index() * self.torus.axes() + axis]
    }

    /// The label of a link.
    pub fn get(&self, link: LabelledLink) -> u8 {
        self.of_low(link.low, link.axis.into())
    }

    /// Gives a link to a cycle.
    pub fn set(&mut self, link: LabelledLink, label: u8) {
        self.labels[link.low.index() * self.torus.axes() + link.axis as usize] = label;
    }

    /// Follows a label from node 0 through the factor of these axes until it comes back. Every node of the factor
    /// must have exactly two links of the label there.
    pub fn trace(&self, axes: &[usize], label: u8) -> Walk {
        let ports: Vec<Port> = axes.iter().flat_map(|&axis| [Port::plus(axis), Port::minus(axis)]).collect();
        let has_label = |node, port| self.get(link_at(self.torus, node, port)) == label;
        let start = NodeId(0);
        let nodes = axes.iter().map(|&axis| self.torus.side(axis) as usize).product();
        let mut moves = Vec::with_capacity(nodes);
        let mut node = start;
        let mut port =
            *ports.iter().find(|&&port| has_label(start, port)).expect("every node has links of every label");
        loop {
            moves.push(port);
            node = self.torus.neighbour(node, port);
            if node == start {
                return Walk { start, moves };
            }
            // most nodes are passed straight
            if !has_label(node, port) {
                let back = port.opposite();
                port = *ports
                    .iter()
                    .find(|&&other| other != back && has_label(node, other))
                    .expect("every node has two links of every label");
            }
        }
    }
}

impl SharedLinks for Labels<'_> {
    fn topology(&self) -> &Topology {
        self.torus()
    }

    fn cycles(&self) -> usize {
        self.torus().axes()
    }

    fn at(&self, node: NodeId, neighbours: &[NodeId], cycles: &mut [usize]) {
        for (axis, pair) in cycles.chunks_exact_mut(2).enumerate() {
            pair[0] = self.of_low(neighbours[2 * axis], axis).into();
            pair[1] = self.of_low(node, axis).into();
        }
    }
}

/// The link at a port of a node.
fn link_at(torus: &Torus, node: NodeId, port: Port) -> LabelledLink {
    let low = match port.way() {
        AxisDirection::Plus => node,
        AxisDirection::Minus => torus.neighbour(node, port),
    };
    LabelledLink { low, axis: port.axis() as u8 }
}

/// A Hamiltonian cycle of a factor: link i joins nodes i and i + 1, the last one closes the ring.
pub struct FactorCycle {
    /// The nodes in order.
    pub nodes: Vec<NodeId>,
    /// The links in order.
    pub links: Vec<LabelledLink>,
}

impl FactorCycle {
    /// The ring that a walk goes round.
    pub fn along(torus: &Torus, walk: &Walk) -> Self {
        let mut node = walk.start;
        let (nodes, links) = walk
            .moves
            .iter()
            .map(|&port| {
                let here = node;
                node = torus.neighbour(here, port);
                (here, link_at(torus, here, port))
            })
            .unzip();
        Self { nodes, links }
    }

    /// The number of nodes, and of links.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The two ends of a link.
    pub fn ends(&self, link: usize) -> (NodeId, NodeId) {
        (self.nodes[link], self.nodes[(link + 1) % self.len()])
    }

    /// Reads the ring from node `start` on, forwards or backwards.
    #[must_use]
    pub fn read_from(&self, start: usize, backwards: bool) -> Self {
        let m = self.len();
        let (nodes, links) = (0..m)
            .map(|i| {
                let (node, link) = if backwards {
                    ((start + m - i) % m, (start + 2 * m - i - 1) % m)
                } else {
                    ((start + i) % m, (start + i) % m)
                };
                (self.nodes[node], self.links[link])
            })
            .unzip();
        Self { nodes, links }
    }
}
