//! Clock in which the ports of boards receive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clock in which the ports of a board receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum PortClock {
    /// The clock of the board: transceiver cores cross into it.
    #[default]
    Board,
    /// The clock of each incoming cable, an input of its port; a FIFO crosses into the clock of the board.
    Cable,
}
