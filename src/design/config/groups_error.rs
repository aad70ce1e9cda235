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
}

impl GroupsError {
    /// Cure that is shown after `help:`.
    pub const HELP: &'static str = "write it like `groups: { axes: [x2] }`, --groups x2, for lines along x2, or like \
                                    `groups: { boxes: [2, 4] }`, --groups 2x4, whose sides divide those of the network";
}
