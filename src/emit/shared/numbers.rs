//! Whole numbers as floats, for benches that add them in another order than the fabric, and `templates/tb/floated.v`.

use crate::program::Number;

/// Whole numbers whose sums over all nodes are exact as floats.
pub struct ExactNumbers {
    /// Bits of the fraction.
    pub fraction: u32,
    /// Bits of the fraction, set.
    pub mask: u32,
    /// Exponent of 1.
    pub bias: u32,
    /// Nodes that may have more than zero.
    pub most: u32,
    /// Largest number that a node may have.
    pub largest: u32,
}

impl ExactNumbers {
    /// Numbers for so many nodes; none if values are no floats.
    pub fn of(number: Number, nodes: u32) -> Option<Self> {
        let float = number.float()?;
        let (fraction, exact) = (float.fraction, 1 << (float.fraction + 1));
        let bias = (1 << (float.exponent - 1)) - 1;
        Some(Self { fraction, mask: exact / 2 - 1, bias, most: exact, largest: (exact / nodes).max(1) })
    }
}
