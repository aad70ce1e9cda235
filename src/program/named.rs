//! The names that people have for what a program achieves.

use std::collections::HashSet;

use super::{Demand, Message, Sender, To};
use crate::net::{NodeId, Topology};

impl Demand {
    /// Name of the collective, or a general word if the demand has no name.
    pub fn collective(&self) -> &'static str {
        let all = |test: fn(&Message) -> bool| self.messages().iter().all(test);
        let same = |of: fn(&Message) -> Option<NodeId>| {
            let mut ends = self.messages().iter().map(of);
            let first = ends.next().flatten();
            first.is_some() && ends.all(|end| end == first)
        };
        let sender = |message: &Message| if let Sender::Node(node) = message.from { Some(node) } else { None };
        let receiver = |message: &Message| if let To::Node(node) = message.to { Some(node) } else { None };
        if all(|message| message.from == Sender::Every && message.to == To::All) {
            "gossip"
        } else if same(sender) && all(|message| message.to == To::All) {
            "broadcast"
        } else if same(sender) && all(|message| matches!(message.to, To::Node(_))) {
            "scatter"
        } else if same(receiver) && all(|message| matches!(message.from, Sender::Node(_))) {
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
        let live = u64::from(topology.live_nodes());
        are_alike && self.packets() == live * (live - 1) && self.has_each_pair_once()
    }

    /// Returns true if no two messages with one sender have the same receiver, too.
    fn has_each_pair_once(&self) -> bool {
        let mut pairs = HashSet::new();
        self.messages().iter().all(|message| match (message.from, &message.to) {
            (Sender::Node(from), To::Node(to)) => pairs.insert((from, *to)),
            _ => true,
        })
    }

    /// Returns true if each message has one sender and one receiver, which is another node.
    fn is_between_pairs(&self) -> bool {
        let mut messages = self.messages().iter();
        messages.all(|message| matches!((message.from, &message.to), (Sender::Node(from), To::Node(to)) if from != *to))
    }
}
