//! The narrow waist: what every node's every output sends at every tick.
//!
//! Ticks are `1..=ticks`. At tick t an output's register takes its source's value; what the register
//! of node u's port p holds after tick t has *arrived* at the neighbour's opposite port in tick t.
//! `In` with age a at tick t is what arrived in tick t - a; before tick 1 nothing has arrived. A port has one register,
//! and one arrival per tick, for each of its lanes. If links are longer than that, by [`Program::latency`], it has arrived so many
//! ticks later, and ages count from there.

mod build;
mod class_map;
mod dead;
mod demand;
mod document;
mod groups;
mod json;
mod kinds;
mod link;
mod message;
mod named;
mod number;
mod operands;
mod operation;
mod pairs;
mod parse;
mod parts;
mod reduction;
mod text;
mod together;
mod track;
mod wanted;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::net::{Channel, NodeId, Topology};

pub use build::{ProgramBuilder, TrackId};
pub use class_map::{ClassMap, ClassNumbers};
pub use demand::{Demand, FlitId, Origin};
pub use document::{Document, Items};
pub use groups::{Groups, NoGroups};
pub use kinds::SymbolTree;
pub use link::Link;
pub use message::{Message, Sender, To};
pub use number::{Arithmetic, Float, Number};
pub use operands::{Operand, Operands};
pub use operation::Operation;
pub use pairs::Pairs;
pub use parse::{ProgramError, is_program};
pub use reduction::{Away, Entries, Partial, PartialOrder, Reduction, ResultPlace};
pub use text::{ShownChannel, ShownPort, class_symbol, count, joined, output_name, port_name};
pub use track::{Run, Source, Span, Spans, Track};
pub use wanted::Wanted;

/// When a node sends a packet of its own whatever its class does: nodes that differ in nothing else share a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first tick.
    pub first: u32,
    /// For how many ticks; never, if 0.
    pub ticks: u32,
}

impl Window {
    /// Returns the number of ticks since the window opened, or `None` if it is closed in this tick.
    pub fn open(self, tick: u32) -> Option<u32> {
        tick.checked_sub(self.first).filter(|&since| since < self.ticks)
    }

    fn scaled(self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        // a start after n ticks becomes one after scale(n)
        Some(Self { first: scale(self.first.saturating_sub(1))?.checked_add(1)?, ticks: scale(self.ticks)? })
    }
}

/// True if both ends of a link may send in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Duplex {
    /// Both ends may send.
    #[default]
    Full,
    /// One end at a time: in no tick are registers valid at both ends.
    Half,
    /// Half duplex over shared wires, as between boards: a link is silent for a tick before it turns.
    Pads,
    /// One-way links: no link is ever used backwards.
    OneWay,
}

impl Duplex {
    /// Returns true if both ends may send.
    pub fn is_full(self) -> bool {
        self == Self::Full
    }
}

impl std::fmt::Display for Duplex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Full => "full",
            Self::Half => "half",
            Self::Pads => "pads",
            Self::OneWay => "one-way",
        })
    }
}

/// A class of nodes by its index in [`Program::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The class's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One behaviour, shared by all nodes that behave alike: a track for each output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// One track an output, port after port, each port's lanes in order.
    pub outputs: Vec<Track>,
}

impl Class {
    /// Every source that any output ever has, each once, in order.
    pub fn sources(&self) -> BTreeSet<Source> {
        self.outputs.iter().flat_map(|track| track.runs.iter().map(|run| run.source)).collect()
    }

    /// The largest age any output reads, 0 if none reads an input.
    pub fn depth(&self) -> u32 {
        self.outputs.iter().flat_map(|track| &track.runs).filter_map(|run| run.source.age()).max().unwrap_or(0)
    }

    /// Returns true if no output changes its source once the first packets are out, so that nothing has to tell the
    /// time.
    pub fn is_time_independent(&self, ticks: u32, flits: u32) -> bool {
        self.outputs.iter().all(|track| {
            let mut later = track.spans(ticks).filter(|span| span.last > flits).map(|span| span.source);
            let settled = later.next();
            later.all(|source| Some(source) == settled)
        })
    }
}

/// The names a program carries along; they decide nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title {
    /// The design's name, the prefix of every Verilog module.
    pub name: String,
    /// The construction it came from: `staircase`, ...
    pub scheme: String,
}

impl Title {
    /// The names of a design and of its scheme.
    pub fn new(name: &str, scheme: &str) -> Self {
        Self { name: name.to_owned(), scheme: scheme.to_owned() }
    }
}

/// Schedule of every output of every node, tick by tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The names it carries.
    pub title: Title,
    /// The network it runs on.
    pub topology: Topology,
    /// Number of ticks it lasts.
    pub ticks: u32,
    /// Flits per packet.
    pub flits: u32,
    /// True if both ends of a link may send in one tick.
    pub duplex: Duplex,
    /// Flits that a link carries at once, each in a register of its own.
    pub lanes: u8,
    /// Latency of a link: a flit sent in tick t arrives in tick t + latency - 1.
    pub latency: u32,
    /// Messages that the program must deliver.
    pub demand: Demand,
    /// The behaviours, in the order in which they first occur row-major.
    pub classes: Vec<Class>,
    /// The behaviour of each node.
    pub class_of: ClassMap,
    /// When each node sends what its class injects; empty if none does.
    pub windows: Vec<Window>,
    /// Values that the program combines on the way, for reductions.
    pub reduction: Option<Arc<Reduction>>,
}

impl Program {
    /// The behaviour of a node.
    pub fn class(&self, node: NodeId) -> &Class {
        &self.classes[self.class_of[node.index()].index()]
    }

    /// Outputs a node: its ports times the lanes.
    pub fn outputs(&self) -> usize {
        self.topology.ports() * usize::from(self.lanes)
    }

    /// Index of an output's register in dense vectors: ordered by node, then port, then lane.
    pub fn register(&self, node: NodeId, output: Channel) -> usize {
        node.index() * self.outputs() + self.output_index(output)
    }

    /// The number of registers.
    pub fn registers(&self) -> usize {
        self.topology.registers() * usize::from(self.lanes)
    }

    /// Number of link-ticks playing it takes.
    pub fn link_ticks(&self) -> u64 {
        self.topology.links().saturating_mul(u64::from(self.ticks))
    }

    /// The node and the output whose register it is: the inverse of [`Program::register`].
    pub fn owner(&self, register: usize) -> (NodeId, Channel) {
        let outputs = self.outputs();
        (NodeId((register / outputs) as u32), Channel::from_index(register % outputs, self.lanes))
    }

    /// The outputs of a node, or its inputs, in order.
    pub fn channels(&self) -> impl Iterator<Item = Channel> + use<> {
        let lanes = self.lanes;
        (0..self.outputs()).map(move |index| Channel::from_index(index, lanes))
    }

    /// The register whose value arrives at a node's input; none if no link leads there.
    pub fn arriving(&self, node: NodeId, input: Channel) -> Option<usize> {
        let neighbour = self.topology.step(node, input.port)?;
        Some(self.register(neighbour, input.opposite()))
    }

    /// The inputs of a node to which wires lead.
    pub fn inputs(&self, node: NodeId) -> impl Iterator<Item = Channel> + '_ {
        self.channels().filter(move |&input| self.is_wired(node, input))
    }

    /// Returns true if wires lead to a node's input: a link does, and if links are one-way, it leads there.
    pub fn is_wired(&self, node: NodeId, input: Channel) -> bool {
        self.arriving(node, input).is_some_and(|register| {
            let (sender, _) = self.owner(register);
            self.duplex != Duplex::OneWay || !self.class(sender).outputs[register % self.outputs()].is_idle()
        })
    }

    /// An output by its index among a node's.
    pub fn output(&self, index: usize) -> Channel {
        Channel::from_index(index, self.lanes)
    }

    /// The index of an output, or of an input, among a node's: the inverse of [`Program::output`].
    pub fn output_index(&self, Channel { port, lane }: Channel) -> usize {
        port.index() * usize::from(self.lanes) + usize::from(lane)
    }

    /// When a node sends what its class injects.
    pub fn window(&self, node: NodeId) -> Window {
        self.windows.get(node.index()).copied().unwrap_or_default()
    }

    /// The class's name: a, b, ..., z, aa, ab, ...; `dead` for that of dead nodes.
    pub fn class_name(&self, class: ClassId) -> String {
        if self.dead_class() == Some(class) { "dead".to_owned() } else { class_symbol(class) }
    }

    /// Number of nodes of each class.
    pub fn class_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.classes.len()];
        for class in &self.class_of {
            sizes[class.index()] += 1;
        }
        sizes
    }

    /// Largest number of packets that a node contributes; in gossip all nodes contribute as many.
    pub fn packets(&self) -> u16 {
        self.demand.most_packets() as u16
    }

    /// The papers' unit of time: one packet over one link.
    pub fn steps(&self) -> u32 {
        self.ticks.div_ceil(self.flits)
    }

    /// The largest age any node reads.
    pub fn depth(&self) -> u32 {
        self.classes.iter().map(Class::depth).max().unwrap_or(0)
    }

    /// The largest age that any node reads, as far as anything can have arrived so long ago.
    pub fn memory(&self) -> u32 {
        self.depth().min(self.ticks)
    }

    /// Stretches a program of one-flit packets to `flits` flits: runs, ages and ticks are multiplied, except for the
    /// silent tick between two parts. Returns `None` if the ticks do not fit, or if it is stretched already.
    pub fn stretched(&self, flits: u32) -> Option<Self> {
        if let Some([reduce, gather]) = self.parts() {
            return reduce.stretched(flits)?.followed_by(&gather.stretched(flits)?);
        }
        if self.flits != 1 || self.latency != 1 {
            return None;
        }
        self.scaled(flits, |n| n.checked_mul(flits))
    }

    /// The program of whole packets that this one was stretched from, on links of latency 1.
    pub fn unstretched(&self) -> Option<Self> {
        if let Some([reduce, gather]) = self.parts() {
            return reduce.unstretched()?.followed_by(&gather.unstretched()?);
        }
        if self.reduce_latency() > 1 {
            return self.on_short_links()?.unstretched();
        }
        self.scaled(1, |n| n.is_multiple_of(self.flits).then_some(n / self.flits))
    }

    fn scaled(&self, flits: u32, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let class = |class: &Class| {
            let outputs = class.outputs.iter().map(|track| track.scaled(&scale)).collect::<Option<_>>()?;
            Some(Class { outputs })
        };
        Some(Self {
            ticks: scale(self.ticks)?,
            flits,
            demand: self.demand.scaled(&self.topology, &scale)?,
            classes: self.classes.iter().map(class).collect::<Option<_>>()?,
            windows: self.windows.iter().map(|window| window.scaled(&scale)).collect::<Option<_>>()?,
            reduction: match &self.reduction {
                None => None,
                Some(reduction) => Some(Arc::new(reduction.scaled(&scale)?)),
            },
            ..self.clone()
        })
    }
}
