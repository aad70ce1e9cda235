//! The chips of all boards of a design, joined pin to pin, for simulation.

use askama::Template;

use crate::emit::node::{BoardPorts, ListBoards, ListDesign};
use crate::emit::shared::names;
use crate::net::{Channel, NodeId};

/// View of `templates/fpga/joined.v`.
#[derive(Template)]
#[template(path = "fpga/joined.v", escape = "none")]
struct Joined<'d> {
    module: &'static str,
    chip: &'d str,
    boards: Vec<JoinedBoard>,
}

struct JoinedBoard {
    name: String,
    pins: Vec<CoordinatePin>,
    wires: Vec<JoinedWire>,
}

/// Bit of a coordinate.
struct CoordinatePin {
    name: String,
    level: u32,
}

/// Port, and the port whose wire comes in there.
struct JoinedWire {
    port: String,
    from: Option<String>,
}

/// Module with all chips.
pub const MODULE: &str = "joined";

/// Text of the module with the chips of all boards, if there are several.
pub fn joined(design: &ListDesign<'_>, chip: &str) -> Option<String> {
    let (boards, ports) = (design.boards.as_ref()?, BoardPorts::of(design));
    let all = boards.blocks.boards().live_ids().map(|board| JoinedBoard::new(boards, &ports, board));
    let view = Joined { module: MODULE, chip, boards: all.collect() };
    Some(view.render().expect("text of ours"))
}

impl JoinedBoard {
    fn new(boards: &ListBoards, ports: &BoardPorts, board: NodeId) -> Self {
        let grid = boards.blocks.boards();
        let several = grid.coords(board).into_iter().zip(grid.dims()).filter(|&(_, &side)| side > 1);
        let pins = ports.axes.iter().zip(several).flat_map(|(axis, (at, _))| {
            (0..axis.bits).map(move |bit| CoordinatePin { name: format!("{}_{bit}", axis.name), level: at >> bit & 1 })
        });
        let wire = |channel: Channel, port: &str| {
            let back = names::channel(grid.axes(), channel.opposite());
            let there = grid.step(board, channel.port);
            JoinedWire {
                port: port.to_owned(),
                from: there.map(|there| format!("{}_{back}", names::of_board(&boards.blocks, there))),
            }
        };
        Self {
            name: names::of_board(&boards.blocks, board),
            pins: pins.collect(),
            wires: ports.sides.iter().map(|side| wire(side.channel, &side.name)).collect(),
        }
    }
}
