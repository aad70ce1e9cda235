//! Capabilities of a link in one tick.

use super::{Duplex, Program};

/// Capabilities of a link in one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// True if both ends may send at once.
    pub duplex: Duplex,
    /// Number of flits an end sends at once.
    pub lanes: u8,
    /// Ticks from when a flit is sent until it can be sent on: 1, if it can in the next. A scheme counts in steps of a packet.
    pub latency: u32,
}

impl Default for Link {
    fn default() -> Self {
        Self { duplex: Duplex::Full, lanes: 1, latency: 1 }
    }
}

impl Link {
    /// A half-duplex link.
    pub const fn half(lanes: u8) -> Self {
        Self { duplex: Duplex::Half, lanes, latency: 1 }
    }

    /// Describes the links, for example `half-duplex links of 2 lanes`.
    pub fn describe(self) -> String {
        let lanes = super::count(self.lanes.into(), "lane");
        let links = match self.duplex {
            Duplex::Full | Duplex::Half => format!("{}-duplex links of {lanes}", self.duplex),
            Duplex::Pads => format!("half-duplex links of {lanes}, silent before they turn"),
            Duplex::OneWay => format!("one-way links of {lanes}"),
        };
        match self.latency {
            1 => links,
            latency => format!("{links}, {latency} ticks long"),
        }
    }
}

impl Program {
    /// The links it needs.
    pub fn link(&self) -> Link {
        Link { duplex: self.duplex, lanes: self.lanes, latency: self.latency }
    }
}
