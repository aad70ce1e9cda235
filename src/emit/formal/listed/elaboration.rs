//! Netlists of a design with several programs: of all nodes, or of each board with the coordinates of its place.

use askama::Template;

use crate::emit::boards::blocks;
use crate::emit::formal::rendered;
use crate::emit::node::ListDesign;
use crate::emit::shared::axis::NetworkAxis;
use crate::net::NodeId;

/// View of `templates/formal/boards.ys`.
#[derive(Template)]
#[template(path = "formal/boards.ys", escape = "none")]
struct BoardElaboration {
    top: String,
    tile: String,
    node: String,
    boards: Vec<PlacedBoard>,
}

/// Board with its coordinates.
struct PlacedBoard {
    module: String,
    place: String,
    coordinates: Vec<BoardConstant>,
}

/// Coordinate of a board.
struct BoardConstant {
    name: String,
    bits: u32,
    at: u32,
}

/// Module of a board once its coordinates are constants.
pub fn at_board(design: &ListDesign<'_>, board: NodeId) -> String {
    format!("{}_{}", design.whole(), board.0)
}

/// Script for yosys that writes the netlist of all nodes as JSON, or that of every board.
pub fn wires(design: &ListDesign<'_>) -> String {
    #[derive(Template)]
    #[template(path = "formal/fabric.ys", escape = "none")]
    struct DeviceElaboration<'d> {
        fabric: &'d str,
    }
    let top = design.whole();
    let Some(boards) = &design.boards else { return rendered(&DeviceElaboration { fabric: &top }) };
    let (axes, along) = (blocks::axes(&boards.blocks), boards.blocks.boards());
    let placed = |board| {
        let several = along.coords(board).into_iter().zip(along.dims()).filter(|&(_, &side)| side > 1);
        let coordinate =
            |(axis, (at, _)): (&NetworkAxis, _)| BoardConstant { name: axis.name.clone(), bits: axis.bits, at };
        PlacedBoard {
            module: at_board(design, board),
            place: along.show(board),
            coordinates: axes.iter().zip(several).map(coordinate).collect(),
        }
    };
    let boards = along.live_ids().map(placed).collect();
    rendered(&BoardElaboration { tile: design.module("tile"), node: design.module("node"), top, boards })
}
