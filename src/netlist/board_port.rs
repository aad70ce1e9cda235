//! Form of the ports of a board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PortClock;

/// Form of the ports of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum BoardPort {
    /// AXI4-Streams of whole frames, for transceivers.
    #[default]
    Stream,
    /// Pins: one wire each way, for frames bit by bit.
    Serial,
    /// AXI4-Streams of whole bytes, for transceivers whose receiver cannot wait.
    Bytes,
}

impl BoardPort {
    /// Bytes of a beat by default: a lane of 64B/66B.
    pub const BYTES: u32 = 8;
}

/// Ports of boards with the clock in which they receive.
#[derive(Clone, Copy, Debug)]
pub struct PortForm {
    /// Form of the ports.
    pub port: BoardPort,
    /// Bytes of a beat, where ports have whole bytes.
    pub bytes: u32,
    /// Clock in which ports receive.
    pub clocks: PortClock,
}

impl Default for PortForm {
    fn default() -> Self {
        Self { port: BoardPort::default(), bytes: BoardPort::BYTES, clocks: PortClock::default() }
    }
}

impl PortForm {
    /// Returns true if ports are streams of frames.
    pub fn is_stream(self) -> bool {
        self.port == BoardPort::Stream
    }

    /// Returns true if frames go over wires, bit by bit.
    pub fn has_pins(self) -> bool {
        self.port == BoardPort::Serial
    }

    /// Returns true if frames are sent in beats of whole bytes.
    pub fn has_beats(self) -> bool {
        self.port == BoardPort::Bytes
    }

    /// Returns true if ports receive in the clocks of their cables.
    pub fn crosses(self) -> bool {
        self.clocks == PortClock::Cable
    }
}
