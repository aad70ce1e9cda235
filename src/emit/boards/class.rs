//! Kind of a board, computed from its coordinates: one build serves all boards.

use std::cmp::Reverse;

use askama::Template;

use crate::emit::boards::blocks::{BoardKinds, axes};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::{names, words};
use crate::net::{NodeId, Topology};
use crate::program::{ClassId, count};

#[derive(Template)]
#[template(path = "elastic/class.v", escape = "none")]
pub struct ClassModule {
    kinds: BoardKinds,
    module: String,
    about: &'static str,
    notes: Vec<String>,
    axes: Vec<NetworkAxis>,
    class: UpCounter,
    /// the kind of most boards
    most: u32,
}

/// A board that is not of that kind.
struct Other {
    place: Vec<ClassCoordinate>,
    class: u32,
}

pub struct ClassCoordinate {
    pub bits: u32,
    pub at: u32,
}

/// Coordinates of a board along axes with several boards.
pub fn coordinates(boards: &Topology, axes: &[NetworkAxis], board: NodeId) -> Vec<ClassCoordinate> {
    let several = boards.coords(board).into_iter().zip(boards.dims()).filter(|&(_, &side)| side > 1);
    axes.iter().zip(several).map(|(axis, (at, _))| ClassCoordinate { bits: axis.bits, at }).collect()
}

impl ClassModule {
    pub fn new(design: &EmitDesign) -> Self {
        let program = design.program;
        let kinds = BoardKinds::of(design);
        let mut sizes = vec![0_u32; kinds.count()];
        kinds.of.iter().for_each(|&kind| sizes[kind as usize] += 1);
        // the first of several
        let most = (0..).zip(&sizes).max_by_key(|&(kind, size)| (size, Reverse(kind))).map_or(0, |(kind, _)| kind);
        let is_of_nodes = kinds.blocks.is_of_nodes();
        let boards = count(kinds.of.len() as u64, "board");
        let kind = |(kind, size): (u32, &u32)| {
            if !is_of_nodes {
                return format!("{kind}: {size} of {boards}");
            }
            let class = ClassId(kind);
            format!("{kind} is class {}: {}", program.class_name(class), design.members(class))
        };
        let mut notes: Vec<String> = (0..).zip(&sizes).map(kind).collect();
        notes.push(design.generated());
        Self {
            module: names::class(program),
            about: if is_of_nodes { "class of a board's router" } else { "kind of a board" },
            notes: words::wrap_all(&notes),
            axes: axes(&kinds.blocks),
            class: kinds.number(),
            most,
            kinds,
        }
    }

    fn others(&self) -> impl Iterator<Item = Other> {
        let boards = self.kinds.blocks.boards();
        let is_other = |board: &NodeId| self.kinds.of[board.index()] != self.most;
        boards.node_ids().filter(is_other).map(move |board| Other {
            place: coordinates(boards, &self.axes, board),
            class: self.kinds.of[board.index()],
        })
    }
}
