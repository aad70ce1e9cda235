//! A schedule in formats that others execute: packets over links, without ticks.

mod chakra;
mod messages;
mod msccl;

use thiserror::Error;

pub use chakra::chakra;
pub use msccl::msccl;

/// Why there is no such export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ExportError {
    /// Messages to some nodes only.
    #[error("only gossip, reduce-scatter and all-reduce are exported, not {collective}")]
    Collective {
        /// What it is.
        collective: &'static str,
    },
    /// Files of gigabytes, which nobody reads.
    #[error("{messages} packets over links are more than the {most} that are exported")]
    TooMany {
        /// So many.
        messages: u64,
        /// The most there can be.
        most: u64,
    },
    /// A node sends a partial sum more than once.
    #[error("nodes combine some values twice, which others do not do")]
    Twice,
    /// More steps than MSCCL takes.
    #[error("a thread block takes {steps} steps, and MSCCL takes at most {most}")]
    Steps {
        /// So many.
        steps: usize,
        /// The most there can be.
        most: usize,
    },
}

impl ExportError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Collective { .. } => "say --collective gossip, reduce-scatter or all-reduce, or read program.json",
            Self::TooMany { .. } => "choose a smaller network, or fewer packets",
            Self::Twice => "say --operation sum: what is combined how is told to the one who runs it, not in the file",
            Self::Steps { .. } => "choose a smaller network, or --to chakra",
        }
    }
}
