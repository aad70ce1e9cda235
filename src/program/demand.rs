//! Demand of a program: the messages of each node, their receivers, and the numbers of packets and flits.
//!
//! A message is a packet: node u's packet k is the k-th message that u has. Flits are numbered node after node, a node's
//! packets in order, a packet's flits in order.

use std::ops::Range;
use std::sync::Arc;

use super::groups::Groups;
use super::message::{Message, Sender, To};
use crate::net::{NodeId, Topology};

/// A flit by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlitId(pub u32);

/// Origin of a flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The node that has it at first.
    pub node: NodeId,
    /// Index of the packet at its node.
    pub packet: u32,
    /// Position in the packet.
    pub flit: u32,
}

/// All messages of a program on a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    messages: Vec<Message>,
    numbers: PacketNumbers,
    /// Groups of the nodes; none if all are one.
    pub(super) groups: Option<Arc<Groups>>,
    /// Name of the collective that was asked for, where it is not the first one that has such messages.
    pub(super) chosen: Option<&'static str>,
    /// By group, the flits of the one node that has some, if there is one.
    pub(super) owned: Arc<[Range<u64>]>,
    /// Most of these of a group.
    pub(super) most_owned: u64,
}

/// The numbers of packets and flits.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PacketNumbers {
    /// Every node has the same messages: packet k of a node begins `starts[k]` flits after the node's first; the last
    /// entry is what a node has in all.
    Alike { nodes: u32, starts: Vec<u64> },
    /// Node u has packets `first[u]..first[u + 1]`; packet p is `message[p]` and begins with flit `starts[p]`.
    Listed { first: Vec<u64>, message: Vec<u32>, starts: Vec<u64> },
}

impl Demand {
    /// Numbers the packets and flits of some messages.
    pub fn new(topology: &Topology, messages: Vec<Message>) -> Self {
        let are_alike = topology.dead().is_none() && messages.iter().all(|message| message.from == Sender::Every);
        let numbers = if are_alike {
            PacketNumbers::Alike {
                nodes: topology.nodes(),
                starts: starts(messages.iter().map(|message| message.flits)),
            }
        } else {
            listed(topology, &messages)
        };
        Self { messages, numbers, groups: None, chosen: None, owned: Arc::default(), most_owned: 0 }
    }

    /// Keeps each message to the nodes of its sender's group.
    #[must_use]
    pub fn within(self, groups: Option<Arc<Groups>>) -> Self {
        let mut owned = vec![0..0; groups.as_ref().map_or(0, |groups| groups.members().len())];
        for sender in self.messages.iter().filter_map(Message::sender) {
            if let Some(group) = groups.as_ref().and_then(|groups| groups.number(sender)) {
                owned[group as usize] = self.flits_of(sender);
            }
        }
        let most_owned = owned.iter().map(|flits| flits.end - flits.start).max().unwrap_or(0);
        Self { groups, owned: owned.into(), most_owned, ..self }
    }

    /// Gossip: every node has `packets` packets that everybody wants.
    pub fn gossip(topology: &Topology, packets: u16) -> Self {
        let message = Message { from: Sender::Every, to: To::All, flits: 1 };
        Self::new(topology, vec![message; packets.into()])
    }

    /// The messages, in the order in which a node counts its packets.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Copies the demand with every message length changed by `scale`; `None` if `scale` refuses one.
    pub fn scaled(&self, topology: &Topology, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let scaled = |message: &Message| Some(Message { flits: scale(message.flits)?, ..message.clone() });
        let messages = self.messages.iter().map(scaled).collect::<Option<_>>()?;
        Some(Self { chosen: self.chosen, ..Self::new(topology, messages).within(self.groups.clone()) })
    }

    /// Copies the demand with a message for every flit.
    #[must_use]
    pub fn by_flits(&self, topology: &Topology) -> Self {
        let of_message = |message: &Message| {
            let flit = Message { flits: 1, ..message.clone() };
            std::iter::repeat_n(flit, message.flits as usize)
        };
        let messages = self.messages.iter().flat_map(of_message).collect();
        Self { chosen: self.chosen, ..Self::new(topology, messages).within(self.groups.clone()) }
    }

    /// Number of packets a node has.
    pub fn packets_of(&self, node: NodeId) -> u32 {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => starts.len() as u32 - 1,
            PacketNumbers::Listed { first, .. } => (first[node.index() + 1] - first[node.index()]) as u32,
        }
    }

    /// Largest number of packets that a node contributes; in gossip all nodes contribute as many.
    pub fn most_packets(&self) -> u32 {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => starts.len() as u32 - 1,
            PacketNumbers::Listed { first, .. } => {
                first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as u32
            }
        }
    }

    /// The number of packets of all nodes together.
    pub fn packets(&self) -> u64 {
        match &self.numbers {
            PacketNumbers::Alike { nodes, starts } => u64::from(*nodes) * (starts.len() as u64 - 1),
            PacketNumbers::Listed { message, .. } => message.len() as u64,
        }
    }

    /// The number of a node's packet, counted node after node.
    pub fn packet(&self, node: NodeId, packet: u32) -> u64 {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => u64::from(node.0) * (starts.len() as u64 - 1) + u64::from(packet),
            PacketNumbers::Listed { first, .. } => first[node.index()] + u64::from(packet),
        }
    }

    /// Sender of a packet by its number, and which of the sender's packets it is: the inverse of [`Demand::packet`].
    pub fn sender(&self, packet: u64) -> (NodeId, u32) {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => {
                let each = starts.len() as u64 - 1;
                (NodeId((packet / each) as u32), (packet % each) as u32)
            }
            PacketNumbers::Listed { first, .. } => {
                let node = first.partition_point(|&first| first <= packet) - 1;
                (NodeId(node as u32), (packet - first[node]) as u32)
            }
        }
    }

    /// The number of flits of all nodes together.
    pub fn flits(&self) -> u64 {
        match &self.numbers {
            PacketNumbers::Alike { nodes, starts } => u64::from(*nodes) * starts[starts.len() - 1],
            PacketNumbers::Listed { starts, .. } => starts[starts.len() - 1],
        }
    }

    /// The numbers of all flits that a node has at first.
    pub fn flits_of(&self, node: NodeId) -> Range<u64> {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => {
                let each = starts[starts.len() - 1];
                let node = u64::from(node.0);
                node * each..(node + 1) * each
            }
            PacketNumbers::Listed { first, starts, .. } => {
                starts[first[node.index()] as usize]..starts[first[node.index() + 1] as usize]
            }
        }
    }

    /// Number of flits that the node starts with.
    pub fn own_flits(&self, node: NodeId) -> u64 {
        let Range { start, end } = self.flits_of(node);
        end - start
    }

    /// The numbers of the flits of a node's packet.
    pub fn flits_of_packet(&self, node: NodeId, packet: u32) -> Range<u64> {
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => {
                let own = u64::from(node.0) * starts[starts.len() - 1];
                own + starts[packet as usize]..own + starts[packet as usize + 1]
            }
            PacketNumbers::Listed { first, starts, .. } => {
                let packet = first[node.index()] as usize + packet as usize;
                starts[packet]..starts[packet + 1]
            }
        }
    }

    /// Returns the origin of a flit.
    pub fn origin(&self, flit: FlitId) -> Origin {
        let flit = u64::from(flit.0);
        // an empty packet begins where the next one does: the last that begins here has the flit
        let begun = |starts: &[u64], at: u64| starts.partition_point(|&start| start <= at) - 1;
        match &self.numbers {
            PacketNumbers::Alike { starts, .. } => {
                let each = starts[starts.len() - 1];
                let packet = begun(starts, flit % each);
                let place = flit % each - starts[packet];
                Origin { node: NodeId((flit / each) as u32), packet: packet as u32, flit: place as u32 }
            }
            PacketNumbers::Listed { first, starts, .. } => {
                let packet = begun(starts, flit);
                let node = begun(first, packet as u64);
                let own = packet as u64 - first[node];
                Origin { node: NodeId(node as u32), packet: own as u32, flit: (flit - starts[packet]) as u32 }
            }
        }
    }

    /// A node's packet as a message.
    pub fn message(&self, node: NodeId, packet: u32) -> &Message {
        match &self.numbers {
            PacketNumbers::Alike { .. } => &self.messages[packet as usize],
            PacketNumbers::Listed { first, message, .. } => {
                &self.messages[message[first[node.index()] as usize + packet as usize] as usize]
            }
        }
    }

    /// The flit that the n-th tick, from 0, of a run of these packets sends; none if they are empty.
    pub fn flit(&self, node: NodeId, packet: u32, through: u32, tick: u32) -> Option<FlitId> {
        let start = self.flits_of_packet(node, packet).start;
        let end = self.flits_of_packet(node, through).end;
        let place = u64::from(tick).checked_rem(end - start)?;
        Some(FlitId((start + place) as u32))
    }

    /// Returns true if every node has the same packets, all of one length, and everybody of its group wants them.
    pub fn is_gossip(&self) -> bool {
        let alike = |message: &Message| {
            message.from == Sender::Every && message.to == To::All && message.flits == self.messages[0].flits
        };
        self.messages.iter().all(alike)
    }

    /// Number of flits each node has to know in the end: those it has at first and those it wants.
    pub fn goals(&self, topology: &Topology) -> Vec<u64> {
        if self.is_for_all() {
            let goal = |node| if topology.is_live(node) { self.flits() } else { 0 };
            return topology.node_ids().map(goal).collect();
        }
        let mut goals: Vec<u64> = topology.node_ids().map(|node| self.own_flits(node)).collect();
        for sender in topology.node_ids() {
            for packet in 0..self.packets_of(sender) {
                let Message { to, flits, .. } = self.message(sender, packet);
                let mut count = |receiver: NodeId| {
                    if self.wants(topology, receiver, sender, packet) {
                        goals[receiver.index()] += u64::from(*flits);
                    }
                };
                match to.one(topology, sender) {
                    Some(receiver) => count(receiver),
                    None => self.group_of(topology, sender).for_each(count),
                }
            }
        }
        goals
    }

    /// Returns true if a node wants a flit that another one has at first.
    pub fn wants_flit(&self, topology: &Topology, receiver: NodeId, flit: FlitId) -> bool {
        self.is_for_all() || {
            let Origin { node, packet, .. } = self.origin(flit);
            self.wants(topology, receiver, node, packet)
        }
    }

    /// Returns true if all nodes of the network want every message.
    pub fn is_for_all(&self) -> bool {
        self.groups.is_none() && self.messages.iter().all(|message| message.to == To::All)
    }

    /// Returns true if `receiver` wants packet `packet` of `sender`. Nobody wants what it has.
    pub fn wants(&self, topology: &Topology, receiver: NodeId, sender: NodeId, packet: u32) -> bool {
        let is_for = || match self.message(sender, packet).to.one(topology, sender) {
            Some(one) => one == receiver,
            None => self.are_together(sender, receiver),
        };
        receiver != sender && topology.is_live(receiver) && is_for()
    }
}

/// Start positions of consecutive items of these lengths, followed by the end of the last.
fn starts(lengths: impl Iterator<Item = u32>) -> Vec<u64> {
    let begun = lengths.scan(0, |end, length| {
        *end += u64::from(length);
        Some(*end)
    });
    std::iter::once(0).chain(begun).collect()
}

fn listed(topology: &Topology, messages: &[Message]) -> PacketNumbers {
    let mut of_node: Vec<Vec<u32>> = vec![Vec::new(); topology.nodes() as usize];
    for (index, message) in (0..).zip(messages) {
        match message.from {
            Sender::Every => topology.live_ids().for_each(|node| of_node[node.index()].push(index)),
            Sender::Node(node) => of_node[node.index()].push(index),
        }
    }
    let first = starts(of_node.iter().map(|packets| packets.len() as u32));
    let message = of_node.concat();
    let starts = starts(message.iter().map(|&index| messages[index as usize].flits));
    PacketNumbers::Listed { first, message, starts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    fn message(from: Sender, to: To, flits: u32) -> Message {
        Message { from, to, flits }
    }

    /// Every node, packet and flit, in the order of the numbers.
    fn assert_numbers_count_up(topology: &Topology, demand: &Demand) {
        let (mut flits, mut packets) = (0, 0);
        for node in topology.node_ids() {
            assert_eq!(demand.flits_of(node).start, flits);
            for packet in 0..demand.packets_of(node) {
                assert_eq!(demand.packet(node, packet), packets);
                packets += 1;
                let range = demand.flits_of_packet(node, packet);
                assert_eq!(range.end - range.start, u64::from(demand.message(node, packet).flits));
                assert_eq!(range.start, flits);
                for (place, flit) in (0..).zip(range) {
                    assert_eq!(demand.origin(FlitId(flit as u32)), Origin { node, packet, flit: place });
                    flits += 1;
                }
            }
            assert_eq!(demand.flits_of(node).end, flits);
        }
        assert_eq!((demand.flits(), demand.packets()), (flits, packets));
    }

    #[test]
    fn flits_are_numbered_node_after_node_packet_after_packet() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let (one, other) = (NodeId(1), NodeId(4));
        let demands = [
            vec![message(Sender::Every, To::All, 1); 2],
            vec![message(Sender::Every, To::All, 3), message(Sender::Every, To::Offset(vec![1, 2]), 0)],
            vec![message(Sender::Node(one), To::All, 2), message(Sender::Node(one), To::Node(other), 5)],
            vec![message(Sender::Every, To::All, 2), message(Sender::Node(other), To::Node(one), 0)],
        ];
        for messages in demands {
            assert_numbers_count_up(&torus, &Demand::new(&torus, messages));
        }
    }

    #[test]
    fn messages_are_wanted_by_their_receivers() {
        let torus = Torus::new(&[2, 3]).unwrap();
        let messages = vec![
            message(Sender::Every, To::All, 1),
            message(Sender::Every, To::Node(NodeId(3)), 1),
            message(Sender::Every, To::Offset(vec![1, 2]), 1),
        ];
        let demand = Demand::new(&torus, messages);
        let wanted = |packet| -> Vec<u32> {
            torus.node_ids().filter(|&node| demand.wants(&torus, node, NodeId(1), packet)).map(|node| node.0).collect()
        };
        assert_eq!([wanted(0), wanted(1), wanted(2)], [vec![0, 2, 3, 4, 5], vec![3], vec![3]]);
    }
}
