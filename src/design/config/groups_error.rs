//! Reasons for which nodes are no groups.

use thiserror::Error;

/// Groups that are no networks of their own.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("groups: `{typed}` {reason}; the network is a {network}")]
pub struct GroupsError {
    /// The groups as they were written.
    pub typed: String,
    /// Reason for the refusal.
    pub reason: String,
    /// Description of the network.
    pub network: String,
    /// Groups of this network that would do, in words.
    pub cure: String,
}

impl GroupsError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> &str {
        &self.cure
    }
}
