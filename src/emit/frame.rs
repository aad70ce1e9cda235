//! Sizes of the frames between boards: kind, number, token, checksum.

use super::design::Design;
use crate::netlist::{Checksum, bits_for};

/// Fewest bits of a token's number: the parts of an identity are numbered, too, at most 32 of two bits.
const LEAST_SEQUENCE: u32 = 5;
/// Bits of a frame's kind.
const KIND_BITS: u32 = 3;

/// Sizes of a frame: kind, number, token, checksum.
#[derive(Clone, Copy)]
pub struct Frame {
    pub checksum: Checksum,
    /// bits of a token's number
    pub sequence: u32,
    /// bits of the widest token
    pub token: u32,
}

impl Frame {
    /// The frames of a design whose links are checked.
    pub fn of(design: &Design) -> Option<Self> {
        let sequence = sequence_bits(design.program.latency);
        let token = || design.blocks().widest() * (design.options.width + 1);
        design.options.checksum.map(|checksum| Self { checksum, sequence, token: token() })
    }

    /// Bits beside the token.
    pub fn overhead(self) -> u32 {
        KIND_BITS + self.sequence + self.checksum.bits()
    }

    /// All bits of the frame with the widest token.
    pub fn bits(self) -> u32 {
        self.overhead() + self.token
    }

    /// Bits that the checksum covers.
    pub fn body(self) -> u32 {
        KIND_BITS + self.sequence + self.token
    }
}

/// Bits of a token's number, so that no loss is as long as the numbers last.
pub fn sequence_bits(latency: u32) -> u32 {
    LEAST_SEQUENCE.max(bits_for(2 * u64::from(latency)) + 1)
}

/// Bits that a checksum covers, of frames for `links` flits of `width` bits on links of `latency` ticks.
pub fn body_bits(links: u32, width: u32, latency: u32) -> u32 {
    links.saturating_mul(width + 1).saturating_add(KIND_BITS + sequence_bits(latency))
}
