//! The narrow waist: what every node's every output sends at every tick.
//!
//! Ticks are `1..=ticks`. At tick t an output's register takes its source's value; what the register
//! of node u's port p holds after tick t has *arrived* at the neighbour's opposite port in tick t.
//! `In { port, age }` at tick t is what arrived at `port` in tick t - age; before tick 1 nothing has arrived.

mod build;
mod class_map;
mod demand;
mod json;
mod kinds;
mod text;

use std::collections::BTreeSet;

use crate::net::{NodeId, Port, Topology};

pub use build::{Builder, TrackId};
pub use class_map::ClassMap;
pub use demand::{Demand, FlitId, From, Message, Origin, To};
pub use kinds::Kinds;
pub use text::{class_symbol, count, joined, port_name};

/// Where an output takes its value from at one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Nothing: the register becomes invalid.
    Idle,
    /// A packet this node contributes. The n-th tick of a run of Own sends flit (n - 1) mod F.
    Own {
        /// Which of the node's packets.
        packet: u16,
    },
    /// What arrived at `port`, `age` ticks ago; age 1 is plain forwarding.
    In {
        /// The input port.
        port: Port,
        /// At least 1.
        age: u32,
    },
}

/// One source for some ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    /// The source.
    pub source: Source,
    /// For how many ticks, at least 1.
    pub ticks: u32,
}

/// One output port over time: its runs in order; with `repeat_from`, the runs from there on come round again
/// for as long as the program lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Track {
    /// The runs. Without `repeat_from` they fill the program exactly.
    pub runs: Vec<Run>,
    /// Index of the run that follows the last one.
    pub repeat_from: Option<usize>,
}

/// A run at its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first tick, counted from 1.
    pub first: u32,
    /// The last tick.
    pub last: u32,
    /// The source during these ticks.
    pub source: Source,
}

impl Track {
    /// Whether the output never sends: it needs no register.
    pub fn is_idle(&self) -> bool {
        self.runs.iter().all(|run| run.source == Source::Idle)
    }

    /// The runs as they play, repeats unrolled, up to and including tick `ticks`.
    pub fn spans(&self, ticks: u32) -> impl Iterator<Item = Span> + '_ {
        let mut index = 0;
        let mut first = 1;
        std::iter::from_fn(move || {
            if first > ticks {
                return None;
            }
            if index == self.runs.len() {
                index = self.repeat_from?;
            }
            let run = self.runs[index];
            let last = ticks.min(first - 1 + run.ticks);
            let span = Span { first, last, source: run.source };
            index += 1;
            first = last + 1;
            Some(span)
        })
    }

    /// The source at each tick, in order, up to `ticks`.
    pub fn sources(&self, ticks: u32) -> impl Iterator<Item = Source> + '_ {
        self.spans(ticks).flat_map(|span| (span.first..=span.last).map(move |_| span.source))
    }

    /// The source at one tick, counted from 1.
    pub fn source_at(&self, tick: u32) -> Source {
        let length = |runs: &[Run]| runs.iter().map(|run| run.ticks).sum::<u32>();
        let mut left = tick - 1;
        if let Some(from) = self.repeat_from
            && let Some(beyond) = left.checked_sub(length(&self.runs[..from]))
        {
            left = left - beyond + beyond % length(&self.runs[from..]);
        }
        for run in &self.runs {
            match left.checked_sub(run.ticks) {
                Some(rest) => left = rest,
                None => return run.source,
            }
        }
        panic!("tick {tick} is after the end of the track")
    }

    /// The track with every run and age changed by `scale`; none if `scale` refuses one.
    fn scaled(&self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let source = |source| match source {
            Source::In { port, age } => scale(age).map(|age| Source::In { port, age }),
            other => Some(other),
        };
        let run = |run: &Run| Some(Run { source: source(run.source)?, ticks: scale(run.ticks)? });
        let runs = self.runs.iter().map(run).collect::<Option<_>>()?;
        Some(Self { runs, repeat_from: self.repeat_from })
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

/// One behaviour, shared by all nodes that behave alike: a track for each output port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// One track a port, in port order.
    pub outputs: Vec<Track>,
}

impl Class {
    /// Every source that any output ever has, each once, in order.
    pub fn sources(&self) -> BTreeSet<Source> {
        self.outputs.iter().flat_map(|track| track.runs.iter().map(|run| run.source)).collect()
    }

    /// The largest age any output reads, 0 if none reads an input.
    pub fn depth(&self) -> u32 {
        let age = |source| if let Source::In { age, .. } = source { age } else { 0 };
        self.sources().into_iter().map(age).max().unwrap_or(0)
    }

    /// Whether no output changes its source once the first packets are out, so that nothing has to tell the time.
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

/// What every node's every output sends at every tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The names it carries.
    pub title: Title,
    /// The network it runs on.
    pub topology: Topology,
    /// How many ticks it lasts.
    pub ticks: u32,
    /// Flits a packet.
    pub flits: u32,
    /// What it is to achieve.
    pub demand: Demand,
    /// The behaviours, in the order in which they first occur row-major.
    pub classes: Vec<Class>,
    /// The behaviour of each node.
    pub class_of: ClassMap,
}

impl Program {
    /// The behaviour of a node.
    pub fn class(&self, node: NodeId) -> &Class {
        &self.classes[self.class_of[node.index()].index()]
    }

    /// The class's name: a, b, ..., z, aa, ab, ...
    pub fn class_name(&self, class: ClassId) -> String {
        class_symbol(class)
    }

    /// How many nodes behave like each class.
    pub fn class_sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.classes.len()];
        for class in &self.class_of {
            sizes[class.index()] += 1;
        }
        sizes
    }

    /// How many packets the node contributes that has the most; in gossip all have as many.
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

    /// The same program for packets of `flits` flits: runs, ages and ticks times `flits`. None if the ticks do not fit, or
    /// if it is stretched already.
    pub fn stretched(&self, flits: u32) -> Option<Self> {
        if self.flits != 1 {
            return None;
        }
        self.scaled(flits, |n| n.checked_mul(flits))
    }

    /// The program of whole packets that this one was stretched from.
    pub fn unstretched(&self) -> Option<Self> {
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
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(source: Source, ticks: u32) -> Run {
        Run { source, ticks }
    }

    #[test]
    fn repeats_unroll_and_stop_at_the_last_tick() {
        let (own, input) = (Source::Own { packet: 0 }, Source::In { port: Port::plus(0), age: 1 });
        let track = Track { runs: vec![run(own, 1), run(input, 2), run(Source::Idle, 1)], repeat_from: Some(1) };
        let sources: Vec<_> = track.sources(6).collect();
        assert_eq!(sources, [own, input, input, Source::Idle, input, input]);
        assert!((1..).zip(sources).all(|(tick, source)| track.source_at(tick) == source));
    }

    #[test]
    fn stretching_multiplies_runs_and_ages() {
        let input = |age| Source::In { port: Port::plus(0), age };
        let track = Track { runs: vec![run(Source::Own { packet: 1 }, 2), run(input(2), 5)], repeat_from: None };
        let stretched = track.scaled(|n| Some(4 * n)).unwrap();
        assert_eq!(stretched.runs, [run(Source::Own { packet: 1 }, 8), run(input(8), 20)]);
    }
}
