//! What a program takes as RTL, by rule: registers, delay lines, stores. Measured beside it in `docs/compare.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Class, Program, Source, Track};
use crate::torus::Port;

/// Deeper delay lines are rings in memory rather than shift registers.
const SHIFTED: u32 = 32;

/// A node that reads more different delayed inputs than this keeps what arrives in a store instead of delay lines.
const MOST_TAPS: usize = 8;

/// An output with more runs than this is told what to do by a table.
const MOST_RUNS: usize = 8;

/// What a program takes as RTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Bits of delay lines in the node that has most: data and valid bits, age - 1 ticks of each port read late.
    pub delay_bits: u64,
    /// Words of the stores in the node that has most: as many as the largest age, for each port read late.
    pub store_words: u64,
    /// Flip-flops of all routers: output registers (outputs that always agree share one), delay lines of up to 32 ticks,
    /// the tick counter.
    pub flip_flops: u64,
    /// LUTs of four inputs of all routers: a multiplexer for each output bit, comparisons of the tick counter. Unknown
    /// for tables, whose words are decoded as the tool likes.
    pub luts: Option<u64>,
}

impl Hardware {
    /// Adds up the classes of a program, times the nodes of each.
    pub fn of(program: &Program, width: u32) -> Self {
        let none = Self { delay_bits: 0, store_words: 0, flip_flops: 0, luts: Some(0) };
        program.classes.iter().zip(program.class_sizes()).fold(none, |sum, (class, nodes)| {
            let one = Self::of_class(class, program, width);
            let nodes = u64::from(nodes);
            Self {
                delay_bits: sum.delay_bits.max(one.delay_bits),
                store_words: sum.store_words.max(one.store_words),
                flip_flops: sum.flip_flops + nodes * one.flip_flops,
                luts: sum.luts.zip(one.luts).map(|(sum, one)| sum + nodes * one),
            }
        })
    }

    fn of_class(class: &Class, program: &Program, width: u32) -> Self {
        // a flit and its valid bit
        let word = u64::from(width) + 1;
        let late = late_inputs(class);
        let stored = late.values().map(BTreeSet::len).sum::<usize>() > MOST_TAPS;
        let ages = || late.values().filter_map(|ages| ages.last()).map(|&age| u64::from(age));
        let shifted = late.values().filter_map(|ages| ages.range(..=SHIFTED).last());
        let shifted: u64 = shifted.map(|&age| u64::from(age - 1) * word).sum();
        let outputs: BTreeSet<&Track> = class.outputs.iter().filter(|track| !track.is_idle()).collect();
        let timed = !class.is_time_independent(program.ticks, program.flits);
        let counter = if timed { u64::from(digits(last_change(&outputs, program.ticks))) } else { 0 };
        let selected = |track: &Track| -> u64 {
            // nothing has no data to select
            let sources = track.runs.iter().map(|run| run.source).filter(|&source| source != Source::Idle);
            sources.collect::<BTreeSet<_>>().len().saturating_sub(1) as u64
        };
        let multiplexers: u64 = outputs.iter().map(|track| selected(track) * word).sum();
        Self {
            delay_bits: if stored { 0 } else { ages().map(|age| (age - 1) * word).sum() },
            store_words: if stored { ages().sum() } else { 0 },
            flip_flops: outputs.len() as u64 * word + if stored { 0 } else { shifted } + counter,
            luts: outputs.iter().all(|track| track.runs.len() <= MOST_RUNS).then_some(multiplexers + 3 * counter),
        }
    }
}

/// The ports read later than in the next tick, with the ages.
fn late_inputs(class: &Class) -> BTreeMap<Port, BTreeSet<u32>> {
    let mut inputs: BTreeMap<Port, BTreeSet<u32>> = BTreeMap::new();
    for source in class.sources() {
        if let Source::In { port, age } = source
            && age > 1
        {
            inputs.entry(port).or_default().insert(age);
        }
    }
    inputs
}

/// The last tick in which some output changes its source or comes round again.
fn last_change(outputs: &BTreeSet<&Track>, ticks: u32) -> u32 {
    let end = |track: &Track| match track.repeat_from {
        Some(_) => track.runs.iter().map(|run| run.ticks).sum::<u32>().min(ticks),
        None => ticks - track.runs.last().map_or(0, |run| run.ticks),
    };
    outputs.iter().map(|track| end(track)).max().unwrap_or(0)
}

/// Bits of a counter that reaches `last`.
fn digits(last: u32) -> u32 {
    u32::BITS - last.leading_zeros()
}
