//! Number of hops of a message by each port.

use crate::net::Port;

/// A message and its hops, in any order.
pub struct MessageLoad {
    /// The node it is for, so far from the sender along each axis.
    pub offset: Vec<u32>,
    /// Hops by each port.
    pub loads: Vec<(Port, u32)>,
}

impl MessageLoad {
    /// Hops by all ports.
    pub fn hops(&self) -> u32 {
        self.loads.iter().map(|(_, hops)| hops).sum()
    }
}

/// A message's hops: when, and by which port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The node it is for, so far from the sender along each axis.
    pub offset: Vec<u32>,
    /// Tick and port of each hop, in order.
    pub hops: Vec<(u32, Port)>,
}
