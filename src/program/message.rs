//! A message: from whom, to whom, and how long it is.

use crate::net::{NodeId, Topology};

/// Sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// Every live node has one of its own.
    Every,
    /// One node only.
    Node(NodeId),
}

/// Receiver of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// All nodes of the sender's group but the sender.
    All,
    /// One node only.
    Node(NodeId),
    /// The node so far from the sender, axis by axis, modulo the sides.
    Offset(Vec<u32>),
}

impl To {
    /// The only one who wants what `sender` has; none if all of its group do.
    pub(super) fn one(&self, topology: &Topology, sender: NodeId) -> Option<NodeId> {
        match self {
            Self::All => None,
            Self::Node(node) => Some(*node),
            Self::Offset(offset) => Some(topology.away(sender, offset)),
        }
    }
}

/// A packet that has to get from one node, or from every node, to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Node or nodes that have the message.
    pub from: Sender,
    /// Node or nodes that want the message.
    pub to: To,
    /// Length in flits.
    pub flits: u32,
}

impl Message {
    /// The one node that has it; none if every node has one.
    pub fn sender(&self) -> Option<NodeId> {
        if let Sender::Node(node) = self.from { Some(node) } else { None }
    }

    /// The one node that wants it, whoever has it; none if several do, or if that depends on the sender.
    pub fn receiver(&self) -> Option<NodeId> {
        if let To::Node(node) = self.to { Some(node) } else { None }
    }
}
