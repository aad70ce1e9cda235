//! Designs of a config: one, or one for each program of its list.

use super::Design;
use super::config::Config;
use super::engine::{EngineError, Programs};
use super::support::{Unsupported, engines};
use crate::program::joined;

/// Place of a program in the list of its design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Number of the program, from 0.
    pub number: u32,
    /// Number of programs in the list.
    pub of: u32,
}

/// Builds the schedule of every program of a config, one at least.
pub fn schedules(config: Config) -> Result<Vec<Design>, EngineError> {
    if config.programs.is_empty() { Ok(vec![Design::new(config)?]) } else { Programs::designs_of(&config) }
}

/// Selects the programs of a list that have this number or collective; the only one if none is named.
pub fn selected(mut designs: Vec<Design>, named: Option<&str>) -> Result<Vec<Design>, Unsupported> {
    let Some(named) = named else { return Ok(designs) };
    if designs.iter().all(|design| design.listed.is_none()) {
        return Err(engines::NO_LIST.refusal(format!("requires `programs` ({named})")));
    }
    let all = names(&designs);
    designs.retain(|design| {
        let number = design.listed.map_or(0, |listed| listed.number);
        number.to_string() == named || design.config.collective.name() == named
    });
    if designs.is_empty() {
        return Err(engines::NO_PROGRAM.refusal_with(format!("no program of the list ({named})"), format!("say {all}")));
    }
    Ok(designs)
}

/// Selects one program of a list.
pub fn one(designs: Vec<Design>, named: Option<&str>) -> Result<Design, Unsupported> {
    let mut designs = selected(designs, named)?;
    if designs.len() > 1 {
        let problem = match named {
            Some(named) => format!("{} programs of the list ({named})", designs.len()),
            None => format!("required with {} programs (left out)", designs.len()),
        };
        return Err(engines::ONE_PROGRAM.refusal_with(problem, format!("say {}", names(&designs))));
    }
    Ok(designs.remove(0))
}

/// Flags that choose the programs: `--program 0 (gossip)`.
fn names(designs: &[Design]) -> String {
    let name = |(number, design): (u32, &Design)| {
        let number = design.listed.map_or(number, |listed| listed.number);
        format!("--program {number} ({})", design.config.collective)
    };
    joined(&(0..).zip(designs).map(name).collect::<Vec<_>>(), "or")
}
