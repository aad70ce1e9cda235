//! Lower bounds, and what the papers claim.

use crate::torus::Torus;

/// No gossip of `packets` packets a node is faster: each of a node's 2d ports takes in one packet a step, and it must
/// take in `packets` from every other node.
pub fn gossip(torus: &Torus, packets: u16) -> u32 {
    let needed = u64::from(packets) * u64::from(torus.nodes() - 1);
    needed.div_ceil(torus.ports() as u64) as u32
}
