//! The board behind pins: a wire each way per port in place of a stream, named and numbered for `templates/elastic/serial.v`.

use askama::Template;

use crate::emit::boards::board::BoardModule;
use crate::emit::boards::ends::PortEnds;
use crate::emit::boards::frame::LinkFrame;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::boards::link::{FrameKinds, KINDS};
use crate::emit::boards::wires::{DIVISOR, interval, on_wire};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::{names, words};

#[derive(Template)]
#[template(path = "elastic/throttle.v", escape = "none")]
pub struct ThrottleModule {
    pub(in crate::emit) module: String,
    pub(in crate::emit) headline: &'static str,
    pub(in crate::emit) notes: Vec<String>,
    pub(in crate::emit) bits: u32,
    /// `two frames last`, said of the interval
    pub(in crate::emit) lasts: &'static str,
    pub(in crate::emit) interval: u32,
    pub(in crate::emit) kinds: FrameKinds,
}

#[derive(Template)]
#[template(path = "elastic/serial.v", escape = "none")]
pub struct SerialModule {
    module: String,
    headline: String,
    notes: Vec<String>,
    divisor: u32,
    board: BoardModule,
    beyond: String,
    ends: PortEnds,
    widest: WidestFrame,
}

/// Bits at the port with the most links: `WIDTH + 19`, `3 * (WIDTH + 1) + 18`.
#[derive(Template)]
#[template(path = "elastic/widest.v", escape = "none")]
pub struct WidestFrame {
    pub(in crate::emit) links: u32,
    pub(in crate::emit) beyond: u32,
}

/// Throttle for frames that go over a wire.
pub fn throttle(layer: &LinkLayer) -> ThrottleModule {
    let pauses = "Tokens and starts of a link that is up pass at once. Other frames pass every 2^INTERVAL - 1 clocks, and are dropped \
                  between: a token that comes next then finds the wire idle.";
    let training =
        "The wire is idle for longer than a frame between them, so that the receiver finds the beginning of the next.";
    let bits = layer.frame.bits();
    ThrottleModule {
        module: layer.module("throttle"),
        headline: "passes on the frames that a wire has time for",
        notes: words::wrap_all(&[pauses.to_owned(), training.to_owned(), layer.generated.clone()]),
        bits,
        lasts: "two frames last",
        interval: interval(bits),
        kinds: KINDS,
    }
}

impl SerialModule {
    pub fn new(design: &EmitDesign, frame: LinkFrame) -> Self {
        let board = BoardModule::new(design);
        let pins = "Two wires join a port to that of its neighbour: tx to rx, and rx to tx. Pull rx up. All boards have the same DIVISOR, \
                    and clocks that differ as little as the receiver of a wire says.";
        let frames = "A frame takes (bits + 2) * DIVISOR + 1 clocks of a wire. PATIENCE goes by that, and the frames without a token \
                      that keep a link alive are an eighth of it apart.";
        Self {
            module: names::serial(design.program),
            headline: format!("{}, with a wire each way per port", board.headline),
            notes: words::wrap_all(&[pins.to_owned(), frames.to_owned(), design.generated()]),
            divisor: DIVISOR,
            beyond: board.beyond.clone(),
            ends: PortEnds::new(design.name(), design.options.form),
            widest: WidestFrame { links: design.blocks().widest(), beyond: on_wire(frame.overhead()) },
            board,
        }
    }
}
