//! All boards of a design together, for simulation: `templates/listed/boards.v` and `streamed_boards.v`.

use askama::Template;

use super::boards::{self, Coordinate, Ports};
use super::sizes::Sizes;
use super::{Bus, ListBoards, ListDesign};
use crate::emit::names;
use crate::emit::output::{File, Kind};
use crate::net::{Channel, NodeId, Port};

/// View of `templates/listed/boards.v`.
#[derive(Template)]
#[template(path = "listed/boards.v", escape = "none")]
struct Network {
    module: String,
    host: String,
    notes: Vec<String>,
    boards: Vec<Board>,
}

/// View of `templates/listed/streamed_boards.v`.
#[derive(Template)]
#[template(path = "listed/streamed_boards.v", escape = "none")]
struct StreamedNetwork {
    module: String,
    host: String,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
    boards: Vec<Board>,
    nodes: Vec<Node>,
}

/// Node by the name of its streams.
struct Node {
    place: String,
    name: String,
}

struct Board {
    name: String,
    place: String,
    at: Vec<Coordinate>,
    cables: Vec<Cable>,
    sites: Vec<Site>,
}

/// Node at a place of a board.
struct Site {
    name: String,
    node: String,
    number: u32,
}

/// Port of a board, and the cable that comes in there.
struct Cable {
    port: String,
    bits: u32,
    from: Option<String>,
    is_end: bool,
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
pub(super) fn file<'d>(design: &'d ListDesign<'d>) -> Option<File<'d>> {
    let boards = design.boards.as_ref()?;
    let module = module(design.name);
    let all = move || boards.blocks.boards().node_ids().map(|board| Board::new(design, boards, board)).collect();
    let path = path(design.name);
    if design.bus == Bus::Streams {
        let topology = &design.netlist.topology;
        let view = move || StreamedNetwork {
            module: module.clone(),
            host: design.top(),
            notes: design.notes(),
            sizes: Sizes::of(design),
            width: design.width,
            boards: all(),
            nodes: topology
                .node_ids()
                .map(|node| Node { place: format!("Node {}.", topology.show(node)), name: names::node(topology, node) })
                .collect(),
        };
        return Some(File::of(path, Kind::Testbench, view));
    }
    let view =
        move || Network { module: module.clone(), host: design.module("host"), notes: design.notes(), boards: all() };
    Some(File::of(path, Kind::Testbench, view))
}

impl Board {
    fn new(design: &ListDesign<'_>, all: &ListBoards, board: NodeId) -> Self {
        let blocks = &all.blocks;
        let ports = Ports::of(design);
        let count = design.netlist.topology.axes();
        let cables = ports.sides.iter().map(|side| {
            let Channel { port, lane } = side.channel;
            let there = blocks.boards().step(board, port);
            let back = names::channel(count, Channel { port: Port::opposite(port), lane });
            Cable {
                port: side.name.clone(),
                bits: boards::frame_bits(side, ports.overhead),
                from: there.map(|there| format!("{}_{back}", names::of_board(blocks, there))),
                is_end: there.is_none(),
            }
        });
        let coordinates = blocks.boards().coords(board).into_iter().zip(blocks.boards().dims());
        let several = coordinates.filter(|&(_, &side)| side > 1);
        let at = ports.axes.iter().zip(several).map(|(axis, (at, _))| Coordinate {
            name: axis.name.clone(),
            bits: axis.bits,
            at,
            is_moved: true,
        });
        let topology = &design.netlist.topology;
        let site = |site| {
            let node = blocks.node(board, site);
            Site { name: names::of_site(blocks, site), node: names::node(topology, node), number: node.0 }
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
