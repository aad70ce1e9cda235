//! Off-cycle nodes: which neighbours hand them a cycle's packets, and what those neighbours send when.
//!
//! A node off a cycle gets the cycle's two streams from two nodes on it, its supporters, over links that no cycle
//! uses (section 3.2). "+" is the stream that runs forward along the cycle, "-" the one that runs backward.

mod search;
mod streams;
mod timing;

use std::collections::BTreeMap;
use std::fmt;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::net::{NodeId, Port};
use crate::paths::cover::Cover;
use crate::paths::weave::{self, Packets};
use crate::program::{Builder, Program, Source, Title, TrackId};

pub use streams::{EVER, Phase, Plan, Stream, plan, twice_h, unrolled};

/// What the supporters of off-cycle nodes do over time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// Each supporter sends one stream all the time: fully time-independent.
    #[default]
    None,
    /// One supporter switches once, to the other stream out of a delay line.
    Memory,
    /// Both supporters change streams periodically; no delay line.
    Periodic,
}

impl Switching {
    /// Every way of switching.
    pub const ALL: [Self; 3] = [Self::None, Self::Memory, Self::Periodic];

    /// Its name in a config.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Memory => "memory",
            Self::Periodic => "periodic",
        }
    }
}

impl fmt::Display for Switching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One of the two streams an off-cycle node receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The input port of the off-cycle node.
    pub port: Port,
    /// The on-cycle node the stream comes from.
    pub supporter: NodeId,
    /// If the supporter is two links away: the port by which the neighbour at `port` receives what it relays, one tick
    /// later.
    pub relay: Option<Port>,
}

impl Feed {
    /// Ticks the stream is late.
    fn delay(self) -> u32 {
        u32::from(self.relay.is_some())
    }
}

/// How one off-cycle node is supplied with one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// The off-cycle node.
    pub node: NodeId,
    /// The cycle it is off.
    pub cycle: u8,
    /// From the supporter at which the shorter arc begins; the paper's A.
    pub lower: Feed,
    /// From the supporter at which the shorter arc ends; the paper's B.
    pub upper: Feed,
    /// The arc's length D in places.
    pub distance: u32,
}

/// Why a cover cannot be made a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SupplyError {
    /// Too few free links lead to the cycle.
    #[error("node {node} is off cycle {cycle} and has no two free links by which to receive it", node = .node.0)]
    Unsupported {
        /// The off-cycle node.
        node: NodeId,
        /// A cycle it cannot receive.
        cycle: usize,
    },
    /// The node lies on too few cycles to send all its packets.
    #[error("node {node} has {packets} packets and {places} places on cycles to send them from", node = .node.0)]
    Homeless {
        /// The node.
        node: NodeId,
        /// How many packets it contributes.
        packets: u16,
        /// How many places it has.
        places: u32,
    },
    /// The sign changes do not add up to every place.
    #[error(
        "periodic switching loses packets here: node {node} has supporters D = {distance} places apart on a cycle of \
         {length}, so h = {half}, and D/h must be 1 or 2", node = .node.0, half = Half(*.twice_h)
    )]
    NotPeriodic {
        /// The off-cycle node.
        node: NodeId,
        /// The distance D of its supporters.
        distance: u32,
        /// The length of the cycle.
        length: u32,
        /// gcd(2D, L) = 2h.
        twice_h: u32,
    },
}

/// Half of an integer, shown as `7` or `3.5`.
pub struct Half(pub u32);

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0 / 2, if self.0.is_multiple_of(2) { "" } else { ".5" })
    }
}

/// The supply of every off-cycle node, by node and then by cycle. For each node the largest distance D is as small as
/// the free links allow; among equals the first in port order, so that equal surroundings get equal supply.
pub fn supplies(cover: &Cover) -> Result<Vec<Supply>, SupplyError> {
    search::supplies(cover)
}

/// The fewest ticks in which gossip along a cover is complete, by arithmetic on places.
pub fn ticks(cover: &Cover, supplies: &[Supply], packets: Packets, switching: Switching) -> Result<u32, SupplyError> {
    house_packets(cover, packets)?;
    timing::ticks(cover, supplies, packets, switching)
}

/// Gossip along the cycles of a cover, off-cycle nodes included, in as many ticks as it needs and no more.
pub fn program(cover: &Cover, packets: Packets, switching: Switching, title: Title) -> Result<Program, SupplyError> {
    let supplies = supplies(cover)?;
    let ticks = ticks(cover, &supplies, packets, switching)?;
    let mut builder = Builder::new(cover.topology(), ticks, packets.demand(cover));
    weave::on_cycles(&mut builder, cover, packets);
    let mut sender = Sender { builder, cover, packets, switching, tracks: BTreeMap::new() };
    for supply in &supplies {
        sender.drive(supply, supply.lower, Role::Lower);
        sender.drive(supply, supply.upper, Role::Upper);
    }
    Ok(sender.builder.finish(title))
}

/// Which of a node's two supporters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Lower,
    Upper,
}

/// Gives the outputs towards off-cycle nodes their tracks.
struct Sender<'a> {
    builder: Builder,
    cover: &'a Cover,
    packets: Packets,
    switching: Switching,
    /// by cycle, distance and role, the ports by which the cycle passes the supporter, and its packets: few differ
    tracks: BTreeMap<TrackKey, TrackId>,
}

type TrackKey = (u8, u32, Role, Port, Port, [u16; 2]);

impl Sender<'_> {
    fn drive(&mut self, supply: &Supply, feed: Feed, role: Role) {
        let sender = self.cover.topology().neighbour(supply.node, feed.port).expect("a feed comes over a link");
        let track = match feed.relay {
            Some(port) => self.builder.track(&[], Source::input(port, 1)),
            None => self.stream(supply, sender, role),
        };
        self.builder.set(sender, feed.port.opposite(), track);
    }

    fn stream(&mut self, supply: &Supply, supporter: NodeId, role: Role) -> TrackId {
        let cycle = usize::from(supply.cycle);
        let visit = self.cover.visit(cycle, supporter).expect("a supporter lies on the cycle");
        let own = weave::own_packets(self.cover, self.packets, supporter, visit);
        let key = (supply.cycle, supply.distance, role, visit.from, visit.to, own);
        *self.tracks.entry(key).or_insert_with(|| {
            let plan = streams::plan(supply.distance, self.cover.length(cycle), self.switching);
            let phases = match role {
                Role::Lower => plan.lower,
                Role::Upper => plan.upper,
            };
            streams::track(&mut self.builder, &phases, visit, own)
        })
    }
}

/// Every packet needs a place on a cycle from which to start.
fn house_packets(cover: &Cover, packets: Packets) -> Result<(), SupplyError> {
    let wanted = packets.per_node(cover);
    for node in cover.topology().node_ids() {
        let cycles = (0..cover.cycles()).filter(|&cycle| cover.place(cycle, node).is_some()).count() as u32;
        let places = cycles * (1 + u32::from(cover.is_double(node)));
        if places < u32::from(wanted) {
            return Err(SupplyError::Homeless { node, packets: wanted, places });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
