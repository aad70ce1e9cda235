//! The common start of all boards: a tree of boards, and the module that passes starts on and gathers who is ready.

use askama::Template;

use crate::emit::boards::blocks::{axes, sides};
use crate::emit::boards::class::{ClassCoordinate, coordinates};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeBlocks, NodeId, SpanningTree};
use crate::netlist::BoardStart;

/// Bits of a status beside the place of a board: all are ready, and starts that came modulo 2.
const STATUS_BITS: u32 = 2;
/// Columns of the range of a word per port, beside the number of ports.
const WORDS_COLUMNS: usize = 13;
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

/// Returns true if all boards are started by one.
pub fn is_due(design: &EmitDesign) -> bool {
    design.options.start == BoardStart::Common
}

/// Size of a status; none if each board has a start of its own.
pub fn status(design: &EmitDesign) -> Option<UpCounter> {
    is_due(design).then(|| UpCounter::of_bits(STATUS_BITS + place_bits(&axes(&design.blocks()))))
}

fn place_bits(axes: &[NetworkAxis]) -> u32 {
    axes.iter().map(|axis| axis.bits).sum()
}

/// Smallest width of flits with which a status fits every token.
pub fn least_width(blocks: &NodeBlocks) -> u32 {
    let bits = STATUS_BITS + LEAST_COUNTER + place_bits(&axes(blocks));
    bits.div_ceil(blocks.narrowest().max(1)).saturating_sub(1).max(1)
}

/// The start of a board, named and numbered for its template.
pub struct ElasticCommon {
    pub tree: String,
    pub starter: String,
    pub place: UpCounter,
    pub status: UpCounter,
}

impl ElasticCommon {
    pub fn of(design: &EmitDesign) -> Option<Self> {
        Some(Self {
            tree: names::tree(design.program),
            starter: names::starter(design.program),
            place: UpCounter::of_bits(place_bits(&axes(&design.blocks()))),
            status: status(design)?,
        })
    }
}

#[derive(Template)]
#[template(path = "elastic/tree.v", escape = "none")]
pub struct TreeModule {
    module: String,
    notes: Vec<String>,
    axes: Vec<NetworkAxis>,
    ports: UpCounter,
    boards: Vec<Branch>,
}

/// A board in the tree: the ports to its parent and to its children as binary digits.
struct Branch {
    place: Vec<ClassCoordinate>,
    parent: String,
    children: String,
}

impl TreeModule {
    pub fn new(design: &EmitDesign) -> Self {
        let blocks = design.blocks();
        let (boards, axes) = (blocks.boards(), axes(&blocks));
        let tree = SpanningTree::new(boards, BoardStart::HOST);
        let all: Vec<Channel> = sides(design).collect();
        let digits = |is_one: &dyn Fn(Channel) -> bool| -> String {
            all.iter().rev().map(|&side| if is_one(side) { '1' } else { '0' }).collect()
        };
        let branch = |board: NodeId| {
            let is_parent = |side: Channel| side.lane == 0 && tree.parent(board) == Some(side.port);
            let is_child = |side: Channel| {
                let there = boards.step(board, side.port).and_then(|there| tree.parent(there));
                side.lane == 0 && there == Some(side.port.opposite())
            };
            Branch { place: coordinates(boards, &axes, board), parent: digits(&is_parent), children: digits(&is_child) }
        };
        let about = "Starts go from the host's board, the one at the origin, to all others on shortest ways. Constant coordinates leave \
                     constants.";
        Self {
            module: names::tree(design.program),
            notes: words::wrap_all(&[about.to_owned(), design.generated()]),
            ports: ports(all.len()),
            boards: boards.node_ids().map(branch).collect(),
            axes,
        }
    }
}

fn ports(sides: usize) -> UpCounter {
    UpCounter { range: BitRange::vector(sides as u32), bits: sides as u32, last: 0 }
}

#[derive(Template)]
#[template(path = "elastic/starter.v", escape = "none")]
pub struct StarterModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    ports: UpCounter,
    place: UpCounter,
    status: u32,
    gap: String,
    ports_gap: String,
    place_gap: String,
    places_gap: String,
    statuses_gap: String,
    status_gap: String,
}

impl StarterModule {
    pub fn new(design: &EmitDesign) -> Self {
        let ports = ports(sides(design).count());
        let place = UpCounter::of_bits(place_bits(&axes(&design.blocks())));
        let status = place.bits + STATUS_BITS;
        let word = ports.bits.to_string().len() + WORDS_COLUMNS;
        let gap = |range: &str| " ".repeat((word - 1).saturating_sub(range.trim_end().len()));
        let of_bits = |bits: u32| gap(&BitRange::vector(bits).to_string());
        let start = "A start goes from the host's board to every other, each passing it on to its children in the tree. Every board reports to its \
                     parent, in frames without a token, whether it and all behind it are ready, or which board is not.";
        let round = "A status counts only if it was sent after the last start: it carries the number of starts that came, modulo 2, since the \
                     link is up. A start that comes while the board is not ready, because a link has gone down meanwhile, is a fault.";
        let down = "A board whose link is down names the board beyond it.";
        Self {
            module: names::starter(design.program),
            notes: words::wrap_all(&[start.to_owned(), round.to_owned(), down.to_owned(), design.generated()]),
            width: design.options.width,
            gap: " ".repeat(word),
            ports_gap: gap(&ports.range.to_string()),
            place_gap: gap(&place.range.to_string()),
            places_gap: of_bits(ports.bits * place.bits),
            statuses_gap: of_bits(ports.bits * status),
            status_gap: of_bits(status),
            ports,
            place,
            status,
        }
    }
}
