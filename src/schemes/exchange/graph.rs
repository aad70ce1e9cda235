//! A network as its exchange is routed on it: links by the kind of the node that they leave, its orbit or itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::net::{Network, NodeId, OUTSIDE};

/// Length of a link that must not be used.
pub const NEVER: u64 = 1 << 40;

/// Neighbours and kinds of links.
pub struct Graph {
    /// Number of ports of a node.
    pub ports: usize,
    /// First node of every kind.
    pub first: Vec<NodeId>,
    /// By node and port.
    neighbours: Vec<NodeId>,
    /// Kind of each node.
    orbit: Vec<u32>,
}

impl Graph {
    /// Nodes that a translation takes to each other are of one kind.
    pub fn new(network: &Network) -> Self {
        let orbits = network.orbits();
        let orbit = network.node_ids().map(|node| orbits.of(node).map_or(u32::MAX, |orbit| orbit as u32)).collect();
        Self::of(network, orbits.first().to_vec(), orbit)
    }

    /// Every node is of a kind of its own.
    pub fn by_node(network: &Network) -> Self {
        let mut orbit = vec![u32::MAX; network.nodes() as usize];
        (0..).zip(network.live_ids()).for_each(|(number, node)| orbit[node.index()] = number);
        Self::of(network, network.live_ids().collect(), orbit)
    }

    fn of(network: &Network, first: Vec<NodeId>, orbit: Vec<u32>) -> Self {
        let mut neighbours = Vec::with_capacity(network.registers());
        network.sweep(0..network.nodes(), |_, there| neighbours.extend_from_slice(there));
        Self { ports: network.ports(), first, neighbours, orbit }
    }

    /// The node at the other end of a link.
    pub fn step(&self, node: NodeId, port: usize) -> Option<NodeId> {
        Some(self.neighbours[node.index() * self.ports + port]).filter(|&there| there != OUTSIDE)
    }

    /// Kind of a live node.
    pub fn orbit(&self, node: NodeId) -> usize {
        self.orbit[node.index()] as usize
    }

    /// Kind of a link: that of the representative of its node.
    pub fn link(&self, node: NodeId, port: usize) -> usize {
        self.orbit(node) * self.ports + port
    }

    /// Number of kinds of links, those of ports without one among them.
    pub fn links(&self) -> usize {
        self.first.len() * self.ports
    }

    /// Ports of a shortest way between two nodes, for lengths of the kinds of links; none if every way has a link that must not be
    /// used.
    pub fn way(&self, from: NodeId, to: NodeId, length: &[u64]) -> Option<Vec<u8>> {
        let mut search = RouteSearch::new(self, from);
        search.run(self, length, to);
        if search.distance[to.index()] >= NEVER {
            return None;
        }
        let (mut way, mut at) = (Vec::new(), to);
        while at != from {
            let (before, port) = search.before[at.index()];
            way.push(port);
            at = before;
        }
        way.reverse();
        Some(way)
    }
}

struct RouteSearch {
    distance: Vec<u64>,
    before: Vec<(NodeId, u8)>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl RouteSearch {
    fn new(graph: &Graph, from: NodeId) -> Self {
        let nodes = graph.orbit.len();
        let mut distance = vec![u64::MAX; nodes];
        distance[from.index()] = 0;
        Self { distance, before: vec![(from, 0); nodes], heap: BinaryHeap::from([Reverse((0, from.0))]) }
    }

    fn run(&mut self, graph: &Graph, length: &[u64], to: NodeId) {
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            let node = NodeId(node);
            if distance > self.distance[node.index()] {
                continue;
            }
            if to == node {
                return;
            }
            for port in 0..graph.ports {
                let Some(there) = graph.step(node, port) else { continue };
                let distance = distance + length[graph.link(node, port)];
                if distance < self.distance[there.index()] {
                    self.distance[there.index()] = distance;
                    self.before[there.index()] = (node, port as u8);
                    self.heap.push(Reverse((distance, there.0)));
                }
            }
        }
    }
}
