//! A network of boards, for simulation: a router with its pads per node, and between them wires that both ends drive.
//!
//! The network has the ports of the fabric, so that the fabric's testbench plays it.

use askama::Template;

use crate::emit::bench;
use crate::emit::fabric::pads::{self, Pad};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile};
use crate::emit::shared::parts::UpCounter;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId, Port};

/// The boards, what watches their links, and a testbench.
pub struct SharedBoards;

impl EmittedPart for SharedBoards {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if !pads::are_due(design.program) {
            return Vec::new();
        }
        let module = names::boards(design.program);
        let path = |module: &str| format!("tb/{module}.v");
        let link = format!("{module}_link");
        let (boards, bench) = (module.clone(), names::testbench_of(&module));
        vec![
            OutputFile::of(path(&link), FileType::Boards, move || SharedLinkModule::new(design, link.clone())),
            OutputFile::of(path(&module), FileType::Boards, move || BoardsModule::new(design, boards.clone())),
            OutputFile::of(path(&bench), FileType::Boards, move || bench::of_boards(design)),
        ]
    }
}

#[derive(Template)]
#[template(path = "tb/link.v", escape = "none")]
struct SharedLinkModule {
    module: String,
    notes: Vec<String>,
    width: u32,
}

#[derive(Template)]
#[template(path = "tb/boards.v", escape = "none")]
struct BoardsModule<'d> {
    design: &'d EmitDesign<'d>,
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    flit: Option<UpCounter>,
    /// pads of the board, by class
    pads: Vec<Vec<Pad>>,
}

/// A node's board.
struct SharedBoard {
    name: String,
    place: String,
    instance: String,
    module: String,
    index: u32,
    last: bool,
    /// true if the board receives the clock later
    late: bool,
    packets: Vec<String>,
    arrivals: Vec<SharedInput>,
    pads: Vec<Wired>,
}

struct SharedInput {
    name: String,
    /// input that never receives anything
    tied: bool,
}

/// A lane of a port and what it is connected to; nothing where no board is.
struct Wired {
    name: String,
    sends: bool,
    hears: bool,
    arrival: String,
    link: String,
    end: String,
    other: String,
}

/// A lane of a link, and who drives it.
struct SharedLane {
    name: String,
    ends: Vec<String>,
}

impl SharedLinkModule {
    fn new(design: &EmitDesign, module: String) -> Self {
        let said =
            "Ends the simulation if both drive it, if it turns without a silent tick, or if it is driven in silence.";
        let notes = words::wrap_all(&[said.to_owned(), design.generated()]);
        Self { module, notes, width: design.options.width }
    }
}

impl<'d> BoardsModule<'d> {
    fn new(design: &'d EmitDesign<'d>, module: String) -> Self {
        let program = design.program;
        let name = design.name();
        let mut notes = words::wrap("For simulation, in four states, in the design's folder:");
        notes.push(format!("$ iverilog -g2005 -o sim -f {name}.f tb/{module}*.v && vvp sim"));
        notes.extend(words::wrap(&design.generated()));
        Self {
            design,
            headline: format!("a board per node, of a {}", program.topology.describe()),
            notes,
            width: design.options.width,
            flit: UpCounter::of_several(program.flits),
            pads: pads::of_classes(design),
            module,
        }
    }

    fn boards(&self) -> impl Iterator<Item = SharedBoard> {
        self.design.program.topology.node_ids().map(|node| self.board(node))
    }

    fn board(&self, node: NodeId) -> SharedBoard {
        let program = self.design.program;
        let topology = &program.topology;
        let class = program.class_of[node.index()];
        let pads = &self.pads[class.index()];
        let hears = |input| pads.iter().any(|pad| pad.channel == input && pad.hears);
        let linked = |input: &Channel| topology.step(node, input.port).is_some();
        let arrival = |input| SharedInput { name: names::arrival(topology, node, input), tied: !hears(input) };
        let packets = &self.design.router(node).packets;
        SharedBoard {
            name: names::node(topology, node),
            place: topology.show(node),
            instance: names::instance(topology, node),
            module: names::pads(program, class),
            index: node.0,
            last: node.0 + 1 == topology.nodes(),
            late: node.0 % 2 == 1,
            packets: packets.iter().map(|&own| names::own(own)).collect(),
            arrivals: program.channels().filter(linked).map(arrival).collect(),
            pads: pads.iter().map(|pad| self.wired(node, *pad)).collect(),
        }
    }

    fn wired(&self, node: NodeId, Pad { channel, sends, hears }: Pad) -> Wired {
        let topology = &self.design.program.topology;
        let none = String::new;
        let is_linked = topology.step(node, channel.port).is_some();
        let other = pads::sender(self.design, node, channel);
        Wired {
            name: names::channel(topology.axes(), channel),
            sends,
            hears,
            arrival: if is_linked { names::arrival(topology, node, channel) } else { none() },
            link: self.link(node, channel).unwrap_or_else(none),
            end: if is_linked { names::sends(topology, node, channel) } else { none() },
            other: other.map_or_else(none, |(there, output)| names::sends(topology, there, output)),
        }
    }

    /// A lane of a link is called after the end whose port looks to larger coordinates.
    fn link(&self, node: NodeId, channel: Channel) -> Option<String> {
        let topology = &self.design.program.topology;
        let there = topology.step(node, channel.port)?;
        let is_named_here = channel.port == Port::plus(channel.port.axis());
        let (owner, port) = if is_named_here { (node, channel.port) } else { (there, channel.port.opposite()) };
        let name = names::channel(topology.axes(), Channel { port, ..channel });
        Some(format!("{}_{name}_link", names::node(topology, owner)))
    }

    fn links(&self) -> impl Iterator<Item = SharedLane> {
        let program = self.design.program;
        let topology = &program.topology;
        let plus = |channel: &Channel| channel.port == Port::plus(channel.port.axis());
        let places = topology
            .node_ids()
            .flat_map(move |node| program.channels().filter(plus).map(move |channel| (node, channel)));
        places.filter_map(move |(node, channel)| {
            let there = topology.step(node, channel.port)?;
            let back = channel.opposite();
            let ends = [(there, back), (node, channel)];
            let ends = ends.into_iter().filter_map(|(node, input)| pads::sender(self.design, node, input));
            Some(SharedLane {
                name: self.link(node, channel)?,
                ends: ends.map(|(node, output)| names::of_node(topology, node, output)).collect(),
            })
        })
    }
}
