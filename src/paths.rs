//! Paths of packets: cycles, broadcast trees, and the supply of nodes off a cycle.

pub mod cover;
pub mod moves;
pub mod rooted;
pub mod supply;
pub mod tree;
pub mod weave;
