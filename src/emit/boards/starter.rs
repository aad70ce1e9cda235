//! The modules of the common start: the tree of boards, and the one that passes starts on and gathers who is ready.

use askama::Template;

use crate::emit::boards::blocks::axes;
use crate::emit::boards::class::{ClassCoordinate, coordinates};
use crate::emit::boards::common::{SharedStart, UNREADY_CODE};
use crate::emit::boards::layer::LinkLayer;
use crate::emit::boards::link::OtherFault;
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::parts::{BitRange, UpCounter};
use crate::emit::shared::words;
use crate::net::{Channel, NodeId, SpanningTree};
use crate::netlist::BoardStart;

/// Columns of the range of a word per port, beside the number of ports.
const WORDS_COLUMNS: usize = 13;

/// Fault of a start that a board is not ready for.
pub const UNREADY_FAULT: OtherFault = OtherFault { signal: "refused", code: UNREADY_CODE };

/// Start of a board, named and numbered for its template.
pub struct ElasticCommon {
    pub tree: String,
    pub starter: String,
    pub place: UpCounter,
    pub status: UpCounter,
    /// bits of the word of a start; none if they are those of a flit
    pub bits: Option<u32>,
    pub signals: StartSignals,
}

/// Signals of a board that its start reads and drives.
pub struct StartSignals {
    /// the board can take a start
    pub idle: &'static str,
    /// no run lasts, where a start can be taken before that
    pub ended: Option<&'static str>,
    /// word that goes with the start of the host's board
    pub sent: &'static str,
    /// a start is taken, and the word of the last one
    pub begins: &'static str,
    pub word: &'static str,
}

impl ElasticCommon {
    /// Start of a board of a link layer, with a word of so many bits.
    pub fn new(layer: &LinkLayer, bits: Option<u32>, signals: StartSignals) -> Option<Self> {
        let common = layer.common.as_ref()?;
        Some(Self {
            tree: layer.module("tree"),
            starter: layer.module("starter"),
            place: common.place(),
            status: common.status(),
            bits,
            signals,
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
    pub fn new(layer: &LinkLayer, common: &SharedStart) -> Self {
        let SharedStart { blocks, ports, .. } = common;
        let (boards, axes) = (blocks.boards(), axes(blocks));
        let tree = SpanningTree::new(boards, BoardStart::HOST);
        let digits = |is_one: &dyn Fn(Channel) -> bool| -> String {
            ports.iter().rev().map(|&side| if is_one(side) { '1' } else { '0' }).collect()
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
            module: layer.module("tree"),
            notes: words::wrap_all(&[about.to_owned(), layer.generated.clone()]),
            ports: common.vector(),
            boards: boards.node_ids().map(branch).collect(),
            axes,
        }
    }
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
    /// boards tell when no run lasts; then the bits of a status below the place of a board are more
    tells_end: bool,
    below: u32,
    gap: String,
    ports_gap: String,
    place_gap: String,
    places_gap: String,
    statuses_gap: String,
    status_gap: String,
}

impl StarterModule {
    pub fn new(layer: &LinkLayer, common: &SharedStart) -> Self {
        let (ports, place, status) = (common.vector(), common.place(), common.status().bits);
        let word = ports.bits.to_string().len() + WORDS_COLUMNS;
        let gap = |range: &str| " ".repeat((word - 1).saturating_sub(range.trim_end().len()));
        let of_bits = |bits: u32| gap(&BitRange::vector(bits).to_string());
        let start = "A start goes from the host's board to every other, each passing it on to its children in the tree. Every board reports to its \
                     parent, in frames without a token, whether it and all behind it are ready, or which board is not.";
        let round = "A status counts only if it was sent after the last start: it carries the number of starts that came, modulo 2, since the \
                     link is up. A start that comes while the board is not ready, because a link has gone down meanwhile, is a fault.";
        let down = "A board whose link is down names the board beyond it.";
        let ended = "A board is ready for the next start while the last call plays, and tells its parent when no call is under way: until \
                     then the parent meets a fault if it is reset.";
        let mut notes = [start, round, down].map(str::to_owned).to_vec();
        notes.extend(common.tells_end.then(|| ended.to_owned()));
        notes.push(layer.generated.clone());
        Self {
            module: layer.module("starter"),
            notes: words::wrap_all(&notes),
            width: common.word,
            gap: " ".repeat(word),
            ports_gap: gap(&ports.range.to_string()),
            place_gap: gap(&place.range.to_string()),
            places_gap: of_bits(ports.bits * place.bits),
            statuses_gap: of_bits(ports.bits * status),
            status_gap: of_bits(status),
            tells_end: common.tells_end,
            below: status - place.bits,
            ports,
            place,
            status,
        }
    }
}
