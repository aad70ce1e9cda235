//! A network as seen from one node of each orbit: what all others do follows by translation.

use std::collections::HashMap;
use std::sync::Arc;

use crate::net::{Network, NodeId, OUTSIDE};

/// Orbit of a dead node.
const NONE: u32 = u32::MAX;

/// A link that leads to a representative.
#[derive(Clone, Debug)]
pub struct Inlet {
    /// Index of the port at the representative.
    pub port: usize,
    /// Representative of the node at the other end.
    pub sender: usize,
    /// Translation that takes the sender's representative to the sender; none if it is the sender.
    shift: Option<Arc<NodeTranslation>>,
}

/// A translation and its inverse, by node.
#[derive(Debug)]
struct NodeTranslation {
    forth: Vec<u32>,
    back: Vec<u32>,
}

impl Inlet {
    /// Packet of the receiver's frame that is this one in the sender's.
    pub fn forth(&self, packet: u32) -> u32 {
        self.shift.as_ref().map_or(packet, |shift| shift.forth[packet as usize])
    }

    /// Packet of the sender's frame that is this one in the receiver's.
    pub fn back(&self, packet: u32) -> u32 {
        self.shift.as_ref().map_or(packet, |shift| shift.back[packet as usize])
    }

    /// Returns true if both frames are one.
    pub fn is_plain(&self) -> bool {
        self.shift.is_none()
    }
}

/// Representatives of a network's orbits and the links that lead to them.
#[derive(Clone, Debug)]
pub struct OrbitFrame {
    /// Number of nodes, dead ones among them.
    pub nodes: usize,
    /// Number of ports of a node.
    pub ports: usize,
    /// Number of live nodes.
    pub live: usize,
    /// By representative, its node.
    pub first: Vec<u32>,
    /// By node, its orbit.
    orbit: Vec<u32>,
    /// Inlets by representative.
    pub inlets: Vec<Vec<Inlet>>,
}

impl OrbitFrame {
    /// The network as seen from one node of each orbit.
    pub fn by_orbit(network: &Network) -> Self {
        let orbits = network.orbits();
        let first = orbits.first().iter().map(|node| node.0).collect();
        let orbit = |node| orbits.of(node).map_or(NONE, |orbit| orbit as u32);
        Self::new(network, first, network.node_ids().map(orbit).collect(), |node| orbits.by(node))
    }

    /// The network as seen from every live node.
    pub fn by_node(network: &Network) -> Self {
        let first: Vec<u32> = network.live_ids().map(|node| node.0).collect();
        let mut orbit = vec![NONE; network.nodes() as usize];
        (0..).zip(&first).for_each(|(index, &node)| orbit[node as usize] = index);
        Self::new(network, first, orbit, |_| NodeId(0))
    }

    fn new(network: &Network, first: Vec<u32>, orbit: Vec<u32>, by: impl Fn(NodeId) -> NodeId) -> Self {
        let mut shifts: HashMap<NodeId, Arc<NodeTranslation>> = HashMap::new();
        let mut inlets = Vec::with_capacity(first.len());
        for &node in &first {
            let mut of_node = Vec::new();
            network.sweep(node..node + 1, |_, neighbours| {
                for (port, &there) in neighbours.iter().enumerate().filter(|&(_, &there)| there != OUTSIDE) {
                    let by = by(there);
                    let shift = (by != NodeId(0)).then(|| {
                        shifts.entry(by).or_insert_with(|| Arc::new(NodeTranslation::of(network, by))).clone()
                    });
                    let sender = orbit[there.index()] as usize;
                    of_node.push(Inlet { port, sender, shift });
                }
            });
            inlets.push(of_node);
        }
        let (nodes, ports, live) = (network.nodes() as usize, network.ports(), network.live_nodes() as usize);
        Self { nodes, ports, live, first, orbit, inlets }
    }

    /// Number of representatives.
    pub fn orbits(&self) -> usize {
        self.first.len()
    }

    /// Returns true if every live node is its own representative.
    pub fn is_plain(&self) -> bool {
        self.first.len() == self.live
    }

    /// Returns true if a node is alive.
    pub fn is_live(&self, node: usize) -> bool {
        self.orbit[node] != NONE
    }

    /// Orbit of a live node.
    pub fn orbit(&self, node: u32) -> usize {
        self.orbit[node as usize] as usize
    }
}

impl NodeTranslation {
    fn of(network: &Network, by: NodeId) -> Self {
        let forth: Vec<u32> = network.node_ids().map(|node| network.translated(node, by).0).collect();
        let mut back = vec![0; forth.len()];
        (0..).zip(&forth).for_each(|(node, &there)| back[there as usize] = node);
        Self { forth, back }
    }
}
