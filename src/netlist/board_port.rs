//! Form of the ports of a board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Form of the ports of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BoardPort {
    /// AXI4-Streams of whole frames, for transceivers.
    #[default]
    Stream,
    /// Pins beside that, in a module around the board: one wire each way, for frames bit by bit.
    Serial,
    /// AXI4-Streams of whole bytes beside that, in a module around the board, for transceivers whose receiver cannot wait.
    Bytes,
}

impl BoardPort {
    /// Bytes of a beat by default: a lane of 64B/66B.
    pub const BYTES: u32 = 8;
}
