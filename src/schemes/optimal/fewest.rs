//! The fewest steps of one tree for all nodes of a torus.

/// The fewest steps in which a broadcast tree with distinct labels can reach every node.
///
/// Every step has 2d slots, but on each axis with a side of 2 both ways lead to the same node, so that in step 1 one of
/// its two slots is idle. No tree is faster than the diameter.
pub fn bound(dims: &[u32]) -> u32 {
    let doubled = dims.iter().filter(|&&side| side == 2).count() as u64;
    let diameter: u32 = dims.iter().map(|side| side / 2).sum();
    (nodes(dims) - 1 + doubled).div_ceil(2 * dims.len() as u64).max(u64::from(diameter)) as u32
}

pub fn nodes(dims: &[u32]) -> u64 {
    dims.iter().map(|&side| u64::from(side)).product()
}
