//! The common start of all boards, as the link layer knows it, and what comments say of it.

use crate::emit::boards::blocks::{axes, sides};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::net::{Channel, NodeBlocks};
use crate::netlist::BoardStart;

/// Bits of a status beside the place of a board: all are ready, and starts that came modulo 2.
const STATUS_BITS: u32 = 2;
/// Bit more of boards that take a start while they play: no run lasts.
const ENDED_BITS: u32 = 1;
/// Fewest bits of the counter in a frame without a token.
const LEAST_COUNTER: u32 = 1;

/// Beginning of a run, for the comments of a board.
pub const BEGINS: &str = "A run begins on all boards with a clock of `start` high at the host's board, the one at the origin, while its \
                          `ready` is high; `start` of other boards is ignored. `start_word` of that clock is `word` at every board while the run lasts";
/// Boards that are not ready, for the comments of a board.
pub const WAITS: &str = "While `ready` is low, `waits_*` names a board that is not ready: this one while it plays or has a fault, one at the other end \
                         of a link that is down, or what a board behind this one names.";
/// Explanation of the frames with starts and statuses, for the comments.
pub const FRAMES: &str = "A start goes before tokens, and is numbered as they are, so that a lost or doubled one is noticed, too. A port to the \
                          parent of the board sends its status in place of idle frames.";
/// Code of a start that a board is not ready for; the receiver has those below.
pub const UNREADY_CODE: u32 = 9;
/// Explanation of the code of a start that a board is not ready for, for the comments.
pub const UNREADY: &str =
    "Code 9: a start came while the link of the port was down, or while a board behind the port was not ready.";

/// Start that all boards have in common: what its modules and those of the link layer know of it.
#[derive(Clone)]
pub struct SharedStart {
    /// network of the boards
    pub blocks: NodeBlocks,
    /// ports of a board
    pub ports: Vec<Channel>,
    /// bits of the word that goes with a start
    pub word: u32,
    /// boards take a start while they play, and tell besides when no run lasts
    pub tells_end: bool,
}

/// Returns true if all boards are started by one.
pub fn is_due(design: &EmitDesign) -> bool {
    design.options.start == BoardStart::Common
}

/// Common start in the text whose hash tells designs apart.
pub fn hashed_start(is_common: bool) -> &'static str {
    if is_common { " common start" } else { "" }
}

impl SharedStart {
    /// Start of the boards of one collective; none if each board has a start of its own.
    pub fn of(design: &EmitDesign) -> Option<Self> {
        is_due(design).then(|| Self {
            blocks: design.blocks(),
            ports: sides(design).collect(),
            word: design.options.width,
            tells_end: false,
        })
    }

    /// Size of a status.
    pub fn status(&self) -> UpCounter {
        UpCounter::of_bits(status_bits(self.tells_end) + self.place().bits)
    }

    /// Place of a board, its coordinates side by side.
    pub fn place(&self) -> UpCounter {
        UpCounter::of_bits(place_bits(&axes(&self.blocks)))
    }

    /// Ports of a board, with a bit each.
    pub fn vector(&self) -> UpCounter {
        let ports = self.ports.len() as u32;
        UpCounter { range: BitRange::vector(ports), bits: ports, last: 0 }
    }
}

/// Bits of a status beside the place of a board.
fn status_bits(tells_end: bool) -> u32 {
    if tells_end { STATUS_BITS + ENDED_BITS } else { STATUS_BITS }
}

fn place_bits(axes: &[NetworkAxis]) -> u32 {
    axes.iter().map(|axis| axis.bits).sum()
}

/// Smallest width of flits with which a status fits every token.
pub fn least_width(blocks: &NodeBlocks) -> u32 {
    // a flit has a valid bit
    least_token(blocks, false).div_ceil(blocks.narrowest().max(1)).saturating_sub(1).max(1)
}

/// Fewest bits of a token that a status fits.
pub fn least_token(blocks: &NodeBlocks, tells_end: bool) -> u32 {
    status_bits(tells_end) + LEAST_COUNTER + place_bits(&axes(blocks))
}
