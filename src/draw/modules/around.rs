//! Block diagrams of the modules around the fabric: memories and streams, the ring, boards, and configuration.

use super::diagram::{BlockPin, BlockRow, DiagramBlock, DiagramColumn};
use crate::net::{Channel, NodeBlocks};
use crate::netlist::{BlockOrder, HostStreams, Netlist, NodeOptions, ReadingTables, Results};
use crate::program::{Program, Source, count};

/// Modules around the fabric.
#[derive(Clone, Debug, Default)]
pub struct FabricSurroundings {
    /// Memories and streams at the nodes, and where these find their packets.
    pub local: Option<(NodeOptions, ReadingTables)>,
    /// The blocks of nodes that boards have, if there are boards.
    pub boards: Option<NodeBlocks>,
}

pub(super) fn blocks(program: &Program, netlist: &Netlist, around: &FabricSurroundings) -> Vec<DiagramBlock> {
    let mut blocks = Vec::new();
    blocks.extend(configuration(program, netlist));
    if let Some((local, reading)) = &around.local {
        blocks.push(system());
        blocks.push(node(program, netlist, *local, reading));
        blocks.extend((local.host == HostStreams::Chain).then(|| chain(program)));
    }
    blocks
}

fn nodes(program: &Program) -> String {
    count(program.topology.nodes().into(), "node")
}

/// The labels of a node's inputs.
fn labels(program: &Program) -> impl Iterator<Item = String> {
    let axes = program.topology.axes();
    program.channels().map(move |input: Channel| input.label(axes))
}

fn configuration(program: &Program, netlist: &Netlist) -> Option<DiagramBlock> {
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

fn system() -> DiagramBlock {
    DiagramBlock {
        column: DiagramColumn::Fabric,
        heading: "system".to_owned(),
        note: "raises run".to_owned(),
        inputs: vec![BlockPin::new("start"), BlockPin { net: "done".into(), ..BlockPin::new("all is over") }],
        rows: vec![
            BlockRow::out("from when every node is ready", BlockPin { net: "run".into(), ..BlockPin::new("busy") }),
            BlockRow::out("when all has arrived", BlockPin::link("done")),
        ],
    }
}

fn node(program: &Program, netlist: &Netlist, local: NodeOptions, reading: &ReadingTables) -> DiagramBlock {
    let axes = program.topology.axes();
    let words = count(u64::from(program.flits), "word");
    let own = |packet| Source::Own { packet, through: packet }.describe(axes);
    let bits = program.outputs() as u64 * u64::from(netlist.width);
    let steps = u64::from(reading.steps) * u64::from(program.flits);
    let handed_out = match (local.results, local.order) {
        (Results::Memory, _) => "any packet, by its address",
        (Results::Stream, BlockOrder::Origin) => "all packets, by their origin",
        (Results::Stream, BlockOrder::Arrival) => "all packets, as they came in",
    };
    let port = if local.results == Results::Memory { "m_ram" } else { "m_axis" };
    let mut rows: Vec<BlockRow> = (0..reading.packets)
        .map(|packet| BlockRow::out(format!("two banks of {words}"), BlockPin::new(own(packet))))
        .collect();
    rows.push(BlockRow::plain(format!("received: two banks of {}", count(steps, "word"))));
    rows.push(BlockRow::plain(format!("of {bits} bits")));
    let tables = count(reading.tables.len() as u64, "table");
    rows.push(BlockRow::plain(format!("{tables} of {}", count(program.demand.packets(), "place"))));
    rows.push(BlockRow::out(handed_out, BlockPin { net: "out of a node".into(), ..BlockPin::new(port) }));
    DiagramBlock {
        column: DiagramColumn::Control,
        heading: "memories of a node".to_owned(),
        note: nodes(program),
        inputs: std::iter::once(BlockPin { net: "into a node".into(), ..BlockPin::new("s_axis") })
            .chain(labels(program).map(BlockPin::link))
            .collect(),
        rows,
    }
}

fn chain(program: &Program) -> DiagramBlock {
    DiagramBlock {
        column: DiagramColumn::Fabric,
        heading: "ring".to_owned(),
        note: "a register per node".to_owned(),
        inputs: vec![
            BlockPin::link("s_axis"),
            BlockPin { net: "out of a node".into(), ..BlockPin::new("m_axis of each") },
        ],
        rows: vec![
            BlockRow::out(format!("{}, one after the other", nodes(program)), BlockPin::link("m_axis")),
            BlockRow::out(
                "to the node whose turn it is",
                BlockPin { net: "into a node".into(), ..BlockPin::new("s_axis of each") },
            ),
        ],
    }
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
