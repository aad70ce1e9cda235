//! Splitmix64: a few lines of fixed randomness, so that a search finds the same tree on every machine.

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator; equal seeds give equal numbers.
#[derive(Clone, Debug)]
pub struct Splitmix(pub u64);

impl Splitmix {
    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        // the high half of the product: unbiased enough for limits far below 2^32
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// Puts items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// First number of the generator with this seed: a hash.
pub fn mixed(seed: u64) -> u64 {
    mix(seed.wrapping_add(STEP))
}

/// Scatters a number over 64 bits; different numbers stay different.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_sequence_of_seed_0() {
        let mut random = Splitmix(0);
        assert_eq!([random.next(), random.next()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Splitmix(7).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..50));
    }
}
