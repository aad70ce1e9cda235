//! A class that changes too often for counters: its behaviour as a table, one word for each stretch of ticks in which
//! nothing changes.
//!
//! A word selects a source for every output. What came in long ago is read from a store that holds every arrival under
//! the number of its tick; the word says where, one tick ahead, so that the store can be a memory with a clocked output.

use std::collections::BTreeSet;

use super::course::{Clock, Course, Leg};
use super::state::{SHIFTED, digits, literal};
use crate::net::Port;
use crate::program::Source;

/// An output with more legs than this is better told by a table: on iCE40 with 8-bit links the 4x4 of `optimal` (4
/// legs) takes 1095 LUTs with counters and 1156 with a table, the 5x5 (5 legs) 3864 and 1940.
const MOST_LEGS: usize = 4;

/// A class reads at most this many different delayed inputs from delay lines; more make a store.
const MOST_TAPS: usize = 8;

/// Longer words are written in hexadecimal, to fit a line.
const MOST_BINARY: u32 = 40;

/// What a word can make an output send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// A source that is there on wires.
    Direct(Source),
    /// What the store of this input gives.
    Stored(Port),
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub low: u32,
    pub bits: u32,
}

/// What the words say to one output.
#[derive(Clone, Debug)]
pub struct Chooser {
    pub port: Port,
    /// By the value of `select`.
    pub choices: Vec<Choice>,
    pub select: Field,
    /// Where in the stores to read for the next tick, if it ever does.
    pub slot: Option<Field>,
}

/// A stretch of ticks with one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub first: u32,
    pub last: u32,
    /// The fields' values, in the choosers' order, select before slot.
    values: Vec<u32>,
}

/// The table of a class.
pub struct Table {
    pub choosers: Vec<Chooser>,
    pub entries: Vec<Entry>,
    /// Bits of a word.
    pub bits: u32,
    /// Whether entries carry their last tick instead of being one a tick.
    pub run_length: bool,
    /// The words each store has, if there are any: one for each tick it remembers, and one to spare for later ones.
    pub store: Option<u32>,
    ticks: u32,
}

/// Whether these courses are better told by a table.
pub fn is_due(outputs: &[(Port, Course)]) -> bool {
    outputs.iter().any(|(_, course)| course.legs.len() > MOST_LEGS)
}

/// The course of an output whose source is not read before it can have arrived.
pub fn resolved(course: &Course, ticks: u32) -> Course {
    let mut legs: Vec<Leg> = Vec::new();
    let mut add = |until: u32, source: Source| match legs.last_mut() {
        Some(leg) if leg.source == source => leg.until = Some(until),
        _ => legs.push(Leg { until: Some(until), source }),
    };
    let mut played = 0;
    for leg in &course.legs {
        let until = leg.until.unwrap_or(ticks);
        match leg.source {
            Source::In { age, .. } if played < age => {
                add(age.min(until), Source::Idle);
                if age < until {
                    add(until, leg.source);
                }
            }
            source => add(until, source),
        }
        played = until;
    }
    if let Some(last) = legs.last_mut() {
        last.until = None;
    }
    Course { clock: Clock::Table, legs }
}

impl Table {
    /// The table of resolved courses.
    pub fn of(outputs: &[(Port, Course)], ticks: u32, flits: u32) -> Self {
        let is_stored = stored_ages(outputs, flits);
        let choice = |source| match source {
            Source::In { port, age } if is_stored(age) => Choice::Stored(port),
            source => Choice::Direct(source),
        };
        let mut choosers: Vec<Chooser> = Vec::with_capacity(outputs.len());
        for (port, course) in outputs {
            let mut choices: Vec<Choice> = Vec::new();
            for choice in course.legs.iter().map(|leg| choice(leg.source)) {
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            }
            choosers.push(Chooser { port: *port, choices, select: Field { low: 0, bits: 0 }, slot: None });
        }
        let mut walks: Vec<Walk> = outputs.iter().map(|(_, course)| Walk::new(&course.legs)).collect();
        let mut slots = vec![1; outputs.len()];
        let mut entries: Vec<Entry> = Vec::new();
        for tick in 1..=ticks {
            let mut values = Vec::with_capacity(2 * outputs.len());
            for ((chooser, walk), slot) in choosers.iter().zip(&mut walks).zip(&mut slots) {
                let now = choice(walk.at(tick));
                values.push(chooser.choices.iter().position(|&other| other == now).unwrap_or(0) as u32);
                match walk.at(tick.min(ticks - 1) + 1) {
                    Source::In { age, .. } if is_stored(age) && tick < ticks => *slot = tick + 2 - age,
                    _ => {}
                }
                values.push(*slot);
            }
            match entries.last_mut() {
                Some(entry) if entry.values == values => entry.last = tick,
                _ => entries.push(Entry { first: tick, last: tick, values }),
            }
        }
        let stores =
            choosers.iter().any(|chooser| chooser.choices.iter().any(|choice| matches!(choice, Choice::Stored(_))));
        let last_slot = entries.iter().flat_map(|entry| entry.values.iter().skip(1).step_by(2)).max();
        let store = last_slot.filter(|_| stores).map(|last| last + 1);
        let bits = lay_out(&mut choosers, store);
        let run_length = entries.len() as u64 * u64::from(bits + digits(ticks)) < u64::from(ticks) * u64::from(bits);
        let mut table = Self { choosers, entries, bits, run_length, store, ticks };
        if !run_length {
            table.entries = table.entries.iter().flat_map(Entry::by_tick).collect();
        }
        table
    }

    /// An entry's word as Verilog: `7'b01_10_011`, the first output's bits last; a long one in hexadecimal.
    pub fn word(&self, entry: &Entry) -> String {
        let mut fields = Vec::new();
        for (chooser, values) in self.choosers.iter().zip(entry.values.chunks_exact(2)) {
            fields.push((chooser.select.bits as usize, values[0]));
            fields.extend(chooser.slot.map(|slot| (slot.bits as usize, values[1])));
        }
        fields.retain(|&(bits, _)| bits > 0);
        let fields: Vec<String> = fields.iter().rev().map(|&(bits, value)| format!("{value:0bits$b}")).collect();
        if self.bits <= MOST_BINARY {
            return format!("{}'b{}", self.bits, fields.join("_"));
        }
        let digits = self.bits.div_ceil(4) as usize;
        let binary = format!("{:0>width$}", fields.concat(), width = 4 * digits);
        let digit = |at: usize| char::from_digit(u32::from_str_radix(&binary[4 * at..][..4], 2).unwrap_or(0), 16);
        format!("{}'h{}", self.bits, (0..digits).filter_map(digit).collect::<String>())
    }

    /// An entry's last tick, as wide as the tick counter.
    pub fn last_tick(&self, entry: &Entry) -> String {
        literal(entry.last, self.ticks)
    }

    /// The last tick of all.
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// Whether a source is read on wires rather than from a store.
    pub fn is_direct(&self, source: Source) -> bool {
        self.choosers.iter().any(|chooser| chooser.choices.contains(&Choice::Direct(source)))
    }

    /// Every input that has a store.
    pub fn stored(&self) -> BTreeSet<Port> {
        let choices = self.choosers.iter().flat_map(|chooser| &chooser.choices);
        choices.filter_map(|choice| if let Choice::Stored(port) = choice { Some(*port) } else { None }).collect()
    }
}

/// Which ages are read from a store: none while a few delay lines will do, else all that are older than a packet.
/// A store gives an arrival three ticks later at the earliest.
fn stored_ages(outputs: &[(Port, Course)], flits: u32) -> impl Fn(u32) -> bool + Copy {
    let sources = outputs.iter().flat_map(|(_, course)| course.legs.iter().map(|leg| leg.source));
    let taps: BTreeSet<(Port, u32)> = sources
        .filter_map(|source| match source {
            Source::In { port, age } if age > flits.max(2) => Some((port, age)),
            _ => None,
        })
        .collect();
    let few = taps.len() <= MOST_TAPS && taps.iter().all(|&(_, age)| age <= SHIFTED);
    move |age| !few && age > flits.max(2)
}

/// Gives every chooser its bits of the word; returns how many there are.
fn lay_out(choosers: &mut [Chooser], store: Option<u32>) -> u32 {
    let mut low = 0;
    let mut field = |bits| {
        let field = Field { low, bits };
        low += bits;
        field
    };
    for chooser in choosers {
        let last = chooser.choices.len() as u32 - 1;
        chooser.select = field(if last == 0 { 0 } else { digits(last) });
        let stores = chooser.choices.iter().any(|choice| matches!(choice, Choice::Stored(_)));
        chooser.slot = store.filter(|_| stores).map(|words| field(digits(words)));
    }
    low
}

impl Entry {
    fn by_tick(&self) -> impl Iterator<Item = Self> {
        (self.first..=self.last).map(|tick| Self { first: tick, last: tick, values: self.values.clone() })
    }
}

/// Follows the legs of a course; ticks may only go up.
struct Walk<'c> {
    legs: &'c [Leg],
}

impl<'c> Walk<'c> {
    fn new(legs: &'c [Leg]) -> Self {
        Self { legs }
    }

    fn at(&mut self, tick: u32) -> Source {
        while self.legs[0].until.is_some_and(|until| until < tick) {
            self.legs = &self.legs[1..];
        }
        self.legs[0].source
    }
}
