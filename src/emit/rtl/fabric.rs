//! The fabric: one router a node, and the links between them.
//!
//! A link is named by the node it leads to, so that one name serves the output register's wire, the input of the
//! router at the other end and the fabric's own output.

use askama::Template;

use super::super::design::Design;
use super::super::{names, words};
use super::parts::{Range, TableWires};
use super::rules;
use crate::net::{NodeId, Port};
use crate::netlist::{Rom, Router, Table, digits};
use crate::program::{ClassId, count};

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
    packets: Vec<u32>,
    arrivals: Vec<Arrival>,
    tied: Vec<Arrival>,
    reads: Vec<Link>,
    drives: Vec<Link>,
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
        let arrival = |port: Port| Arrival {
            name: self.arrival(node, port),
            comma: if is_last && Some(port) == topology.linked_ports(node).last() { "" } else { "," },
        };
        let is_driven = |port: &Port| {
            let neighbour = topology.neighbour(node, *port);
            neighbour.is_some_and(|there| self.design.router(there).output(port.opposite()).is_some())
        };
        let link = |port: Port, way: &str, arrival: String| Link {
            port: format!("{}_{way}", names::port(topology.axes(), port)),
            arrival,
            comma: ",",
        };
        let driven = router.outputs.iter().map(|output| output.port);
        let drive =
            |port: Port| Some(link(port, "out", self.arrival(topology.neighbour(node, port)?, port.opposite())));
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
            packets: router.packets.clone(),
            arrivals: topology.linked_ports(node).map(arrival).collect(),
            tied: topology.linked_ports(node).filter(|port| !is_driven(port)).map(arrival).collect(),
            reads: router.inputs.iter().map(|&port| link(port, "in", self.arrival(node, port))).collect(),
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

    /// What arrives at a node's port, without `_data` or `_valid`.
    fn arrival(&self, node: NodeId, port: Port) -> String {
        let topology = &self.design.program.topology;
        format!("{}_{}_in", names::node(topology, node), names::port(topology.axes(), port))
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
    if program.flits > 1 {
        notes.push("Each own input presents the flit of its packet that `flit` asks for.".to_owned());
    } else {
        notes.push("Hold each own input at its packet while run is high.".to_owned());
    }
    notes.push("What arrives at a node's port in a tick is at its outputs after that tick.".to_owned());
    notes.push(design.generated());
    words::wrap_all(&notes)
}

impl Count {
    /// None if there is nothing to count.
    fn up_to(last: u32) -> Option<Self> {
        let range = Range::up_to(last);
        (last > 0).then(|| Self { range, gap: range.gap(), bits: digits(last), last })
    }
}
