//! The names that people have for what a program achieves.

use std::collections::HashSet;

use super::{Demand, Message, Program, Sender, To};
use crate::net::{NodeId, Topology};

/// Collectives that messages tell; the first one gives its name to messages of several.
const COLLECTIVES: [&str; 5] = ["gossip", "broadcast", "scatter", "gather", "exchange"];

impl Program {
    /// State of the nodes in words, once the program is over.
    pub fn achieved(&self) -> &'static str {
        match self.collective() {
            "reduce" | "reduce-scatter" => "every node's values are combined",
            "all-reduce" => "every node knows what all values become",
            "gossip" => "every node knows every packet",
            _ => "every node has what it wants",
        }
    }

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
        self.chosen.unwrap_or_else(|| self.first_collective())
    }

    /// Takes the name of the collective that was asked for, if the messages are those of several: one message from one node to another
    /// is a scatter, a gather and an exchange. Leaves the name as it is if the messages are not of that collective.
    pub fn choose_collective(&mut self, name: &str) {
        let Some(name) = COLLECTIVES.into_iter().find(|&known| known == name && self.is_one(known)) else { return };
        self.chosen = Some(name).filter(|&name| name != self.first_collective());
    }

    /// Returns true if the messages are those of a collective.
    pub fn is_one(&self, collective: &str) -> bool {
        let all = |test: fn(&Message) -> bool| self.messages().iter().all(test);
        let same = |of: fn(&Message) -> Option<NodeId>| self.one_end(of).is_some();
        match collective {
            "gossip" => all(|message| message.from == Sender::Every && message.to == To::All),
            "broadcast" => same(Message::sender) && all(|message| message.to == To::All),
            "scatter" => same(Message::sender) && all(|message| matches!(message.to, To::Node(_))),
            "gather" => same(Message::receiver) && all(|message| matches!(message.from, Sender::Node(_))),
            "exchange" => {
                all(|message| message.from == Sender::Every && matches!(message.to, To::Offset(_)))
                    || self.is_between_pairs()
            }
            _ => false,
        }
    }

    fn first_collective(&self) -> &'static str {
        COLLECTIVES.into_iter().find(|collective| self.is_one(collective)).unwrap_or("traffic")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    fn message(from: Sender, to: To, flits: u32) -> Message {
        Message { from, to, flits }
    }

    #[test]
    fn a_collective_is_known_by_who_has_and_who_wants() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let (root, leaf) = (NodeId(2), NodeId(5));
        let name = |messages| Demand::new(&torus, messages).collective();
        assert_eq!(Demand::gossip(&torus, 2).collective(), "gossip");
        assert_eq!(name(vec![message(Sender::Node(root), To::All, 1); 2]), "broadcast");
        assert_eq!(
            name(vec![message(Sender::Node(root), To::Node(leaf), 1), message(Sender::Node(root), To::Node(root), 1)]),
            "scatter"
        );
        assert_eq!(
            name(vec![message(Sender::Node(root), To::Node(leaf), 1), message(Sender::Node(leaf), To::Node(leaf), 1)]),
            "gather"
        );
        assert_eq!(name(vec![message(Sender::Every, To::Offset(vec![0, 1]), 1)]), "exchange");
        assert_eq!(name(vec![message(Sender::Every, To::Node(root), 1)]), "traffic");
    }

    #[test]
    fn messages_of_several_collectives_keep_the_name_that_was_asked_for() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let (root, leaf) = (NodeId(2), NodeId(5));
        let mut demand = Demand::new(&torus, vec![message(Sender::Node(leaf), To::Node(root), 3)]);
        for (chosen, name) in
            [("gather", "gather"), ("exchange", "exchange"), ("gossip", "exchange"), ("scatter", "scatter")]
        {
            demand.choose_collective(chosen);
            assert_eq!(demand.collective(), name, "{chosen}");
        }
        let mut gossip = Demand::gossip(&torus, 1);
        gossip.choose_collective("gather");
        assert_eq!(gossip.collective(), "gossip");
    }
}
