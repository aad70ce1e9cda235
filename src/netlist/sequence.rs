//! Control sequence of a class: one control word for each stretch of ticks in which nothing changes.
//!
//! Routers do not count ticks. All routers of a class do the same in the same tick, so one sequence controls all of them, through
//! pipeline registers. Classes with equal sequences share one.

use std::collections::BTreeSet;

use super::bits::{WordField, digits};
use super::wave::LastTicks;

/// Programs of up to so many ticks have a word per tick: their place is a counter of four bits, which is faster than one of
/// stretches with one of what is left of them.
pub(super) const MOST_PLAIN: u32 = 15;

/// Limit on words counted in steps without a gate; the word is then a function of four bits.
const MOST_STEPS: usize = 4;

/// A stretch of ticks with one word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WordStretch {
    /// The first tick.
    pub first: u32,
    /// Last tick of the entry.
    pub last: u32,
    /// Value of each field of the word.
    pub values: Vec<u32>,
}

/// Encoding of the words in the ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// One word per tick.
    Plain,
    /// One word per stretch, of which all that end last a tick and are few: a bit of the place for each.
    Steps,
    /// One word per stretch.
    RunLength,
}

/// A part of the word that counts the ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TickCounter {
    /// Field that the counter drives.
    pub field: WordField,
    /// Value in the first tick.
    pub first: u32,
    /// Last value, after which it stays or restarts from 1.
    pub last: u32,
    /// True if the counter restarts.
    pub wraps: bool,
}

/// The words, tick after tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// The parts of a word that the entries tell, the lowest bits first.
    pub fields: Vec<WordField>,
    /// The words. The first is for tick 0, the one before the program: it is told while nothing plays.
    pub entries: Vec<WordStretch>,
    /// The entry to go on with after the last.
    pub again: Option<usize>,
    /// Encoding of the words.
    pub coding: Coding,
    /// The parts of a word that count, above the others.
    pub counters: Vec<TickCounter>,
    /// Bits of a word, counters included.
    pub bits: u32,
}

impl Sequence {
    /// Bits of a word without the counters.
    pub fn told_bits(&self) -> u32 {
        self.fields.iter().map(|field| field.bits).sum()
    }

    /// Bits of the place in the sequence.
    pub fn place_bits(&self) -> u32 {
        let last = self.entries.len() as u32 - 1;
        if self.coding == Coding::Steps { last } else { digits(last) }
    }

    /// Duration of each entry in ticks, except for the last if nothing follows it.
    pub fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        let ending = if self.again.is_some() { self.entries.len() } else { self.entries.len() - 1 };
        self.entries[..ending].iter().map(|entry| entry.last - entry.first + 1)
    }
}

/// Collects what a class has to be told.
#[derive(Default)]
pub(super) struct WordCollector {
    waves: Vec<(LastTicks, WordField)>,
    counters: Vec<TickCounter>,
    bits: u32,
}

/// Repetition in the words of a class: ticks before the first round, and ticks per round.
#[derive(Clone, Copy)]
pub(super) struct Period {
    pub start: u32,
    pub ticks: u32,
}

impl WordCollector {
    /// The bits that tell this; waves that are alike share them.
    pub fn field(&mut self, wave: LastTicks, bits: u32) -> WordField {
        let known = self.waves.iter().find(|(other, field)| *other == wave && field.bits == bits);
        if let Some(&(_, field)) = known {
            return field;
        }
        let field = self.next(bits);
        self.waves.push((wave, field));
        field
    }

    /// The bits that count from `first` on up to `last`; after all fields.
    pub fn counter(&mut self, first: u32, last: u32, wraps: bool) -> WordField {
        let alike = |counter: &&TickCounter| (counter.first, counter.last, counter.wraps) == (first, last, wraps);
        if let Some(counter) = self.counters.iter().find(alike) {
            return counter.field;
        }
        let field = self.next(digits(last));
        self.counters.push(TickCounter { field, first, last, wraps });
        field
    }

    /// The next bits of the word.
    pub fn next(&mut self, bits: u32) -> WordField {
        let field = WordField { low: self.bits, bits };
        self.bits += bits;
        field
    }

    /// The sequence of ticks 0 to `ticks`, of which the last may be left out if the words come round again.
    pub fn sequence(self, ticks: u32, period: Option<Period>) -> Sequence {
        let end = period.map_or(ticks, |period| period.start + period.ticks);
        let mut lasts: BTreeSet<u32> = self.waves.iter().flat_map(|(wave, _)| wave.changes()).collect();
        lasts.extend([Some(0), Some(end), period.map(|period| period.start)].into_iter().flatten());
        let told_bits: u32 = self.waves.iter().map(|(_, field)| field.bits).sum();
        // the lengths of stretches take bits, too, unless all that end last a tick
        let stretches: Vec<u32> = lasts.range(..=end).copied().collect();
        let longest = stretches.windows(2).map(|pair| pair[1] - pair[0]).rev().skip(1).max().unwrap_or(1);
        let length = if longest > 1 { digits(longest) } else { 0 };
        let is_stepped = period.is_none() && length == 0 && stretches.len() - 1 <= MOST_STEPS;
        let is_small =
            stretches.len() as u64 * u64::from(told_bits + length) >= u64::from(ticks) * u64::from(told_bits);
        let is_plain = period.is_none() && !is_stepped && (ticks <= MOST_PLAIN || is_small);
        if is_plain {
            lasts.extend(0..=ticks);
        }
        let lasts: Vec<u32> = lasts.into_iter().take_while(|&last| last <= end).collect();
        let columns: Vec<Vec<u32>> =
            self.waves.iter().map(|(wave, _)| wave.at(lasts.iter().copied()).collect()).collect();
        let entry = |(index, &last): (usize, &u32)| WordStretch {
            first: if index == 0 { 0 } else { lasts[index - 1] + 1 },
            last,
            values: columns.iter().map(|column| column[index]).collect(),
        };
        let entries: Vec<WordStretch> = lasts.iter().enumerate().map(entry).collect();
        let again = period.and_then(|period| entries.iter().position(|entry| entry.first == period.start + 1));
        Sequence {
            fields: self.waves.iter().map(|&(_, field)| field).collect(),
            entries,
            again,
            coding: match (is_stepped, is_plain) {
                (true, _) => Coding::Steps,
                (_, true) => Coding::Plain,
                _ => Coding::RunLength,
            },
            counters: self.counters,
            bits: self.bits,
        }
    }
}
