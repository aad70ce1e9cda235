//! Violations of a program, and their messages.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::program::{ClassId, class_symbol};

/// One thing that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Violation {
    /// A class has not one track for each output.
    Outputs {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Number of tracks it has.
        outputs: usize,
    },
    /// A node has a class that does not exist, or there is not one class a node.
    ClassMap {
        /// The node's number.
        #[serde(rename = "number")]
        node: u32,
    },
    /// A track is shorter or longer than the program.
    Length {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
        /// The sum of its runs.
        ticks: u64,
    },
    /// A flit is sent that arrives after the last tick, or the last of its part.
    Late {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
    },
    /// A run of no ticks, or a repeat of nothing.
    EmptyRun {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
    },
    /// Own names a packet the node does not have.
    Packet {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
        /// The packet it names.
        packet: u32,
    },
    /// In names a port the torus does not have, or age 0.
    Input {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
        /// The age it names.
        age: u32,
    },
    /// A node sends to, or reads from, a port that looks out of the grid.
    Outside {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
    },
    /// There is not one window a node.
    Windows {
        /// Number of windows in the program.
        windows: usize,
    },
    /// An output takes what arrived at any of some ports, and two of them brought something.
    Clash {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// An output has something to send on while its node's window is open.
    RunOver {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// Both ends of a half-duplex link send.
    BothWays {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// The port at which it has the link.
        port: String,
        /// The node at the other end.
        neighbour: Vec<u32>,
        /// Tick of the violation.
        tick: u32,
    },
    /// A link that both ends drive turns without having been silent.
    NoSilence {
        /// The node that sends.
        node: Vec<u32>,
        /// The port at which it has the link.
        port: String,
        /// The node at the other end, which sent a tick before.
        neighbour: Vec<u32>,
        /// Tick of the violation.
        tick: u32,
    },
    /// A one-way link is used backwards.
    Backwards {
        /// The node that sends.
        node: Vec<u32>,
        /// The port at which it has the link.
        port: String,
        /// The node at the other end, which sent before.
        neighbour: Vec<u32>,
        /// Tick of the violation.
        tick: u32,
    },
    /// A node never learns some packets.
    Missing {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Number of packets it lacks.
        missing: u64,
        /// The first of them.
        first: PacketLabel,
    },
    /// The flits of a packet do not arrive in order, one per tick.
    Torn {
        /// The receiving node.
        node: Vec<u32>,
        /// Name of the input port.
        port: String,
        /// Tick of the torn packet.
        tick: u32,
    },
    /// A run that does not belong into this part of a reduction.
    Part {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
        /// Name of the output port.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// A class has not one list of existing inputs for the result of each packet.
    Results {
        /// Number of the class.
        #[serde(serialize_with = "by_name")]
        class: u32,
    },
    /// Partials of different packets, or of one that is not sent then, come together.
    Mixed {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// The output, or the input of a result.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// An output of floats is to combine what does not arrive.
    Absent {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// The value of some node is combined with itself.
    Twice {
        /// The node where that happens.
        node: Vec<u32>,
        /// The output, or the input of a result.
        port: String,
        /// Tick of the violation.
        tick: u32,
    },
    /// An output has more entries in its order than it sends partials, or less.
    Entries {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
        /// Number of entries that the output uses.
        used: usize,
        /// Number of entries that the list has.
        entries: usize,
    },
    /// A node does not send one partial of each packet of another.
    Sent {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Number of partials that the node sends.
        partials: u64,
        /// The first of them.
        first: PacketLabel,
        /// Number of partials of it.
        times: u8,
    },
    /// A node's own packet lacks the values of some nodes in the end.
    NotCombined {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Index of the node's packet.
        packet: u32,
        /// Number of nodes whose values are missing.
        missing: u32,
    },
    /// A node's own packet has values of nodes of other groups.
    NotOfGroup {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Index of the node's packet.
        packet: u32,
        /// Number of nodes of other groups.
        others: u32,
    },
    /// The structural certificate does not apply; the reason is the first output that it cannot follow.
    NotCertifiable {
        /// Coordinates of the node.
        node: Vec<u32>,
        /// Name of the output port.
        port: String,
        /// Feature that the certificate does not support.
        why: &'static str,
    },
}

/// Writes a class by its name, as program.json does.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
fn by_name<S: Serializer>(class: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&class_symbol(ClassId(*class)))
}

impl Violation {
    /// Copies the violation with another tick.
    #[must_use]
    pub(super) fn at(mut self, other: impl Fn(u32) -> u32) -> Self {
        match &mut self {
            Self::Clash { tick, .. }
            | Self::RunOver { tick, .. }
            | Self::BothWays { tick, .. }
            | Self::NoSilence { tick, .. }
            | Self::Backwards { tick, .. }
            | Self::Torn { tick, .. }
            | Self::Part { tick, .. }
            | Self::Mixed { tick, .. }
            | Self::Absent { tick, .. }
            | Self::Twice { tick, .. } => *tick = other(*tick),
            _ => {}
        }
        self
    }
}

/// A packet by the node that contributes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketLabel {
    /// The contributing node.
    pub node: Vec<u32>,
    /// Index among the packets of its node.
    pub packet: u32,
}

struct TorusPlace<'a>(&'a [u32]);

impl fmt::Display for TorusPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Vec<String> = self.0.iter().map(u32::to_string).collect();
        write!(f, "node {}", text.join(","))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outputs { class, outputs } => write!(f, "class {class} has {outputs} outputs"),
            Self::ClassMap { node } => write!(f, "node number {node} has no class"),
            Self::Length { class, port, ticks } => write!(f, "class {class}, output {port}: runs last {ticks} ticks"),
            Self::Late { class, port } => {
                write!(f, "class {class}, output {port}: sends what arrives after the last tick")
            }
            Self::EmptyRun { class, port } => write!(f, "class {class}, output {port}: a run of no ticks"),
            Self::Packet { class, port, packet } => {
                write!(f, "class {class}, output {port}: a node has no packet {packet}")
            }
            Self::Input { class, port, age } => {
                write!(f, "class {class}, output {port}: no such input, or an age of {age}")
            }
            Self::Outside { node, port } => {
                write!(f, "{}, port {port}: no link leads there, yet it is driven or read", TorusPlace(node))
            }
            Self::Windows { windows } => write!(f, "there are {windows} windows, not one per node"),
            Self::Clash { node, port, tick } => {
                write!(f, "{}, output {port}: two of its inputs bring a flit at tick {tick}", TorusPlace(node))
            }
            Self::RunOver { node, port, tick } => {
                write!(
                    f,
                    "{}, output {port}: a flit arrives to be sent on in the node's own window, at tick {tick}",
                    TorusPlace(node)
                )
            }
            Self::BothWays { node, port, neighbour, tick } => {
                write!(
                    f,
                    "{} and {}: both ends of the half-duplex link at {port} send at tick {tick}",
                    TorusPlace(node),
                    TorusPlace(neighbour)
                )
            }
            Self::NoSilence { node, port, neighbour, tick } => {
                let (node, neighbour) = (TorusPlace(node), TorusPlace(neighbour));
                write!(
                    f,
                    "{node} sends at {port} at tick {tick}, {neighbour} at the tick before: no silence in between"
                )
            }
            Self::Backwards { node, port, neighbour, tick } => {
                let (node, neighbour) = (TorusPlace(node), TorusPlace(neighbour));
                write!(f, "{node} sends at {port} at tick {tick}: the link leads one way, from {neighbour}")
            }
            Self::Missing { node, missing, first } => write!(
                f,
                "{} lacks {missing} packets, the first is packet {} of {}",
                TorusPlace(node),
                first.packet,
                TorusPlace(&first.node)
            ),
            Self::Torn { node, port, tick } => {
                write!(f, "{}, input {port}: a packet's flits are out of order at tick {tick}", TorusPlace(node))
            }
            Self::Part { class, port, tick } => {
                write!(f, "class {class}, output {port}: a run that does not belong there begins at tick {tick}")
            }
            Self::Results { class } => write!(f, "class {class} has not one result a packet, of inputs that exist"),
            Self::Mixed { node, port, tick } => {
                write!(f, "{}, {port}: partials of different packets come together at tick {tick}", TorusPlace(node))
            }
            Self::Absent { node, port, tick } => {
                write!(f, "{}, input {port}: nothing arrives that is to be combined at tick {tick}", TorusPlace(node))
            }
            Self::Twice { node, port, tick } => {
                write!(f, "{}, {port}: a value is combined with itself at tick {tick}", TorusPlace(node))
            }
            Self::Entries { node, port, used, entries } => {
                write!(f, "{}, output {port}: {used} partials begin, {entries} are in its order", TorusPlace(node))
            }
            Self::Sent { node, partials, first, times } => write!(
                f,
                "{} sends no partial or several of {partials} packets, {times} of packet {} of {}",
                TorusPlace(node),
                first.packet,
                TorusPlace(&first.node)
            ),
            Self::NotCombined { node, packet, missing } => {
                write!(f, "{}, packet {packet}: the values of {missing} nodes are not in it", TorusPlace(node))
            }
            Self::NotOfGroup { node, packet, others } => {
                write!(f, "{}, packet {packet}: values of {others} nodes of other groups are in it", TorusPlace(node))
            }
            Self::NotCertifiable { node, port, why } => write!(f, "{}, output {port}: {why}", TorusPlace(node)),
        }
    }
}
