//! The buffer between the clock of a cable and that of its board, named and numbered for `templates/elastic/`.

use askama::Template;

use crate::emit::boards::frame::LinkFrame;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::words;
use crate::netlist::bits_for;

/// Items that have left while the clock of the cable does not know it yet, at most: one for each register of its synchroniser.
pub const UNSEEN: u64 = 2;

/// Explanation of the receiver's buffer.
pub const FRAMES: &str = "The checksum is computed in the clock of the cable. All else has the clock of the board, behind a buffer that \
                          tokens and damaged frames always enter. Other frames enter it while it is empty, so that they never take the \
                          room of a token, and parts of an identity in their order.";

/// Tokens that wait at an input at most, or are on the way there: a board is at most so many ticks ahead of what a neighbour has
/// taken.
pub fn waiting(latency: u32) -> u64 {
    2 * u64::from(latency)
}

/// Facts of the buffer between two clocks.
#[derive(Clone)]
pub struct CrossingFacts {
    /// beginning of the modules' names
    name: String,
    /// the line that says where a file comes from
    generated: String,
    latency: u32,
    width: u32,
    /// frames, if links are checked
    frame: Option<LinkFrame>,
    /// frames that are sent cross, too
    sends: bool,
}

impl CrossingFacts {
    /// Buffer of a design's boards.
    pub fn of(design: &EmitDesign) -> Self {
        Self {
            name: design.name().to_owned(),
            generated: design.generated(),
            latency: design.program.latency,
            width: design.options.width,
            frame: LinkFrame::of(design),
            sends: design.options.form.has_beats(),
        }
    }

    /// Buffer of a link layer.
    pub fn of_layer(layer: &LinkLayer) -> Self {
        Self {
            name: layer.name.clone(),
            generated: layer.generated.clone(),
            latency: layer.latency,
            width: layer.width,
            frame: Some(layer.frame),
            sends: layer.form.has_beats(),
        }
    }

    /// Name of one of its modules.
    pub fn module(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    /// Returns true if links are checked.
    pub fn is_checked(&self) -> bool {
        self.frame.is_some()
    }

    /// Bits of an address that are enough: for tokens, for those that have left unseen, and for a frame without a token.
    pub fn address(&self) -> u32 {
        bits_for(self.items() + UNSEEN)
    }

    /// Tokens and frames without one that wait at most.
    pub fn items(&self) -> u64 {
        waiting(self.latency) + u64::from(self.frame.is_some())
    }
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
    pub fn new(facts: &CrossingFacts) -> Self {
        let about = "The first register may catch a bit while it changes, and has a clock to settle. Bits of several registers may come in \
                     different clocks: bring one, or a gray code. No timing path leads to the first register: give it a false path, or a \
                     maximum delay of one clock where the bits are a gray code.";
        let notes = [about.to_owned(), facts.generated.clone()];
        Self { module: facts.module("sync"), notes: words::wrap_all(&notes) }
    }
}

impl CrossingModule {
    pub fn new(facts: &CrossingFacts) -> Self {
        let (waiting, frame) = (waiting(facts.latency), facts.frame);
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
        notes.extend(facts.sends.then(|| both.to_owned()));
        notes.push(facts.generated.clone());
        Self {
            module: facts.module("crossing"),
            notes: words::wrap_all(&notes),
            width: frame.map_or(facts.width, |frame| frame.body() + 2),
            address: facts.address(),
            is_checked: frame.is_some(),
            sync: facts.module("sync"),
        }
    }
}
