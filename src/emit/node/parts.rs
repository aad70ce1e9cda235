//! Parts that the modules of a node share: coordinates, and reads of a table.

use super::super::design::EmitDesign;
use super::super::elements::Pins;
use super::super::names;
use super::super::rtl::{BitRange, UpCounter};
use crate::net::{NodeId, Topology};
use crate::netlist::{BankPlace, NodeKind, ReadingTables, Results, bits_for, digits};

/// An axis of the network.
pub struct NetworkAxis {
    /// Name of a coordinate: `x1`.
    pub name: String,
    /// Name of the parameter with the node's own coordinate: `X1`.
    pub constant: String,
    pub range: BitRange,
    pub bits: u32,
    pub last: u32,
    /// True if the side is a power of two, so that coordinates wrap by themselves.
    pub is_round: bool,
    /// The axes whose coordinates change more often.
    pub inner: Vec<String>,
}

impl NetworkAxis {
    pub fn all(topology: &Topology) -> Vec<Self> {
        let axis = |axis: usize| {
            let side = topology.side(axis);
            let UpCounter { range, bits, last } = UpCounter::up_to(side - 1);
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

/// Width of `tuser`, which identifies a packet: the coordinates of its node, and its number if a node has several.
pub fn user(topology: &Topology, packets: u32) -> UpCounter {
    let coordinates: u32 = (0..topology.axes()).map(|axis| digits(topology.side(axis) - 1)).sum();
    UpCounter::of_bits(coordinates + UpCounter::of_several(packets).map_or(0, |count| count.bits))
}

/// Query of a kind of node's table, with the answer's fields.
pub struct Lookup<'r> {
    reading: &'r ReadingTables,
    kind: &'r NodeKind,
    pub by_origin: bool,
    pub look: UpCounter,
    /// number of the node's input; the last numbers are own packets
    pub port: UpCounter,
    /// address of a word, of those that arrived: its step
    pub place: UpCounter,
    pub packet: Option<UpCounter>,
    /// true if an entry may end inside a block
    pub marks_last: bool,
}

impl<'r> Lookup<'r> {
    pub fn of(design: &EmitDesign, reading: &'r ReadingTables, kind: &'r NodeKind) -> Self {
        let program = design.program;
        let by_origin = reading.by_offset();
        let has_own = u32::from(kind.own > 0);
        let results = kind.fold.as_ref().map_or(0, |fold| fold.packets);
        let step = (!kind.inputs.is_empty()).then(|| UpCounter::up_to(reading.steps - 1));
        let own = kept_base(reading, kind);
        let result = kind.fold.as_ref().and_then(|fold| UpCounter::of_several(fold.flits));
        let widest = step.into_iter().chain(own).chain(result).map(|count| count.bits).max().unwrap_or(1);
        Self {
            reading,
            kind,
            by_origin,
            look: if by_origin {
                user(&program.topology, reading.packets)
            } else {
                UpCounter::up_to(kind.given.entries.saturating_sub(1))
            },
            port: UpCounter::up_to((kind.inputs.len() as u32 + has_own + results).saturating_sub(1)),
            place: UpCounter::of_bits(widest),
            packet: UpCounter::of_several(reading.packets),
            marks_last: !kind.given.is_of_blocks && design.results() == Results::Stream,
        }
    }

    /// Numbers that stand for a place.
    pub fn place(&self, place: BankPlace) -> [u32; 2] {
        match place {
            BankPlace::Received { step, input } => {
                let input = self.kind.inputs.iter().position(|&kept| kept == input);
                [input.expect("an input that is kept is one of the kind") as u32, step]
            }
            BankPlace::Taken(_) | BankPlace::Result(_) if self.reading.is_direct() => [self.port.last, 0],
            BankPlace::Taken(word) => [self.kind.inputs.len() as u32, word],
            BankPlace::Result(word) => {
                let flits = self.kind.fold.as_ref().map_or(1, |fold| fold.flits);
                let kept = u32::from(self.kind.own > 0);
                [self.kind.inputs.len() as u32 + kept + word / flits, word % flits]
            }
        }
    }

    /// Number of bits of an answer.
    pub fn bits(&self, topology: &Topology) -> u32 {
        let told =
            if self.by_origin { 0 } else { user(topology, self.packet.map_or(1, |packet| packet.last + 1)).bits };
        told + self.port.bits + u32::from(self.marks_last) + self.place.bits
    }
}

/// Address of a word among those of the node's own that go out again; none if there is one that needs none.
pub fn kept_base(reading: &ReadingTables, kind: &NodeKind) -> Option<UpCounter> {
    base(reading, kind.own)
}

/// Address of a word in a bank of so many; none if there is one that needs none.
pub fn base(reading: &ReadingTables, words: u32) -> Option<UpCounter> {
    let is_streamed = !reading.is_direct() && reading.is_streamed();
    (words > 0 && (words > 1 || is_streamed)).then(|| UpCounter::up_to(words - 1)).filter(|_| !reading.is_direct())
}

/// Counter of the words of an entry, if it has several.
pub fn words_of(reading: &ReadingTables, words: u32) -> Option<UpCounter> {
    UpCounter::of_several(reading.flits).or_else(|| UpCounter::of_several(words))
}

/// Address at the read port of a kind of node: the entry, and its word.
pub fn ram(design: &EmitDesign, reading: &ReadingTables, kind: &NodeKind) -> UpCounter {
    let word = words_of(reading, kind.given.words).map_or(0, |count| count.bits);
    UpCounter::of_bits(Lookup::of(design, reading, kind).look.bits + word)
}

/// Bits of the address at a node's read port, if it has one.
pub fn address_bits(design: &EmitDesign, node: NodeId) -> Option<u32> {
    let (local, reading) = design.memories.as_ref()?;
    (local.results == Results::Memory).then(|| ram(design, reading, reading.kind(node)).bits)
}

/// Bits of the longest address of a read port, if nodes have one.
pub fn longest_address(design: &EmitDesign) -> Option<u32> {
    design.program.topology.live_ids().filter_map(|node| address_bits(design, node)).max()
}

/// Number of bits of an address in the words of a bank, with the bit that tells the bank.
pub fn banked(words: u64) -> UpCounter {
    UpCounter::of_bits(1 + bits_for(words))
}

impl Pins {
    /// Ports of all nodes.
    pub fn all<'d>(design: &'d EmitDesign) -> impl Iterator<Item = Self> + 'd {
        let topology = &design.program.topology;
        topology.live_ids().zip(1..).map(move |(node, number)| Self {
            name: format!("{}_", names::node(topology, node)),
            index: number - 1,
            address: address_bits(design, node),
            comma: if number == topology.live_nodes() { "" } else { "," },
        })
    }
}
