//! Origin of the start of each board in a network of boards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::net::NodeId;

/// Origin of a board's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum BoardStart {
    /// Every board has a start of its own, or calls.
    #[default]
    Own,
    /// The start, or call, of the host's board, the one at the origin, goes to all others over the links, once all are ready.
    Common,
}

impl BoardStart {
    /// Board that the host talks to, if all boards have one start in common.
    pub const HOST: NodeId = NodeId(0);
}
