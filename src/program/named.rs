//! The names that people have for what a program achieves.

use std::collections::HashSet;

use super::demand::{Demand, From, Message, To};
use crate::net::NodeId;

impl Demand {
    /// Name of the collective, or a general word if the demand has no name.
    pub fn collective(&self) -> &'static str {
        let all = |test: fn(&Message) -> bool| self.messages().iter().all(test);
        let same = |of: fn(&Message) -> Option<NodeId>| {
            let mut ends = self.messages().iter().map(of);
            let first = ends.next().flatten();
            first.is_some() && ends.all(|end| end == first)
        };
        let sender = |message: &Message| if let From::Node(node) = message.from { Some(node) } else { None };
        let receiver = |message: &Message| if let To::Node(node) = message.to { Some(node) } else { None };
        if all(|message| message.from == From::Every && message.to == To::All) {
            "gossip"
        } else if same(sender) && all(|message| message.to == To::All) {
            "broadcast"
        } else if same(sender) && all(|message| matches!(message.to, To::Node(_))) {
            "scatter"
        } else if same(receiver) && all(|message| matches!(message.from, From::Node(_))) {
            "gather"
        } else if all(|message| message.from == From::Every && matches!(message.to, To::Offset(_)))
            || self.is_between_all()
        {
            "exchange"
        } else {
            "traffic"
        }
    }

    /// Returns true if each of some nodes has one message for each other of them, and there are no more.
    fn is_between_all(&self) -> bool {
        let mut pairs = HashSet::new();
        let mut nodes = HashSet::new();
        for message in self.messages() {
            let (From::Node(from), To::Node(to)) = (message.from, &message.to) else { return false };
            if from == *to || !pairs.insert((from, *to)) {
                return false;
            }
            nodes.extend([from, *to]);
        }
        pairs.len() == nodes.len() * nodes.len().saturating_sub(1)
    }
}
