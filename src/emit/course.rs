//! What an output does over time, as hardware sees it: which source below which count of which counter.

use std::collections::BTreeSet;

use super::table::{self, Table};
use crate::net::Port;
use crate::program::{Class, Source, Span, Track};

/// What an output looks at to know where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// Nothing: it has one source for ever.
    Steady,
    /// The fabric's `first`, high while the first packet is injected.
    First,
    /// The router's own count of ticks.
    Tick,
    /// A count that goes on from `last` to `start`.
    Round {
        /// Ticks before the first round.
        start: u32,
        /// The count in the last tick of a round.
        last: u32,
    },
    /// The table of its class.
    Table,
}

/// A source until a count is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The count at which the next leg takes over; `None` in the last leg.
    pub until: Option<u32>,
    /// The source until then.
    pub source: Source,
}

/// The legs of one output, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// What tells the legs apart.
    pub clock: Clock,
    /// The legs in order.
    pub legs: Vec<Leg>,
}

impl Course {
    /// Reads a track that plays for `ticks`. A track that repeats without ever coming round again is a plain one.
    fn of(track: &Track, ticks: u32) -> Self {
        let total = |from: usize, to: usize| track.runs[from..to].iter().map(|run| run.ticks).sum::<u32>();
        let round = track.repeat_from.map(|from| (total(0, from), total(0, track.runs.len()), &track.runs[from..]));
        match round {
            Some((start, end, runs)) if end < ticks && runs.iter().any(|run| run.source != runs[0].source) => {
                Self { clock: Clock::Round { start, last: end - 1 }, legs: legs(track.spans(end)) }
            }
            _ => Self::plain(track, ticks),
        }
    }

    /// The same with its repeats unrolled.
    fn plain(track: &Track, ticks: u32) -> Self {
        let legs = legs(track.spans(ticks));
        Self { clock: if legs.len() == 1 { Clock::Steady } else { Clock::Tick }, legs }
    }

    /// Whether the output never sends.
    pub fn is_idle(&self) -> bool {
        self.legs.iter().all(|leg| leg.source == Source::Idle)
    }

    /// The counts at which the source changes.
    pub fn thresholds(&self) -> impl Iterator<Item = u32> + '_ {
        self.legs.iter().filter_map(|leg| leg.until)
    }
}

fn legs(spans: impl Iterator<Item = Span>) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for span in spans {
        match legs.last_mut() {
            Some(leg) if leg.source == span.source => leg.until = Some(span.last),
            _ => legs.push(Leg { until: Some(span.last), source: span.source }),
        }
    }
    legs.last_mut().expect("a track has a run").until = None;
    legs
}

/// The courses of a class, and what they read.
pub struct Courses {
    /// Flits a packet; an input read at this age is sent on as soon as a packet of it is in.
    pub flits: u32,
    /// Every output that ever sends.
    pub outputs: Vec<(Port, Course)>,
    /// The packets of its own the class sends.
    pub packets: Vec<u16>,
    /// The inputs the class reads, each with the ages it reads them at, in order.
    pub inputs: Vec<(Port, Vec<u32>)>,
    /// What tells the outputs where they stand, if they change often.
    pub table: Option<Table>,
}

impl Courses {
    /// The courses of a class in a program of `ticks` ticks and packets of `flits` flits.
    pub fn of(class: &Class, ticks: u32, flits: u32) -> Self {
        let mut outputs: Vec<(Port, Course)> = class
            .outputs
            .iter()
            .enumerate()
            .map(|(index, track)| (Port::from_index(index), Course::of(track, ticks)))
            .filter(|(_, course)| !course.is_idle())
            .collect();
        let mut plain: Vec<&mut Course> =
            outputs.iter_mut().map(|(_, course)| course).filter(|course| course.clock == Clock::Tick).collect();
        // nothing but the injection to tell apart: one signal of the fabric serves all nodes
        if plain.iter().flat_map(|course| course.thresholds()).all(|count| count == flits) {
            for course in &mut plain {
                course.clock = Clock::First;
            }
        }
        let mut table = None;
        if table::is_due(&outputs) {
            let course = |track| table::resolved(&Course::plain(track, ticks), ticks);
            let tracks = class.outputs.iter().enumerate();
            outputs = tracks
                .map(|(index, track)| (Port::from_index(index), course(track)))
                .filter(|(_, course)| !course.is_idle())
                .collect();
            table = Some(Table::of(&outputs, ticks, flits));
        }
        let sources = sources(&outputs);
        Self { flits, packets: packets(&sources), inputs: inputs(&sources), outputs, table }
    }

    /// Whether the class sends nothing at all and needs no router.
    pub fn is_idle(&self) -> bool {
        self.outputs.is_empty()
    }

    /// The course of an output, if it ever sends.
    pub fn output(&self, port: Port) -> Option<&Course> {
        self.outputs.iter().find(|(output, _)| *output == port).map(|(_, course)| course)
    }

    /// Every clock in use, each once.
    pub fn clocks(&self) -> BTreeSet<Clock> {
        self.outputs.iter().map(|(_, course)| course.clock).collect()
    }

    /// Whether the router takes the fabric's `first`.
    pub fn uses_first(&self) -> bool {
        self.clocks().contains(&Clock::First)
    }

    /// The largest count the router's own tick counter is compared with.
    pub fn last_threshold(&self) -> u32 {
        let plain = self.outputs.iter().filter(|(_, course)| course.clock == Clock::Tick);
        plain.flat_map(|(_, course)| course.thresholds()).max().unwrap_or(0)
    }
}

/// Every source any output has, each once, in order.
fn sources(outputs: &[(Port, Course)]) -> BTreeSet<Source> {
    outputs.iter().flat_map(|(_, course)| course.legs.iter().map(|leg| leg.source)).collect()
}

fn packets(sources: &BTreeSet<Source>) -> Vec<u16> {
    sources.iter().filter_map(|source| if let Source::Own { packet } = source { Some(*packet) } else { None }).collect()
}

fn inputs(sources: &BTreeSet<Source>) -> Vec<(Port, Vec<u32>)> {
    let mut inputs: Vec<(Port, Vec<u32>)> = Vec::new();
    for source in sources {
        if let Source::In { port, age } = *source {
            match inputs.last_mut() {
                Some((last, ages)) if *last == port => ages.push(age),
                _ => inputs.push((port, vec![age])),
            }
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Run;

    const OWN: Source = Source::Own { packet: 0 };
    const IN: Source = Source::In { port: Port::plus(0), age: 1 };

    fn track(runs: &[(Source, u32)], repeat_from: Option<usize>) -> Track {
        Track { runs: runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect(), repeat_from }
    }

    fn courses(track: Track, ticks: u32, flits: u32) -> Courses {
        Courses::of(&Class { outputs: vec![track] }, ticks, flits)
    }

    #[test]
    fn only_an_injection_of_one_packet_is_the_fabrics_first() {
        let clock = |own, flits| courses(track(&[(OWN, own), (IN, 20 - own)], None), 20, flits).outputs[0].1.clock;
        assert_eq!(clock(1, 1), Clock::First);
        assert_eq!(clock(4, 4), Clock::First);
        assert_eq!(clock(4, 1), Clock::Tick);
    }

    #[test]
    fn a_track_that_never_comes_round_again_is_plain() {
        let runs = [(OWN, 1), (IN, 2), (Source::Idle, 2)];
        assert_eq!(courses(track(&runs, Some(1)), 5, 1).outputs[0].1.clock, Clock::Tick);
        assert_eq!(courses(track(&runs, Some(1)), 6, 1).outputs[0].1.clock, Clock::Round { start: 1, last: 4 });
        let same = [(OWN, 1), (IN, 2), (IN, 1)];
        assert_eq!(courses(track(&same, Some(1)), 9, 1).outputs[0].1.clock, Clock::First);
    }

    #[test]
    fn what_never_plays_is_not_read() {
        let runs = [(OWN, 1), (IN, 2), (Source::Idle, 2)];
        let courses = courses(track(&runs, Some(0)), 1, 1);
        assert_eq!((courses.inputs.len(), courses.packets), (0, vec![0]));
    }
}
