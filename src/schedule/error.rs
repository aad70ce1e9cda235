//! Error in a schedule's file, with its line.

use std::fmt;

use thiserror::Error;

/// Problem of a schedule, with the line of the file that has it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ScheduleError {
    /// Number of the line, counted from 1; none if no line is to blame.
    pub line: Option<u32>,
    /// Problem, with its values.
    pub problem: String,
    /// Settings or lines that work instead.
    pub help: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

impl ScheduleError {
    pub(super) fn at(line: u32, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::whole(problem, help) }
    }

    pub(super) fn whole(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into(), help: help.into() }
    }
}
