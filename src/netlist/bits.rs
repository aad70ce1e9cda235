//! Widths of numbers in bits, and places of fields in a word.

/// Some bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordField {
    /// The lowest of them.
    pub low: u32,
    /// Number of bits.
    pub bits: u32,
}

/// Bits that tell `choices` things apart: 0 for one.
pub fn bits_for(choices: u64) -> u32 {
    choices.max(1).next_power_of_two().trailing_zeros()
}

/// Bits of a register that counts up to `last`, at least 1.
pub fn digits(last: u32) -> u32 {
    bits_for(u64::from(last) + 1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_holds_its_last_count_and_no_bit_is_to_spare() {
        assert_eq!([0, 1, 2, 3, 4, 255, 256, u32::MAX].map(digits), [1, 1, 2, 2, 3, 8, 9, 32]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(bits_for), [0, 0, 1, 2, 2, 3]);
    }
}
