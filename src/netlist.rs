//! A program lowered once to registers: what each class of routers remembers, and what each of its outputs loads when.
//!
//! class -> courses (what is sent until when) -> a sequence of control words, and the registers that they steer.
//! Numbers and ports only: `emit` writes it as Verilog, `study::hardware` counts it.

mod add;
mod adder;
mod bits;
mod board_port;
mod board_start;
mod certain;
mod checksum;
mod combine;
mod common;
mod course;
mod crossbar;
mod drive;
mod keep;
pub mod listed;
mod loadable;
mod local;
mod node;
mod own_inputs;
mod port_clock;
mod router;
mod sequence;
mod spread;
mod union;
mod units;
mod value;
mod wave;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::net::NodeId;
use crate::program::{Class, ClassId, Message, Program, Source, Track};
use combine::Silence;

use common::RouterShare;
use crossbar::Settings;

pub use adder::{AdderSizes, FloatUnit, MOST_TICKS, STAGES, fastest};
pub use bits::{WordField, bits_for, digits};
pub use board_port::{BoardPort, PortForm};
pub use board_start::BoardStart;
pub use checksum::Checksum;
pub use course::{Course, RepeatedTicks, SourceLeg};
pub use crossbar::{Crossbar, NoCrossbar};
pub use drive::{Combine, ConfiguredChoice, Drive, PrefetchRegister};
pub use keep::{DelayLine, DelayMemory, Store};
pub use loadable::{Loadable, PatchWord};
pub use local::{BlockOrder, HostStreams, NodeOptions, NodePorts, Results};
pub use node::{Act, Acts, BankPlace, Completed, FoundPlace, MessageBlock, Node, NodeLowering, StreamWord, Tick};
pub use own_inputs::OwnInputs;
pub use port_clock::PortClock;
pub use router::{Output, Router};
pub use sequence::{Coding, Sequence, TickCounter, WordStretch};
pub use units::{Adders, Arm, OperandSlot, UnitPair};
pub use value::{LoadedValue, Own};

/// Place of the sequence that controls the routers of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Rom {
    /// The fabric, once for all nodes that are told the same; its words go to each of them.
    #[default]
    Shared,
    /// One sequence per node.
    PerNode,
}

/// Registers between the `go` of a router with a control of its own and the router: that of the control, the place in the
/// sequence and its word.
pub const OWN_WAY: u32 = 3;
/// Leaves, registers on the way from the control to a row of nodes, if nobody wants more or fewer: from the control to the
/// farthest row is farther than over any link. Each node has one besides.
pub const LEAVES: u32 = 2;

/// The registers of a whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Netlist {
    /// Bits per flit, unless whoever builds it says otherwise.
    pub width: u32,
    /// Number of ticks in the program, which the fabric counts.
    pub ticks: u32,
    /// Flits per packet; the fabric counts them if there are several.
    pub flits: u32,
    /// True if own packets are streams, taken flit by flit, because their lengths differ. Otherwise every own input
    /// holds the flit that the fabric asks for, the same for all nodes.
    pub streams: bool,
    /// Inputs of the routers for packets of their nodes' own.
    pub own: OwnInputs,
    /// True if flits of streams are taken one tick before they are sent.
    pub takes_ahead: bool,
    /// The unit that combines two values, if that takes ticks.
    pub unit: Option<FloatUnit>,
    /// Place of the sequences.
    pub rom: Rom,
    /// Registers between the control and a row of nodes.
    pub leaves: u32,
    /// The routers, by class.
    pub routers: Vec<Router>,
    /// Distinct sequences of control words.
    pub sequences: IndexSet<Sequence>,
    /// index of the sequence of each class
    sequence_of: Vec<usize>,
    /// configuration of each class's nodes, from the lowest bit up; empty if nothing is configurable
    settings: Vec<Vec<bool>>,
    /// The class that its routers' module is named after.
    modules: Vec<ClassId>,
    /// Memories of control words that are loaded, in place of constant sequences.
    pub loadable: Option<Loadable>,
}

impl Netlist {
    /// Lowers every class of a program to a router of its own.
    pub fn of(program: &Program, rom: Rom, width: u32) -> Self {
        Self::with(program, Crossbar::Fixed, OwnInputs::Packets, rom, width)
    }

    /// Lowers every class of a program; classes that differ only in what their nodes' configuration says have one router.
    pub fn with(program: &Program, crossbar: Crossbar, own: OwnInputs, rom: Rom, width: u32) -> Self {
        let streams = is_streamed(program, own);
        let classes = own.classes(program);
        let Program { ticks, flits, lanes, latency, .. } = *program;
        let own_ahead = flits == 1 && !streams;
        let certain = certain::certain(program);
        let clears = own_ahead && latency == 1 && certain.iter().all(|&it| it) && is_worth_clearing(program);
        let common = RouterShare { lanes, ticks, flits, latency, own_ahead, clears };
        let (mut routers, mut sequences, mut sequence_of) = (Vec::<Router>::new(), IndexSet::new(), Vec::new());
        let (mut all_settings, mut modules) = (Vec::new(), Vec::new());
        let senders = if crossbar == Crossbar::Fixed { Vec::new() } else { certain::senders(program) };
        let mut senders = senders.chunks(program.outputs());
        let silences = program.reduction.iter().flat_map(|_| Silence::all(program)).collect::<Vec<_>>();
        for (index, (class, certain)) in classes.iter().zip(certain.chunks(program.outputs())).enumerate() {
            let mut settings = senders.next().map(|senders| {
                let arriving = program.channels().zip(senders).filter(|(_, senders)| is_sent(program, senders));
                Settings::of(class, arriving.map(|(input, _)| input))
            });
            let (mut router, sequence) = match &program.reduction {
                Some(_) => Router::combining(class, certain, program, &silences[index], common),
                None => Router::of(class, certain, &mut settings, common),
            };
            router.word = vec![WordField { low: 0, bits: sequence.bits }];
            if rom == Rom::Shared {
                router.spread(width);
            }
            sequence_of.push(if router.is_idle() { 0 } else { sequences.insert_full(sequence).0 });
            // other routers keep a module of their own: comparing many classes takes long
            let is_alike = |other: &Router| other.is_built_like(&router);
            let alike = if router.is_configured() { routers.iter().position(is_alike) } else { None };
            let module = alike.unwrap_or(index);
            modules.push(ClassId(module as u32));
            all_settings.push(settings.map_or_else(Vec::new, |settings| settings.bits));
            routers.push(router);
        }
        let settings = all_settings;
        Self {
            width,
            ticks,
            flits,
            streams,
            own,
            takes_ahead: program.mixes_forwards(),
            unit: add::unit(program),
            rom,
            leaves: LEAVES,
            routers,
            sequences,
            sequence_of,
            settings,
            modules,
            loadable: None,
        }
    }

    /// Sets the number of pipeline registers between the control and each row.
    #[must_use]
    pub fn told_by(self, leaves: u32) -> Self {
        Self { leaves, ..self }
    }

    /// The class after which the module of the routers of a class is named.
    pub fn module_of(&self, class: ClassId) -> ClassId {
        self.modules[class.index()]
    }

    /// Configuration of a class's nodes, from the lowest bit up; empty if nothing is configurable.
    pub fn settings(&self, class: ClassId) -> &[bool] {
        &self.settings[class.index()]
    }

    /// Returns true if anything is left to a configuration.
    pub fn is_configured(&self) -> bool {
        self.settings.iter().any(|settings| !settings.is_empty())
    }

    /// Copies the configuration of another netlist with the same routers.
    #[must_use]
    pub fn configured_as(self, other: &Self) -> Self {
        Self { settings: other.settings.clone(), ..self }
    }

    /// The nodes that have a configuration, in the order in which it passes them.
    pub fn configured<'n>(&'n self, program: &'n Program) -> impl DoubleEndedIterator<Item = (NodeId, &'n [bool])> {
        let nodes = (0..program.topology.nodes()).map(NodeId);
        let settings = nodes.map(|node| (node, self.settings(program.class_of[node.index()])));
        settings.filter(|(_, settings)| !settings.is_empty())
    }

    /// The configuration of all nodes, in the order in which it is shifted in: what comes first goes farthest.
    pub fn shifted_in<'n>(&'n self, program: &'n Program) -> impl Iterator<Item = bool> + 'n {
        self.configured(program).rev().flat_map(|(_, settings)| settings.iter().rev().copied())
    }

    /// The classes that send anything; the others need no router.
    pub fn driven(&self) -> impl Iterator<Item = (ClassId, &Router)> {
        let classes = (0..).map(ClassId).zip(&self.routers);
        classes.filter(|(_, router)| !router.is_idle())
    }

    /// The number of the sequence that the routers of a class are told.
    pub fn sequence_of(&self, class: ClassId) -> usize {
        self.sequence_of[class.index()]
    }

    /// The first class that is told a sequence: it has its name.
    pub fn told_first(&self, sequence: usize) -> ClassId {
        let mut driven = self.driven().map(|(class, _)| class);
        driven.find(|&class| self.sequence_of(class) == sequence).expect("a sequence is told to a class")
    }

    /// Indices of the sequences that each row of nodes along the last axis uses.
    pub fn rows(&self, program: &Program) -> impl Iterator<Item = BTreeSet<usize>> {
        let last = program.topology.dims().last().copied().unwrap_or(1);
        (0..program.topology.nodes() / last).map(move |row| {
            let classes = (row * last..(row + 1) * last).map(|node| program.class_of[node as usize]);
            classes
                .filter(|class| !self.routers[class.index()].is_idle())
                .map(|class| self.sequence_of(class))
                .collect()
        })
    }

    /// Control bit that clears the outputs of the routers with this sequence.
    pub fn begins(&self, sequence: usize) -> Option<WordField> {
        self.routers[self.told_first(sequence).index()].begins
    }

    /// Registers between the fabric's `go` and the routers: those of a control, the leaves of a row, and that of a node.
    pub fn way(&self) -> u32 {
        OWN_WAY + self.leaves + 1
    }

    /// Clocks from the first in which `run` is high to the one that begins the first tick: `run` and `go` are registered, too.
    pub fn start_delay(&self) -> u32 {
        2 + self.way()
    }
}

/// Returns true if routers get smaller when outputs are cleared before the first tick. An output that first sends an
/// own packet and then chooses among several inputs saves one multiplexer input. Links must be full-duplex, and every
/// router must use the first-tick signal.
fn is_worth_clearing(program: &Program) -> bool {
    let opening = |track| drive::opening(track, program.ticks);
    let chooses = |track| opening(track).is_some_and(|(_, inputs)| inputs > 1);
    let mut classes = program.classes.iter().filter(|class| !class.outputs.iter().all(Track::is_idle));
    program.duplex.is_full()
        && program.reduction.is_none()
        && program.classes.iter().flat_map(|class| &class.outputs).any(chooses)
        && classes.all(|class| class.outputs.iter().any(|track| opening(track).is_some()))
}

/// Returns true if something is ever sent by all outputs whose flits arrive at an input of a class, and links lead
/// there.
fn is_sent(program: &Program, senders: &BTreeSet<Option<usize>>) -> bool {
    let outputs = program.outputs();
    let is_idle = |sender: usize| program.classes[sender / outputs].outputs[sender % outputs].is_idle();
    !senders.is_empty() && senders.iter().all(|sender| sender.is_some_and(|sender| !is_idle(sender)))
}

/// Returns true if own packets are taken flit by flit.
fn is_streamed(program: &Program, own: OwnInputs) -> bool {
    if program.reduction.is_some() || own == OwnInputs::Streams {
        return true;
    }
    let alike = |message: &Message| message.flits == program.flits;
    let own_at_once = program.classes.iter().flat_map(Class::sources).all(is_one_packet);
    !(program.demand.messages().iter().all(alike) && own_at_once && program.windows.is_empty())
}

fn is_one_packet(source: Source) -> bool {
    !matches!(source, Source::Own { packet, through } if packet != through)
}
