//! Outputs that combine by units that take ticks: the operands of each unit, and the loads of the output's register.
//!
//! The first row of units takes the arrivals and the node's own value in the tick in which they are combined. The register loads
//! the result of the last row when all rows are done. In the gather part the register loads at once.

use super::adder::FloatUnit;
use super::bits::bits_for;
use super::drive::{Combine, Drive};
use super::sequence::WordCollector;
use super::units::{Adders, Arm, OperandSlot, UnitPair};
use super::value::{LoadedValue, Own};
use super::wave::LastTicks;
use crate::net::Channel;
use crate::program::{Operand, Program, Reduction, Source, Track};

/// The unit of a program that combines floats.
pub(super) fn unit(program: &Program) -> Option<FloatUnit> {
    let reduction = program.reduction.as_deref()?;
    FloatUnit::of(reduction.number, reduction.operation, reduction.flush, program.adder_ticks())
}

/// Lowers a track that combines by units; `index` is that of its output.
pub(super) fn add(
    track: &Track,
    index: usize,
    is_certain: bool,
    program: &Program,
    reduction: &Reduction,
    words: &mut WordCollector,
) -> Drive {
    let ticks = program.ticks;
    let ahead = program.mixes_forwards();
    let sources: Vec<(u32, Source)> = (1..).zip(track.sources(ticks)).collect();
    let own = LoadedValue::Own(Own { packet: index as u32, through: index as u32 });
    let has_own = |source| matches!(source, Source::Sum { .. } | Source::Own { .. });
    let taken = |&(tick, source): &(u32, Source)| (tick - u32::from(ahead), Some(u32::from(has_own(source))));
    let before = (!ahead).then_some((0, Some(0)));
    let after = ahead.then_some((ticks, Some(0)));
    let takes = words.field(LastTicks::new(before.into_iter().chain(sources.iter().map(taken)).chain(after)), 1);
    let places = sources.iter().map(|&(_, source)| operands(source).len()).max().unwrap_or(0);
    let slots: Vec<OperandSlot> = std::iter::once(OperandSlot { values: vec![own], select: None, is_taken: None })
        .chain((0..places).map(|place| slot(&sources, place, words)))
        .collect();
    let (arms, loads) = loads(&sources, program, reduction);
    let sends = loads.iter().map(|&(tick, arm)| (tick, Some(u32::from(arm.is_some()))));
    let sends = words.field(LastTicks::new(sends), 1);
    let choice = LastTicks::new(loads.iter().copied());
    let from = (arms.len() > 1).then(|| words.field(choice, bits_for(arms.len() as u64)));
    let forwards = arms.iter().filter_map(|arm| if let Arm::Forward(value) = arm { Some(*value) } else { None });
    let mut values: Vec<LoadedValue> = Vec::new();
    for value in slots.iter().flat_map(|slot| slot.values.iter().copied()).chain(forwards) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let rows = UnitPair::rows(slots.len(), program.adder_rows());
    let adders = Adders { ticks: program.adder_ticks(), slots, rows, arms, from };
    let (operation, number) = (reduction.operation, reduction.number);
    let combine = Combine {
        operation,
        others: Vec::new(),
        number,
        takes: Some(takes),
        ahead,
        counts: Vec::new(),
        adders: Some(adders),
    };
    Drive { sends: Some(sends), values, combine: Some(combine), is_certain, ..Drive::default() }
}

fn operands(source: Source) -> Vec<Operand> {
    if let Source::Sum { operands } = source { operands.iter().collect() } else { Vec::new() }
}

fn late(Operand { port, age }: Operand) -> LoadedValue {
    LoadedValue::late(Channel::first(port), age)
}

fn slot(sources: &[(u32, Source)], place: usize, words: &mut WordCollector) -> OperandSlot {
    let mut values: Vec<LoadedValue> = Vec::new();
    let mut number = |operand| {
        let value = late(operand);
        values.iter().position(|&known| known == value).unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        })
    };
    let mut told: Vec<(u32, Option<u32>)> = vec![(0, None)];
    let mut taken: Vec<(u32, Option<u32>)> = vec![(0, None)];
    for &(tick, source) in sources {
        let operand = operands(source).get(place).copied();
        told.push((tick, operand.map(|operand| number(operand) as u32)));
        taken.push((tick, source.is_sum().then(|| u32::from(operand.is_some()))));
    }
    let is_told = taken.iter().any(|&(_, taken)| taken == Some(0));
    let select = (values.len() > 1).then(|| words.field(LastTicks::new(told), bits_for(values.len() as u64)));
    OperandSlot { values, select, is_taken: is_told.then(|| words.field(LastTicks::new(taken), 1)) }
}

/// Values that the register can load, and the one that it loads in each tick from 0 on.
fn loads(sources: &[(u32, Source)], program: &Program, reduction: &Reduction) -> (Vec<Arm>, Vec<(u32, Option<u32>)>) {
    let mut arms: Vec<Arm> = Vec::new();
    let mut loads: Vec<(u32, Option<u32>)> = (0..=program.ticks).map(|tick| (tick, None)).collect();
    for &(tick, source) in sources {
        let (tick, arm) = match source {
            Source::Sum { .. } => (tick + reduction.adding, Arm::Sum { rows: program.adder_rows() }),
            Source::Own { .. } => (tick, Arm::First),
            // values from before the gather part are never read in it
            Source::In { port, age, .. } if tick > reduction.ticks + age + program.latency => {
                (tick, Arm::Forward(late(Operand { port, age })))
            }
            _ => continue,
        };
        let number = arms.iter().position(|&known| known == arm).unwrap_or_else(|| {
            arms.push(arm);
            arms.len() - 1
        });
        // a legal program sends nothing that would leave its units after its last tick
        if let Some(load) = loads.get_mut(tick as usize) {
            load.1 = Some(number as u32);
        }
    }
    (arms, loads)
}
