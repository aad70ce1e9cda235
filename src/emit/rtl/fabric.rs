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
    /// by port
    port_names: Vec<PortName>,
    /// by class
    common: Vec<Common>,
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

/// A node's ports in the fabric's list.
struct Interface<'m> {
    name: String,
    place: String,
    packets: &'m [u32],
    arrivals: Vec<Arrival>,
}

/// A node's router.
struct Instance<'m> {
    name: String,
    instance: String,
    router: &'m str,
    controls: &'m [Control],
    packets: &'m [u32],
    reads: Vec<Link<'m>>,
    drives: Vec<Link<'m>>,
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
struct Link<'m> {
    port: &'m str,
    arrival: String,
    comma: &'static str,
}

/// What the routers of a class have in common.
struct Common {
    router: String,
    controls: Vec<Control>,
}

/// What a port is called: by itself, as a router's input and as its output.
struct PortName {
    port: String,
    input: String,
    output: String,
}

impl<'d> FabricModule<'d> {
    pub fn new(design: &'d Design<'d>) -> Self {
        let program = design.program;
        let axes = program.topology.axes();
        let port_name = |port: Port| {
            let port = names::port(axes, port);
            PortName { input: format!("{port}_in"), output: format!("{port}_out"), port }
        };
        let common = |(class, router): (ClassId, &Router)| Common {
            router: names::router(program, class),
            controls: controls(design, class, router),
        };
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
            port_names: program.topology.port_ids().map(port_name).collect(),
            common: (0..).map(ClassId).zip(&design.netlist.routers).map(common).collect(),
            ties: false,
        };
        let ties = fabric.tied().next().is_some();
        fabric.ties = ties;
        fabric
    }

    /// The ports of all nodes: the only place where a name is made for every packet and every link.
    fn interfaces(&self) -> impl Iterator<Item = Interface<'_>> {
        let topology = &self.design.program.topology;
        topology.node_ids().map(move |node| {
            let is_last = node.0 + 1 == topology.nodes();
            let arrival = |port: Port| Arrival {
                name: self.arrival(node, port),
                comma: if is_last && Some(port) == topology.linked_ports(node).last() { "" } else { "," },
            };
            Interface {
                name: names::node(topology, node),
                place: topology.show(node),
                packets: &self.design.router(node).packets,
                arrivals: topology.linked_ports(node).map(arrival).collect(),
            }
        })
    }

    /// The links that nobody drives.
    fn tied(&self) -> impl Iterator<Item = String> {
        let topology = &self.design.program.topology;
        let is_tied = move |node: NodeId, port: Port| {
            let neighbour = topology.neighbour(node, port);
            neighbour.is_some_and(|there| self.design.router(there).output(port.opposite()).is_none())
        };
        let ports = topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port)));
        ports.filter(move |&(node, port)| is_tied(node, port)).map(|(node, port)| self.arrival(node, port))
    }

    /// The routers of all nodes that have one.
    fn instances(&self) -> impl Iterator<Item = Instance<'_>> {
        let nodes = self.design.program.topology.node_ids();
        nodes.filter(|&node| !self.design.router(node).is_idle()).map(|node| self.instance(node))
    }

    fn instance(&self, node: NodeId) -> Instance<'_> {
        let topology = &self.design.program.topology;
        let router = self.design.router(node);
        let read = |&port: &Port| Link {
            port: &self.port_names[port.index()].input,
            arrival: self.arrival(node, port),
            comma: ",",
        };
        let drive = |port: Port| {
            let arrival = self.arrival(topology.neighbour(node, port)?, port.opposite());
            Some(Link { port: &self.port_names[port.index()].output, arrival, comma: "," })
        };
        let mut drives: Vec<Link> = router.outputs.iter().filter_map(|output| drive(output.port)).collect();
        if let Some(last) = drives.last_mut() {
            last.comma = "";
        }
        let Common { router: module, controls } = &self.common[self.design.program.class_of[node.index()].index()];
        Instance {
            name: names::node(topology, node),
            instance: names::instance(topology, node),
            router: module,
            controls,
            packets: &router.packets,
            reads: router.inputs.iter().map(read).collect(),
            drives,
        }
    }

    /// What arrives at a node's port, without `_data` or `_valid`.
    fn arrival(&self, node: NodeId, port: Port) -> String {
        let mut name = names::node(&self.design.program.topology, node);
        for part in ["_", &self.port_names[port.index()].port, "_in"] {
            name.push_str(part);
        }
        name
    }
}

fn controls(design: &Design, class: ClassId, router: &Router) -> Vec<Control> {
    let class = design.program.class_name(class);
    let mut controls = Vec::new();
    if router.uses_first() {
        controls.push(Control { port: "first", wire: "first".to_owned() });
    }
    if let Some(table) = router.table.as_ref().filter(|_| design.netlist.rom == Rom::Shared) {
        if table.store.is_some() {
            controls.push(Control { port: "slot", wire: format!("slot_{class}") });
        }
        controls.push(Control { port: "word", wire: format!("word_{class}") });
    }
    controls
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
