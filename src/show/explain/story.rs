//! An explanation as a value: everything is said once, for text and for JSON.

use serde::Serialize;

use super::Explainer;
use super::reduced::{ReductionStory, SumStory};
use super::streams::{Along, Role, Stream};
use super::trace::{Trace, trace};
use crate::net::{Channel, NodeId, Port};
use crate::paths::supply::{self, Supply};
use crate::program::{Track, class_symbol, port_name};

/// Why one node does what it does. Nodes are written `3,4`, ports `T x1-`; ticks are for packets of one flit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The design.
    pub name: String,
    /// The network, `6x8 torus`.
    pub topology: String,
    /// The scheme.
    pub scheme: String,
    /// Where the papers describe it.
    pub reference: &'static str,
    /// The node.
    pub node: String,
    /// Its class.
    pub class: String,
    /// The nodes of that class as a rule.
    pub region: String,
    /// How many ticks the program lasts, for packets of one flit.
    pub ticks: u32,
    /// How many of them it moves packets in: the last ones.
    #[serde(skip)]
    pub moving: u32,
    /// Ticks each of these takes: flits a packet.
    pub flits: u32,
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

/// What an output sends, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputStory {
    /// The port.
    pub port: String,
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
    pub ports: Option<[String; 2]>,
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
    pub port: String,
    /// The supporter.
    pub supporter: String,
    /// Where it stands on the cycle.
    pub place: u32,
    /// The node in between, if it is two links away.
    pub relay: Option<String>,
}

/// A packet by its node and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packet {
    /// The tick it arrives in.
    pub tick: u32,
    /// The node that contributes it.
    pub node: String,
    /// Which of that node's packets.
    pub packet: u32,
}

/// What arrives at a port over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortStory {
    /// The port.
    pub port: String,
    /// The neighbour behind it.
    pub neighbour: String,
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
    /// Which way the packets travel.
    pub way: &'static str,
    /// The places of the first and the last packet.
    pub places: [u32; 2],
    /// The first few packets and the last.
    pub packets: Vec<Packet>,
}

/// What arrived at a port in one tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TickStory {
    /// The port.
    pub port: String,
    /// The tick, for packets of one flit.
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
    pub origin: String,
    /// Which of its packets.
    pub packet: u32,
    /// Where on which cycle it started, if it followed one.
    pub place: Option<[u32; 2]>,
    /// The arc of the broadcast tree it came by, its nodes relative to the root, if it followed one.
    pub arc: Option<[String; 2]>,
    /// Who sent it: node, port, tick, and ticks since it arrived there.
    pub hops: Vec<HopStory>,
}

/// A node that sent the packet on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HopStory {
    /// The node.
    pub node: String,
    /// The port it went out by.
    pub by: String,
    /// The tick.
    pub tick: u32,
    /// Ticks since it arrived there, none at its origin.
    pub age: Option<u32>,
}

/// How many packets of a stream are named one by one before the last.
const NAMED: u32 = 3;

impl Explainer<'_> {
    /// Explains a node, or one of its ports.
    pub fn node(&self, node: NodeId, only: Option<Port>) -> Explanation {
        let program = &self.program;
        let topology = &program.topology;
        let class = program.class_of[node.index()];
        let ports = || topology.port_ids().filter(|port| only.is_none_or(|only| only == *port));
        let reduction = self.reduction(node, only);
        let before = reduction.as_ref().map_or(0, |reduction| reduction.ticks + 1);
        let moves = program.reduction.is_none();
        Explanation {
            name: program.title.name.clone(),
            topology: topology.describe(),
            scheme: self.scheme.to_string(),
            reference: self.scheme.about().theorem,
            node: topology.show(node),
            class: class_symbol(class),
            region: self.regions[class.index()].to_string(),
            ticks: if moves { before + program.ticks } else { program.ticks },
            moving: if moves { program.ticks } else { 0 },
            flits: self.flits,
            latency: self.design.program.latency,
            packets: program.packets(),
            reduction,
            why: self.scheme.why(&self.task, node),
            outputs: ports()
                .filter(|_| moves)
                .flat_map(|port| self.lanes(port))
                .map(|channel| self.output(node, channel))
                .collect(),
            cycles: self.cover.map_or(0..0, |cover| 0..cover.cycles()).map(|cycle| self.cycle(node, cycle)).collect(),
            ports: ports().filter(|_| moves).filter_map(|port| self.port(node, port)).collect(),
            at: Vec::new(),
        }
    }

    /// What arrived at a port in a clock tick of the design, and how it came there.
    pub fn at(&self, node: NodeId, port: Port, clock_tick: u32) -> TickStory {
        let design = &self.design.program;
        let combining = design.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        let before = if clock_tick > combining && combining > 0 { combining + 1 } else { 0 };
        // what arrives was sent as much earlier as a link is longer than a tick
        let sent = clock_tick.saturating_sub(before + design.latency - 1);
        let tick = sent.div_ceil(self.flits);
        let story =
            TickStory { port: self.name(port), tick, flit: sent.saturating_sub(1) % self.flits, way: None, sum: None };
        if sent == 0 {
            return story;
        }
        if clock_tick <= combining {
            return TickStory { sum: self.sum(node, port, tick), ..story };
        }
        let trace = self.lanes(port).find_map(|channel| trace(&self.program, node, channel, tick));
        TickStory { way: trace.map(|trace| self.way(node, port, tick, &trace)), ..story }
    }

    pub(super) fn name(&self, port: Port) -> String {
        port_name(self.program.topology.axes(), port)
    }

    /// The lanes of a port.
    fn lanes(&self, port: Port) -> impl Iterator<Item = Channel> {
        (0..self.program.lanes).map(move |lane| Channel { port, lane })
    }

    fn track(&self, node: NodeId, Channel { port, lane }: Channel) -> &Track {
        &self.program.class(node).outputs[port.index() * usize::from(self.program.lanes) + usize::from(lane)]
    }

    fn output(&self, node: NodeId, channel: Channel) -> OutputStory {
        let Channel { port, lane } = channel;
        let topology = &self.program.topology;
        let rule = self.track(node, channel).describe_changes(topology.axes());
        let lane = if lane == 0 { String::new() } else { format!(" lane {lane}") };
        OutputStory { port: self.name(port) + &lane, rule, purpose: self.purpose(node, port) }
    }

    fn purpose(&self, node: NodeId, port: Port) -> String {
        let topology = &self.program.topology;
        let Some(neighbour) = topology.neighbour(node, port) else { return "looks out of the grid".into() };
        let Some(cover) = self.cover else { return self.purpose_off_cycles(node, port).into() };
        if let Some(cycle) = cover.owner(node, port) {
            let way = if cover.leaves(node, port) { "forward" } else { "backward" };
            return format!("cycle {cycle} {way}");
        }
        match self.supply_at(neighbour, port.opposite()) {
            Some((supply, role)) => {
                let feed = if role == Role::A { supply.lower } else { supply.upper };
                let verb = if feed.relay.is_some() { "relays to" } else { "supplies" };
                format!("{verb} {} with cycle {}, as its {role:?}", topology.show(neighbour), supply.cycle)
            }
            None => "not used".into(),
        }
    }

    fn purpose_off_cycles(&self, node: NodeId, port: Port) -> &'static str {
        if self.follows_one_tree() {
            "arcs of every tree"
        } else if self.lanes(port).all(|channel| self.track(node, channel).is_idle()) {
            "not used"
        } else {
            "carries packets"
        }
    }

    /// Whether all nodes do the same without a cycle: then every packet follows one tree, moved to its origin.
    fn follows_one_tree(&self) -> bool {
        self.cover.is_none() && self.program.topology.is_torus() && self.program.classes.len() == 1
    }

    fn cycle(&self, node: NodeId, cycle: usize) -> CycleStory {
        let cover = self.cover.expect("cycles are explained where there are some");
        let visit = cover.visit(cycle, node);
        let supply = self.supplies_of(node).iter().find(|supply| usize::from(supply.cycle) == cycle);
        CycleStory {
            cycle,
            length: cover.length(cycle),
            place: visit.map(|visit| visit.place),
            double: visit.is_some_and(|visit| visit.double),
            ports: visit.map(|visit| [self.name(visit.from), self.name(visit.to)]),
            supply: supply.map(|supply| self.supply(supply)),
        }
    }

    fn supply(&self, supply: &Supply) -> SupplyStory {
        let topology = &self.program.topology;
        let cover = self.cover.expect("supply is along cycles");
        let feed = |feed: supply::Feed| Feed {
            port: self.name(feed.port),
            supporter: topology.show(feed.supporter),
            place: cover.standing(usize::from(supply.cycle), feed.supporter).expect("a supporter lies on the cycle"),
            relay: feed.relay.and(topology.neighbour(supply.node, feed.port)).map(|node| topology.show(node)),
        };
        SupplyStory {
            a: feed(supply.lower),
            b: feed(supply.upper),
            distance: supply.distance,
            reason: self.reason(supply),
            reference: "Meyer and Sibeyn, section 3.2",
        }
    }

    fn port(&self, node: NodeId, port: Port) -> Option<PortStory> {
        let topology = &self.program.topology;
        let neighbour = topology.neighbour(node, port)?;
        let streams = self.streams(node, port);
        let arrivals = match self.cover {
            Some(_) => Vec::new(),
            None => (1..=self.program.ticks)
                .flat_map(|tick| self.lanes(port).map(move |channel| (tick, channel)))
                .filter_map(|(tick, channel)| {
                    let trace = trace(&self.program, node, channel, tick)?;
                    Some(self.packet(tick, (trace.origin, trace.packet)))
                })
                .collect(),
        };
        Some(PortStory {
            port: self.name(port),
            neighbour: topology.show(neighbour),
            streams: streams.iter().map(|stream| self.stream(stream)).collect(),
            arrivals,
        })
    }

    fn packet(&self, tick: u32, (node, packet): (NodeId, u32)) -> Packet {
        Packet { tick, node: self.program.topology.show(node), packet }
    }

    fn stream(&self, stream: &Stream) -> StreamStory {
        let length = self.cover.map_or(1, |cover| cover.length(stream.cycle));
        let &Stream { cycle, first, last, place, way } = stream;
        let named = (first..=last).filter(|&tick| tick < first + NAMED || tick == last);
        StreamStory {
            cycle,
            ticks: [first, last],
            way: if way == Along::Forward { "forward" } else { "backward" },
            places: [place, stream.place_at(last, length).unwrap_or(place)],
            packets: named.filter_map(|tick| Some(self.packet(tick, self.packet_at(stream, tick)?))).collect(),
        }
    }

    fn way(&self, node: NodeId, port: Port, tick: u32, trace: &Trace) -> Way {
        let topology = &self.program.topology;
        let stream = self.streams(node, port).into_iter().find(|stream| (stream.first..=stream.last).contains(&tick));
        let place = stream.zip(self.cover).and_then(|(stream, cover)| {
            Some([stream.cycle as u32, stream.place_at(tick, cover.length(stream.cycle))?])
        });
        let from_root = |node: NodeId| {
            let offsets = (0..topology.axes()).map(|axis| {
                let side = topology.side(axis);
                (topology.coord(node, axis) + side - topology.coord(trace.origin, axis)) % side
            });
            offsets.map(|offset| offset.to_string()).collect::<Vec<_>>().join(",")
        };
        let hop = |hop: &super::Hop| HopStory {
            node: topology.show(hop.node),
            by: self.name(hop.by),
            tick: hop.tick,
            age: hop.age,
        };
        Way {
            origin: topology.show(trace.origin),
            packet: trace.packet,
            place,
            arc: topology
                .neighbour(node, port)
                .filter(|_| self.follows_one_tree())
                .map(|from| [from_root(from), from_root(node)]),
            hops: trace.hops.iter().map(hop).collect(),
        }
    }
}
