//! Cost of a program as a table: words, runs, bits, and storage times of packets. Computed from the program alone.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use crate::netlist::bits_for;
use crate::program::{Class, Program, Source, Track};

/// The figures of one class of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassFigures {
    /// Ticks, each of which takes one word of a plain table: what all outputs do.
    pub words: u32,
    /// Number of different control words.
    pub distinct: usize,
    /// Maximal stretches of ticks with one word: the entries of a run-length coded table.
    pub runs: u32,
    /// Number of runs of each output alone, in port order.
    pub output_runs: Vec<u32>,
    /// Bits of a word: for each output the number of one of its sources.
    pub word_bits: u32,
    /// Bits that count the ticks of the longest run down to 0.
    pub count_bits: u32,
    /// The largest age, 0 if no input is read.
    pub depth: u32,
    /// Reads of what arrived earlier than a packet's time ago: (output, step) pairs that need more than forwarding.
    pub stored: u64,
}

impl ClassFigures {
    /// The figures of every class of a program.
    pub fn of(program: &Program) -> Vec<Self> {
        program.classes.iter().map(|class| Self::of_class(class, program.ticks, program.flits)).collect()
    }

    /// The figures of a class that plays for `ticks` ticks, packets of `flits` flits.
    pub fn of_class(class: &Class, ticks: u32, flits: u32) -> Self {
        let words = WordNumbers::of(class, ticks);
        let choices = |track: &Track| {
            let sources: BTreeSet<Source> = track.runs.iter().map(|run| run.source).collect();
            bits_for(sources.len() as u64)
        };
        Self {
            words: ticks,
            distinct: words.distinct,
            runs: words.runs,
            output_runs: class.outputs.iter().map(|track| output_runs(track, ticks)).collect(),
            word_bits: class.outputs.iter().map(choices).sum(),
            count_bits: bits_for(u64::from(words.longest)),
            depth: class.depth(),
            stored: class.outputs.iter().map(|track| stored(track, ticks, flits)).sum(),
        }
    }

    /// Bits of the plain table, one word per tick.
    pub fn plain_bits(&self) -> u64 {
        u64::from(self.words) * u64::from(self.word_bits)
    }

    /// Bits of the run-length coded table: a word and a count for each run.
    pub fn run_length_bits(&self) -> u64 {
        u64::from(self.runs) * u64::from(self.word_bits + self.count_bits)
    }
}

/// The words of a class, tick after tick, in numbers.
struct WordNumbers {
    distinct: usize,
    runs: u32,
    longest: u32,
}

impl WordNumbers {
    fn of(class: &Class, ticks: u32) -> Self {
        let mut outputs: Vec<_> = class.outputs.iter().map(|track| track.sources(ticks)).collect();
        let mut seen: HashSet<Vec<Source>> = HashSet::new();
        let mut word: Vec<Source> = Vec::new();
        let mut next = Vec::with_capacity(outputs.len());
        let (mut runs, mut length, mut longest) = (0, 0, 0);
        for _ in 0..ticks {
            next.clear();
            next.extend(outputs.iter_mut().filter_map(Iterator::next));
            if next == word {
                length += 1;
            } else {
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                }
                std::mem::swap(&mut word, &mut next);
                runs += 1;
                length = 1;
            }
            longest = longest.max(length);
        }
        Self { distinct: seen.len(), runs, longest }
    }
}

/// Maximal stretches of one source.
fn output_runs(track: &Track, ticks: u32) -> u32 {
    let mut last = None;
    track.spans(ticks).filter(|span| last.replace(span.source) != Some(span.source)).count() as u32
}

/// Steps in which an output reads what arrived more than a packet's time ago.
fn stored(track: &Track, ticks: u32, flits: u32) -> u64 {
    let late = |source| matches!(source, Source::In { age, .. } if age > flits);
    let late_ticks = track.spans(ticks).filter(|span| late(span.source)).map(|span| span.last - span.first + 1);
    late_ticks.map(u64::from).sum::<u64>() / u64::from(flits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;
    use crate::program::Run;

    const OWN: Source = Source::own(0);

    fn input(age: u32) -> Source {
        Source::input(Port::plus(0), age)
    }

    fn track(runs: &[(Source, u32)], repeat_from: Option<usize>) -> Track {
        Track { runs: runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect(), repeat_from, inject: None }
    }

    #[test]
    fn words_run_as_long_as_no_output_changes() {
        let outputs = vec![
            track(&[(OWN, 1), (input(1), 4), (OWN, 1)], None),
            track(&[(Source::Idle, 1), (input(1), 2), (input(3), 2), (Source::Idle, 1)], None),
        ];
        let figures = ClassFigures::of_class(&Class { outputs }, 6, 1);
        let expected = ClassFigures {
            words: 6,
            distinct: 3,
            runs: 4,
            output_runs: vec![3, 4],
            word_bits: 1 + 2,
            count_bits: 1,
            depth: 3,
            stored: 2,
        };
        assert_eq!(figures, expected);
        assert_eq!((figures.plain_bits(), figures.run_length_bits()), (18, 16));
    }

    #[test]
    fn repeats_are_counted_as_they_play() {
        let outputs = vec![track(&[(OWN, 1), (input(1), 2)], Some(0))];
        let figures = ClassFigures::of_class(&Class { outputs }, 8, 1);
        assert_eq!((figures.runs, figures.output_runs[0], figures.distinct, figures.count_bits), (6, 6, 2, 1));
    }

    #[test]
    fn longer_packets_are_stored_no_more_often() {
        let outputs = vec![track(&[(OWN, 3), (input(3), 6), (input(6), 3)], None)];
        let figures = ClassFigures::of_class(&Class { outputs }, 12, 3);
        assert_eq!((figures.stored, figures.depth, figures.runs), (1, 6, 3));
    }
}
