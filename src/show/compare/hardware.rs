//! What a program takes as RTL, by rule: registers, delay lines, stores. Measured beside it in `docs/compare.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::net::Port;
use crate::program::{Class, Program, Source, Track};

/// Deeper delay lines are rings in memory rather than shift registers.
const SHIFTED: u32 = 32;

/// An output with more runs than this is told what to do by a table, which all nodes of the class share.
const MOST_RUNS: usize = 8;

/// With a table, more different delayed inputs than this are read from a store instead of delay lines.
const MOST_TAPS: usize = 8;

/// A store gives an arrival no sooner than it is older than this.
const YOUNG: u32 = 2;

/// What a program takes as RTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Bits of delay lines in the node that has most: data and valid bits, age - 1 ticks of each port read late.
    pub delay_bits: u64,
    /// Words of the stores in the node that has most: one a tick, for each port read late.
    pub store_words: u64,
    /// Flip-flops of all routers: output registers (outputs that always agree share one), delay lines of up to 32 ticks,
    /// the tick counter. The table, once for all nodes, is not among them.
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
        let outputs: BTreeSet<&Track> = class.outputs.iter().filter(|track| !track.is_idle()).collect();
        let has_table = outputs.iter().any(|track| track.runs.len() > MOST_RUNS);
        let late = late_inputs(class);
        let is_stored = has_table && too_many_for_delay_lines(&late);
        let lines = |deepest: u32| -> u64 {
            let ages = late.values().filter_map(|ages| ages.range(..=deepest).last());
            ages.map(|&age| u64::from(age - 1) * word).sum()
        };
        let stores = late.values().filter(|ages| is_stored && ages.last() > Some(&YOUNG)).count() as u64;
        let changes = !class.is_time_independent(program.ticks, program.flits);
        let counts = if changes && !has_table { digits(last_change(&outputs, program.ticks)) } else { 0 };
        let counter = u64::from(counts);
        let multiplexers: u64 = outputs.iter().map(|track| selected(track) * word).sum();
        Self {
            delay_bits: lines(if is_stored { YOUNG } else { u32::MAX }),
            store_words: stores * u64::from(program.ticks),
            flip_flops: outputs.len() as u64 * word + lines(if is_stored { YOUNG } else { SHIFTED }) + counter,
            luts: (!has_table).then_some(multiplexers + 3 * counter),
        }
    }
}

/// How many times an output chooses between two sources that send something.
fn selected(track: &Track) -> u64 {
    let sources = track.runs.iter().map(|run| run.source).filter(|&source| source != Source::Idle);
    sources.collect::<BTreeSet<_>>().len().saturating_sub(1) as u64
}

fn too_many_for_delay_lines(late: &BTreeMap<Port, BTreeSet<u32>>) -> bool {
    let mut ages = late.values().flatten().filter(|&&age| age > YOUNG);
    ages.clone().count() > MOST_TAPS || ages.any(|&age| age > SHIFTED)
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
