//! The names that people have for what a program achieves.

use std::collections::HashSet;

use super::{Demand, Message, Program, Sender, To};
use crate::net::{NodeId, Topology};

impl Program {
    /// Collective and network in words: `gossip on a 4x4 torus`, `gossip in 4 groups of a 4x4 torus`.
    pub fn described(&self) -> String {
        let network = self.topology.describe();
        match self.demand.groups() {
            Some(groups) => format!("{} in {} groups of a {network}", self.collective(), groups.members().len()),
            None => format!("{} on a {network}", self.collective()),
        }
    }
}

impl Demand {
    /// Name of the collective, or a general word if the demand has no name.
    pub fn collective(&self) -> &'static str {
        let all = |test: fn(&Message) -> bool| self.messages().iter().all(test);
        let same = |of: fn(&Message) -> Option<NodeId>| self.one_end(of).is_some();
        if all(|message| message.from == Sender::Every && message.to == To::All) {
            "gossip"
        } else if same(Message::sender) && all(|message| message.to == To::All) {
            "broadcast"
        } else if same(Message::sender) && all(|message| matches!(message.to, To::Node(_))) {
            "scatter"
        } else if same(Message::receiver) && all(|message| matches!(message.from, Sender::Node(_))) {
            "gather"
        } else if all(|message| message.from == Sender::Every && matches!(message.to, To::Offset(_)))
            || self.is_between_pairs()
        {
            "exchange"
        } else {
            "traffic"
        }
    }

    /// Returns true for an exchange in which each live node has one message for each other, all of one length.
    pub fn is_even_exchange(&self, topology: &Topology) -> bool {
        if self.collective() != "exchange" {
            return false;
        }
        let first = self.messages().first().map(|message| message.flits);
        let are_alike = self.messages().iter().all(|message| Some(message.flits) == first);
        let pairs = |group: &Vec<NodeId>| group.len() as u64 * (group.len() as u64 - 1);
        let all: u64 = self.each_group(topology).iter().map(pairs).sum();
        are_alike && self.packets() == all && self.has_each_pair_once()
    }

    /// Returns true if no two messages with one sender have the same receiver, too, and all stay in their group.
    fn has_each_pair_once(&self) -> bool {
        let mut pairs = HashSet::new();
        self.messages().iter().all(|message| match (message.from, &message.to) {
            (Sender::Node(from), To::Node(to)) => pairs.insert((from, *to)) && self.are_together(from, *to),
            _ => true,
        })
    }

    /// Returns true if each message has one sender and one receiver, which is another node.
    fn is_between_pairs(&self) -> bool {
        let mut messages = self.messages().iter();
        messages.all(|message| matches!((message.from, &message.to), (Sender::Node(from), To::Node(to)) if from != *to))
    }
}
