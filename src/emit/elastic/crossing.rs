//! The buffer between the clock of a cable and that of its board, named and numbered for `templates/elastic/`.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::frame::LinkFrame;
use super::super::{names, words};
use crate::netlist::{BoardPort, PortClock, bits_for};

/// Items that have left while the clock of the cable does not know it yet, at most: one for each register of its synchroniser.
pub const UNSEEN: u64 = 2;

/// Explanation of the receiver's buffer.
pub const FRAMES: &str = "The checksum is computed in the clock of the cable. All else has the clock of the board, behind a buffer that \
                          tokens and damaged frames always enter. Other frames enter it while it is empty, so that they never take the \
                          room of a token, and parts of an identity in their order.";

/// Returns true if ports receive in the clocks of their cables.
pub fn is_due(design: &EmitDesign) -> bool {
    design.options.clocks == PortClock::Cable
}

/// Tokens that wait at an input at most, or are on the way there: a board is at most so many ticks ahead of what a neighbour has
/// taken.
pub fn waiting(latency: u32) -> u64 {
    2 * u64::from(latency)
}

/// Bits of an address that are enough: for tokens, for those that have left unseen, and for a frame without a token.
pub fn address(design: &EmitDesign) -> u32 {
    bits_for(items(design) + UNSEEN)
}

/// Tokens and frames without one that wait at most.
pub fn items(design: &EmitDesign) -> u64 {
    waiting(design.program.latency) + u64::from(design.options.checksum.is_some())
}

#[derive(Template)]
#[template(path = "elastic/sync.v", escape = "none")]
pub struct SyncModule {
    module: String,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "elastic/crossing.v", escape = "none")]
pub struct CrossingModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    address: u32,
    is_checked: bool,
    sync: String,
}

impl SyncModule {
    pub fn new(design: &EmitDesign) -> Self {
        let about = "The first register may catch a bit while it changes, and has a clock to settle. Bits of several registers may come in \
                     different clocks: bring one, or a gray code. No timing path leads to the first register: give it a false path, or a \
                     maximum delay of one clock where the bits are a gray code.";
        Self { module: names::sync(design.program), notes: words::wrap_all(&[about.to_owned(), design.generated()]) }
    }
}

impl CrossingModule {
    pub fn new(design: &EmitDesign) -> Self {
        let waiting = waiting(design.program.latency);
        let frame = LinkFrame::of(design);
        let other = if frame.is_some() { ", and one frame without a token" } else { "" };
        let room = format!(
            "At most {waiting} tokens wait, on the way or here{other}; {UNSEEN} more may have left while the writing side does not know \
             it yet. So whatever the two clocks are, a link whose receiver cannot wait loses nothing.",
        );
        let pointers = "Pointers cross in gray code: what is seen of one is old, never wrong. The data of a pointer that is seen has been \
                        written two clocks ago.";
        let both = "Frames that are sent cross by another of these buffers, from the clock of the board to that of a transceiver. There the board \
                    waits for room, and nothing is dropped at a reset.";
        let mut notes = vec![room, pointers.to_owned()];
        notes.extend((design.options.port == BoardPort::Bytes).then(|| both.to_owned()));
        notes.push(design.generated());
        Self {
            module: names::crossing(design.program),
            notes: words::wrap_all(&notes),
            width: frame.map_or(design.options.width, |frame| frame.body() + 2),
            address: address(design),
            is_checked: frame.is_some(),
            sync: names::sync(design.program),
        }
    }
}
