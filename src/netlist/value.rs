//! Place of a source in a router: a wire, a delay line, a ring buffer, or a store.

use crate::net::{Channel, Ports};
use crate::program::Source;

/// Delay lines up to this age are shift registers, deeper ones rings in memory.
pub(super) const SHIFTED: u32 = 32;

/// Packets of the node's own that go out one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Own {
    /// First packet of the range.
    pub packet: u32,
    /// Last packet of the range.
    pub through: u32,
}

/// Value that an output can load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadedValue {
    /// Packets of the node's own.
    Own(Own),
    /// Value that the output prefetched one tick ahead.
    Early,
    /// The packet of the node's own that its configuration names for the output.
    Packet,
    /// Input that the configuration selects for the output.
    Route,
    /// Arrival of the last tick.
    Wire {
        /// Input of the arrival.
        input: Channel,
    },
    /// The one flit that arrived last at any of some inputs.
    Any {
        /// Inputs, on their first lanes.
        ports: Ports,
    },
    /// A stage of a delay line in shift registers.
    Line {
        /// Input of the delay line.
        input: Channel,
        /// Age in ticks, at least 2.
        age: u32,
    },
    /// The end of a delay line in memory.
    Ring {
        /// Input of the ring.
        input: Channel,
        /// Age of the arrival in ticks.
        age: u32,
    },
    /// Output of an input's store, for the slot that the word named one tick ago.
    Store {
        /// Input of the store.
        input: Channel,
    },
}

impl LoadedValue {
    /// Copies the value for another input.
    pub(super) fn at(self, input: Channel) -> Self {
        match self {
            Self::Wire { .. } => Self::Wire { input },
            Self::Line { age, .. } => Self::Line { input, age },
            Self::Ring { age, .. } => Self::Ring { input, age },
            other => other,
        }
    }

    /// Value of a source where there is no store; `None` for an idle source.
    pub(super) fn of(source: Source) -> Option<Self> {
        Some(match source {
            // a sum is not a single value, see `combine`
            Source::Idle | Source::Sum { .. } => return None,
            Source::Own { packet, through } => Self::Own(Own { packet, through }),
            Source::Any { ports } => Self::Any { ports },
            Source::In { port, lane, age } => Self::late(Channel { port, lane }, age),
        })
    }

    /// Value of an arrival of `age` ticks ago, at least 1.
    pub(super) fn late(input: Channel, age: u32) -> Self {
        match age {
            1 => Self::Wire { input },
            age if age <= SHIFTED => Self::Line { input, age },
            age => Self::Ring { input, age },
        }
    }

    /// Value one tick earlier; `None` if it has not arrived then.
    pub(super) fn ahead(self) -> Option<Self> {
        match self {
            Self::Own(_) => Some(self),
            Self::Line { input, age } | Self::Ring { input, age } => Some(Self::late(input, age - 1)),
            Self::Early | Self::Packet | Self::Route | Self::Wire { .. } | Self::Any { .. } | Self::Store { .. } => {
                None
            }
        }
    }

    /// The inputs it can have arrived at.
    pub fn inputs(self) -> Vec<Channel> {
        match self {
            Self::Own(_) | Self::Early | Self::Packet | Self::Route => Vec::new(),
            Self::Any { ports } => ports.iter().map(Channel::first).collect(),
            Self::Wire { input } | Self::Line { input, .. } | Self::Ring { input, .. } | Self::Store { input } => {
                vec![input]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    #[test]
    fn a_delay_deeper_than_32_is_a_ring() {
        let input = Channel::first(Port::plus(1));
        let at = |age| LoadedValue::of(Source::input(input.port, age)).unwrap();
        assert_eq!([at(1), at(2)], [LoadedValue::Wire { input }, LoadedValue::Line { input, age: 2 }]);
        assert_eq!([at(32), at(33)], [LoadedValue::Line { input, age: 32 }, LoadedValue::Ring { input, age: 33 }]);
        assert_eq!([at(1), at(2), at(33)].map(LoadedValue::ahead), [None, Some(at(1)), Some(at(32))]);
        assert!((1..100).all(|age| at(age).inputs() == [input]));
    }
}
