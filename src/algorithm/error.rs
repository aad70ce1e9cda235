//! Faults of an algorithm that a reader would refuse, or that would not do what it says.

use thiserror::Error;

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
        place: String,
        /// Rule and value.
        what: String,
    },
    /// A step does what it must not.
    #[error("{place}: {what}")]
    Step {
        /// Line, rank, thread block and step.
        place: String,
        /// Problem of the step.
        what: String,
    },
    /// Thread blocks wait for each other.
    #[error("deadlock: {place} waits {what}")]
    Deadlock {
        /// First step that waits.
        place: String,
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
