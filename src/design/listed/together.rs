//! Programs of a list that are played at once.

use super::ProgramsError;
use crate::design::config::{Config, ProgramChoice, RootChoice};
use crate::design::support::lists;
use crate::netlist::Results;
use crate::program::Operation;

/// Fails if programs of a list cannot be played at once.
pub(super) fn check(config: &Config) -> Result<(), ProgramsError> {
    for (entry, programs) in config.together()?.into_iter().enumerate() {
        let choices: Vec<&ProgramChoice> = programs.iter().map(|&program| &config.programs[program]).collect();
        if let Some(problem) = problem(config, &choices) {
            return Err(lists::TOGETHER.refusal_of_entry(entry, problem).into());
        }
    }
    Ok(())
}

/// Reason for which some programs cannot be played at once.
fn problem(config: &Config, programs: &[&ProgramChoice]) -> Option<String> {
    if programs.iter().any(|choice| choice.root == Some(RootChoice::Any)) {
        return Some("not supported with `root: any`".to_owned());
    }
    let mut operations: Vec<Operation> = Vec::new();
    for operation in programs.iter().filter_map(|choice| choice.operation) {
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    if let [first, second, ..] = operations[..] {
        return Some(format!("one operation beside another is not supported ({first}, {second})"));
    }
    let refused = [
        (config.bist, "bist: true"),
        (config.local.elements, "local.elements: true"),
        (config.local.results == Results::Memory, "local.results: memory"),
        (config.local.words.get() > 1, "local.words"),
    ];
    refused.iter().find(|(is_set, _)| *is_set).map(|(_, setting)| format!("not supported with `{setting}`"))
}
