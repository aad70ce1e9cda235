//! Off-cycle nodes: which neighbours hand them a cycle's packets, and what those neighbours send when.
//!
//! A node off a cycle gets the cycle's two streams from two nodes on it, its supporters, over links that no cycle
//! uses (section 3.2). "+" is the stream that runs forward along the cycle, "-" the one that runs backward.

mod search;
mod streams;
mod timing;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::net::{NodeId, OUTSIDE, Port};
use crate::paths::cover::Cover;
use crate::paths::weave::{self, CyclePassage, Packets, Passes};
use crate::program::{ClassId, ClassMap, Program, ProgramBuilder, Source, SymbolTree, Title, TrackId};
use search::{RelativeSupply, Supplies};

pub use streams::{EVER, SupplyPhase, SupplyPlan, SupplyStream, plan, twice_h, unrolled};

/// Behaviour of the supporters of off-cycle nodes over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
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

    /// Name in a config.
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

/// Supply of one off-cycle node with one cycle.
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
        /// Number of the node.
        node: NodeId,
        /// Number of packets it contributes.
        packets: u16,
        /// Number of places it has.
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
    let supplies = Supplies::of(cover)?;
    Ok(cover.topology().node_ids().flat_map(|node| supplies.at(cover, node)).collect())
}

/// Gossip along the cycles of a cover, off-cycle nodes included, in as many ticks as it needs and no more.
pub fn program(cover: &Cover, packets: Packets, switching: Switching, title: Title) -> Result<Program, SupplyError> {
    let supplies = Supplies::of(cover)?;
    let passes = Passes::of(cover, packets);
    house_packets(cover, &passes, packets)?;
    let ticks = timing::ticks(cover, &supplies, packets, switching)?;
    let builder = ProgramBuilder::new(cover.topology(), ticks, packets.demand(cover));
    let mut sender = TrackMaker { builder, cover, switching, tracks: BTreeMap::new() };
    let parts = SupplyParts::of(&supplies, cover.topology().ports());
    let (kinds, words) = by_what_they_send(cover, &passes, &supplies, &parts);
    let outputs: Vec<_> =
        words.iter().map(|word| sender.outputs(&passes.of_kind[word[0]], &word[1..], &parts)).collect();
    Ok(sender.builder.finish_by_kind(title, kinds, &outputs))
}

/// Role of a supporter in a pair: the arc begins at `Lower` and ends at `Upper`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SupporterRole {
    Lower,
    Upper,
}

/// Traffic that an output sends towards an off-cycle node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SupplyPart {
    /// A stream, for a supporter.
    Stream { cycle: u8, distance: u32, role: SupporterRole },
    /// Forwards the input at a port, for a relay.
    Relay(Port),
}

/// The parts of all supporters and relays, numbered.
struct SupplyParts {
    all: Vec<SupplyPart>,
    /// by kind of supply and input port of the off-cycle node, 0 or the number of the part + 1
    at: Vec<Vec<usize>>,
}

impl SupplyParts {
    fn of(supplies: &Supplies, ports: usize) -> Self {
        let mut parts = Self { all: Vec::new(), at: Vec::new() };
        for relatives in &supplies.of_kind {
            let mut at = vec![0; ports];
            for RelativeSupply { cycle, lower, upper, distance } in relatives {
                for (from, role) in [(lower, SupporterRole::Lower), (upper, SupporterRole::Upper)] {
                    let stream = SupplyPart::Stream { cycle: *cycle, distance: *distance, role };
                    at[from.port.index()] = parts.number(from.relay.map_or(stream, SupplyPart::Relay)) + 1;
                }
            }
            parts.at.push(at);
        }
        parts
    }

    fn number(&mut self, part: SupplyPart) -> usize {
        self.all.iter().position(|&known| known == part).unwrap_or_else(|| {
            self.all.push(part);
            self.all.len() - 1
        })
    }
}

/// The nodes by how cycles pass them and what part they take at each of their ports; the words say both.
fn by_what_they_send(
    cover: &Cover,
    passes: &Passes,
    supplies: &Supplies,
    parts: &SupplyParts,
) -> (ClassMap, Vec<Vec<usize>>) {
    let topology = cover.topology();
    let mut words = SymbolTree::new(passes.of_kind.len().max(parts.all.len() + 1));
    let mut kinds = ClassMap::with_capacity(topology.nodes() as usize);
    let mut word = vec![0; 1 + topology.ports()];
    topology.sweep(0..topology.nodes(), |node, neighbours| {
        word[0] = passes.kinds[node.index()].index();
        for ((symbol, &neighbour), port) in word[1..].iter_mut().zip(neighbours).zip(topology.port_ids()) {
            let wanted =
                |neighbour: NodeId| parts.at[supplies.kinds[neighbour.index()].index()][port.opposite().index()];
            *symbol = if neighbour == OUTSIDE { 0 } else { wanted(neighbour) };
        }
        kinds.push(ClassId(words.of(&word)));
    });
    (kinds, words.words().to_vec())
}

/// Makes the tracks of nodes.
struct TrackMaker<'a> {
    builder: ProgramBuilder,
    cover: &'a Cover,
    switching: Switching,
    /// by part, the ports by which its cycle passes the supporter, and its packets: few differ
    tracks: BTreeMap<(SupplyPart, Port, Port, [u16; 2]), TrackId>,
}

impl TrackMaker<'_> {
    /// The tracks of a node that cycles pass so and that takes these parts: 0, or the number of the part + 1, by port.
    fn outputs(&mut self, passes: &[CyclePassage], wanted: &[usize], parts: &SupplyParts) -> Vec<TrackId> {
        let mut outputs = weave::along(&mut self.builder, passes);
        for (output, &number) in outputs.iter_mut().zip(wanted).filter(|&(_, &number)| number > 0) {
            *output = match parts.all[number - 1] {
                SupplyPart::Relay(port) => self.builder.track(&[], Source::input(port, 1)),
                SupplyPart::Stream { cycle, distance, role } => self.stream(passes, cycle, distance, role),
            };
        }
        outputs
    }

    fn stream(&mut self, passes: &[CyclePassage], cycle: u8, distance: u32, role: SupporterRole) -> TrackId {
        let cycle_of = |pass: &&CyclePassage| pass.cycle == usize::from(cycle);
        let pass = passes.iter().find(cycle_of).expect("a supporter lies on the cycle");
        let part = SupplyPart::Stream { cycle, distance, role };
        *self.tracks.entry((part, pass.from, pass.to, pass.own)).or_insert_with(|| {
            let plan = streams::plan(distance, self.cover.length(cycle.into()), self.switching);
            let phases = match role {
                SupporterRole::Lower => plan.lower,
                SupporterRole::Upper => plan.upper,
            };
            streams::track(&mut self.builder, &phases, pass)
        })
    }
}

/// Every packet needs a place on a cycle from which to start.
fn house_packets(cover: &Cover, passes: &Passes, packets: Packets) -> Result<(), SupplyError> {
    let wanted = packets.per_node(cover);
    let places = |passes: &Vec<CyclePassage>| passes.iter().map(|pass| 1 + u32::from(pass.double)).sum::<u32>();
    let homeless = passes.of_kind.iter().position(|passes| places(passes) < u32::from(wanted));
    let Some(places) = homeless.map(|kind| places(&passes.of_kind[kind])) else { return Ok(()) };
    let node = passes.kinds.iter().position(|kind| Some(kind.index()) == homeless).expect("a kind has nodes");
    Err(SupplyError::Homeless { node: NodeId(node as u32), packets: wanted, places })
}

#[cfg(test)]
mod tests;
