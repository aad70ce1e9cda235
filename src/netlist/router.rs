//! The router of a class: its outputs, and what they load from. It has no sense of time: its sequence tells it what to do.

use std::collections::BTreeSet;

use super::add;
use super::bits::WordField;
use super::combine::{self, Silence};
use super::common::RouterShare;
use super::course::{self, Course};
use super::crossbar::Settings;
use super::drive::{self, Ages, Drive};
use super::keep::{self, DelayLine, DelayMemory, Store};
use super::sequence::{MOST_PLAIN, Period, Sequence, WordCollector};
use super::value::{LoadedValue, Own};
use super::wave::LastTicks;
use crate::net::{Channel, Ports, gcd};
use crate::program::{Class, Program, Source, Track};

/// An output that ever sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Channel of the output.
    pub channel: Channel,
    /// Sends of the output in order of time.
    pub course: Course,
    /// Drive of the output register.
    pub drive: Drive,
    /// The packet that goes out instead while the node's window is open.
    pub inject: Option<Own>,
}

/// The registers of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Router {
    /// Flits per packet; an input read at this age is sent on as soon as a packet of it is in.
    pub flits: u32,
    /// True if outputs have valid bits; without, nobody reads what was not sent.
    pub is_marked: bool,
    /// Parts of the router's control word, from the lowest bits up: the sequence's word, and copies of parts of it.
    pub word: Vec<WordField>,
    /// Every output that ever sends.
    pub outputs: Vec<Output>,
    /// The packets of its own that it sends.
    pub packets: Vec<Own>,
    /// The inputs that it reads.
    pub inputs: Vec<Channel>,
    /// The inputs that are joined for an output: what any of them brings.
    pub joins: Vec<Ports>,
    /// The delay lines in shift registers.
    pub lines: Vec<DelayLine>,
    /// The delay lines in memory.
    pub rings: Vec<DelayMemory>,
    /// The stores of what came in.
    pub stores: Vec<Store>,
    /// Says that the program plays, for a router that has a window.
    pub playing: Option<WordField>,
    /// Says which operation combines values, if there are several.
    pub operation: Option<WordField>,
    /// Says that the first tick comes next, and sets outputs back until then, so that what is the node's own can be joined to
    /// what arrives in that tick.
    pub begins: Option<WordField>,
}

impl Router {
    /// Lowers a class, of whose outputs it is known which are certain: the router, and what it has to be told.
    pub(super) fn of(
        class: &Class,
        certain: &[bool],
        settings: &mut Option<Settings>,
        common: RouterShare,
    ) -> (Self, Sequence) {
        let RouterShare { lanes, ticks, flits, .. } = common;
        let courses = course::courses(class, lanes, ticks);
        let ages = Ages::of(class, &courses, common);
        let period = if ages.store.is_some() || ticks <= MOST_PLAIN { None } else { period(class, &courses, ticks) };
        // a prefetch in the last tick of a round is for the first tick of the next
        let horizon = period.map_or(ticks, |period| period.start + period.ticks + 1);
        let mut told = WordCollector::default();
        let tracks = class.outputs.iter().zip(certain).filter(|(track, _)| !track.is_idle());
        let output = |((channel, course), (track, &is_certain)): ((Channel, Course), (&Track, &bool))| Output {
            channel,
            course,
            drive: drive::drive(track, is_certain, horizon, ages, &mut told),
            inject: track.inject.map(|packet| Own { packet, through: packet }),
        };
        let mut outputs: Vec<Output> = courses.into_iter().zip(tracks).map(output).collect();
        if let Some(settings) = settings {
            for output in &mut outputs {
                settings.leave(&mut output.drive);
            }
        }
        let has_window = outputs.iter().any(|output| output.inject.is_some());
        let playing = has_window.then(|| told.field(LastTicks::new([(0, Some(0)), (horizon, Some(1))]), 1));
        let begins = common.clears.then(|| told.field(LastTicks::new([(0, Some(1)), (horizon, Some(0))]), 1));
        let router = Self { playing, begins, ..Self::with(outputs, flits, ages.store, &mut told) };
        (router, told.sequence(ticks, period))
    }

    /// Lowers a class of a reduction: every output has a stream of own values, and all that it sends meets there.
    pub(super) fn combining(
        class: &Class,
        certain: &[bool],
        program: &Program,
        silence: &Silence,
        common: RouterShare,
    ) -> (Self, Sequence) {
        let RouterShare { lanes, ticks, flits, .. } = common;
        let mut told = WordCollector::default();
        let tracks = class.outputs.iter().zip(certain).enumerate().filter(|(_, (track, _))| !track.is_idle());
        let output = |((channel, course), (index, (track, &is_certain)))| Output {
            channel,
            course,
            drive: match program.reduction.as_deref() {
                Some(reduction) if reduction.adding > 0 => {
                    add::add(track, index, is_certain, program, reduction, &mut told)
                }
                Some(reduction) => combine::combine(track, index, is_certain, reduction, silence, &mut told),
                None => Drive::default(),
            },
            inject: None,
        };
        let outputs: Vec<Output> = course::courses(class, lanes, ticks).into_iter().zip(tracks).map(output).collect();
        let router = Self::with(outputs, flits, None, &mut told);
        (router, told.sequence(ticks, None))
    }

    /// Builds a router for these outputs; `store` is the size of its stores in words.
    pub(super) fn with(outputs: Vec<Output>, flits: u32, store: Option<u32>, told: &mut WordCollector) -> Self {
        let values: BTreeSet<LoadedValue> = outputs.iter().flat_map(|output| output.drive.sources()).collect();
        let own = |value: &LoadedValue| if let LoadedValue::Own(own) = value { Some(*own) } else { None };
        let join = |value: &LoadedValue| if let LoadedValue::Any { ports } = value { Some(*ports) } else { None };
        let packets: BTreeSet<Own> =
            values.iter().filter_map(own).chain(outputs.iter().filter_map(|output| output.inject)).collect();
        let inputs: BTreeSet<Channel> = values.iter().flat_map(|value| value.inputs()).collect();
        Self {
            flits,
            is_marked: true,
            word: Vec::new(),
            packets: packets.into_iter().collect(),
            inputs: inputs.into_iter().collect(),
            joins: values.iter().filter_map(join).collect(),
            lines: keep::lines(&values),
            rings: keep::rings(&values, told),
            stores: store.map_or_else(Vec::new, |words| stores(&values, &outputs, words, told)),
            playing: None,
            operation: None,
            begins: None,
            outputs,
        }
    }

    /// Returns true if both are the same module, whatever their classes do over time.
    pub(super) fn is_built_like(&self, other: &Self) -> bool {
        let no_course = Course { legs: Vec::new(), round: None };
        let bare = |router: &Self| {
            let output = |output: &Output| Output { course: no_course.clone(), ..output.clone() };
            Self { outputs: router.outputs.iter().map(output).collect(), ..router.clone() }
        };
        bare(self) == bare(other)
    }

    /// Returns true if the node's configuration selects what the router forwards.
    pub fn is_configured(&self) -> bool {
        self.outputs.iter().any(|output| output.drive.choices().next().is_some())
    }

    /// Returns true if the router never sends, so that none is built.
    pub fn is_idle(&self) -> bool {
        self.outputs.is_empty()
    }

    /// An output, if it ever sends.
    pub fn output(&self, channel: Channel) -> Option<&Output> {
        self.outputs.iter().find(|output| output.channel == channel)
    }

    /// Returns true if the valid bit of a value is read.
    pub fn checks(&self, value: LoadedValue) -> bool {
        self.outputs.iter().any(|output| !output.drive.is_certain && output.drive.loads(value))
    }

    /// Returns true if the valid bit of an input is read, at once or later.
    pub fn hears(&self, input: Channel) -> bool {
        let doubtful = self.outputs.iter().filter(|output| !output.drive.is_certain);
        doubtful.flat_map(|output| output.drive.sources()).any(|value| value.inputs().contains(&input))
    }

    /// Number of stages of a delay line that store valid bits: as far as they are read.
    pub fn valid_stages(&self, line: DelayLine) -> u32 {
        let is_read = |age: &u32| self.checks(LoadedValue::Line { input: line.input, age: *age });
        (2..=line.stages + 1).filter(is_read).max().map_or(0, |age| age - 1)
    }

    /// The packets of its own that are joined to what its outputs load in the first tick.
    pub fn firsts(&self) -> BTreeSet<Own> {
        self.outputs.iter().filter_map(|output| output.drive.first).collect()
    }

    /// Returns true if an output sends in a window of the node.
    pub fn has_window(&self) -> bool {
        self.playing.is_some()
    }

    /// The delay line of an input.
    pub fn line(&self, input: Channel) -> Option<&DelayLine> {
        self.lines.iter().find(|line| line.input == input)
    }
}

/// One store for each input that is read from one.
fn stores(values: &BTreeSet<LoadedValue>, outputs: &[Output], words: u32, told: &mut WordCollector) -> Vec<Store> {
    let mut store = |value: &LoadedValue| match *value {
        LoadedValue::Store { input } => {
            let readers = outputs.iter().filter(|output| output.drive.loads(*value)).map(|output| output.channel);
            Some(Store { input, words, write: told.counter(1, words, false), readers: readers.collect() })
        }
        _ => None,
    };
    values.iter().filter_map(&mut store).collect()
}

/// When all that a class does comes round again, if it does before the end: after the last change of a track that has no
/// rounds, and when the first arrival of the oldest kind that is read is in.
fn period(class: &Class, courses: &[(Channel, Course)], ticks: u32) -> Option<Period> {
    let mut rounds = courses.iter().filter_map(|(_, course)| course.round).map(|round| round.last - round.start);
    let first = rounds.next()?;
    let round = rounds.try_fold(first, |all, one| (all / gcd(all, one)).checked_mul(one))?;
    let age = |source: Source| if let Source::In { age, .. } = source { age } else { 0 };
    let oldest = class.sources().into_iter().map(age).max().unwrap_or(0);
    let start = courses.iter().map(|(_, course)| course.settled()).max()?.max(oldest);
    (start.checked_add(round)? < ticks).then_some(Period { start, ticks: round })
}
