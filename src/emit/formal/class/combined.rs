//! Outputs that combine: the value that each must hold, and when. A unit that takes ticks is any function of two values.

use std::collections::BTreeSet;

use crate::emit::fabric::{self, Neutral};
use crate::emit::formal::class::Ticks;
use crate::emit::formal::combine_module::CombineModule;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::net::{Channel, NodeId};
use crate::netlist::Router;
use crate::program::{ClassId, Program, Source};

/// Value beside which the results of units stay themselves, for programs with units.
pub fn neutral(program: &Program) -> Option<Neutral> {
    let reduction = program.reduction.as_ref().filter(|_| program.adder_ticks() > 0)?;
    Some(Neutral::of(reduction.operation, reduction.number))
}

/// Module in the place of that of the units, and the name of each unit in a flat question.
pub fn placed(
    design: &EmitDesign,
    built: &Program,
    router: &Router,
    node: NodeId,
) -> Option<(CombineModule, Vec<String>)> {
    let program = design.program;
    let neutral = neutral(built)?;
    let instance = names::instance(&program.topology, node);
    let names = fabric::units(program.topology.axes(), router).into_iter();
    let names = names.map(|unit| format!("{}.{instance}.{unit}", super::FABRIC)).collect();
    Some((CombineModule::new(names::unit(program), built.adder_ticks(), neutral), names))
}

/// Ticks in which a class has operands of its units at an input; each has left a unit of a neighbour.
pub fn settled(program: &Program, class: ClassId, input: Channel) -> Vec<Ticks> {
    let mut spans = Vec::new();
    for span in program.classes[class.index()].outputs.iter().flat_map(|track| track.spans(program.ticks)) {
        let Source::Sum { operands } = span.source else { continue };
        let at_input = operands.iter().filter(|operand| operand.port == input.port && input.lane == 0);
        let spans_of = at_input.map(|operand| (span.first.saturating_sub(operand.age), span.last - operand.age));
        spans.extend(spans_of);
    }
    spans.sort_unstable();
    spans.dedup();
    spans.into_iter().map(|(first, last)| Ticks { first, last }).collect()
}

/// When nothing arrives at an input, whichever node of the class it is at.
pub fn silent(design: &EmitDesign, class: ClassId, input: Channel) -> Vec<Ticks> {
    let program = design.program;
    let nodes = program.topology.node_ids().filter(|node| program.class_of[node.index()] == class);
    let beyond = nodes.filter_map(|node| program.arriving(node, input)).map(|register| {
        let (there, output) = program.owner(register);
        (program.class_of[there.index()].index(), program.output_index(output))
    });
    let beyond: BTreeSet<(usize, usize)> = beyond.collect();
    let sources = |(class, output): (usize, usize)| {
        let spans = program.loaded(&program.classes[class].outputs[output]).into_iter();
        spans.flat_map(|span| (span.first..=span.last).map(move |_| span.source))
    };
    let mut is_silent = vec![true; program.ticks as usize];
    for sender in beyond {
        is_silent.iter_mut().zip(sources(sender)).for_each(|(silent, source)| *silent &= source == Source::Idle);
    }
    let mut spans: Vec<Ticks> = Vec::new();
    for tick in (1..).zip(is_silent).filter_map(|(tick, silent)| silent.then_some(tick)) {
        match spans.last_mut() {
            Some(span) if span.last + 1 == tick => span.last = tick,
            _ => spans.push(Ticks { first: tick, last: tick }),
        }
    }
    spans
}
