//! How many LUTs of four inputs abc takes for the logic that routers and tables are made of.

/// The AND or OR of so many inputs: each LUT after the first brings three more.
pub fn gate(inputs: u32) -> u64 {
    u64::from(inputs.saturating_sub(1).div_ceil(3))
}

/// Whether two numbers of so many bits are equal: a LUT compares two bits of each.
pub fn equality(bits: u32) -> u64 {
    let pairs = bits.div_ceil(2);
    u64::from(pairs) + gate(pairs)
}

/// A counter that is cleared and stops at its last count: the sum of each bit and its carry, and the comparison with the
/// last count, which with the clearing makes the clock enable.
pub fn stopping_counter(bits: u32) -> u64 {
    u64::from(bits) + gate(bits + 1)
}

/// A bit of one of several sources by a binary select. Four sources take two LUTs: the first, which sees both bits of the
/// select, tells the second by a constant which of the other two to take. More are multiplexers of four, and one of them.
pub fn multiplexer(sources: usize) -> u64 {
    match sources {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => 2,
        more => {
            let groups = more.div_ceil(4);
            2 * (more / 4) as u64 + multiplexer(more % 4) + multiplexer(groups)
        }
    }
}

/// A bit of one of several sources by a table's select of so many bits. Where one choice of five is to send nothing, four
/// sources still need three bits of the select, and one LUT more.
pub fn chosen(sources: usize, select: u32) -> u64 {
    multiplexer(sources) + u64::from(sources <= 4 && select > 2)
}

/// What an output by time looks at.
pub struct Timing<'t> {
    /// Bits of the counter.
    pub bits: u32,
    /// The counts at which it changes.
    pub changes: &'t [u32],
    /// How many of its sources are the node's own packets.
    pub own: usize,
}

impl Timing<'_> {
    /// A word of one of several sources in the order of time.
    pub fn word(&self, sources: usize, width: u64) -> u64 {
        // bits of the counter below those that any change depends on
        let idle = self.changes.iter().map(|change| change.trailing_zeros()).min().unwrap_or(0);
        match sources {
            0 | 1 => 0,
            2 => width,
            // two bits of the counter are a binary select; outputs that begin alike share one LUT in eight
            _ if self.bits.saturating_sub(idle) <= 2 => multiplexer(sources) * width * 7 / 8,
            // a comparison is one LUT if the counter has four bits; between two own packets it is off the critical path
            3 if self.bits == 4 || self.own > 1 => 2 * width,
            // else abc takes the comparisons apart, to have all sources equally deep
            3 | 4 => 3 * width,
            more => (more as u64 - 1) * width,
        }
    }
}

/// Comparisons of a counter of so many bits with as many counts: up to four bits a LUT each, more a carry chain, whose
/// inverted inputs they share, and a LUT at either end.
pub fn comparisons(bits: u32, counts: usize) -> u64 {
    let counts = counts as u64;
    if bits <= 4 { counts } else { u64::from(bits) - 1 + 2 * counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplexers_grow_by_groups_of_four() {
        let luts: Vec<u64> = (1..=9).map(multiplexer).collect();
        assert_eq!(luts, [0, 1, 2, 2, 3, 4, 5, 5, 6]);
        assert_eq!([chosen(4, 2), chosen(4, 3), chosen(5, 3)], [2, 3, 3]);
    }

    #[test]
    fn gates_and_comparisons_are_trees() {
        assert_eq!([1, 2, 4, 5, 7, 8].map(gate), [0, 1, 1, 2, 2, 3]);
        assert_eq!([1, 2, 4, 8].map(equality), [1, 1, 3, 5]);
    }
}
