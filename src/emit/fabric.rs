//! The fabric: one router a node, and the links between them.
//!
//! A link is named by the node it leads to, so that one name serves the output register's wire, the input of the
//! router at the other end and the fabric's own output.

use askama::Template;

use super::course::Courses;
use super::playback::slot_range;
use super::rom::word_range;
use super::state::{literal, range};
use super::table::Table;
use super::words::{self, count};
use super::{Design, Rom, names};
use crate::net::{NodeId, Port};
use crate::program::ClassId;

#[derive(Template)]
#[template(path = "rtl/fabric.v", escape = "none")]
pub struct Fabric<'d> {
    design: &'d Design<'d>,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    flits: Flits,
    first: bool,
    tables: Vec<SharedTable>,
    ties: bool,
}

/// A table whose words go to all nodes of its class.
struct SharedTable {
    class: String,
    module: String,
    word_range: String,
    slot_range: String,
    has_store: bool,
}

/// The counter of flits, there if a packet has more than one.
struct Flits {
    counted: bool,
    range: String,
    zero: String,
    one: String,
    last: String,
    /// what `started` waits for
    first_over: String,
}

struct Node {
    name: String,
    place: String,
    instance: String,
    router: String,
    has_router: bool,
    controls: Vec<Control>,
    packets: Vec<u16>,
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

impl<'d> Fabric<'d> {
    pub fn new(design: &'d Design<'d>) -> Self {
        let program = design.program;
        let mut fabric = Self {
            design,
            name: &program.title.name,
            headline: format!(
                "{} on a {}, scheme {}",
                program.title.collective,
                program.topology.describe(),
                program.title.scheme
            ),
            notes: notes(design),
            width: design.options.width,
            flits: Flits::new(program.flits),
            first: design.courses.iter().any(Courses::uses_first),
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
        let torus = &program.topology;
        let courses = self.design.courses(node);
        let is_last = node.0 + 1 == torus.nodes();
        let arrival = |port: Port| Arrival {
            name: self.arrival(node, port),
            comma: if is_last && Some(port) == torus.linked_ports(node).last() { "" } else { "," },
        };
        let is_driven = |port: &Port| {
            let neighbour = torus.neighbour(node, *port);
            neighbour.is_some_and(|there| self.design.courses(there).output(port.opposite()).is_some())
        };
        let link = |port: Port, way: &str, arrival: String| Link {
            port: format!("{}_{way}", names::port(torus.axes(), port)),
            arrival,
            comma: ",",
        };
        let mut drives: Vec<Link> = courses
            .outputs
            .iter()
            .filter_map(|&(port, _)| {
                let there = torus.neighbour(node, port)?;
                Some(link(port, "out", self.arrival(there, port.opposite())))
            })
            .collect();
        if let Some(last) = drives.last_mut() {
            last.comma = "";
        }
        Node {
            name: names::node(torus, node),
            place: torus.show(node),
            instance: names::instance(torus, node),
            router: names::router(program, program.class_of[node.index()]),
            has_router: !courses.is_idle(),
            controls: self.controls(program.class_of[node.index()], courses),
            packets: courses.packets.clone(),
            arrivals: torus.linked_ports(node).map(arrival).collect(),
            tied: torus.linked_ports(node).filter(|port| !is_driven(port)).map(arrival).collect(),
            reads: courses.inputs.iter().map(|&(port, _)| link(port, "in", self.arrival(node, port))).collect(),
            drives,
        }
    }

    fn controls(&self, class: ClassId, courses: &Courses) -> Vec<Control> {
        let class = self.design.program.class_name(class);
        let mut controls = Vec::new();
        if courses.uses_first() {
            controls.push(Control { port: "first", wire: "first".to_owned() });
        }
        if let Some(table) = courses.table.as_ref().filter(|_| self.design.options.rom == Rom::Shared) {
            if table.store.is_some() {
                controls.push(Control { port: "slot", wire: format!("slot_{class}") });
            }
            controls.push(Control { port: "word", wire: format!("word_{class}") });
        }
        controls
    }

    /// What arrives at a node's port, without `_data` or `_valid`.
    fn arrival(&self, node: NodeId, port: Port) -> String {
        let torus = &self.design.program.topology;
        format!("{}_{}_in", names::node(torus, node), names::port(torus.axes(), port))
    }
}

fn shared_tables(design: &Design) -> Vec<SharedTable> {
    let program = design.program;
    let shared = design.tables().filter(|_| design.options.rom == Rom::Shared);
    let view = |(class, table): (ClassId, &Table)| SharedTable {
        class: program.class_name(class),
        module: names::table(program, class),
        word_range: word_range(table),
        slot_range: slot_range(table),
        has_store: table.store.is_some(),
    };
    shared.map(view).collect()
}

fn notes(design: &Design) -> Vec<String> {
    let program = design.program;
    let axes = program.topology.axes();
    let mut notes: Vec<String> = design
        .routers()
        .map(|(class, courses)| {
            format!(
                "class {}: {}; {}",
                program.class_name(class),
                words::headline(courses, axes),
                design.members(class)
            )
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
    notes.push(design.options.generated());
    notes.iter().flat_map(|note| words::wrap(note)).collect()
}

impl Flits {
    fn new(flits: u32) -> Self {
        let last = flits - 1;
        let counted = flits > 1;
        let text = |value| literal(value, last);
        let first_over = if counted { format!(" & (started | (flit == {}))", text(last)) } else { String::new() };
        Self {
            counted,
            range: format!("{:<11}", range(last).trim_end()),
            zero: text(0),
            one: text(1),
            last: text(last),
            first_over,
        }
    }
}
