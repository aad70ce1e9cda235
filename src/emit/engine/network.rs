//! All boards of an engine together, for simulation: `templates/engine/boards.v`.

use askama::Template;

use super::boards::{Coordinate, Ports};
use super::{EngineBoards, EngineDesign};
use crate::emit::names;
use crate::emit::output::{File, Kind};
use crate::net::{Channel, NodeId, Port};

/// View of `templates/engine/boards.v`.
#[derive(Template)]
#[template(path = "engine/boards.v", escape = "none")]
struct Network {
    module: String,
    host: String,
    notes: Vec<String>,
    boards: Vec<Board>,
}

struct Board {
    name: String,
    place: String,
    at: Vec<Coordinate>,
    cables: Vec<Cable>,
}

/// Port of a board, and the cable that comes in there.
struct Cable {
    port: String,
    bits: u32,
    from: Option<String>,
    is_end: bool,
}

/// Module with all boards of an engine.
pub fn module(name: &str) -> String {
    format!("{name}_boards")
}

/// Path of that module.
pub fn path(name: &str) -> String {
    format!("tb/{}.v", module(name))
}

/// File of the module with all boards.
pub(super) fn file<'d>(design: &'d EngineDesign<'d>) -> Option<File<'d>> {
    let boards = design.boards.as_ref()?;
    let module = module(design.name);
    let view = move || Network {
        module: module.clone(),
        host: design.module("host"),
        notes: design.notes(),
        boards: boards.blocks.boards().node_ids().map(|board| Board::new(design, boards, board)).collect(),
    };
    Some(File::of(path(design.name), Kind::Testbench, view))
}

impl Board {
    fn new(design: &EngineDesign<'_>, boards: &EngineBoards, board: NodeId) -> Self {
        let blocks = &boards.blocks;
        let ports = Ports::of(design);
        let count = design.engine.topology.axes();
        let cables = ports.sides.iter().map(|side| {
            let Channel { port, lane } = side.channel;
            let there = blocks.boards().step(board, port);
            let back = names::channel(count, Channel { port: Port::opposite(port), lane });
            Cable {
                port: side.name.clone(),
                bits: side.bits + ports.overhead,
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
        Self {
            name: names::of_board(blocks, board),
            place: blocks.boards().show(board),
            at: at.collect(),
            cables: cables.collect(),
        }
    }
}
