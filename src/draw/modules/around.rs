//! Block diagrams of the modules around the fabric: boards and configuration.

use super::diagram::{BlockPin, BlockRow, DiagramBlock, DiagramColumn};
use crate::net::NodeBlocks;
use crate::netlist::Netlist;
use crate::program::{Program, count};

/// Modules around the fabric.
#[derive(Clone, Debug, Default)]
pub struct FabricSurroundings {
    /// The blocks of nodes that boards have, if there are boards.
    pub boards: Option<NodeBlocks>,
}

fn nodes(program: &Program) -> String {
    count(program.topology.nodes().into(), "node")
}

pub(super) fn configuration(program: &Program, netlist: &Netlist) -> Option<DiagramBlock> {
    let bits = netlist.shifted_in(program).count() as u64;
    (bits > 0).then(|| DiagramBlock {
        column: DiagramColumn::Fabric,
        heading: "configuration".to_owned(),
        note: format!("a chain through {}", nodes(program)),
        inputs: vec![BlockPin::new("config_shift"), BlockPin::new("config_in")],
        rows: vec![
            BlockRow::out(count(bits, "bit"), BlockPin::new("config_out")),
            BlockRow::out("say what each output forwards", BlockPin::new("configuration")),
        ],
    })
}

pub(super) fn board(program: &Program, boards: &NodeBlocks) -> DiagramBlock {
    let axes = program.topology.axes();
    let ports = || program.channels().filter(|side| boards.is_cut(side.port)).map(|side| side.label(axes));
    let mut rows = vec![
        BlockRow::plain(match boards.sites() {
            1 => "a router with a clock enable, and its control".to_owned(),
            nodes => format!("{nodes} routers with a clock enable, and their control"),
        }),
        BlockRow::plain("a tick is played when every input has a token"),
        BlockRow::out("while a run lasts", BlockPin::link("busy")),
        BlockRow::out("a tick's arrivals are there", BlockPin::link("arrived")),
        BlockRow::out("after the last", BlockPin::link("done")),
    ];
    rows.extend(
        ports()
            .map(|port| BlockRow::out(format!("a token a tick by {port}"), BlockPin::link(format!("{port} m_axis")))),
    );
    DiagramBlock {
        column: DiagramColumn::Fabric,
        heading: "board".to_owned(),
        note: count(boards.boards().nodes().into(), "board"),
        inputs: ["start".to_owned(), "stall".to_owned()]
            .into_iter()
            .chain(ports().map(|port| format!("{port} s_axis, a FIFO")))
            .map(BlockPin::link)
            .collect(),
        rows,
    }
}
