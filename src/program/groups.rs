//! Groups of nodes that a collective is for: what is for all is for all nodes of the sender's group.

use crate::net::{NodeId, Topology};

/// Partition of the live nodes of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Number of each node's group; none of a dead node.
    number: Vec<Option<u32>>,
    /// Nodes of each group, in order.
    members: Vec<Vec<NodeId>>,
}

/// Reason for which some lists of nodes are no groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoGroups {
    /// A node is in no group.
    Left(NodeId),
    /// A node is in a group twice, in two of them, or dead, or not of the network.
    Misplaced(NodeId),
    /// A group has less than two nodes.
    Single(usize),
}

impl Groups {
    /// Groups of these nodes, which are all live nodes, each once.
    pub fn new(topology: &Topology, mut members: Vec<Vec<NodeId>>) -> Result<Self, NoGroups> {
        let mut number = vec![None; topology.nodes() as usize];
        for (group, nodes) in members.iter_mut().enumerate() {
            nodes.sort_unstable();
            for &node in nodes.iter() {
                let is_here = node.0 < topology.nodes() && topology.is_live(node);
                if !is_here || number[node.index()].replace(group as u32).is_some() {
                    return Err(NoGroups::Misplaced(node));
                }
            }
            if nodes.len() < 2 {
                return Err(NoGroups::Single(group));
            }
        }
        match topology.live_ids().find(|node| number[node.index()].is_none()) {
            Some(node) => Err(NoGroups::Left(node)),
            None => Ok(Self { number, members }),
        }
    }

    /// Nodes of each group, in order.
    pub fn members(&self) -> &[Vec<NodeId>] {
        &self.members
    }

    /// Number of a live node's group.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        self.number.get(node.index()).copied().flatten()
    }

    /// Nodes of a node's group, itself among them; none if it is dead.
    pub(super) fn of(&self, node: NodeId) -> &[NodeId] {
        self.number(node).map_or(&[], |group| &self.members[group as usize])
    }
}
