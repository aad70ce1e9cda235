//! Nodes that have a collective together: those of a group, or all.

use std::ops::Range;

use super::Demand;
use super::groups::Groups;
use super::message::Message;
use crate::net::{NodeId, Topology};

impl Demand {
    /// Groups of the nodes; none if all nodes are one group.
    pub fn groups(&self) -> Option<&Groups> {
        self.groups.as_deref()
    }

    /// Returns true if two live nodes are of one group.
    pub fn are_together(&self, one: NodeId, other: NodeId) -> bool {
        self.groups().is_none_or(|groups| groups.number(one) == groups.number(other))
    }

    /// Live nodes of a node's group, in order, itself among them.
    pub fn group_of<'a>(&'a self, topology: &'a Topology, node: NodeId) -> Box<dyn Iterator<Item = NodeId> + 'a> {
        match self.groups() {
            Some(groups) => Box::new(groups.of(node).iter().copied()),
            None => Box::new(topology.live_ids()),
        }
    }

    /// Number of nodes of a node's group.
    pub fn group_size(&self, topology: &Topology, node: NodeId) -> u32 {
        self.groups().map_or(topology.live_nodes(), |groups| groups.of(node).len() as u32)
    }

    /// Nodes of each group; all live nodes if there is one.
    pub fn each_group(&self, topology: &Topology) -> Vec<Vec<NodeId>> {
        self.groups().map_or_else(|| vec![topology.live_ids().collect()], |groups| groups.members().to_vec())
    }

    /// Flits that all nodes of a node's group combine, where one node of each group has all packets.
    pub(super) fn flits_of_group(&self, topology: &Topology, node: NodeId) -> Range<u64> {
        if !topology.is_live(node) {
            return 0..0;
        }
        let Some(groups) = self.groups() else { return 0..self.flits() };
        groups.number(node).map_or(0..0, |group| self.owned[group as usize].clone())
    }

    /// Most flits of a node that all of its group combine.
    pub(super) fn most_of_group(&self) -> u64 {
        if self.groups().is_some() { self.most_owned } else { self.flits() }
    }

    /// Nodes of which one in each group has all messages, or else wants all; none if there are no such nodes.
    pub fn roots(&self) -> Vec<NodeId> {
        let senders = self.one_end(Message::sender);
        senders.or_else(|| self.one_end(Message::receiver)).unwrap_or_default()
    }

    /// One node in each group that is some end of all messages of the group: `end` tells it for a message of one node.
    pub(super) fn one_end(&self, end: impl Fn(&Message) -> Option<NodeId>) -> Option<Vec<NodeId>> {
        let groups = self.groups().map_or(1, |groups| groups.members().len());
        let mut ends: Vec<Option<NodeId>> = vec![None; groups];
        for message in self.messages() {
            let node = end(message)?;
            let group = self.groups().map_or(Some(0), |groups| groups.number(node))?;
            if *ends[group as usize].get_or_insert(node) != node {
                return None;
            }
        }
        ends.into_iter().collect()
    }
}
