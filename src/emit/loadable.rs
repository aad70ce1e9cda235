//! A fabric whose routers have their tables in memory, so that another schedule can be loaded while it does not play.

mod bench;

use std::io::{self, Write};

use askama::Template;

use super::design::Design;
use super::lines::Lines;
use super::rtl::LinkModule;
use super::{Files, Options, names, words};
use crate::net::{Channel, NodeId, Port};
use crate::netlist::{Loadable, Own};
use crate::program::Program;

pub use bench::{PatchBench, write_bench};

/// Clocks from the first in which `run` is high to the one that begins the first tick.
pub const DELAY: u32 = 2;

#[derive(Template)]
#[template(path = "loadable/router.v", escape = "none")]
struct RouterModule<'d> {
    it: &'d Loadable,
    module: String,
    notes: Vec<String>,
    width: u32,
    table_bits: u32,
    /// the last place of a memory
    last: u32,
    packets: Vec<Selected>,
    ports: Vec<Selected>,
}

/// A packet or an input by name, and its number in a table.
struct Selected {
    name: String,
    select: u32,
}

#[derive(Template)]
#[template(path = "loadable/sequencer.v", escape = "none")]
struct SequencerModule<'d> {
    it: &'d Loadable,
    module: String,
    notes: Vec<String>,
    count_bits: u32,
    /// number of the sequencer among nodes
    sequencer: u32,
}

#[derive(Template)]
#[template(path = "loadable/fabric.v", escape = "none")]
struct FabricModule<'d> {
    it: &'d Loadable,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    table_bits: u32,
    /// registers of a link
    stages: u32,
    tables: Vec<Table>,
    nodes: Vec<Node>,
}

struct Table {
    name: String,
    words: String,
}

struct Node {
    number: u32,
    name: String,
    place: String,
    instance: String,
    packets: Vec<Pin>,
    links: Vec<Arrival>,
    ports: Vec<PortPins>,
    tables: Vec<String>,
    unlinked: Vec<String>,
}

/// A port of a router and the fabric's signal at it.
struct Pin {
    port: String,
    signal: String,
}

struct Arrival {
    arrival: String,
    is_last: bool,
}

/// Signals at a router's port.
struct PortPins {
    port: String,
    /// arrivals, if there is a link
    arrival: Option<String>,
    sent: String,
}

/// Writes the RTL of a program with tables in memory.
pub fn write_rtl(program: &Program, loadable: &Loadable, options: &Options, files: &mut dyn Files) -> io::Result<()> {
    let design = Design::new(program, options);
    let name = design.name();
    write(files, &format!("{name}_router.v"), &RouterModule::new(&design, loadable))?;
    write(files, &format!("{name}_sequencer.v"), &SequencerModule::new(&design, loadable))?;
    if program.latency > 1 {
        write(files, &format!("{}.v", names::link(program)), &LinkModule::new(&design))?;
    }
    write(files, &format!("{name}.v"), &FabricModule::new(&design, loadable))?;
    let link = if program.latency > 1 { format!("{}.v\n", names::link(program)) } else { String::new() };
    let list = format!("{name}_router.v\n{name}_sequencer.v\n{link}{name}.v\n");
    files.file(&format!("{name}.f"))?.write_all(list.as_bytes())
}

/// Writes a file from a template.
fn write(files: &mut dyn Files, path: &str, view: &impl Template) -> io::Result<()> {
    let mut out = Lines::new(files.file(path)?);
    Template::write_into(view, &mut out)?;
    // templates drop the line end
    writeln!(out)?;
    out.flush()
}

impl<'d> RouterModule<'d> {
    fn new(design: &Design, it: &'d Loadable) -> Self {
        let about = "Each output has a table with a word for every tick: what it sends, an own packet or an arrival, and how \
                     many ticks the arrival waits. Each input has a memory of all arrivals. All outputs read all memories: \
                     they are made of distributed RAM.";
        let axes = design.program.topology.axes();
        let ports = design.program.topology.port_ids();
        Self {
            it,
            module: format!("{}_router", design.name()),
            notes: words::wrap_all(&[about.to_owned(), design.generated()]),
            width: design.options.width,
            table_bits: it.word_bits() * it.ticks,
            last: it.most_ticks(),
            packets: (0..it.packets)
                .map(|packet| Selected { name: own(packet), select: Loadable::select_own(packet) })
                .collect(),
            ports: ports
                .map(|port| Selected { name: names::port(axes, port), select: it.select_input(port) })
                .collect(),
        }
    }
}

impl<'d> SequencerModule<'d> {
    fn new(design: &Design, it: &'d Loadable) -> Self {
        let sequencer = design.program.topology.nodes();
        let about = format!(
            "While run is low and shift is high, each clock shifts one bit of a frame in, and after its last bit the word is loaded. \
             Port {} of a node is the inputs that receive; node {sequencer} is the number of ticks of the schedule. Neither run nor a \
             reset changes what was loaded.",
            it.ports
        );
        Self {
            it,
            module: format!("{}_sequencer", design.name()),
            notes: words::wrap_all(&[about, design.generated()]),
            count_bits: 32 - it.frame_bits().leading_zeros(),
            sequencer,
        }
    }
}

impl<'d> FabricModule<'d> {
    fn new(design: &'d Design, it: &'d Loadable) -> Self {
        let program = design.program;
        let about = format!(
            "Hold run high for {} ticks and {DELAY} clocks more to play the schedule of power-up. Hold each own input at its packet \
             while run is high. Arrivals of a tick are at the outputs of the fabric after that tick. `torusweave patch` writes what \
             to load when links or nodes die.",
            program.ticks
        );
        let table = |class: usize, output: usize| format!("CLASS_{class}_OUTPUT_{output}");
        let outputs = 0..program.topology.ports();
        let all = (0..program.classes.len()).flat_map(|class| outputs.clone().map(move |output| (class, output)));
        let mut nodes: Vec<Node> = program.topology.live_ids().map(|node| placed(program, node, table)).collect();
        if let Some(last) = nodes.last_mut().and_then(|node| node.links.last_mut()) {
            last.is_last = true;
        }
        Self {
            it,
            name: design.name(),
            headline: design.headline(),
            notes: words::wrap_all(&[about, design.generated()]),
            width: design.options.width,
            table_bits: it.word_bits() * it.ticks,
            stages: program.latency - 1,
            tables: all
                .map(|(class, output)| Table { name: table(class, output), words: it.table(class, output) })
                .collect(),
            nodes,
        }
    }
}

/// Input of a router for a packet of its node's own.
fn own(packet: u32) -> String {
    names::own(Own { packet, through: packet })
}

/// Signals of a node.
fn placed(program: &Program, node: NodeId, table: impl Fn(usize, usize) -> String) -> Node {
    let topology = &program.topology;
    let name = names::node(topology, node);
    let arrival = |node: NodeId, port: Port| names::arrival(topology, node, Channel { port, lane: 0 });
    let class = program.class_of[node.index()].index();
    let sent = if program.latency > 1 { "_sent" } else { "" };
    let pins = |port: Port| {
        let label = names::port(topology.axes(), port);
        let linked = topology.step(node, port);
        let sent = linked.map(|there| format!("{}{sent}", arrival(there, port.opposite())));
        PortPins {
            arrival: linked.map(|_| arrival(node, port)),
            sent: sent.unwrap_or_else(|| format!("{name}_{label}_unused")),
            port: label,
        }
    };
    let unlinked = topology.port_ids().filter(|&port| topology.step(node, port).is_none());
    let packets = (0..program.demand.packets_of(node)).map(own);
    Node {
        number: node.0,
        place: topology.show(node),
        instance: names::instance(topology, node),
        packets: packets.map(|port| Pin { signal: format!("{name}_{port}"), port }).collect(),
        links: topology
            .linked_ports(node)
            .map(|port| Arrival { arrival: arrival(node, port), is_last: false })
            .collect(),
        ports: topology.port_ids().map(pins).collect(),
        tables: (0..topology.ports()).map(|output| table(class, output)).collect(),
        unlinked: unlinked.map(|port| names::port(topology.axes(), port)).collect(),
        name,
    }
}
