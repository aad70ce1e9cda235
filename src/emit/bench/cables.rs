//! Boards and the cables between them as benches have them: links of any latency, with faults, for `templates/tb/cables/`.

use crate::emit::boards::frame::{LinkFrame, identity_bits};
use crate::emit::boards::wires::{self, DIVISOR};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeBlocks, NodeId, SpanningTree};
use crate::netlist::{BoardPort, BoardStart, PortForm, bits_for, digits};

/// Log2 of the clocks after which a silent link is down, more for frames of many beats.
const PATIENCE: u32 = 8;

/// Boards, and what a bench puts between their ports.
pub struct CableBench {
    /// Module of a board.
    pub module: String,
    /// Boards by number.
    pub boards: Vec<CabledBoard>,
    /// Ports of a board.
    pub sides: usize,
    /// Ticks of a link.
    pub latency: u32,
    /// Content of a link that is neither a wire nor a channel.
    pub about: String,
    /// Most flits of a link.
    pub widest: u32,
    /// Bits of program and root in a token; 0 where each flit has a valid bit.
    pub tag: u32,
    /// Bits of a link beside its flits.
    pub beside: u32,
    /// Clocks per bit and bytes per beat are parameters of the boards.
    pub has_parameters: bool,
    pub check: Option<CheckedLinks>,
    /// Ports receive in the clocks of their cables.
    pub crosses: bool,
    /// Boards have clocks of their own.
    pub own_clocks: bool,
    /// Wires of the boards, if they have pins.
    pub serial: Option<PinnedBoards>,
    /// Transceivers of the boards, if their ports have whole bytes.
    pub transceiver: Option<Transceiver>,
    pub common: Option<CommonStart>,
    /// Variable of the bench with the kind of a fault, of a token or a start.
    pub act: &'static str,
}

/// Design whose boards a bench joins.
pub struct CableFacts<'d> {
    pub module: String,
    pub blocks: &'d NodeBlocks,
    /// Boards that are played, in the order of their numbers.
    pub boards: Vec<NodeId>,
    /// Lanes of the ports of a board, in their order.
    pub sides: Vec<Channel>,
    /// Coordinates that a board is told.
    pub axes: Vec<NetworkAxis>,
    pub form: PortForm,
    pub start: BoardStart,
    /// Boards tell the end of a call apart from being ready for the next.
    pub tells_end: bool,
    pub frame: Option<LinkFrame>,
    pub latency: u32,
    /// Bits of program and root in a token; 0 where each flit has a valid bit.
    pub tag: u32,
    pub has_parameters: bool,
}

/// Board by its name and number, counted from 1, with its coordinates and ports.
pub struct CabledBoard {
    pub name: String,
    pub label: String,
    pub number: usize,
    pub coordinates: Vec<BenchCoordinate>,
    pub sides: Vec<BoardLane>,
}

/// Coordinate of a board.
pub struct BenchCoordinate {
    pub name: String,
    pub bits: u32,
    pub at: u32,
}

/// Lane of a board's port by its place in the bench's arrays, counted from 1, and that at the other end of its cable; 0 if there
/// is none.
pub struct BoardLane {
    pub name: String,
    pub index: usize,
    pub there: usize,
    /// Flits of its frames, and whether others have more.
    pub links: u32,
    pub is_narrow: bool,
    /// Starts come in here: 1 or 0.
    pub starts: u32,
}

/// Common start of the boards: number of the host's board, and the axes by which it names others.
pub struct CommonStart {
    pub host: usize,
    /// Boards tell the end of a call apart from being ready for the next.
    pub tells_end: bool,
    pub axes: Vec<Stride>,
}

/// Axis of the boards' coordinates, and what a coordinate counts in the number of a board.
pub struct Stride {
    pub name: String,
    pub bits: u32,
    pub step: u32,
}

/// Boards with pins: clocks per bit, and patience.
pub struct PinnedBoards {
    pub divisor: u32,
    pub patience: u32,
}

/// Boards with transceivers: bytes per beat, patience, and whether transceivers have clocks of their own.
pub struct Transceiver {
    pub bytes: u32,
    pub patience: u32,
    pub crosses: bool,
}

/// Sizes of frames and ports, where links are checked.
pub struct CheckedLinks {
    pub overhead: u32,
    pub sequence: u32,
    /// Bits of a port's identity.
    pub identity: u32,
    pub port_bits: u32,
}

impl CableBench {
    pub fn new(facts: &CableFacts<'_>) -> Self {
        let &CableFacts { blocks, form, frame, .. } = facts;
        let widest = blocks.widest();
        let crosses = form.crosses();
        let serial = frame.filter(|_| form.has_pins());
        let serial = serial.map(|frame| PinnedBoards { divisor: DIVISOR, patience: wires::patience(frame.bits()) });
        let has_bytes = form.has_beats();
        let beats = |frame: LinkFrame| 16 * u64::from(frame.bits().div_ceil(8 * form.bytes));
        let transceiver = frame.filter(|_| has_bytes).map(|frame| Transceiver {
            bytes: form.bytes,
            patience: PATIENCE.max(bits_for(beats(frame))),
            crosses,
        });
        let is_common = facts.start == BoardStart::Common;
        let flits = if widest > 1 { format!("up to {widest} flits") } else { "a flit".to_owned() };
        let own = if facts.tag > 0 { "with program and root" } else { "each with a valid bit" };
        let framed = if frame.is_some() { ", in a frame" } else { "" };
        Self {
            module: facts.module.clone(),
            boards: CabledBoard::all(facts),
            sides: facts.sides.len(),
            latency: facts.latency,
            about: format!("{flits}, {own}{framed}"),
            widest,
            tag: facts.tag,
            beside: facts.tag + frame.map_or(0, LinkFrame::overhead),
            has_parameters: facts.has_parameters,
            check: frame.map(|frame| CheckedLinks {
                overhead: frame.overhead(),
                sequence: frame.sequence,
                identity: identity_bits(blocks, facts.sides.len()),
                port_bits: digits(facts.sides.len() as u32 - 1),
            }),
            crosses: crosses && !has_bytes,
            own_clocks: crosses || serial.is_some() || has_bytes,
            serial,
            transceiver,
            act: if is_common && form.port == BoardPort::Stream { "act" } else { "kind" },
            common: is_common.then(|| CommonStart::of(facts)),
        }
    }

    /// Returns true if one link has wrong frames while it trains: ports are streams of frames, and boards start by themselves.
    pub fn check_training(&self) -> bool {
        let has_frames = self.check.is_some() && self.serial.is_none() && self.transceiver.is_none();
        has_frames && self.common.is_none()
    }

    /// Returns true if transceivers have clocks of their own.
    pub fn ports_cross(&self) -> bool {
        self.transceiver.as_ref().is_some_and(|transceiver| transceiver.crosses)
    }
}

impl CabledBoard {
    fn all(facts: &CableFacts<'_>) -> Vec<Self> {
        let boards = facts.blocks.boards();
        let tree = (facts.start == BoardStart::Common).then(|| SpanningTree::new(boards, BoardStart::HOST));
        let number = |board: NodeId| facts.boards.iter().position(|&own| own == board);
        let index = |at: usize, channel: Channel| {
            let side = facts.sides.iter().position(|&side| side == channel).expect("a side");
            at * facts.sides.len() + side + 1
        };
        let widest = facts.blocks.widest();
        let side = |(at, board): (usize, NodeId), &channel: &Channel| {
            let links = facts.blocks.leaving(channel.port).len() as u32;
            let there = boards.step(board, channel.port).and_then(number);
            let parent = tree.as_ref().and_then(|tree| tree.parent(board));
            BoardLane {
                name: names::channel(facts.blocks.sides().len(), channel),
                index: index(at, channel),
                there: there.map_or(0, |there| index(there, channel.opposite())),
                links,
                is_narrow: links < widest,
                starts: u32::from(channel.lane == 0 && parent == Some(channel.port)),
            }
        };
        let board = |(at, &board): (usize, &NodeId)| {
            let coordinates = boards.coords(board).into_iter().zip(boards.dims()).filter(|&(_, &side)| side > 1);
            let coordinate =
                |(axis, (at, _)): (&NetworkAxis, _)| BenchCoordinate { name: axis.name.clone(), bits: axis.bits, at };
            let place = boards.show(board);
            Self {
                name: names::of_board(facts.blocks, board),
                label: if facts.blocks.is_of_nodes() { format!("node {place}") } else { format!("board {place}") },
                number: at + 1,
                coordinates: facts.axes.iter().zip(coordinates).map(coordinate).collect(),
                sides: facts.sides.iter().map(|channel| side((at, board), channel)).collect(),
            }
        };
        facts.boards.iter().enumerate().map(board).collect()
    }
}

impl CommonStart {
    fn of(facts: &CableFacts<'_>) -> Self {
        let boards = facts.blocks.boards();
        let stride = |(axis, &side): (usize, &u32)| {
            let step = boards.dims()[axis + 1..].iter().product();
            (side > 1).then(|| Stride { name: names::coordinate(axis), bits: digits(side - 1), step })
        };
        let axes = boards.dims().iter().enumerate().filter_map(stride).collect();
        Self { host: BoardStart::HOST.index() + 1, tells_end: facts.tells_end, axes }
    }
}

/// Notes on faults, on the clocks of boards and their cables, and on a common start.
pub fn notes(form: PortForm, start: BoardStart, is_checked: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if is_checked {
        notes.extend(words::wrap(
            "`+faults=N` tries so many faults of cables, one after the other: the first board that reports one must give its port and code, \
             all boards must stop, and after a restart be right again. `+fault=N` tries one kind. It prints `PASS <n> faults named`.",
        ));
    }
    notes.extend(clock_notes(form));
    if start == BoardStart::Common {
        notes.extend(words::wrap(
            "Boards leave reset one by one. Before the first run and the second a board is in reset, `+held=1`, or a cable is out, `+held=2`, \
             by the seed; 0 is neither. The host's board must name it, and no board may begin.",
        ));
    }
    notes
}

/// Notes on the clocks of boards and their cables.
fn clock_notes(form: PortForm) -> Vec<String> {
    if form.has_beats() {
        words::wrap(
            "Links are those of transceivers: their clocks in which they take no beat are those of a 64B/66B channel, there are gaps within \
             frames, and a channel that is down takes none. Every board has a clock of its own, and with `clocks: cable` its transceivers \
             have another. `+clocks=0` is one clock for all, 1 any phases, 2 periods within 100 ppm, 3 periods up to 2:3; left out, 1 to 3 by \
             the seed.",
        )
    } else if form.crosses() {
        words::wrap(
            "Every board has a clock of its own, and every link that of the board that sends. `+clocks=0` is one clock for all, 1 any \
             phases, 2 periods within 100 ppm, 3 periods up to 2:3; left out, 1 to 3 by the seed.",
        )
    } else {
        Vec::new()
    }
}
