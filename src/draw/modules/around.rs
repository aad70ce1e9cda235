//! Block diagrams of the modules around the fabric: memories and streams, the ring, boards, and configuration.

use super::diagram::{Block, Column, Pin, Row};
use crate::net::{Blocks, Channel};
use crate::netlist::{Host, Local, Netlist, Order, Reading, Results};
use crate::program::{Program, Source, count};

/// Modules around the fabric.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Memories and streams at the nodes, and where these find their packets.
    pub local: Option<(Local, Reading)>,
    /// The blocks of nodes that boards have, if there are boards.
    pub boards: Option<Blocks>,
}

pub(super) fn blocks(program: &Program, netlist: &Netlist, around: &Around) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(configuration(program, netlist));
    if let Some((local, reading)) = &around.local {
        blocks.push(system());
        blocks.push(node(program, netlist, *local, reading));
        blocks.extend((local.host == Host::Chain).then(|| chain(program)));
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

fn configuration(program: &Program, netlist: &Netlist) -> Option<Block> {
    let bits = netlist.shifted_in(program).count() as u64;
    (bits > 0).then(|| Block {
        column: Column::Fabric,
        heading: "configuration".to_owned(),
        note: format!("a chain through {}", nodes(program)),
        inputs: vec![Pin::new("config_shift"), Pin::new("config_in")],
        rows: vec![
            Row::out(count(bits, "bit"), Pin::new("config_out")),
            Row::out("say what each output forwards", Pin::new("configuration")),
        ],
    })
}

fn system() -> Block {
    Block {
        column: Column::Fabric,
        heading: "system".to_owned(),
        note: "raises run".to_owned(),
        inputs: vec![Pin::new("start"), Pin { net: "done".into(), ..Pin::new("all is over") }],
        rows: vec![
            Row::out("from when every node is ready", Pin { net: "run".into(), ..Pin::new("busy") }),
            Row::out("when all has arrived", Pin::link("done")),
        ],
    }
}

fn node(program: &Program, netlist: &Netlist, local: Local, reading: &Reading) -> Block {
    let axes = program.topology.axes();
    let words = count(u64::from(program.flits), "word");
    let own = |packet| Source::Own { packet, through: packet }.describe(axes);
    let bits = program.outputs() as u64 * u64::from(netlist.width);
    let steps = u64::from(reading.steps) * u64::from(program.flits);
    let handed_out = match (local.results, local.order) {
        (Results::Memory, _) => "any packet, by its address",
        (Results::Stream, Order::Origin) => "all packets, by their origin",
        (Results::Stream, Order::Arrival) => "all packets, as they came in",
    };
    let port = if local.results == Results::Memory { "m_ram" } else { "m_axis" };
    let mut rows: Vec<Row> =
        (0..reading.packets).map(|packet| Row::out(format!("two banks of {words}"), Pin::new(own(packet)))).collect();
    rows.push(Row::plain(format!("received: two banks of {}", count(steps, "word"))));
    rows.push(Row::plain(format!("of {bits} bits")));
    let tables = count(reading.tables.len() as u64, "table");
    rows.push(Row::plain(format!("{tables} of {}", count(program.demand.packets(), "place"))));
    rows.push(Row::out(handed_out, Pin { net: "out of a node".into(), ..Pin::new(port) }));
    Block {
        column: Column::Control,
        heading: "memories of a node".to_owned(),
        note: nodes(program),
        inputs: std::iter::once(Pin { net: "into a node".into(), ..Pin::new("s_axis") })
            .chain(labels(program).map(Pin::link))
            .collect(),
        rows,
    }
}

fn chain(program: &Program) -> Block {
    Block {
        column: Column::Fabric,
        heading: "ring".to_owned(),
        note: "a register per node".to_owned(),
        inputs: vec![Pin::link("s_axis"), Pin { net: "out of a node".into(), ..Pin::new("m_axis of each") }],
        rows: vec![
            Row::out(format!("{}, one after the other", nodes(program)), Pin::link("m_axis")),
            Row::out("to the node whose turn it is", Pin { net: "into a node".into(), ..Pin::new("s_axis of each") }),
        ],
    }
}

pub(super) fn board(program: &Program, boards: &Blocks) -> Block {
    let axes = program.topology.axes();
    let ports = || program.channels().filter(|side| boards.is_cut(side.port)).map(|side| side.label(axes));
    let mut rows = vec![
        Row::plain(match boards.sites() {
            1 => "a router with a clock enable, and its control".to_owned(),
            nodes => format!("{nodes} routers with a clock enable, and their control"),
        }),
        Row::plain("a tick is played when every input has a token"),
        Row::out("while a run lasts", Pin::link("busy")),
        Row::out("a tick's arrivals are there", Pin::link("arrived")),
        Row::out("after the last", Pin::link("done")),
    ];
    rows.extend(ports().map(|port| Row::out(format!("a token a tick by {port}"), Pin::link(format!("{port} m_axis")))));
    Block {
        column: Column::Fabric,
        heading: "board".to_owned(),
        note: count(boards.boards().nodes().into(), "board"),
        inputs: ["start".to_owned(), "stall".to_owned()]
            .into_iter()
            .chain(ports().map(|port| format!("{port} s_axis, a FIFO")))
            .map(Pin::link)
            .collect(),
        rows,
    }
}
