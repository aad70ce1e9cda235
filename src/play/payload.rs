//! The words the wires carry: for every flit a value that depends on a seed, different for different flits.

use crate::program::FlitId;

/// Payloads of a given width under one seed.
#[derive(Clone, Copy, Debug)]
pub struct Payloads {
    /// Bits per flit, 1 to 4096.
    pub width: u32,
    /// Another seed, other values.
    pub seed: u64,
}

impl Payloads {
    /// The value of a flit as 64-bit words, the least significant first; bits above the width are 0.
    ///
    /// The lowest word is a bijection of the flit's number modulo 2^min(width, 64), so two flits differ whenever the
    /// width allows it.
    pub fn words(self, flit: FlitId) -> impl Iterator<Item = u64> {
        let count = self.width.div_ceil(64);
        let all = self.bits(flit);
        (0..count).map(move |index| {
            let word = all.rotate_left(17 * index);
            if index + 1 == count { word & self.top() } else { word }
        })
    }

    /// The value of a flit that takes no more than one 64-bit word.
    pub fn word(self, flit: FlitId) -> u64 {
        self.bits(flit) & self.top()
    }

    /// Sixty-four bits that depend on the flit.
    fn bits(self, flit: FlitId) -> u64 {
        // an odd factor is invertible modulo every power of two
        let seeded = u64::from(flit.0).wrapping_add(self.seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
        seeded.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// The bits of the uppermost word that a value has.
    fn top(self) -> u64 {
        u64::MAX >> ((64 - self.width % 64) % 64)
    }

    /// The value of a flit in hexadecimal, as `$readmemh` reads it.
    pub fn hex(self, flit: FlitId) -> String {
        self.hex_of(self.words(flit))
    }

    /// A value in hexadecimal, from its 64-bit words, the least significant first.
    pub fn hex_of(self, words: impl Iterator<Item = u64>) -> String {
        let digits: Vec<String> = words.map(|word| format!("{word:016x}")).collect();
        let digits = digits.into_iter().rev().collect::<Vec<_>>().concat();
        digits[digits.len() - self.width.div_ceil(4) as usize..].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_flits_differ_whenever_the_width_allows() {
        for width in [8, 10, 64, 100, 4096] {
            let payloads = Payloads { width, seed: 7 };
            let values: std::collections::HashSet<String> = (0..256).map(|id| payloads.hex(FlitId(id))).collect();
            assert_eq!(values.len(), 256, "width {width}");
            assert!(values.iter().all(|hex| hex.len() == (width as usize).div_ceil(4)));
        }
    }

    #[test]
    fn bits_above_the_width_are_zero() {
        for width in [1, 3, 33, 63, 65] {
            let payloads = Payloads { width, seed: 1 };
            let top = payloads.words(FlitId(12_345)).last().unwrap();
            assert_eq!(top.checked_shr(width - 64 * (width.div_ceil(64) - 1)).unwrap_or(0), 0, "width {width}");
        }
    }
}
