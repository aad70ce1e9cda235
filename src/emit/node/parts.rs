//! What the modules of a node have in common: coordinates, and how a table is asked.

use super::super::names;
use super::super::rtl::{Count, Range};
use crate::net::Topology;
use crate::netlist::{Local, Order, Place, Reading, bits_for, digits};
use crate::program::Program;

/// An axis of the network.
pub struct Axis {
    /// Of a coordinate: `x1`.
    pub name: String,
    /// Of the parameter that is the node's own: `X1`.
    pub constant: String,
    pub range: Range,
    pub bits: u32,
    pub last: u32,
    /// Whether its side is a power of two, so that bits beyond fall off.
    pub is_round: bool,
    /// The axes whose coordinates change more often.
    pub inner: Vec<String>,
}

impl Axis {
    pub fn all(topology: &Topology) -> Vec<Self> {
        let axis = |axis: usize| {
            let side = topology.side(axis);
            let Count { range, bits, last } = Count::up_to(side - 1);
            Self {
                name: names::coordinate(axis),
                constant: names::coordinate(axis).to_uppercase(),
                range,
                bits,
                last,
                is_round: side.is_power_of_two(),
                inner: (axis + 1..topology.axes()).map(names::coordinate).collect(),
            }
        };
        (0..topology.axes()).map(axis).collect()
    }
}

/// What a packet is known by on a stream: the coordinates of its node, and its number if a node has several.
pub fn user(topology: &Topology, packets: u32) -> Count {
    let coordinates: u32 = (0..topology.axes()).map(|axis| digits(topology.side(axis) - 1)).sum();
    Count::of_bits(coordinates + Count::of_several(packets).map_or(0, |count| count.bits))
}

/// How a table is asked, and what it answers.
pub struct Lookup {
    pub by_origin: bool,
    pub look: Count,
    /// which of the node's inputs it is; beyond them, its own
    pub port: Count,
    pub step: Count,
    pub packet: Option<Count>,
}

impl Lookup {
    pub fn of(program: &Program, local: Local, reading: &Reading) -> Self {
        let by_origin = local.order == Order::Origin;
        let all = program.demand.packets() as u32;
        Self {
            by_origin,
            look: if by_origin { user(&program.topology, reading.packets) } else { Count::up_to(all - 1) },
            port: Count::up_to(program.outputs() as u32),
            step: Count::up_to(reading.steps - 1),
            packet: Count::of_several(reading.packets),
        }
    }

    /// The numbers that stand for a place.
    pub fn place(&self, place: Place) -> [u32; 2] {
        match place {
            Place::Taken(_) | Place::Result(_) => [self.port.last, 0],
            Place::Received { step, input } => [input, step],
        }
    }

    /// Bits of an answer.
    pub fn bits(&self, topology: &Topology) -> u32 {
        let told =
            if self.by_origin { 0 } else { user(topology, self.packet.map_or(1, |packet| packet.last + 1)).bits };
        told + self.port.bits + self.step.bits
    }
}

/// Bits of an address in a bank's words, with the bit that tells the bank.
pub fn banked(words: u64) -> Count {
    Count::of_bits(1 + bits_for(words))
}
