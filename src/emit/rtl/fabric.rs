//! The fabric: one router a node, and the links between them.
//!
//! A link is named by the node it leads to, so that one name serves the output register's wire, the input of the
//! router at the other end and the fabric's own output.

use askama::Template;

use super::super::design::Design;
use super::super::{names, words};
use super::parts::{Range, TableWires};
use super::rules;
use crate::net::{Channel, NodeId};
use crate::netlist::{Clock, Rom, Router, Table, digits};
use crate::program::{ClassId, Window, count};

#[derive(Template)]
#[template(path = "rtl/fabric.v", escape = "none")]
pub struct FabricModule<'d> {
    design: &'d Design<'d>,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    /// the counter of ticks, there if there is more than one
    last_tick: Option<Count>,
    /// the counter of flits, there if a packet has more than one
    flit: Option<Count>,
    first: bool,
    /// own packets are taken flit by flit
    streams: bool,
    tables: Vec<SharedTable>,
    ties: bool,
}

/// A table whose words go to all nodes of its class.
struct SharedTable {
    class: String,
    module: String,
    wires: TableWires,
}

/// A counter that starts at 0.
struct Count {
    range: Range,
    /// spaces up to the names of the ports
    gap: String,
    bits: u32,
    last: u32,
}

struct Node {
    name: String,
    place: String,
    instance: String,
    router: String,
    has_router: bool,
    controls: Vec<Control>,
    packets: Vec<String>,
    opening: Option<Opening>,
    arrivals: Vec<Arrival>,
    tied: Vec<Arrival>,
    reads: Vec<Link>,
    drives: Vec<Link>,
}

/// When the node's window is open.
struct Opening {
    bits: u32,
    /// ticks before it
    start: u32,
    length: u32,
}

/// What the fabric tells all nodes of a class.
struct Control {
    port: &'static str,
    wire: String,
}

struct Arrival {
    name: String,
    comma: &'static str,
}

/// A router's port and the link at it.
struct Link {
    port: String,
    arrival: String,
    comma: &'static str,
}

impl<'d> FabricModule<'d> {
    pub fn new(design: &'d Design<'d>) -> Self {
        let mut fabric = Self {
            design,
            name: design.name(),
            headline: design.headline(),
            notes: notes(design),
            width: design.options.width,
            last_tick: Count::up_to(design.netlist.ticks - 1),
            flit: Count::up_to(design.netlist.flits - 1),
            first: design.netlist.has_first(),
            streams: design.netlist.streams,
            tables: shared_tables(design),
            ties: false,
        };
        let ties = fabric.nodes().any(|node| !node.tied.is_empty());
        fabric.ties = ties;
        fabric
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        self.design.program.topology.node_ids().map(|node| self.node(node))
    }

    fn node(&self, node: NodeId) -> Node {
        let program = self.design.program;
        let topology = &program.topology;
        let router = self.design.router(node);
        let is_last = node.0 + 1 == topology.nodes();
        let inputs: Vec<Channel> =
            program.channels().filter(|input| topology.neighbour(node, input.port).is_some()).collect();
        let arrival = |&input: &Channel| Arrival {
            name: self.arrival(node, input),
            comma: if is_last && Some(&input) == inputs.last() { "" } else { "," },
        };
        let opposite = |channel: Channel| Channel { port: channel.port.opposite(), ..channel };
        let is_driven = |input: &&Channel| {
            let neighbour = topology.neighbour(node, input.port);
            neighbour.is_some_and(|there| self.design.router(there).output(opposite(**input)).is_some())
        };
        let link = |channel: Channel, way: &str, arrival: String| Link {
            port: format!("{}_{way}", names::channel(topology.axes(), channel)),
            arrival,
            comma: ",",
        };
        let driven = router.outputs.iter().map(|output| output.channel);
        let drive = |output: Channel| {
            let neighbour = topology.neighbour(node, output.port)?;
            Some(link(output, "out", self.arrival(neighbour, opposite(output))))
        };
        let mut drives: Vec<Link> = driven.filter_map(drive).collect();
        if let Some(last) = drives.last_mut() {
            last.comma = "";
        }
        Node {
            name: names::node(topology, node),
            place: topology.show(node),
            instance: names::instance(topology, node),
            router: names::router(program, program.class_of[node.index()]),
            has_router: !router.is_idle(),
            controls: self.controls(program.class_of[node.index()], router),
            packets: router.packets.iter().map(|&own| names::own(own)).collect(),
            opening: Opening::of(router, program.window(node)),
            arrivals: inputs.iter().map(arrival).collect(),
            tied: inputs.iter().filter(|input| !is_driven(input)).map(arrival).collect(),
            reads: router.inputs.iter().map(|&input| link(input, "in", self.arrival(node, input))).collect(),
            drives,
        }
    }

    fn controls(&self, class: ClassId, router: &Router) -> Vec<Control> {
        let class = self.design.program.class_name(class);
        let mut controls = Vec::new();
        if router.uses_first() {
            controls.push(Control { port: "first", wire: "first".to_owned() });
        }
        if let Some(table) = router.table.as_ref().filter(|_| self.design.netlist.rom == Rom::Shared) {
            if table.store.is_some() {
                controls.push(Control { port: "slot", wire: format!("slot_{class}") });
            }
            controls.push(Control { port: "word", wire: format!("word_{class}") });
        }
        controls
    }

    /// What arrives at a node's input, without `_data` or `_valid`.
    fn arrival(&self, node: NodeId, input: Channel) -> String {
        names::arrival(&self.design.program.topology, node, input)
    }
}

fn shared_tables(design: &Design) -> Vec<SharedTable> {
    let program = design.program;
    let shared = design.netlist.tables().filter(|_| design.netlist.rom == Rom::Shared);
    let view = |(class, table): (ClassId, &Table)| SharedTable {
        class: program.class_name(class),
        module: names::table(program, class),
        wires: TableWires::of(table),
    };
    shared.map(view).collect()
}

fn notes(design: &Design) -> Vec<String> {
    let program = design.program;
    let axes = program.topology.axes();
    let mut notes: Vec<String> = design
        .netlist
        .driven()
        .map(|(class, router)| {
            format!("class {}: {}; {}", program.class_name(class), rules::headline(router, axes), design.members(class))
        })
        .collect();
    notes.push(format!(
        "Hold run high for {} to play the program; a tick of run low, or rst, makes everything invalid.",
        count(u64::from(program.ticks), "tick")
    ));
    if design.netlist.streams {
        notes.push(
            "Each own input presents a flit of its packets; `take` is high in a tick that sends it: the next one follows."
                .to_owned(),
        );
    } else if program.flits > 1 {
        notes.push("Each own input presents the flit of its packet that `flit` asks for.".to_owned());
    } else {
        notes.push("Hold each own input at its packet while run is high.".to_owned());
    }
    notes.push("What arrives at a node's port in a tick is at its outputs after that tick.".to_owned());
    notes.push(design.generated());
    words::wrap_all(&notes)
}

impl Opening {
    fn of(router: &Router, window: Window) -> Option<Self> {
        let counter = router.counters.iter().find(|counter| counter.clock == Clock::Tick)?;
        let start = window.first.saturating_sub(1);
        router.has_window().then(|| Self { bits: digits(counter.last), start, length: window.ticks })
    }
}

impl Count {
    /// None if there is nothing to count.
    fn up_to(last: u32) -> Option<Self> {
        let range = Range::up_to(last);
        (last > 0).then(|| Self { range, gap: range.gap(), bits: digits(last), last })
    }
}
