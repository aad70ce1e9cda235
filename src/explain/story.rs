//! An explanation as a value: everything is said once, for text and for JSON.

use std::fmt;

use serde::Serialize;

use crate::net::Network;
use crate::program::{Operation, ShownChannel, ShownPort};

/// Coordinates of a node, or an offset between nodes: `3,4` for people, `[3, 4]` in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coords(pub Vec<u32>);

impl fmt::Display for Coords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coords: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&coords.join(","))
    }
}

/// Why one node does what it does. Ticks are those of the program, and of a packet that
/// of its first flit; but on links of one tick they are counted for packets of one flit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Name of the design.
    pub name: String,
    /// Network of nodes and links.
    pub topology: Network,
    /// Name of the scheme.
    pub scheme: String,
    /// Section of the paper that describes it.
    pub reference: &'static str,
    /// Coordinates of the node.
    pub node: Coords,
    /// Letter of the class.
    pub class: String,
    /// The nodes of that class as a rule.
    pub region: String,
    /// Number of ticks the program lasts.
    pub ticks: u32,
    /// Number of ticks, the last ones, in which packets move.
    #[serde(skip)]
    pub moving: u32,
    /// Flits a packet.
    pub flits: u32,
    /// Unit of time in the reasons: ticks, or steps of a whole packet.
    #[serde(skip)]
    pub unit: &'static str,
    /// Clock ticks a link takes.
    #[serde(skip_serializing_if = "is_short")]
    pub latency: u32,
    /// Ticks that adders take: partials arrive so many later.
    #[serde(skip_serializing_if = "is_at_once")]
    pub adding: u32,
    /// Packets a node.
    pub packets: u16,
    /// Reduce part, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionStory>,
    /// Why the scheme has it do that, where trees and turns say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Rules of the outputs.
    pub outputs: Vec<OutputStory>,
    /// The cycles, and how they reach it.
    pub cycles: Vec<CycleStory>,
    /// Arrivals at the ports.
    pub ports: Vec<PortStory>,
    /// Arrivals in the tick that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<TickStory>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
fn is_at_once(adding: &u32) -> bool {
    *adding == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
fn is_short(latency: &u32) -> bool {
    *latency == 1
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option)] // serde hands over references
fn is_first(lane: &Option<u8>) -> bool {
    lane.is_none_or(|lane| lane == 0)
}

/// Rule and purpose of an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputStory {
    /// Name of the output port.
    #[serde(flatten)]
    pub port: ShownChannel,
    /// Sources and the ticks at which they change.
    pub rule: String,
    /// Purpose of the output.
    pub purpose: String,
}

/// A cycle as one node sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CycleStory {
    /// Index of the cycle.
    pub cycle: usize,
    /// Length of the cycle in places.
    pub length: u32,
    /// The node's place, if it lies on it.
    pub place: Option<u32>,
    /// True if the node counts as two places.
    pub double: bool,
    /// The ports the cycle comes in and goes out by.
    pub ports: Option<[ShownPort; 2]>,
    /// Supply of the node, if it is off the cycle.
    pub supply: Option<SupplyStory>,
}

/// The supply of a node off a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SupplyStory {
    /// The supporter at which the shorter arc begins, the paper's A.
    pub a: StoryFeed,
    /// The supporter at which it ends, B.
    pub b: StoryFeed,
    /// The arc's length D.
    pub distance: u32,
    /// Why they send what they send.
    pub reason: String,
    /// Section of the paper about supply.
    pub reference: &'static str,
}

/// Supply from one supporter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoryFeed {
    /// The port of the node it supplies.
    pub port: ShownPort,
    /// Coordinates of the supporter.
    pub supporter: Coords,
    /// Place of the supporter on the cycle.
    pub place: u32,
    /// The node in between, if it is two links away.
    pub relay: Option<Coords>,
}

/// A packet by its node and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketName {
    /// The tick it arrives in.
    pub tick: u32,
    /// The lane, where links have several; left out in JSON where it is 0.
    #[serde(skip_serializing_if = "is_first")]
    pub lane: Option<u8>,
    /// The node that contributes it.
    pub node: Coords,
    /// Index among the packets of its node.
    pub packet: u32,
}

/// Arrivals at a port over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortStory {
    /// Name of the port.
    pub port: ShownPort,
    /// The neighbour behind it.
    pub neighbour: Coords,
    /// The streams of a cycle, one after the other.
    pub streams: Vec<StreamStory>,
    /// Every arrival, where the program follows no cycles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<PacketName>,
}

/// A stream as it arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamStory {
    /// Index of the cycle.
    pub cycle: usize,
    /// The first tick and the last.
    pub ticks: [u32; 2],
    /// Number of packets arrive in them.
    #[serde(skip)]
    pub count: u32,
    /// Direction in which the packets travel.
    pub way: &'static str,
    /// The places of the first and the last packet.
    pub places: [u32; 2],
    /// The first few packets and the last.
    pub packets: Vec<PacketName>,
}

/// Arrival at an input in one tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TickStory {
    /// The port, and its lane where there are several.
    #[serde(flatten)]
    pub port: ShownChannel,
    /// The tick; in an all-reduce counted from when it gathers, once it does.
    pub tick: u32,
    /// Index of the flit in the packet.
    pub flit: u32,
    /// The way of the packet; none if none arrived.
    pub way: Option<PacketWay>,
    /// The partial that arrived, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<SumStory>,
}

/// The way of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketWay {
    /// The node it comes from.
    pub origin: Coords,
    /// Index among the packets of its node.
    pub packet: u32,
    /// Cycle and place at which it started, if it followed a cycle.
    pub place: Option<[u32; 2]>,
    /// The arc of the broadcast tree it came by, its nodes relative to the root, if it followed one.
    pub arc: Option<[Coords; 2]>,
    /// Hops of the packet: node, port, tick, and ticks since it arrived there.
    pub hops: Vec<HopStory>,
}

/// A node that sent the packet on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopStory {
    /// Coordinates of the node.
    pub node: Coords,
    /// The port it went out by, and its lane where there are several.
    #[serde(flatten)]
    pub by: ShownChannel,
    /// Tick of the send.
    pub tick: u32,
    /// Ticks since it arrived there, none at its origin.
    pub age: Option<u32>,
}

/// The part of a program in which values are combined, as one node sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReductionStory {
    /// `reduce-scatter` or `all-reduce`.
    pub collective: &'static str,
    /// Operation that combines two values.
    pub operation: Operation,
    /// Number of ticks.
    pub ticks: u32,
    /// Rules of the outputs in the reduce part.
    pub outputs: Vec<OutputStory>,
    /// Arrivals at the ports.
    pub ports: Vec<PartialPort>,
    /// Rules that complete the own values.
    pub results: Vec<ResultStory>,
}

/// The partials that arrive at a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartialPort {
    /// Name of the port.
    pub port: ShownPort,
    /// The neighbour behind it.
    pub neighbour: Coords,
    /// Partials that arrive, with their ticks.
    pub partials: Vec<PacketName>,
}

/// Rule that completes one of the node's own values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultStory {
    /// Index among the packets of its node.
    pub packet: usize,
    /// Ports whose arrivals are combined with the own value.
    pub rule: String,
}

/// A partial with everybody whose value is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumStory {
    /// The node whose result it goes into.
    pub node: Coords,
    /// Index among the packets of its node.
    pub packet: u32,
    /// Contributors of the sum, the earliest first.
    pub values: Vec<ValueStory>,
}

/// A node that put its own value in a partial and sent it on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueStory {
    /// Coordinates of the node.
    pub node: Coords,
    /// The port it went out by.
    #[serde(rename = "port")]
    pub by: ShownPort,
    /// Tick of the contribution.
    pub tick: u32,
    /// The ports by which what else is in it had come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<ShownPort>,
}
