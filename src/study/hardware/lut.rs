//! LUTs of four inputs that abc takes for the logic of routers and tables.

/// The AND or OR of so many inputs: each LUT after the first brings three more.
pub fn gate(inputs: u32) -> u64 {
    u64::from(inputs.saturating_sub(1).div_ceil(3))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplexers_grow_by_groups_of_four() {
        let luts: Vec<u64> = (1..=9).map(multiplexer).collect();
        assert_eq!(luts, [0, 1, 2, 2, 3, 4, 5, 5, 6]);
    }

    #[test]
    fn gates_are_trees() {
        assert_eq!([1, 2, 4, 5, 7, 8].map(gate), [0, 1, 1, 2, 2, 3]);
    }
}
