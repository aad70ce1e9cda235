//! Where in a router a source is found: on wires, in a delay line, in a ring, in a store.

use crate::net::Port;
use crate::program::Source;

/// Delay lines up to this age are shift registers, deeper ones rings in memory.
pub(super) const SHIFTED: u32 = 32;

/// What an output can load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing: the output becomes invalid, its data stays.
    Nothing,
    /// A packet of the node's own.
    Own {
        /// Which.
        packet: u32,
    },
    /// What arrived last.
    Wire {
        /// Where.
        port: Port,
    },
    /// A stage of a delay line in shift registers.
    Line {
        /// Where it arrived.
        port: Port,
        /// How many ticks ago, at least 2.
        age: u32,
    },
    /// The end of a delay line in memory.
    Ring {
        /// Where it arrived.
        port: Port,
        /// How many ticks ago.
        age: u32,
    },
    /// What the store of an input gives for the slot that the table named a tick ago.
    Store {
        /// Where it arrived.
        port: Port,
    },
}

impl Value {
    /// Where a source is found if there is no store.
    pub(super) fn of(source: Source) -> Self {
        match source {
            Source::Idle => Self::Nothing,
            Source::Own { packet, .. } => Self::Own { packet },
            Source::In { port, age: 1, .. } => Self::Wire { port },
            Source::In { port, age, .. } if age <= SHIFTED => Self::Line { port, age },
            Source::In { port, age, .. } => Self::Ring { port, age },
            Source::Any { .. } => todo!(),
        }
    }

    /// The input it arrived at, if it did.
    pub fn input(self) -> Option<Port> {
        match self {
            Self::Nothing | Self::Own { .. } => None,
            Self::Wire { port } | Self::Line { port, .. } | Self::Ring { port, .. } | Self::Store { port } => {
                Some(port)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_deeper_than_32_is_a_ring() {
        let port = Port::plus(1);
        let at = |age| Value::of(Source::input(port, age));
        assert_eq!([at(1), at(2)], [Value::Wire { port }, Value::Line { port, age: 2 }]);
        assert_eq!([at(32), at(33)], [Value::Line { port, age: 32 }, Value::Ring { port, age: 33 }]);
        assert!((1..100).all(|age| at(age).input() == Some(port)));
    }
}
