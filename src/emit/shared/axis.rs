//! Axis of the network by the name and the bits of its coordinates.

use crate::emit::shared::names;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::net::Topology;

/// An axis of the network.
pub struct NetworkAxis {
    /// Name of a coordinate: `x1`.
    pub name: String,
    pub range: BitRange,
    pub bits: u32,
    pub last: u32,
}

impl NetworkAxis {
    pub fn all(topology: &Topology) -> Vec<Self> {
        let axis = |axis: usize| {
            let UpCounter { range, bits, last } = UpCounter::up_to(topology.side(axis) - 1);
            Self { name: names::coordinate(axis), range, bits, last }
        };
        (0..topology.axes()).map(axis).collect()
    }
}
