//! Dead parts of a network: nodes without a router, and links that carry nothing.

use bitvec::vec::BitVec;

use super::{Network, NetworkError, NodeId, Port};

/// Nodes and links taken away from a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    nodes: Vec<NodeId>,
    links: Vec<(NodeId, Port)>,
    /// by register, whether the link at it is dead
    ends: BitVec,
}

impl Dead {
    /// Checks the parts against the network without them.
    pub(super) fn new(network: &Network, nodes: &[NodeId], links: &[(NodeId, Port)]) -> Result<Self, NetworkError> {
        let exists = |node: NodeId| {
            let is_node = node.0 < network.nodes();
            if is_node { Ok(()) } else { Err(NetworkError::NoSuchNode { node: node.0, nodes: network.nodes() }) }
        };
        let mut ends = BitVec::repeat(false, network.registers());
        let mut cut = |node: NodeId, port: Port| {
            let there = network.step(node, port)?;
            ends.set(network.register(node, port), true);
            ends.set(network.register(there, port.opposite()), true);
            Some((node, port).min((there, port.opposite())))
        };
        let mut named = Vec::new();
        for &(node, port) in links {
            exists(node)?;
            let is_port = port.index() < network.ports();
            let link = if is_port { cut(node, port) } else { None };
            named.push(link.ok_or(NetworkError::NoSuchLink { node: node.0, port })?);
        }
        for &node in nodes {
            exists(node)?;
            for port in network.port_ids() {
                cut(node, port);
            }
        }
        let before = network.dead();
        let mut nodes = [nodes, before.map_or(&[], |dead| &dead.nodes)].concat();
        let mut links = [named.as_slice(), before.map_or(&[], |dead| &dead.links)].concat();
        if let Some(before) = before {
            ends |= &before.ends;
        }
        nodes.sort_unstable();
        nodes.dedup();
        links.sort_unstable();
        links.dedup();
        Ok(Self { nodes, links, ends })
    }

    /// Fails unless what is left has two nodes and is in one part.
    pub(super) fn check(&self, network: &Network) -> Result<(), NetworkError> {
        let live = network.nodes() - self.nodes.len() as u32;
        if live < 2 {
            return Err(NetworkError::TooFewNodes { live });
        }
        let mut is_seen: BitVec = BitVec::repeat(false, network.nodes() as usize);
        let mut parts = Vec::new();
        for first in network.node_ids().filter(|&node| self.is_live(node)) {
            if is_seen.replace(first.index(), true) {
                continue;
            }
            let (mut queue, mut nodes) = (vec![first], 0);
            while let Some(node) = queue.pop() {
                nodes += 1;
                for there in network.port_ids().filter_map(|port| network.step(node, port)) {
                    if !is_seen.replace(there.index(), true) {
                        queue.push(there);
                    }
                }
            }
            parts.push((first.0, nodes));
        }
        parts.sort_by_key(|&(_, nodes)| std::cmp::Reverse(nodes));
        if parts.len() > 1 { Err(NetworkError::Cut { parts }) } else { Ok(()) }
    }

    /// Dead nodes, in order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Dead links, in order, each by the end that comes first. Links of dead nodes are here only if they were named.
    pub fn named_links(&self) -> &[(NodeId, Port)] {
        &self.links
    }

    /// Whether a node is alive.
    pub fn is_live(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_err()
    }

    /// Whether the link at an output register is dead.
    pub(super) fn has(&self, register: usize) -> bool {
        self.ends[register]
    }

    /// The number of dead directed links.
    pub(super) fn links(&self) -> u64 {
        self.ends.count_ones() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.links.is_empty()
    }
}
