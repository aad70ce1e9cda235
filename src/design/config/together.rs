//! `together:` of a config: programs of its list that are played at once.

use thiserror::Error;

use super::{Config, ConfigError};

/// Programs that cannot be together, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("together[{entry}]: {reason}")]
pub struct TogetherError {
    /// Number of the entry.
    pub entry: usize,
    /// Reason for the refusal.
    pub reason: String,
}

impl TogetherError {
    /// Cure that is shown after `help:`.
    pub const HELP: &'static str =
        "write it like `together: [[0, 1]]`, with the numbers of two programs of the list or more, counted from 0";
}

impl Config {
    /// Numbers of the programs that are played at once, each list in the order of their words.
    pub fn together(&self) -> Result<Vec<Vec<usize>>, ConfigError> {
        let numbers = |(entry, typed): (usize, &Vec<u32>)| {
            let fault = |reason: String| Err(TogetherError { entry, reason }.into());
            let mut programs = Vec::new();
            for &number in typed {
                if number as usize >= self.programs.len() {
                    return fault(format!("program {number} is not in the list of {}", self.programs.len()));
                }
                if programs.contains(&(number as usize)) {
                    return fault(format!("program {number} is there twice"));
                }
                programs.push(number as usize);
            }
            if programs.len() < 2 { fault(format!("names {} of the programs", programs.len())) } else { Ok(programs) }
        };
        self.together.iter().enumerate().map(numbers).collect()
    }
}
