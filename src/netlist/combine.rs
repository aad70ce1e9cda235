//! Combining at an output: the operands of its register, and the control bits that select the valid ones.
//!
//! A register that sends nothing holds the operation's neutral value, so an input from which nothing arrives needs no mask. A mask
//! is needed only for arrivals meant for another output, and for flits left from an earlier run.

use std::collections::BTreeSet;

use super::bits::WordField;
use super::drive::{Combine, Drive};
use super::sequence::WordCollector;
use super::value::{LoadedValue, Own};
use super::wave::LastTicks;
use crate::net::{Channel, Port};
use crate::program::{Class, ClassId, Operand, Program, Reduction, Source, Track};

/// Knowledge of inputs that receive nothing, so that nothing has to be masked.
pub(super) struct Silence<'p> {
    program: &'p Program,
    /// by port, the classes at the other ends of the links
    beyond: Vec<BTreeSet<ClassId>>,
}

impl<'p> Silence<'p> {
    /// Silence of the inputs of every class.
    pub fn all(program: &'p Program) -> Vec<Self> {
        let ports = program.topology.ports();
        let nothing = |_: &Class| Self { program, beyond: vec![BTreeSet::new(); ports] };
        let mut all: Vec<Self> = program.classes.iter().map(nothing).collect();
        for node in program.topology.node_ids() {
            let beyond = &mut all[program.class_of[node.index()].index()].beyond;
            for (port, beyond) in program.topology.port_ids().zip(beyond) {
                let there = program.topology.step(node, port);
                beyond.extend(there.map(|there| program.class_of[there.index()]));
            }
        }
        all
    }

    /// Returns true if nothing arrives at this port in a tick. Outputs are idle when the first tick begins, but long
    /// links may still deliver earlier sends.
    fn holds(&self, port: Port, tick: u32) -> bool {
        let Some(tick) = tick.checked_sub(self.program.latency - 1) else { return false };
        let is_silent = |class: &ClassId| {
            let output = &self.program.classes[class.index()].outputs[port.opposite().index()];
            tick == 0 || output.source_at(tick) == Source::Idle
        };
        self.beyond[port.index()].iter().all(is_silent)
    }
}

/// Lowers a track that combines; `index` is that of its output.
pub(super) fn combine(
    track: &Track,
    index: usize,
    is_certain: bool,
    reduction: &Reduction,
    silence: &Silence,
    words: &mut WordCollector,
) -> Drive {
    let ticks = silence.program.ticks;
    let sources: Vec<(u32, Source)> = (1..).zip(track.sources(ticks)).collect();
    let mut operands: Vec<Operand> = sources.iter().flat_map(|&(_, source)| arriving(source)).collect();
    operands.sort_unstable();
    operands.dedup();
    let has_own = |source| matches!(source, Source::Sum { .. } | Source::Own { .. });
    let mut told = |is_so: fn(Source) -> bool| {
        let told = |&(tick, source): &(u32, Source)| (tick, Some(u32::from(is_so(source))));
        words.field(
            LastTicks::new([(0, Some(u32::from(is_so(Source::Idle))))].into_iter().chain(sources.iter().map(told))),
            1,
        )
    };
    let (sends, rests) = (told(|source| source != Source::Idle), told(|source| source == Source::Idle));
    // a forwarded value leaves without the node's own
    let ahead = silence.program.mixes_forwards();
    let taken = |&(tick, source): &(u32, Source)| (tick - u32::from(ahead), Some(u32::from(has_own(source))));
    let before = (!ahead).then_some((0, Some(0)));
    let after = ahead.then_some((ticks, Some(0)));
    let takes = before.into_iter().chain(sources.iter().map(taken)).chain(after);
    let takes = words.field(LastTicks::new(takes), 1);
    let counts = operands.iter().map(|&operand| counts(&sources, operand, reduction.ticks, silence, words)).collect();
    let own = LoadedValue::Own(Own { packet: index as u32, through: index as u32 });
    let late = |&Operand { port, age }: &Operand| LoadedValue::late(Channel::first(port), age);
    let values = [own].into_iter().chain(operands.iter().map(late)).collect();
    let (operation, number) = (reduction.operation, reduction.number);
    let combine = Combine { operation, others: Vec::new(), number, takes: Some(takes), ahead, counts, adders: None };
    Drive { sends: Some(sends), rests: Some(rests), values, combine: Some(combine), is_certain, ..Drive::default() }
}

fn arriving(source: Source) -> Vec<Operand> {
    match source {
        Source::Sum { operands } => operands.iter().collect(),
        Source::In { port, age, .. } => vec![Operand { port, age }],
        Source::Idle | Source::Own { .. } | Source::Any { .. } => Vec::new(),
    }
}

/// The bit that says when an arrival counts; none if it may always.
fn counts(
    sources: &[(u32, Source)],
    operand: Operand,
    reduced: u32,
    silence: &Silence,
    words: &mut WordCollector,
) -> Option<WordField> {
    let counts = |&(tick, source): &(u32, Source)| {
        let part = if tick > reduced { reduced + 1 } else { 0 };
        let is_asked = tick > part + operand.age && arriving(source).contains(&operand);
        // silent outputs hold the neutral element; values from before the program are arbitrary
        let then = tick.checked_sub(operand.age);
        let is_free = source == Source::Idle || then.is_some_and(|then| silence.holds(operand.port, then));
        let counts = if is_asked || !is_free { Some(u32::from(is_asked)) } else { None };
        (tick, counts)
    };
    let stretches: Vec<(u32, Option<u32>)> = sources.iter().map(counts).collect();
    let is_told = stretches.iter().any(|&(_, counts)| counts == Some(0));
    is_told.then(|| words.field(LastTicks::new([(0, None)].into_iter().chain(stretches)), 1))
}
