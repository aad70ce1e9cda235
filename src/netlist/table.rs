//! A class that changes too often for counters: its behaviour as a table, one word for each stretch of ticks in which
//! nothing changes.
//!
//! A word selects a value for every output. What came in long ago is read from a store that holds every arrival under
//! the number of its tick; the word says where, one tick ahead, so that the store can be a memory with a clocked output.

use std::collections::BTreeSet;

use super::bits::{Field, bits_for, digits};
use super::course::{Course, Leg};
use super::drive::Drive;
use super::value::{SHIFTED, Value};
use crate::net::Channel;
use crate::program::Source;

/// An output with more legs than this is better told by a table: on iCE40 with 8-bit links the 4x4 of `optimal` (4
/// legs) takes 1095 LUTs with counters and 1156 with a table, the 5x5 (5 legs) 3864 and 1940.
const MOST_LEGS: usize = 4;

/// A class reads at most this many different delayed inputs from delay lines; more make a store.
const MOST_TAPS: usize = 8;

/// A stretch of ticks with one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The first tick.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// What the word says, field by field.
    pub values: Vec<u32>,
}

/// How the words are laid down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// One word a tick.
    Plain,
    /// One word a stretch, with the last tick it is for.
    RunLength,
}

/// The table of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The parts of a word, the lowest bits first.
    pub fields: Vec<Field>,
    /// The words.
    pub entries: Vec<Entry>,
    /// Bits of a word.
    pub bits: u32,
    /// Whether there is a word for each tick.
    pub coding: Coding,
    /// The words each store has, if there are any.
    pub store: Option<u32>,
    /// The last tick of all.
    pub ticks: u32,
}

/// What the words say to one output.
pub(super) struct Told {
    pub drive: Drive,
    /// Where in the stores to read for the next tick, if it ever does.
    pub slot: Option<Field>,
}

/// Whether these courses are better told by a table.
pub(super) fn is_due(courses: &[(Channel, Course)]) -> bool {
    courses.iter().any(|(_, course)| course.legs.len() > MOST_LEGS)
}

impl Coding {
    /// The one that takes fewer bits for so many stretches.
    fn smaller(stretches: usize, bits: u32, ticks: u32) -> Self {
        let run_length = stretches as u64 * u64::from(bits + digits(ticks));
        if run_length < u64::from(ticks) * u64::from(bits) { Self::RunLength } else { Self::Plain }
    }
}

impl Table {
    /// The table that plays courses resolved for it, and what it says to each output.
    pub(super) fn of(courses: &[(Channel, Course)], ticks: u32, flits: u32) -> (Self, Vec<Told>) {
        let is_stored = stored_ages(courses, flits);
        let mut columns: Vec<Column> = courses.iter().map(|(_, course)| Column::new(&course.legs, is_stored)).collect();
        let mut entries: Vec<Entry> = Vec::new();
        let mut last_slot = None;
        for tick in 1..=ticks {
            let mut values = Vec::with_capacity(2 * columns.len());
            for column in &mut columns {
                let slot = column.advance(tick, ticks, is_stored);
                last_slot = last_slot.max(slot);
                values.extend(column.select().into_iter().chain(slot));
            }
            match entries.last_mut() {
                Some(entry) if entry.values == values => entry.last = tick,
                _ => entries.push(Entry { first: tick, last: tick, values }),
            }
        }
        let store = last_slot.map(|last| last + 1);
        let (fields, told) = lay_out(columns, store);
        let bits = fields.iter().map(|field| field.bits).sum();
        let coding = Coding::smaller(entries.len(), bits, ticks);
        if coding == Coding::Plain {
            entries = entries.iter().flat_map(Entry::by_tick).collect();
        }
        (Self { fields, entries, bits, coding, store, ticks }, told)
    }
}

/// Which ages are read from a store: none while a few delay lines will do, else all that are older than a packet.
/// A store gives an arrival three ticks later at the earliest.
fn stored_ages(courses: &[(Channel, Course)], flits: u32) -> impl Fn(u32) -> bool + Copy {
    let sources = courses.iter().flat_map(|(_, course)| course.legs.iter().map(|leg| leg.source));
    let taps: BTreeSet<(Channel, u32)> = sources
        .filter_map(|source| match source {
            Source::In { port, lane, age } if age > flits.max(2) => Some((Channel { port, lane }, age)),
            _ => None,
        })
        .collect();
    let few = taps.len() <= MOST_TAPS && taps.iter().all(|&(_, age)| age <= SHIFTED);
    move |age| !few && age > flits.max(2)
}

/// What the words say to one output, tick after tick.
struct Column<'c> {
    /// The legs from the present tick on.
    legs: &'c [Leg],
    /// By the value of the select, in the order of their first use.
    values: Vec<Value>,
    /// The present one's number.
    chosen: usize,
    /// Where in the stores to read for the next tick, if it ever does.
    slot: Option<u32>,
}

impl<'c> Column<'c> {
    fn new(legs: &'c [Leg], is_stored: impl Fn(u32) -> bool) -> Self {
        let mut values: Vec<Value> = Vec::new();
        for leg in legs {
            let value = value(leg.source, &is_stored);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let reads = values.iter().any(|value| matches!(value, Value::Store { .. }));
        Self { legs, values, chosen: 0, slot: reads.then_some(1) }
    }

    /// Goes on to a tick, the next of `ticks`; returns the slot to read in it.
    fn advance(&mut self, tick: u32, ticks: u32, is_stored: impl Fn(u32) -> bool) -> Option<u32> {
        let ended = |leg: &Leg, tick| leg.until.is_some_and(|until| until < tick);
        while ended(&self.legs[0], tick) {
            self.legs = &self.legs[1..];
        }
        let now = value(self.legs[0].source, &is_stored);
        self.chosen = self.values.iter().position(|&value| value == now).unwrap_or(0);
        let next = if ended(&self.legs[0], tick + 1) { &self.legs[1] } else { &self.legs[0] };
        if let Source::In { age, .. } = next.source
            && tick < ticks
            && is_stored(age)
        {
            self.slot = Some(tick + 2 - age);
        }
        self.slot
    }

    /// The number of the present value, if there are several.
    fn select(&self) -> Option<u32> {
        (self.values.len() > 1).then_some(self.chosen as u32)
    }
}

fn value(source: Source, is_stored: impl Fn(u32) -> bool) -> Value {
    match source {
        Source::In { port, lane, age } if is_stored(age) => Value::Store { input: Channel { port, lane } },
        source => Value::of(source),
    }
}

/// Gives every output its bits of the word; returns the fields and what they say.
fn lay_out(columns: Vec<Column>, store: Option<u32>) -> (Vec<Field>, Vec<Told>) {
    let mut fields: Vec<Field> = Vec::new();
    let mut field = |bits| {
        let low = fields.last().map_or(0, |field: &Field| field.low + field.bits);
        fields.push(Field { low, bits });
        Field { low, bits }
    };
    let tell = |column: Column| {
        let drive = match column.values.as_slice() {
            [only] => Drive::Always(*only),
            several => Drive::Chosen { select: field(bits_for(several.len() as u64)), values: column.values },
        };
        Told { drive, slot: column.slot.and(store).map(|words| field(digits(words))) }
    };
    let told = columns.into_iter().map(tell).collect();
    (fields, told)
}

impl Entry {
    fn by_tick(&self) -> impl Iterator<Item = Self> {
        (self.first..=self.last).map(|tick| Self { first: tick, last: tick, values: self.values.clone() })
    }
}
