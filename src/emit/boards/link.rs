//! The link layer of a board's ports: frames with a number and a checksum, training with identities, faults by code and port.

use askama::Template;

use crate::emit::boards::common::{self, SharedStart};
use crate::emit::boards::crossing;
use crate::emit::boards::frame::{DESIGN_BITS, LinkFrame};
use crate::emit::boards::layer::LinkLayer;
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::emit::shared::{names, words};
use crate::net::Port;
use crate::netlist::Checksum;
use crate::program::count;

/// Log2 of the clocks after which a link that brings nothing is down, by default.
pub const PATIENCE: u32 = 10;

/// Kinds of frames, as the Verilog writes them.
pub struct FrameKinds {
    pub hello: u32,
    pub ready: u32,
    pub idle: u32,
    pub token: u32,
    pub stop: u32,
    pub restart: u32,
    pub status: u32,
    pub start: u32,
}

pub const KINDS: FrameKinds =
    FrameKinds { hello: 0, ready: 1, idle: 2, token: 3, stop: 4, restart: 5, status: 6, start: 7 };

/// Codes of faults, as the Verilog writes them.
pub struct FaultCodes {
    pub damaged: u32,
    pub order: u32,
    pub silent: u32,
    pub reset: u32,
    pub stopped: u32,
    pub design: u32,
    pub place: u32,
    pub port: u32,
}

pub const CODES: FaultCodes =
    FaultCodes { damaged: 1, order: 2, silent: 3, reset: 4, stopped: 5, design: 6, place: 7, port: 8 };

/// Explanation of the codes, for the comments.
const EXPLAINED: &str = "Codes: 1 a frame was damaged; 2 a token was lost, doubled or exchanged; 3 the link is silent or stands \
                         still; 4 the neighbour was reset; 5 the neighbour has stopped, for a fault elsewhere; at the other end of \
                         the cable is 6 another design, 7 another board, 8 another port.";

/// Explanation of damage between runs, for the comments of the receiver.
const BETWEEN_RUNS: &str = "Between runs a damaged frame is no fault: a board that is reset, or a cable that is pulled out, breaks a frame off. \
                                If it had a token, the number of the next frame tells.";

/// The link layer of a board, named and numbered for its template.
pub struct CheckedLink {
    pub overhead: u32,
    pub ports: UpCounter,
    /// number of a port
    pub port: UpCounter,
    pub patience: u32,
    pub sender: String,
    pub receiver: String,
    pub monitor: String,
    /// hash of the design, in hexadecimal digits
    pub design: String,
    pub design_bits: u32,
    /// signals of the board: that trains all links anew, and that all links are up
    pub restart: &'static str,
    pub ready: &'static str,
    /// faults beside those of the link layer
    pub other: Vec<OtherFault>,
}

/// Fault that a board sees by itself: a signal with a bit for each port, and its code.
pub struct OtherFault {
    pub signal: &'static str,
    pub code: u32,
}

impl CheckedLink {
    /// Link layer of a board with a signal that says that its links are up.
    pub fn of(layer: &LinkLayer, ready: &'static str) -> Self {
        Self {
            overhead: layer.frame.overhead(),
            ports: UpCounter { range: BitRange::vector(layer.ports), bits: layer.ports, last: 0 },
            port: layer.port(),
            patience: PATIENCE,
            sender: layer.module("sender"),
            receiver: layer.module("receiver"),
            monitor: layer.module("monitor"),
            design: layer.design.clone(),
            design_bits: DESIGN_BITS,
            restart: "restart",
            ready,
            other: Vec::new(),
        }
    }
}

/// Coordinate of the board that a port looks to, from the board's own.
pub struct BoardStep {
    pub name: String,
    pub bits: u32,
    pub last: u32,
    /// one more, or one less, modulo the side
    pub up: bool,
    pub down: bool,
}

impl BoardStep {
    /// A place that a signal tells.
    pub fn named(name: String) -> Self {
        Self { name, bits: 0, last: 0, up: false, down: false }
    }
}

/// Place of the board that a port looks to.
pub fn neighbour(axes: &[NetworkAxis], port: Port) -> Vec<BoardStep> {
    let step = |axis: &NetworkAxis| {
        let is_along = axis.name == names::coordinate(port.axis());
        let up = is_along && port == Port::plus(port.axis());
        BoardStep { name: axis.name.clone(), bits: axis.bits, last: axis.last, up, down: is_along && !up }
    };
    axes.iter().map(step).collect()
}

/// Bits of a port's identity: design, place, port.
struct IdentityBits {
    design: u32,
    place: u32,
    port: u32,
}

impl IdentityBits {
    fn of(layer: &LinkLayer) -> Self {
        Self { design: DESIGN_BITS, place: layer.place, port: layer.port().bits }
    }

    fn count(&self) -> UpCounter {
        UpCounter::of_bits(self.design + self.place + self.port)
    }
}

/// Bits of a port's identity.
pub fn identity_bits(layer: &LinkLayer) -> u32 {
    IdentityBits::of(layer).count().bits
}

#[derive(Template)]
#[template(path = "elastic/crc.v", escape = "none")]
pub struct CrcModule {
    module: String,
    notes: Vec<String>,
    body: u32,
    crc: Crc,
}

/// Checksum with its polynomial in Verilog's digits.
struct Crc {
    bits: u32,
    /// bits of the seeded checksum in a frame
    field: u32,
    checksum: Checksum,
}

impl Crc {
    fn of(frame: LinkFrame) -> Self {
        Self { bits: frame.checksum.bits(), field: frame.check, checksum: frame.checksum }
    }

    fn polynomial(&self) -> String {
        format!("{:0width$x}", self.checksum.polynomial(), width = self.bits as usize / 4)
    }
}

impl CrcModule {
    pub fn new(layer: &LinkLayer) -> Self {
        let frame = layer.frame;
        let missed = match frame.checksum.one_missed_in(frame.body()) {
            Some(rate) => format!("of four wrong bits, 1 in {rate} ways is not seen"),
            None => "four wrong bits are always seen".to_owned(),
        };
        let seen = format!(
            "Frames have {}, and a checksum of {}: up to three wrong bits are always seen; {missed}. At most {} may be \
             covered.",
            count(frame.body().into(), "bit"),
            frame.checksum.bits(),
            count(frame.checksum.longest().into(), "bit"),
        );
        Self {
            module: layer.module("crc"),
            notes: words::wrap_all(&[seen, layer.generated.clone()]),
            body: frame.body(),
            crc: Crc::of(layer.frame),
        }
    }
}

#[derive(Template)]
#[template(path = "elastic/sender.v", escape = "none")]
pub struct SenderModule {
    module: String,
    notes: Vec<String>,
    crc_module: String,
    crc: Crc,
    kinds: FrameKinds,
    token: u32,
    sequence: u32,
    overhead: u32,
    identity: UpCounter,
    identity_gap: String,
    is_common: bool,
    status: Option<Status>,
}

/// Status that a sender reports to the parent of its board.
struct Status {
    count: UpCounter,
    gap: String,
    /// bits of the word that goes with a start
    width: u32,
}

impl Status {
    fn of(common: &SharedStart) -> Self {
        let count = common.status();
        Self { gap: count.gap(), count, width: common.word }
    }
}

impl SenderModule {
    pub fn new(layer: &LinkLayer) -> Self {
        let identity = IdentityBits::of(layer).count();
        let seed =
            "The checksum is that of the frame XOR the port's identity. So a frame of another port is a damaged one.";
        let about = "A frame in every clock in which the link takes one: {kind, number, token, checksum}. Until the neighbour \
                     answers it carries the port's identity; without a token it is idle and says the next token's number, so \
                     that a lost one is noticed by the next frame.";
        let mut notes = vec![about.to_owned(), seed.to_owned()];
        notes.extend(layer.common.is_some().then(|| common::FRAMES.to_owned()));
        notes.push(layer.generated.clone());
        Self {
            module: layer.module("sender"),
            notes: words::wrap_all(&notes),
            crc_module: layer.module("crc"),
            crc: Crc::of(layer.frame),
            kinds: KINDS,
            token: layer.frame.token,
            sequence: layer.frame.sequence,
            overhead: layer.frame.overhead(),
            identity_gap: identity.gap(),
            identity,
            is_common: layer.common.is_some(),
            status: layer.common.as_ref().map(Status::of),
        }
    }
}

#[derive(Template)]
#[template(path = "elastic/receiver.v", escape = "none")]
pub struct ReceiverModule {
    module: String,
    notes: Vec<String>,
    crc_module: String,
    crc: Crc,
    kinds: FrameKinds,
    codes: FaultCodes,
    token: u32,
    sequence: u32,
    overhead: u32,
    patience: u32,
    identity: UpCounter,
    identity_gap: String,
    bits: IdentityBits,
    /// buffer between the clocks, if frames arrive in the clock of the cable
    crossing: Option<String>,
    is_common: bool,
    is_serial: bool,
}

impl ReceiverModule {
    pub fn new(layer: &LinkLayer) -> Self {
        let bits = IdentityBits::of(layer);
        let identity = bits.count();
        let training = "Four good frames in a row that name the right design, board and port train a link; after that every \
                        token of that port is handed on once and in order, or a fault is met. A link that goes down waits 2^PATIENCE clocks \
                        before it listens: longer than a frame takes there and back.";
        let crosses = layer.form.crosses();
        let mut notes = vec![training.to_owned(), EXPLAINED.to_owned()];
        notes.extend(crosses.then(|| crossing::FRAMES.to_owned()));
        notes.extend(layer.form.has_pins().then(|| BETWEEN_RUNS.to_owned()));
        notes.push(layer.generated.clone());
        Self {
            module: layer.module("receiver"),
            notes: words::wrap_all(&notes),
            crossing: crosses.then(|| layer.module("crossing")),
            crc_module: layer.module("crc"),
            crc: Crc::of(layer.frame),
            kinds: KINDS,
            codes: CODES,
            token: layer.frame.token,
            sequence: layer.frame.sequence,
            overhead: layer.frame.overhead(),
            patience: PATIENCE,
            identity_gap: identity.gap(),
            identity,
            bits,
            is_common: layer.common.is_some(),
            is_serial: layer.form.has_pins(),
        }
    }
}

#[derive(Template)]
#[template(path = "elastic/monitor.v", escape = "none")]
pub struct MonitorModule {
    module: String,
    notes: Vec<String>,
    ports: UpCounter,
    port: UpCounter,
    gap: String,
    codes_gap: String,
    code_gap: String,
    port_gap: String,
}

impl MonitorModule {
    pub fn new(layer: &LinkLayer) -> Self {
        let ports = layer.ports;
        let count = UpCounter { range: BitRange::vector(ports), bits: ports, last: 0 };
        let widest = format!("[{}:0] ", 4 * ports - 1).len();
        let gap = |bits: &BitRange| " ".repeat(widest - bits.to_string().len());
        let port = layer.port();
        let about =
            "The first fault stays, with its port, until a restart. A restart goes from board to board over all links.";
        let mut notes = vec![about.to_owned(), EXPLAINED.to_owned()];
        notes.extend(layer.common.is_some().then(|| common::UNREADY.to_owned()));
        notes.push(layer.generated.clone());
        Self {
            module: layer.module("monitor"),
            notes: words::wrap_all(&notes),
            gap: " ".repeat(widest),
            codes_gap: String::new(),
            code_gap: gap(&BitRange::vector(4)),
            port_gap: gap(&port.range),
            ports: count,
            port,
        }
    }
}
