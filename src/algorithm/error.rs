//! Faults of an algorithm that a reader would refuse, or that would not do what it says.

use std::fmt;

use thiserror::Error;

use super::transfers::StepPlace;

/// Place of a fault in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultPlace {
    /// Line of the file, from 1, if it is known.
    pub line: Option<u32>,
    /// Element, field or step.
    pub part: String,
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line.map_or(Ok(()), |line| write!(f, "line {line}, "))?;
        f.write_str(&self.part)
    }
}

impl From<String> for FaultPlace {
    fn from(part: String) -> Self {
        Self { line: None, part }
    }
}

impl From<StepPlace> for FaultPlace {
    fn from(step: StepPlace) -> Self {
        Self { line: (step.line > 0).then_some(step.line), part: step.to_string() }
    }
}

/// Fault of an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileFault {
    /// The text is not of the reader's grammar.
    #[error("line {line}: {what}")]
    Syntax {
        /// Line of the text, from 1.
        line: usize,
        /// Problem of the text.
        what: String,
    },
    /// An element breaks a rule of the reader.
    #[error("{place}: {what}")]
    Rule {
        /// Element of the file.
        place: FaultPlace,
        /// Rule and value.
        what: String,
    },
    /// A step does what it must not.
    #[error("{place}: {what}")]
    Step {
        /// Rank, thread block and step.
        place: FaultPlace,
        /// Problem of the step.
        what: String,
    },
    /// Thread blocks wait for each other.
    #[error("deadlock: {place} waits {what}")]
    Deadlock {
        /// First step that waits.
        place: FaultPlace,
        /// Reason why the step waits.
        what: String,
    },
    /// A rank ends with wrong data.
    #[error("rank {rank}: output chunk {chunk} is wrong")]
    Wrong {
        /// Rank with the wrong output.
        rank: usize,
        /// Index of the chunk in the output.
        chunk: usize,
    },
}

impl FileFault {
    /// Cure that works for every fault of the kind.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Syntax { .. } | Self::Rule { .. } => "write the file anew with `torusweave export`",
            Self::Step { .. } | Self::Deadlock { .. } | Self::Wrong { .. } => {
                "restore the step's peers, offsets and `depid`, or write the file anew with `torusweave export`"
            }
        }
    }

    /// Cure for a file that was not exported here, and is to be a schedule.
    pub fn help_for_schedule(&self) -> &'static str {
        match self {
            Self::Syntax { .. } | Self::Rule { .. } => {
                "write the file as `torusweave export` writes it for MSCCL, RCCL or MSCCL++"
            }
            Self::Step { .. } | Self::Deadlock { .. } | Self::Wrong { .. } => {
                "restore the step's peers, offsets and waits; `torusweave export --check` judges the file alone"
            }
        }
    }
}
