//! The words of every flit, as Verilator stores them.

use crate::play::Payloads;
use crate::program::FlitId;

/// Number of bytes Verilator stores a vector in: 1, 2, 4, 8, or as many 32-bit words as it takes.
pub(super) fn stored_bytes(width: u32) -> usize {
    match width {
        ..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        wide => 4 * wide.div_ceil(32) as usize,
    }
}

/// The words of every flit, as Verilator stores them.
pub(super) struct FlitWords {
    bytes: Vec<u8>,
    size: usize,
}

impl FlitWords {
    pub(super) fn of(payloads: Payloads, flits: u32) -> Self {
        let size = stored_bytes(payloads.width);
        let mut bytes = Vec::with_capacity(flits as usize * size);
        for flit in 0..flits {
            let end = bytes.len() + size;
            for word in payloads.words(FlitId(flit)) {
                let left = (end - bytes.len()).min(8);
                bytes.extend_from_slice(&word.to_le_bytes()[..left]);
            }
        }
        Self { bytes, size }
    }

    /// Words as the model has them, 64 bits at a time.
    pub(super) fn of_values<'v>(width: u32, values: impl Iterator<Item = &'v [u64]>) -> Self {
        let mut words = Self { bytes: Vec::new(), size: stored_bytes(width) };
        for value in values {
            words.bytes.extend(words.stored(value));
        }
        words
    }

    /// One such word.
    pub(super) fn stored(&self, value: &[u64]) -> Vec<u8> {
        value.iter().flat_map(|word| word.to_le_bytes()).take(self.size).collect()
    }

    /// One flit's word.
    pub(super) fn get(&self, flit: FlitId) -> &[u8] {
        &self.bytes[flit.0 as usize * self.size..][..self.size]
    }
}
