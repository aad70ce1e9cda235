//! Takes nodes and links away from a network.

use bitvec::vec::BitVec;

use super::{Dead, Network, NetworkError, NodeId, Port};

impl Network {
    /// Takes nodes and links away. A link is named by either end, and is dead both ways.
    pub fn without(mut self, nodes: &[NodeId], links: &[(NodeId, Port)]) -> Result<Self, NetworkError> {
        let dead = self.damage(nodes, links)?;
        if !dead.nodes.is_empty() || !dead.links.is_empty() {
            self.set_dead(dead);
            self.check_parts()?;
        }
        Ok(self)
    }

    /// Checks the parts against the network as it is, and adds them to what is dead already.
    fn damage(&self, nodes: &[NodeId], links: &[(NodeId, Port)]) -> Result<Dead, NetworkError> {
        let exists = |node: NodeId| {
            let is_node = node.0 < self.nodes();
            if is_node { Ok(()) } else { Err(NetworkError::NoSuchNode { node: node.0, nodes: self.nodes() }) }
        };
        let mut ends = BitVec::repeat(false, self.registers());
        let mut cut = |node: NodeId, port: Port| {
            let there = self.step(node, port)?;
            ends.set(self.register(node, port), true);
            ends.set(self.register(there, port.opposite()), true);
            Some((node, port).min((there, port.opposite())))
        };
        let mut named = Vec::new();
        for &(node, port) in links {
            exists(node)?;
            let is_port = port.index() < self.ports();
            let link = if is_port { cut(node, port) } else { None };
            named.push(link.ok_or(NetworkError::NoSuchLink { node: node.0, port })?);
        }
        for &node in nodes {
            exists(node)?;
            for port in self.port_ids() {
                cut(node, port);
            }
        }
        let before = self.dead();
        let mut nodes = [nodes, before.map_or(&[], |dead| &dead.nodes)].concat();
        let mut links = [named.as_slice(), before.map_or(&[], |dead| &dead.links)].concat();
        if let Some(before) = before {
            ends |= &before.ends;
        }
        nodes.sort_unstable();
        nodes.dedup();
        links.sort_unstable();
        links.dedup();
        Ok(Dead { nodes, links, ends })
    }

    /// Fails unless two live nodes are left, and all of them in one part.
    fn check_parts(&self) -> Result<(), NetworkError> {
        let live = self.node_ids().filter(|&node| self.is_live(node)).count() as u32;
        if live < 2 {
            return Err(NetworkError::TooFewNodes { live });
        }
        let mut is_seen: BitVec = BitVec::repeat(false, self.nodes() as usize);
        let mut parts = Vec::new();
        for first in self.node_ids().filter(|&node| self.is_live(node)) {
            if is_seen.replace(first.index(), true) {
                continue;
            }
            let (mut queue, mut nodes) = (vec![first], 0);
            while let Some(node) = queue.pop() {
                nodes += 1;
                for there in self.port_ids().filter_map(|port| self.step(node, port)) {
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
}
