//! A program with a fault in every class: a proof that does not see it proves nothing.

use std::collections::BTreeSet;

use crate::net::Channel;
use crate::program::{Class, Operand, Operands, Program, Source, Track};

/// The program with a fault in each class that can have one of this kind: two inputs change places, or the only one is read
/// a tick too late. Routers may lose ports by it: an output that forwards nothing any more is none.
pub fn faulty(program: &Program) -> Program {
    let mut classes: Vec<Class> =
        program.classes.iter().map(|class| faulty_class(class).unwrap_or_else(|| class.clone())).collect();
    classes.iter_mut().flat_map(|class| &mut class.outputs).for_each(silence_empty_reads);
    Program { classes, ..program.clone() }
}

/// Makes runs idle that end before what they read can have arrived: the rest of the pipeline takes a program without such runs.
fn silence_empty_reads(track: &mut Track) {
    let once = track.repeat_from.unwrap_or(track.runs.len());
    let mut last = 0;
    for run in &mut track.runs[..once] {
        last += run.ticks;
        if matches!(run.source, Source::In { age, .. } if age >= last) {
            run.source = Source::Idle;
        }
    }
}

/// Puts a fault into a class; `None` if the class reads nothing.
fn faulty_class(class: &Class) -> Option<Class> {
    let read: BTreeSet<Channel> = class.sources().into_iter().flat_map(Source::inputs).collect();
    let inputs: Vec<Channel> = read.into_iter().collect();
    let wrong = |here: Channel, age: u32| match inputs.as_slice() {
        &[one, other, ..] if here == one => (other, age),
        &[one, other, ..] if here == other => (one, age),
        [_] => (here, age + 1),
        _ => (here, age),
    };
    let exchanged = with_other_inputs(class, wrong);
    let late = || with_other_inputs(class, |here, age| (here, age + 1));
    let is_fault = |faulty: &Class| in_order(faulty) != in_order(class);
    Some(exchanged).filter(is_fault).or_else(|| Some(late())).filter(is_fault)
}

/// The class with sorted operands: exchanging two of them does not change a commutative combination.
fn in_order(class: &Class) -> Class {
    let mut class = class.clone();
    for run in class.outputs.iter_mut().flat_map(|track| &mut track.runs) {
        if let Source::Sum { operands } = run.source {
            let mut sorted: Vec<Operand> = operands.iter().collect();
            sorted.sort_unstable_by_key(|operand| (operand.port, operand.age));
            run.source = Source::Sum { operands: Operands::of(sorted) };
        }
    }
    class
}

/// The class with everything that it reads somewhere else, or at another age.
fn with_other_inputs(class: &Class, other: impl Fn(Channel, u32) -> (Channel, u32)) -> Class {
    let mut faulty = class.clone();
    for run in faulty.outputs.iter_mut().flat_map(|track| &mut track.runs) {
        run.source = match run.source {
            Source::In { port, lane, age } => {
                let (Channel { port, lane }, age) = other(Channel { port, lane }, age);
                Source::In { port, lane, age }
            }
            Source::Sum { operands } => Source::Sum {
                operands: Operands::of(operands.iter().map(|operand| {
                    let (Channel { port, .. }, age) = other(Channel::first(operand.port), operand.age);
                    Operand { port, age }
                })),
            },
            source => source,
        };
    }
    faulty
}

/// Returns true if a class has a fault in the faulty program.
pub fn is_faulty(class: &Class) -> bool {
    faulty_class(class).is_some()
}
