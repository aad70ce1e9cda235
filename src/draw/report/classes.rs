//! The rule of each class, and which nodes follow it, in words.

use crate::program::{Class, ClassId, Program, Source, Track, output_name};
use crate::study::region;

/// Classes the page spells out; program.txt has the rest.
const CLASSES_SHOWN: usize = 40;
/// Classes that are open to begin with.
const CLASSES_OPEN: usize = 4;
/// Runs of an output the page spells out.
const RUNS_SHOWN: usize = 8;

/// Rule of one class.
pub(super) struct ClassRule {
    pub(super) name: String,
    pub(super) nodes: String,
    pub(super) region: String,
    pub(super) outputs: Vec<OutputRule>,
    pub(super) open: bool,
}

/// Rule of an output.
pub(super) struct OutputRule {
    pub(super) port: String,
    pub(super) rule: String,
}

/// The classes, and a sentence on how many they are.
pub(super) fn rules(program: &Program) -> (Vec<ClassRule>, String) {
    let classes = program.classes.len();
    let regions = region::regions(&program.topology, &program.class_of, classes);
    let few = classes <= CLASSES_OPEN;
    let rules = program.classes.iter().zip(regions).enumerate().take(CLASSES_SHOWN).map(|(index, (class, region))| {
        let nodes = if region.size() == 1 { "1 node".to_owned() } else { format!("{} nodes", region.size()) };
        let (name, region) = (program.class_name(ClassId(index as u32)), region.to_string());
        let outputs = outputs(program, class).into_iter().chain(results(program, index)).collect();
        ClassRule { name, nodes, region, outputs, open: few }
    });
    let note = match classes {
        1 => "All nodes do the same.".to_owned(),
        _ if classes > CLASSES_SHOWN => {
            format!("Nodes of one class do the same. The first {CLASSES_SHOWN} of {classes}; program.txt has all.")
        }
        _ => "Nodes of one class do the same.".to_owned(),
    };
    (
        rules.collect(),
        format!("{note} A run of a source lasts as many ticks as it says; an input is named by its port."),
    )
}

fn outputs(program: &Program, class: &Class) -> Vec<OutputRule> {
    let axes = program.topology.axes();
    let rule =
        |(channel, track)| OutputRule { port: output_name(axes, program.lanes, channel), rule: shortened(track, axes) };
    program.channels().zip(&class.outputs).map(rule).collect()
}

/// Rules that complete the own values of a class, for reductions.
fn results(program: &Program, class: usize) -> Vec<OutputRule> {
    let Some(reduction) = &program.reduction else { return Vec::new() };
    let rule = |operands| Source::Sum { operands }.describe(program.topology.axes());
    let results = reduction.results[class].iter().enumerate();
    let result = |(packet, &operands)| OutputRule {
        port: format!("result {packet}"),
        rule: format!("{}, read after tick {}", rule(operands), reduction.ticks),
    };
    results.map(result).collect()
}

fn shortened(track: &Track, axes: usize) -> String {
    match track.runs.len() {
        runs if runs <= RUNS_SHOWN => track.describe(axes),
        runs => {
            let first = Track { runs: track.runs[..RUNS_SHOWN].to_vec(), repeat_from: None, inject: track.inject };
            format!("{}, and {} more runs; program.txt has them all", first.describe(axes), runs - RUNS_SHOWN)
        }
    }
}
