//! All boards of a design together, for simulation: `templates/listed/boards.v`, `streamed_boards.v`, `topped_boards.v` and
//! `tested_boards.v`.

use askama::Template;

use crate::emit::boards::blocks;
use crate::emit::node::boards::{BoardCoordinate, BoardPorts, LinkRole, LinkSignal};
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{Bus, ListBoards, ListDesign};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::names;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::net::{Channel, NodeId, Port};

/// View of `templates/listed/boards.v`.
#[derive(Template)]
#[template(path = "listed/boards.v", escape = "none")]
struct BoardNetwork {
    module: String,
    host: String,
    notes: Vec<String>,
    boards: Vec<NetworkBoard>,
}

/// View of `templates/listed/streamed_boards.v`.
#[derive(Template)]
#[template(path = "listed/streamed_boards.v", escape = "none")]
struct StreamedNetwork {
    module: String,
    host: String,
    notes: Vec<String>,
    sizes: WireSizes,
    axes: Vec<NetworkAxis>,
    /// One board takes the calls of all.
    is_common: bool,
    boards: Vec<NetworkBoard>,
    nodes: Vec<StreamNames>,
}

/// View of `templates/listed/topped_boards.v`.
#[derive(Template)]
#[template(path = "listed/topped_boards.v", escape = "none")]
struct ToppedNetwork {
    module: String,
    top: String,
    notes: Vec<String>,
    sizes: WireSizes,
    /// Nodes of a board.
    sites: usize,
    axes: Vec<NetworkAxis>,
    /// One board takes the calls of all.
    is_common: bool,
    boards: Vec<NetworkBoard>,
}

/// View of `templates/listed/tested_boards.v`.
#[derive(Template)]
#[template(path = "listed/tested_boards.v", escape = "none")]
struct TestedNetwork {
    module: String,
    bist: String,
    notes: Vec<String>,
    boards: Vec<NetworkBoard>,
}

/// Node by the name of its streams.
struct StreamNames {
    place: String,
    name: String,
}

struct NetworkBoard {
    name: String,
    place: String,
    at: Vec<BoardCoordinate>,
    cables: Vec<BoardCable>,
    sites: Vec<Site>,
}

/// Node at a place of a board.
struct Site {
    name: String,
    /// The node, and its number; none if it is dead.
    node: Option<(String, usize)>,
}

/// Signal of a port, and what it is joined to.
struct BoardCable {
    signal: String,
    /// Bits of the wire that it drives, if it does.
    drives: Option<u32>,
    end: CableEnd,
    /// True if nothing reads the wire.
    is_loose: bool,
}

/// End of a signal of a port.
enum CableEnd {
    /// Wire that a board drives.
    Wire(String),
    /// Wire that says when a frame comes, low in a reset: the clock of a cable has none.
    Valid(String),
    /// The clock, which all boards share.
    Clock,
    /// Zeros: nothing comes.
    Idle(u32),
    /// High: there is room for all that leaves, or a wire is idle.
    High,
}

/// Module with all boards of a design.
pub fn module(name: &str) -> String {
    format!("{name}_boards")
}

/// Path of that module.
pub fn path(name: &str) -> String {
    format!("tb/{}.v", module(name))
}

/// File of the module with all boards.
pub(in crate::emit) fn file<'d>(design: &'d ListDesign<'d>) -> Option<OutputFile<'d>> {
    let boards = design.boards.as_ref()?;
    let module = module(design.name);
    let all = move || boards.blocks.boards().live_ids().map(|board| NetworkBoard::new(design, boards, board)).collect();
    let path = path(design.name);
    if design.bus == Bus::Streams {
        let topology = &design.netlist.topology;
        let view = move || StreamedNetwork {
            module: module.clone(),
            host: design.top(),
            notes: design.notes(),
            sizes: WireSizes::of(design),
            axes: blocks::axes(&boards.blocks),
            is_common: design.has_common_calls(),
            boards: all(),
            nodes: topology
                .live_ids()
                .map(|node| StreamNames {
                    place: format!("Node {}.", topology.show(node)),
                    name: names::node(topology, node),
                })
                .collect(),
        };
        return Some(OutputFile::of(path, FileType::Testbench, view));
    }
    let view = move || BoardNetwork {
        module: module.clone(),
        host: design.module("host"),
        notes: design.notes(),
        boards: all(),
    };
    Some(OutputFile::of(path, FileType::Testbench, view))
}

/// File of the module with all boards and their elements, if there are any.
pub(in crate::emit) fn with_elements<'d>(design: &'d ListDesign<'d>) -> Option<OutputFile<'d>> {
    let boards = design.boards.as_ref().filter(|_| design.ports.elements)?;
    let module = design.module("tops");
    let path = format!("tb/{module}.v");
    let view = move || ToppedNetwork {
        module: module.clone(),
        top: design.module("top"),
        notes: design.notes(),
        sizes: WireSizes::of(design),
        sites: boards.blocks.sites() as usize,
        axes: blocks::axes(&boards.blocks),
        is_common: design.has_common_calls(),
        boards: boards.blocks.boards().live_ids().map(|board| NetworkBoard::new(design, boards, board)).collect(),
    };
    Some(OutputFile::of(path, FileType::Boards, view))
}

/// File of the module with all boards and their self-tests, if there are any.
pub(in crate::emit) fn with_self_tests<'d>(design: &'d ListDesign<'d>) -> Option<OutputFile<'d>> {
    let boards = design.boards.as_ref().filter(|_| design.has_self_test)?;
    let module = design.module("bists");
    let path = format!("tb/{module}.v");
    let view = move || TestedNetwork {
        module: module.clone(),
        bist: design.module("bist"),
        notes: design.notes(),
        boards: boards.blocks.boards().live_ids().map(|board| NetworkBoard::new(design, boards, board)).collect(),
    };
    Some(OutputFile::of(path, FileType::Boards, view))
}

impl BoardCable {
    /// End of a signal of a board's port, where the cable leads to a port of another, by their names.
    fn new(signal: &LinkSignal, board: &str, there: Option<&str>) -> Self {
        let &LinkSignal { ref name, bits, role } = signal;
        let taken = |sent| there.map(|there| format!("{there}_{sent}"));
        let end = match role {
            LinkRole::Sends | LinkRole::Room => CableEnd::Wire(format!("{board}_{name}")),
            LinkRole::Clock => CableEnd::Clock,
            LinkRole::Free => CableEnd::High,
            LinkRole::Takes(sent) => taken(sent).map_or(CableEnd::Idle(bits), CableEnd::Wire),
            LinkRole::Valid(sent) => taken(sent).map_or(CableEnd::Idle(bits), CableEnd::Valid),
            LinkRole::Line(sent) => taken(sent).map_or(CableEnd::High, CableEnd::Wire),
        };
        let is_loose = match role {
            LinkRole::Sends => there.is_none(),
            role => matches!(role, LinkRole::Room),
        };
        Self { signal: name.clone(), drives: (!signal.is_input()).then_some(bits), end, is_loose }
    }
}

impl NetworkBoard {
    fn new(design: &ListDesign<'_>, all: &ListBoards, board: NodeId) -> Self {
        let blocks = &all.blocks;
        let ports = BoardPorts::of(design);
        let count = design.netlist.topology.axes();
        let cables = ports.sides.iter().zip(&ports.links).flat_map(|(side, links)| {
            let Channel { port, lane } = side.channel;
            let there = blocks.boards().step(board, port).map(|there| {
                let back = names::channel(count, Channel { port: Port::opposite(port), lane });
                format!("{}_{back}", names::of_board(blocks, there))
            });
            links
                .signals
                .iter()
                .map(move |signal| BoardCable::new(signal, &names::of_board(blocks, board), there.as_deref()))
        });
        let coordinates = blocks.boards().coords(board).into_iter().zip(blocks.boards().dims());
        let several = coordinates.filter(|&(_, &side)| side > 1);
        let at = ports.axes.iter().zip(several).map(|(axis, (at, _))| BoardCoordinate {
            name: axis.name.clone(),
            bits: axis.bits,
            at,
            is_moved: true,
        });
        let topology = &design.netlist.topology;
        let site = |site| {
            let node = blocks.node(board, site);
            let live = topology.is_live(node).then(|| (names::node(topology, node), topology.rank(node)));
            Site { name: names::of_site(blocks, site), node: live }
        };
        Self {
            name: names::of_board(blocks, board),
            place: blocks.boards().show(board),
            at: at.collect(),
            cables: cables.collect(),
            sites: (0..blocks.sites()).map(site).collect(),
        }
    }
}
