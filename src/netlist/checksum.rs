//! Checksums of the frames between boards, and what they miss.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Checksum of every frame between two boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Checksum {
    /// 8 bits, x^8 + x^2 + x + 1.
    Crc8,
    /// 16 bits, x^16 + x^12 + x^5 + 1, for wide links and noisy ones.
    Crc16,
}

impl Checksum {
    /// Number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Crc8 => 8,
            Self::Crc16 => 16,
        }
    }

    /// Polynomial without its highest power.
    pub const fn polynomial(self) -> u32 {
        match self {
            Self::Crc8 => 0x07,
            Self::Crc16 => 0x1021,
        }
    }

    /// Longest frame, without the checksum, in which up to three wrong bits are always seen.
    pub const fn longest(self) -> u32 {
        match self {
            Self::Crc8 => 119,
            Self::Crc16 => 32_751,
        }
    }

    /// Returns what one wrong bit changes in the checksum, by the place of the bit in a frame of `bits` bits with its checksum;
    /// the lowest first.
    fn syndromes(self, bits: u32) -> Vec<u32> {
        let mut syndrome = 1;
        let mut syndromes = Vec::new();
        for _ in 0..bits {
            syndromes.push(syndrome);
            let carry = (syndrome >> (self.bits() - 1)) & 1;
            syndrome = ((syndrome << 1) & ((1 << self.bits()) - 1)) ^ (carry * self.polynomial());
        }
        syndromes
    }

    /// Number of ways in which four bits of a frame of `body` bits and its checksum can be wrong, for each that is not seen.
    /// `None` if all are seen.
    pub fn one_missed_in(self, body: u32) -> Option<u64> {
        let syndromes = self.syndromes(body + self.bits());
        let mut pairs = vec![0_u64; 1 << self.bits()];
        for (index, one) in syndromes.iter().enumerate() {
            for other in &syndromes[..index] {
                pairs[(one ^ other) as usize] += 1;
            }
        }
        // two pairs of the same syndrome are four bits that are not seen; four bits are three times two pairs
        let missed: u64 = pairs.iter().map(|pairs| pairs * pairs.saturating_sub(1) / 2).sum::<u64>() / 3;
        let bits = syndromes.len() as u64;
        let all = bits * (bits - 1) / 2 * (bits - 2) / 3 * (bits - 3) / 4;
        (missed > 0).then(|| all / missed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if no one, two or three bits cancel.
    fn sees_three(check: Checksum, bits: u32) -> bool {
        let syndromes = check.syndromes(bits);
        let mut is_one = vec![false; 1 << check.bits()];
        for &syndrome in &syndromes {
            if syndrome == 0 || std::mem::replace(&mut is_one[syndrome as usize], true) {
                return false;
            }
        }
        // three bits cancel if two together have the syndrome of the third
        syndromes
            .iter()
            .enumerate()
            .all(|(index, one)| syndromes[..index].iter().map(|other| other ^ one).all(|pair| !is_one[pair as usize]))
    }

    #[test]
    fn up_to_three_wrong_bits_are_seen_up_to_the_longest_frame() {
        let crc8 = Checksum::Crc8;
        assert!(sees_three(crc8, crc8.longest() + crc8.bits()));
        assert!(!sees_three(crc8, crc8.longest() + crc8.bits() + 1));
        // as wide as links can be
        assert!(sees_three(Checksum::Crc16, 4096 + 32));
    }

    #[test]
    fn the_rate_of_four_wrong_bits_is_counted() {
        assert_eq!(Checksum::Crc8.one_missed_in(41), Some(125));
        assert_eq!(Checksum::Crc16.one_missed_in(41), Some(5985));
    }
}
