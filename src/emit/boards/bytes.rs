//! The board behind transceivers: streams of whole bytes in place of those of whole frames, named and numbered for
//! `templates/elastic/bytes.v`.

use askama::Template;

use crate::emit::boards::board::BoardModule;
use crate::emit::boards::ends::PortEnds;
use crate::emit::boards::frame::LinkFrame;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::boards::link::{FrameKinds, KINDS, PATIENCE};
use crate::emit::boards::serial::{ThrottleModule, WidestFrame};
use crate::emit::boards::wires::INTERVALS;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::{names, words};

/// Log2 of the frames that wait between the clock of a board and that of a transceiver: as many as are on the way there and
/// back, so that there may be one per clock.
const ROOM: u32 = 3;

#[derive(Template)]
#[template(path = "elastic/beats_out.v", escape = "none")]
pub struct BeatsOut {
    module: String,
    notes: Vec<String>,
    bits: u32,
    bytes: u32,
    interval: u32,
    throttle: String,
    /// buffer between the clocks, if transceivers have clocks of their own, and log2 of its capacity
    crossing: Option<String>,
    address: u32,
    kinds: FrameKinds,
}

#[derive(Template)]
#[template(path = "elastic/beats_in.v", escape = "none")]
pub struct BeatsIn {
    module: String,
    notes: Vec<String>,
    bits: u32,
    bytes: u32,
    crosses: bool,
}

#[derive(Template)]
#[template(path = "elastic/bytes.v", escape = "none")]
pub struct BytesModule {
    module: String,
    headline: String,
    notes: Vec<String>,
    bytes: u32,
    board: BoardModule,
    crosses: bool,
    beyond: String,
    ends: PortEnds,
    widest: WidestFrame,
}

/// Log2 of the clocks between frames without a token, by default.
const INTERVAL: u32 = PATIENCE - INTERVALS;

/// Throttle for frames of several beats.
pub fn throttle(layer: &LinkLayer) -> ThrottleModule {
    let pauses = "Tokens and starts of a link that is up pass at once. Other frames pass every 2^INTERVAL - 1 clocks, and are dropped \
                  between: a token that comes next then finds the port idle.";
    ThrottleModule {
        module: layer.module("throttle"),
        headline: "passes on the frames that a transceiver has time for",
        notes: words::wrap_all(&[pauses.to_owned(), layer.generated.clone()]),
        bits: layer.frame.bits(),
        lasts: "a frame lasts",
        interval: INTERVAL,
        kinds: KINDS,
    }
}

impl BeatsOut {
    pub fn new(layer: &LinkLayer) -> Self {
        let beats = "A frame goes from its highest bits down, with zeros behind it that fill the last beat, which has `tlast`. Every byte of a \
                     beat is sent: there is no `tkeep`. Frames of several beats are throttled, so that a token finds the port idle.";
        let crosses = "Frames cross to the clock of the transceiver whole. Others than tokens and starts enter the buffer while it is empty, so \
                       that no token waits behind them.";
        let reset = "A reset breaks a frame off. The receiver then drops the next, which has too many beats. A frame of several beats may pause while its \
                     link goes down.";
        let is_crossed = layer.form.crosses();
        let notes = [beats.to_owned(), if is_crossed { crosses } else { reset }.to_owned(), layer.generated.clone()];
        Self {
            module: layer.module("beats_out"),
            notes: words::wrap_all(&notes),
            bits: layer.frame.bits(),
            bytes: layer.form.bytes,
            interval: INTERVAL,
            throttle: layer.module("throttle"),
            crossing: is_crossed.then(|| layer.module("crossing")),
            address: ROOM,
            kinds: KINDS,
        }
    }
}

impl BeatsIn {
    pub fn new(layer: &LinkLayer) -> Self {
        let frames = "`tlast` ends a frame. One with another number of beats than BITS take is dropped, so that the next is right after lost and \
                      doubled beats; the numbers of frames tell that one is missing. Where a frame is one beat, `tlast` is not read.";
        let waits = "There may be clocks without a beat at any place, and a beat in every clock.";
        Self {
            module: layer.module("beats_in"),
            notes: words::wrap_all(&[frames.to_owned(), waits.to_owned(), layer.generated.clone()]),
            bits: layer.frame.bits(),
            bytes: layer.form.bytes,
            crosses: layer.form.crosses(),
        }
    }
}

impl BytesModule {
    pub fn new(design: &EmitDesign, frame: LinkFrame) -> Self {
        let board = BoardModule::new(design);
        let crosses = design.options.form.crosses();
        let ports = "A port is that of a transceiver core with framing, as Aurora 64B/66B has it: beats of whole bytes with `tlast`, and no \
                     `tready` where it receives. A channel that is down is a link that is silent: its `tready` may be low.";
        let clocks = if crosses {
            "Both directions of a port have the clock of its transceiver, which may differ from port to port."
        } else {
            "All ports have the clock of the board: that of the transceivers, too."
        };
        Self {
            module: names::bytes(design.program),
            headline: format!("{}, with transceivers at its ports", board.headline),
            notes: words::wrap_all(&[ports.to_owned(), clocks.to_owned(), design.generated()]),
            bytes: design.options.form.bytes,
            crosses,
            beyond: board.beyond.clone(),
            ends: PortEnds::new(design.name(), design.options.form),
            widest: WidestFrame { links: design.blocks().widest(), beyond: frame.overhead() },
            board,
        }
    }
}
