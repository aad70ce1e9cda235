//! The link layer of a board's ports: frames with a number and a checksum, training with identities, faults by code and port.

use askama::Template;

use super::super::blocks::{axes, sides};
use super::super::design::Design;
use super::super::frame::Frame;
use super::super::node::Axis;
use super::super::rtl::{Count, Range};
use super::super::{names, words};
use super::{common, crossing};
use crate::files::sha256;
use crate::net::{Port, Sides};
use crate::netlist::Checksum;
use crate::program::count;

/// Bits that tell designs apart.
const DESIGN_BITS: u32 = 16;
/// Log2 of the clocks after which a link that brings nothing is down, by default.
const PATIENCE: u32 = 10;

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

/// The link layer of a board, named and numbered for its template.
pub struct Checked {
    pub overhead: u32,
    pub ports: Count,
    /// number of a port
    pub port: Count,
    pub patience: u32,
    pub sender: String,
    pub receiver: String,
    pub monitor: String,
    /// hash of the design, in hexadecimal digits
    pub design: String,
    pub design_bits: u32,
}

impl Checked {
    pub fn of(design: &Design) -> Option<Self> {
        let frame = Frame::of(design)?;
        let program = design.program;
        let ports = sides(design).count() as u32;
        Some(Self {
            overhead: frame.overhead(),
            ports: Count { range: Range::vector(ports), bits: ports, last: 0 },
            port: port_number(design),
            patience: PATIENCE,
            sender: names::sender(program),
            receiver: names::receiver(program),
            monitor: names::monitor(program),
            design: hash(design),
            design_bits: DESIGN_BITS,
        })
    }
}

/// Coordinate of the board that a port looks to, from the board's own.
pub struct Step {
    pub name: String,
    pub bits: u32,
    pub last: u32,
    /// one more, or one less, modulo the side
    pub up: bool,
    pub down: bool,
}

/// Place of the board that a port looks to.
pub fn neighbour(axes: &[Axis], port: Port) -> Vec<Step> {
    let step = |axis: &Axis| {
        let is_along = axis.name == names::coordinate(port.axis());
        let up = is_along && port == Port::plus(port.axis());
        Step { name: axis.name.clone(), bits: axis.bits, last: axis.last, up, down: is_along && !up }
    };
    axes.iter().map(step).collect()
}

fn port_number(design: &Design) -> Count {
    Count::up_to(sides(design).count() as u32 - 1)
}

/// Bits of a port's identity: design, place, port.
struct IdentityBits {
    design: u32,
    place: u32,
    port: u32,
}

impl IdentityBits {
    fn of(design: &Design) -> Self {
        let place = axes(&design.blocks()).iter().map(|axis| axis.bits).sum();
        Self { design: DESIGN_BITS, place, port: port_number(design).bits }
    }

    fn count(&self) -> Count {
        Count::of_bits(self.design + self.place + self.port)
    }
}

/// Bits of a port's identity.
pub fn identity_bits(design: &Design) -> u32 {
    IdentityBits::of(design).count().bits
}

/// Hash of all that boards must have in common.
fn hash(design: &Design) -> String {
    let blocks = design.blocks();
    let boards = if blocks.is_of_nodes() { String::new() } else { format!(" {}", Sides(blocks.boards().dims())) };
    let start = if common::is_due(design) { " common start" } else { "" };
    let common = format!("{} {}{boards}{start}", design.options.width, design.program.json());
    sha256(common.as_bytes())[..DESIGN_BITS as usize / 4].to_owned()
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
    checksum: Checksum,
}

impl Crc {
    fn of(checksum: Checksum) -> Self {
        Self { bits: checksum.bits(), checksum }
    }

    fn polynomial(&self) -> String {
        format!("{:0width$x}", self.checksum.polynomial(), width = self.bits as usize / 4)
    }
}

impl CrcModule {
    pub fn new(design: &Design, frame: Frame) -> Self {
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
            module: names::crc(design.program),
            notes: words::wrap_all(&[seen, design.generated()]),
            body: frame.body(),
            crc: Crc::of(frame.checksum),
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
    identity: Count,
    identity_gap: String,
    is_common: bool,
    status: Option<Status>,
}

/// Status that a sender reports to the parent of its board.
struct Status {
    count: Count,
    gap: String,
    width: u32,
}

impl SenderModule {
    pub fn new(design: &Design, frame: Frame) -> Self {
        let identity = IdentityBits::of(design).count();
        let about = "A frame in every clock in which the link takes one: {kind, number, token, checksum}. Until the neighbour \
                     answers it carries the port's identity; without a token it is idle and says the next token's number, so \
                     that a lost one is noticed by the next frame.";
        let mut notes = vec![about.to_owned()];
        notes.extend(common::is_due(design).then(|| common::FRAMES.to_owned()));
        notes.push(design.generated());
        Self {
            module: names::sender(design.program),
            notes: words::wrap_all(&notes),
            crc_module: names::crc(design.program),
            crc: Crc::of(frame.checksum),
            kinds: KINDS,
            token: frame.token,
            sequence: frame.sequence,
            overhead: frame.overhead(),
            identity_gap: identity.gap(),
            identity,
            is_common: common::is_due(design),
            status: common::status(design).map(|count| Status { gap: count.gap(), count, width: design.options.width }),
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
    identity: Count,
    identity_gap: String,
    bits: IdentityBits,
    /// buffer between the clocks, if frames arrive in the clock of the cable
    crossing: Option<String>,
    is_common: bool,
}

impl ReceiverModule {
    pub fn new(design: &Design, frame: Frame) -> Self {
        let bits = IdentityBits::of(design);
        let identity = bits.count();
        let training = "Four good frames in a row that name the right design, board and port train a link; after that every \
                        token is handed on once and in order, or a fault is met. A link that goes down waits 2^PATIENCE clocks \
                        before it listens: longer than a frame takes there and back.";
        let crosses = crossing::is_due(design);
        let mut notes = vec![training.to_owned(), EXPLAINED.to_owned()];
        notes.extend(crosses.then(|| crossing::FRAMES.to_owned()));
        notes.push(design.generated());
        Self {
            module: names::receiver(design.program),
            notes: words::wrap_all(&notes),
            crossing: crosses.then(|| names::crossing(design.program)),
            crc_module: names::crc(design.program),
            crc: Crc::of(frame.checksum),
            kinds: KINDS,
            codes: CODES,
            token: frame.token,
            sequence: frame.sequence,
            overhead: frame.overhead(),
            patience: PATIENCE,
            identity_gap: identity.gap(),
            identity,
            bits,
            is_common: common::is_due(design),
        }
    }
}

#[derive(Template)]
#[template(path = "elastic/monitor.v", escape = "none")]
pub struct MonitorModule {
    module: String,
    notes: Vec<String>,
    ports: Count,
    port: Count,
    gap: String,
    codes_gap: String,
    code_gap: String,
    port_gap: String,
}

impl MonitorModule {
    pub fn new(design: &Design) -> Self {
        let ports = sides(design).count() as u32;
        let count = Count { range: Range::vector(ports), bits: ports, last: 0 };
        let widest = format!("[{}:0] ", 4 * ports - 1).len();
        let gap = |bits: &Range| " ".repeat(widest - bits.to_string().len());
        let port = port_number(design);
        let about =
            "The first fault stays, with its port, until a restart. A restart goes from board to board over all links.";
        let mut notes = vec![about.to_owned(), EXPLAINED.to_owned()];
        notes.extend(common::is_due(design).then(|| common::UNREADY.to_owned()));
        notes.push(design.generated());
        Self {
            module: names::monitor(design.program),
            notes: words::wrap_all(&notes),
            gap: " ".repeat(widest),
            codes_gap: String::new(),
            code_gap: gap(&Range::vector(4)),
            port_gap: gap(&port.range),
            ports: count,
            port,
        }
    }
}
