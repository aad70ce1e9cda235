//! Reasons for which programs are not together.

use thiserror::Error;

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
