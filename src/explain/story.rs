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
    /// The design.
    pub name: String,
    /// The network.
    pub topology: Network,
    /// The scheme.
    pub scheme: String,
    /// Where the papers describe it.
    pub reference: &'static str,
    /// The node.
    pub node: Coords,
    /// Its class.
    pub class: String,
    /// The nodes of that class as a rule.
    pub region: String,
    /// How many ticks the program lasts.
    pub ticks: u32,
    /// How many of them it moves packets in: the last ones.
    #[serde(skip)]
    pub moving: u32,
    /// Flits a packet.
    pub flits: u32,
    /// What the reasons count in: ticks, or steps that each take the ticks of a packet.
    #[serde(skip)]
    pub unit: &'static str,
    /// Clock ticks a link takes.
    #[serde(skip_serializing_if = "is_short")]
    pub latency: u32,
    /// Packets a node.
    pub packets: u16,
    /// What it combines before it gathers, or instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionStory>,
    /// Why the scheme has it do that, where trees and turns say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// What its outputs send.
    pub outputs: Vec<OutputStory>,
    /// The cycles, and how they reach it.
    pub cycles: Vec<CycleStory>,
    /// What arrives at its ports.
    pub ports: Vec<PortStory>,
    /// What arrived in the tick asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<TickStory>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
fn is_short(latency: &u32) -> bool {
    *latency == 1
}

#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option)] // serde hands over references
fn is_first(lane: &Option<u8>) -> bool {
    lane.is_none_or(|lane| lane == 0)
}

/// What an output sends, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputStory {
    /// The port.
    #[serde(flatten)]
    pub port: ShownChannel,
    /// Its sources and when they change.
    pub rule: String,
    /// What it is for.
    pub purpose: String,
}

/// A cycle as one node sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CycleStory {
    /// The cycle.
    pub cycle: usize,
    /// Its length in places.
    pub length: u32,
    /// The node's place, if it lies on it.
    pub place: Option<u32>,
    /// Whether it counts as two places.
    pub double: bool,
    /// The ports the cycle comes in and goes out by.
    pub ports: Option<[ShownPort; 2]>,
    /// How it is supplied, if it does not lie on it.
    pub supply: Option<SupplyStory>,
}

/// The supply of a node off a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SupplyStory {
    /// The supporter at which the shorter arc begins, the paper's A.
    pub a: Feed,
    /// The supporter at which it ends, B.
    pub b: Feed,
    /// The arc's length D.
    pub distance: u32,
    /// Why they send what they send.
    pub reason: String,
    /// Where the paper says so.
    pub reference: &'static str,
}

/// One supporter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feed {
    /// The port of the node it supplies.
    pub port: ShownPort,
    /// The supporter.
    pub supporter: Coords,
    /// Where it stands on the cycle.
    pub place: u32,
    /// The node in between, if it is two links away.
    pub relay: Option<Coords>,
}

/// A packet by its node and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packet {
    /// The tick it arrives in.
    pub tick: u32,
    /// The lane, where links have several; left out in JSON where it is 0.
    #[serde(skip_serializing_if = "is_first")]
    pub lane: Option<u8>,
    /// The node that contributes it.
    pub node: Coords,
    /// Which of that node's packets.
    pub packet: u32,
}

/// What arrives at a port over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortStory {
    /// The port.
    pub port: ShownPort,
    /// The neighbour behind it.
    pub neighbour: Coords,
    /// The streams of a cycle, one after the other.
    pub streams: Vec<StreamStory>,
    /// Every arrival, where the program follows no cycles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<Packet>,
}

/// A stream as it arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamStory {
    /// The cycle.
    pub cycle: usize,
    /// The first tick and the last.
    pub ticks: [u32; 2],
    /// How many packets arrive in them.
    #[serde(skip)]
    pub count: u32,
    /// Which way the packets travel.
    pub way: &'static str,
    /// The places of the first and the last packet.
    pub places: [u32; 2],
    /// The first few packets and the last.
    pub packets: Vec<Packet>,
}

/// What arrived at an input in one tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TickStory {
    /// The port, and its lane where there are several.
    #[serde(flatten)]
    pub port: ShownChannel,
    /// The tick; in an all-reduce counted from when it gathers, once it does.
    pub tick: u32,
    /// Which flit of the packet.
    pub flit: u32,
    /// The way of the packet; none if none arrived.
    pub way: Option<Way>,
    /// The partial that arrived, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<SumStory>,
}

/// The way of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// The node it comes from.
    pub origin: Coords,
    /// Which of its packets.
    pub packet: u32,
    /// Where on which cycle it started, if it followed one.
    pub place: Option<[u32; 2]>,
    /// The arc of the broadcast tree it came by, its nodes relative to the root, if it followed one.
    pub arc: Option<[Coords; 2]>,
    /// Who sent it: node, port, tick, and ticks since it arrived there.
    pub hops: Vec<HopStory>,
}

/// A node that sent the packet on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopStory {
    /// The node.
    pub node: Coords,
    /// The port it went out by, and its lane where there are several.
    #[serde(flatten)]
    pub by: ShownChannel,
    /// The tick.
    pub tick: u32,
    /// Ticks since it arrived there, none at its origin.
    pub age: Option<u32>,
}

/// The part of a program in which values are combined, as one node sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReductionStory {
    /// `reduce-scatter` or `all-reduce`.
    pub collective: &'static str,
    /// How two values become one.
    pub operation: Operation,
    /// Its ticks.
    pub ticks: u32,
    /// What its outputs send in them.
    pub outputs: Vec<OutputStory>,
    /// What arrives at its ports.
    pub ports: Vec<PartialPort>,
    /// What completes its own values.
    pub results: Vec<ResultStory>,
}

/// The partials that arrive at a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartialPort {
    /// The port.
    pub port: ShownPort,
    /// The neighbour behind it.
    pub neighbour: Coords,
    /// Whose packets they are partials of, and when.
    pub partials: Vec<Packet>,
}

/// What one of the node's own values becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultStory {
    /// Which of its packets.
    pub packet: usize,
    /// Its own value with what came by these ports.
    pub rule: String,
}

/// A partial with everybody whose value is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumStory {
    /// The node whose result it goes into.
    pub node: Coords,
    /// Which of its packets.
    pub packet: u32,
    /// Who has put a value in it, the first ones first.
    pub values: Vec<ValueStory>,
}

/// A node that put its own value in a partial and sent it on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueStory {
    /// The node.
    pub node: Coords,
    /// The port it went out by.
    #[serde(rename = "port")]
    pub by: ShownPort,
    /// The tick.
    pub tick: u32,
    /// The ports by which what else is in it had come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<ShownPort>,
}
