//! Sizes of the frames between boards: kind, number, token, checksum.

use crate::emit::boards::blocks::{axes, sides};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::UpCounter;
use crate::net::NodeBlocks;
use crate::netlist::{Checksum, bits_for};

/// Fewest bits of a token's number: the parts of an identity are numbered, too, at most 32 of two bits.
const LEAST_SEQUENCE: u32 = 5;
/// Bits that tell designs apart.
pub const DESIGN_BITS: u32 = 16;
/// Bits of a frame's kind.
const KIND_BITS: u32 = 3;

/// Sizes of a frame: kind, number, token, checksum.
#[derive(Clone, Copy)]
pub struct LinkFrame {
    pub checksum: Checksum,
    /// bits of a token's number
    pub sequence: u32,
    /// bits of the widest token
    pub token: u32,
    /// bits of the checksum with its seed
    pub check: u32,
}

impl LinkFrame {
    /// The frames of a design whose links are checked.
    pub fn of(design: &EmitDesign) -> Option<Self> {
        let sequence = sequence_bits(design.program.latency);
        let token = || design.blocks().widest() * (design.options.width + 1);
        let check = |checksum| check_bits(checksum, &design.blocks(), sides(design).count());
        design.options.checksum.map(|checksum| Self { checksum, sequence, token: token(), check: check(checksum) })
    }

    /// Bits beside the token.
    pub fn overhead(self) -> u32 {
        KIND_BITS + self.sequence + self.check
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

/// Bits of a checksum with its seed: one that is always high, place and number of the sender's port, and as many of the
/// design's hash as are left. No two ports of the boards have the same seed.
pub fn check_bits(checksum: Checksum, blocks: &NodeBlocks, ports: usize) -> u32 {
    checksum.bits().max(1 + place_and_port(blocks, ports))
}

/// Bits of the identity of a port: design, place, number.
pub fn identity_bits(blocks: &NodeBlocks, ports: usize) -> u32 {
    DESIGN_BITS + place_and_port(blocks, ports)
}

fn place_and_port(blocks: &NodeBlocks, ports: usize) -> u32 {
    let place: u32 = axes(blocks).iter().map(|axis| axis.bits).sum();
    place + UpCounter::up_to((ports as u32).saturating_sub(1)).bits
}

/// Bits that a checksum covers, of frames for `links` flits of `width` bits on links of `latency` ticks.
pub fn body_bits(links: u32, width: u32, latency: u32) -> u32 {
    links.saturating_mul(width + 1).saturating_add(KIND_BITS + sequence_bits(latency))
}
