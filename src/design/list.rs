//! Designs of a config: one, or one for each program of its list.

use thiserror::Error;

use super::config::Config;
use super::listed::{Programs, ProgramsError};
use super::{Design, DesignError};
use crate::program::joined;

/// Why a list has no such program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// The config has one collective and no list.
    #[error("--program: requires `programs` ({named})")]
    NoList {
        /// Program that was named.
        named: String,
    },
    /// No program has the name.
    #[error("--program: no program of the list ({named})")]
    Absent {
        /// Program that was named.
        named: String,
        /// Flags that name the programs of the list.
        all: String,
    },
    /// Several programs have the name.
    #[error("--program: must name one of {found} programs ({named})")]
    Several {
        /// Program that was named.
        named: String,
        /// Number of programs with the name.
        found: usize,
        /// Flags that name them.
        all: String,
    },
}

impl ListError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::NoList { .. } => "leave --program out: there is one schedule".to_owned(),
            Self::Absent { all, .. } | Self::Several { all, .. } => format!("say {all}"),
        }
    }
}

/// Builds the schedule of every program of a config, one at least.
pub fn schedules(config: Config) -> Result<Vec<Design>, ProgramsError> {
    schedules_by(config, Design::new)
}

/// Builds the schedule of every program of a config, one at least; one that is no list is built by `build`.
pub fn schedules_by(
    config: Config,
    build: impl FnOnce(Config) -> Result<Design, DesignError>,
) -> Result<Vec<Design>, ProgramsError> {
    let config = config.as_list();
    if config.programs.is_empty() { Ok(vec![build(config)?]) } else { Programs::designs_of(&config) }
}

/// Selects the programs of a list that have this number or collective; all if none is named.
pub fn selected(mut designs: Vec<Design>, named: Option<&str>) -> Result<Vec<Design>, ListError> {
    let Some(named) = named else { return Ok(designs) };
    if designs.iter().all(|design| design.listed.is_none()) {
        return Err(ListError::NoList { named: named.to_owned() });
    }
    let all = names(&designs);
    designs.retain(|design| number(design).to_string() == named || design.config.collective.name() == named);
    if designs.is_empty() { Err(ListError::Absent { named: named.to_owned(), all }) } else { Ok(designs) }
}

/// Selects one program of a list; the only one if none is named.
pub fn one(designs: Vec<Design>, named: Option<&str>) -> Result<Design, ListError> {
    let mut designs = selected(designs, named)?;
    if designs.len() > 1 {
        let named = named.unwrap_or("left out").to_owned();
        return Err(ListError::Several { named, found: designs.len(), all: names(&designs) });
    }
    Ok(designs.remove(0))
}

/// Number of a program in its list.
fn number(design: &Design) -> u32 {
    design.listed.map_or(0, |listed| listed.number)
}

/// Flags that choose the programs: `--program 0 (gossip)`.
fn names(designs: &[Design]) -> String {
    let name = |design: &Design| format!("--program {} ({})", number(design), design.config.collective);
    joined(&designs.iter().map(name).collect::<Vec<_>>(), "or")
}

/// Name of a design, with the number of its program in a list.
pub fn title(design: &Design) -> String {
    let name = &design.program.title.name;
    design.listed.map_or_else(|| name.clone(), |listed| format!("{name} program {}", listed.number))
}
