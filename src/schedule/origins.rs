//! Origins of the packets in a file, read before the demand is known.

use super::messages::MessageNotation;
use super::{algorithms, lines, numbers};
use crate::algorithm;
use crate::net::{NodeId, Topology};
use crate::program::{Program, is_program};

/// Origins of the packets of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketOrigins {
    /// The only node whose packets are sent, if there is one.
    pub only: Option<NodeId>,
    /// Most packets of a node.
    pub packets: u16,
}

impl PacketOrigins {
    /// Origins in a file whose messages are packets; none if it cannot be read.
    pub fn of(topology: &Topology, text: &str) -> Option<Self> {
        if is_program(text) {
            let program = Program::from_json(text).ok()?;
            let mut senders = topology.node_ids().filter(|&node| program.demand.packets_of(node) > 0);
            let (first, other) = (senders.next(), senders.next());
            return Some(Self { only: first.filter(|_| other.is_none()), packets: program.packets() });
        }
        if algorithm::is_algorithm(text) {
            let (only, packets) = algorithms::origins(topology, text)?;
            return Some(Self { only, packets });
        }
        let lines = lines::parse(topology, text).ok()?;
        let names = numbers::names(MessageNotation::Packet, &lines).ok()?;
        let first = names.first()?.first;
        let most = names.iter().map(|name| name.second).max()?;
        Some(Self {
            only: names.iter().all(|name| name.first == first).then_some(NodeId(first)),
            packets: u16::try_from(most.saturating_add(1)).ok()?,
        })
    }
}
