//! The board of a node or of a block of nodes, and the room for what waits at its inputs: named and numbered for
//! `templates/elastic/`.

use askama::Template;

use crate::emit::boards::blocks::{BoardKinds, axes, sides};
use crate::emit::boards::crossing::{self, CrossingFacts};
use crate::emit::boards::ends::PortEnds;
use crate::emit::boards::layer::LinkLayer;
use crate::emit::boards::side::{BoardPlace, BoardSide, Cables, Token};
use crate::emit::boards::site::{BoardSite, PortLane};
use crate::emit::boards::starter::{self, ElasticCommon, StartSignals};
use crate::emit::boards::{common, link};
use crate::emit::fabric::{Neutral, SequenceControl};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::{names, words};
use crate::net::Channel;
use crate::netlist::{OWN_WAY, PortForm, bits_for};
use crate::program::count;

#[derive(Template)]
#[template(path = "elastic/fifo.v", escape = "none")]
pub struct FifoModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    address: u32,
}

#[derive(Template)]
#[template(path = "elastic/board.v", escape = "none")]
pub struct BoardModule {
    pub(in crate::emit) module: String,
    pub(in crate::emit) headline: String,
    notes: Vec<String>,
    pub(in crate::emit) width: u32,
    /// bits of an address of what waits at an input
    pub(in crate::emit) address: u32,
    fifo: String,
    /// ports receive in the clocks of their cables; where links are not checked, what waits crosses into the clock of the board
    pub(in crate::emit) crosses: bool,
    ends: PortEnds,
    /// coordinates of the board, if boards differ
    pub(in crate::emit) axes: Vec<NetworkAxis>,
    kind: Option<BoardKind>,
    kind_bits: u32,
    controls: Vec<SequenceControl>,
    pub(in crate::emit) sites: Vec<BoardSite>,
    pub(in crate::emit) sides: Vec<BoardSide<PortLane>>,
    board_place: BoardPlace,
    /// module of the registers of a link within the board, where links are longer than a tick
    delay: Option<String>,
    pub(in crate::emit) flit: Option<UpCounter>,
    /// own packets are taken flit by flit, and whether in the tick before the one that sends them
    pub(in crate::emit) streams: bool,
    takes_ahead: bool,
    /// neutral element for combined or joined inputs, where nothing has arrived
    rest: Option<Neutral>,
    /// registers between `go` and the routers
    way: u32,
    latency: u32,
    ticks: u32,
    played: UpCounter,
    /// link layer of the ports, if links are checked
    pub(in crate::emit) check: Option<link::CheckedLink>,
    /// start that goes to all boards, if they have one in common
    pub(in crate::emit) common: Option<ElasticCommon>,
    /// bits of a port's data beyond the token: ` + 22`, and what aligns it where there are none
    pub(in crate::emit) beyond: String,
    gap: &'static str,
    /// output register of a port: names of its data, and of the start of its other signals
    tokens: &'static str,
    sent: &'static str,
    t: &'static str,
    halt: &'static str,
    running: &'static str,
    begins: &'static str,
}

/// Kind of board, with its number.
struct BoardKind {
    module: String,
    class: UpCounter,
}

/// Bits of an address that are enough: a board is at most so many ticks ahead of what a neighbour has taken.
fn address(design: &EmitDesign) -> u32 {
    bits_for(crossing::waiting(design.program.latency))
}

impl FifoModule {
    /// Buffer of boards with links of some latency, for flits of some width.
    pub fn new(name: &str, generated: String, latency: u32, width: u32) -> Self {
        let waiting = crossing::waiting(latency);
        let room = format!(
            "A neighbour sends tick t when it has this board's tick t - {latency}, which was sent when its tick t - {waiting} had been \
             taken: at most {waiting} wait, on the way or here. So a link whose receiver cannot wait loses nothing."
        );
        Self {
            module: format!("{name}_fifo"),
            notes: words::wrap_all(&[room, generated]),
            width,
            address: bits_for(waiting),
        }
    }
}

impl BoardModule {
    pub fn new(design: &EmitDesign) -> Self {
        let program = design.program;
        let kinds = BoardKinds::of(design);
        let axes = axes(&kinds.blocks);
        let differ = kinds.differ();
        let layer = LinkLayer::of(design);
        let check = layer.as_ref().map(checked);
        let (is_checked, crosses) = (check.is_some(), design.options.form.crosses());
        let sites: Vec<BoardSite> =
            (0..kinds.blocks.sites()).map(|site| BoardSite::new(design, &kinds, site)).collect();
        let has_inner = sites.iter().any(|site| !site.inner.is_empty());
        let channels: Vec<Channel> = sides(design).collect();
        let cables = Cables { blocks: &kinds.blocks, axes: &axes, channels: &channels, are_checked: is_checked };
        let side = |&channel: &Channel| {
            let lane = |site| PortLane::new(design, &kinds, site, channel);
            let lanes = kinds.blocks.leaving(channel.port).into_iter().map(lane).collect();
            BoardSide::new(&cables, channel, lanes, &Token::Flits)
        };
        let sides: Vec<BoardSide<PortLane>> = channels.iter().map(side).collect();
        let mut lanes = sites.iter().flat_map(|site| &site.inner).chain(sides.iter().flat_map(|side| &side.lanes));
        let board_place = BoardPlace::of(&axes, &sides, lanes.any(|lane| !lane.dead.is_empty()));
        Self {
            module: names::board(program),
            headline: format!("{}, {}", design.headline(), per_board(design)),
            notes: notes(design, &kinds),
            width: design.options.width,
            address: if crosses && !is_checked { CrossingFacts::of(design).address() } else { address(design) },
            fifo: if crosses && !is_checked { names::crossing(program) } else { names::fifo(program) },
            crosses,
            ends: PortEnds::new(design.name(), PortForm::default()),
            kind: differ.then(|| BoardKind { module: names::class(program), class: kinds.number() }),
            kind_bits: kinds.number().bits,
            controls: (0..design.netlist.sequences.len()).map(|number| SequenceControl::of(design, number)).collect(),
            sites,
            sides,
            delay: (has_inner && program.latency > 1).then(|| names::link(program)),
            flit: UpCounter::of_several(design.netlist.flits).filter(|_| !design.netlist.streams),
            streams: design.netlist.streams,
            takes_ahead: design.netlist.takes_ahead,
            rest: match &program.reduction {
                Some(reduction) => Some(Neutral::of_words(reduction.operation, reduction.number)),
                None => design.netlist.routers.iter().any(|router| router.begins.is_some()).then_some(Neutral::Zeros),
            },
            way: OWN_WAY,
            latency: program.latency,
            ticks: program.ticks,
            played: UpCounter::up_to(program.ticks),
            axes: if kinds.need_places(design) { axes } else { Vec::new() },
            board_place,
            gap: if is_checked { "" } else { "  " },
            beyond: check.as_ref().map_or_else(String::new, |check| format!("+{}", check.overhead)),
            check,
            common: layer.as_ref().and_then(common_start),
            tokens: if is_checked { "token" } else { "m_axis_tdata" },
            sent: if is_checked { "token" } else { "m_axis" },
            t: if is_checked { "" } else { "t" },
            halt: if is_checked { "halt" } else { "rst" },
            running: "busy",
            begins: if is_checked { "begins" } else { "start" },
        }
    }

    /// Returns true if links are longer than one tick, so that the first few ticks deliver nothing.
    fn is_long(&self) -> bool {
        self.latency > 1
    }
}

/// Link layer of a board; with a common start it sees starts that it is not ready for.
fn checked(layer: &LinkLayer) -> link::CheckedLink {
    if layer.common.is_none() {
        return link::CheckedLink::of(layer, "ready");
    }
    link::CheckedLink { other: vec![starter::UNREADY_FAULT], ..link::CheckedLink::of(layer, "links_hold") }
}

/// Start of a board, if all have one in common.
fn common_start(layer: &LinkLayer) -> Option<ElasticCommon> {
    let signals =
        StartSignals { idle: "links_hold & ~busy", ended: None, sent: "start_word", begins: "begins", word: "word" };
    ElasticCommon::new(layer, None, signals)
}

/// The nodes of a board in the headline.
fn per_board(design: &EmitDesign) -> String {
    match design.blocks().sites() {
        1 => "a board per node".to_owned(),
        nodes => format!("a board per {nodes} nodes"),
    }
}

fn notes(design: &EmitDesign, kinds: &BoardKinds) -> Vec<String> {
    let program = design.program;
    let latency = program.latency;
    let boards = kinds.blocks.boards();
    let what = if kinds.differ() {
        "One build for all boards: the coordinates select the router. Tie the coordinates to pins or a register, or to \
         constants, and tools leave out the other routers."
    } else if boards.open().is_empty() && design.options.checksum.is_some() {
        "All boards are alike; the coordinates name them to their neighbours."
    } else if boards.open().is_empty() {
        "All boards are alike: none needs its coordinates."
    } else {
        "One build for all boards: the coordinates tell which ports have no link; connect nothing there."
    };
    let waits = match latency {
        1 => "every input has brought what its neighbour sent in the tick before".to_owned(),
        latency => format!("every input has brought what its neighbour sent {latency} ticks before"),
    };
    let is_checked = design.options.checksum.is_some();
    let cables = if is_checked {
        "Links carry frames of the link layer, one per clock in which they take one; a receiver needs no `tready`. Lost, doubled, \
         exchanged and damaged frames, silent links, boards that are reset and wrong cables are met as faults: the run ends on \
         all boards, `error` is high with code and port, and `restart` at any board trains all anew."
    } else {
        "Links must neither lose nor reorder tokens; a receiver that cannot wait may ignore `tready`."
    };
    let is_common = common::is_due(design);
    let begins = match (is_checked, is_common) {
        (_, true) => common::BEGINS,
        (true, false) => "A run begins with a clock of `start` high while `ready` is high and `busy` is low",
        (false, false) => "A run begins with a clock of `start` high while `busy` is low",
    };
    let own = if is_common { "its clock is its own" } else { "neither clock nor `start`" };
    let crosses = design.options.form.crosses();
    let (link, token) = if kinds.blocks.is_of_nodes() {
        ("link", "the flit, and above it a valid bit")
    } else {
        (
            "cable",
            "for every link that crosses this side of the block, row by row from the lowest bits up, the flit, and above it a \
             valid bit",
        )
    };
    let mut notes = vec![
        what.to_owned(),
        format!(
            "A tick is played as soon as {waits}, every output has been taken over by its link, and `stall` is low. Nothing \
             else has to be the same on two boards: {own}."
        ),
        format!(
            "Each {link} carries {} per run, also where nothing is sent: {token}. {cables}",
            count(u64::from(program.ticks + 1 - latency), "token")
        ),
        format!(
            "{begins}; hold own packets while it is high. `arrived` is high in the clocks in which what has arrived in a tick is \
             at `*_in_data`; `done`, for one clock after the last."
        ),
    ];
    notes.extend(is_common.then(|| common::WAITS.to_owned()));
    if crosses {
        notes.push(
            "Ports receive in the clock of their cable, `*_s_axis_aclk`, no slower than the tokens that it brings, and of any \
             phase. It may stand still. The outputs of ports have the clock of the board."
                .to_owned(),
        );
    }
    if !is_checked {
        notes.push("Take all boards out of `rst` before the first is started.".to_owned());
    }
    notes.push(design.generated());
    words::wrap_all(&notes)
}
