//! The fabric: one router per node, and the links between them.
//!
//! A link is named by the node it leads to, so that one name serves the output register's wire, the input of the
//! router at the other end and the fabric's own output.

mod rows;

use std::collections::HashMap;

use askama::Template;

use crate::emit::fabric::crossbar::{self, Chain, ChainPart};
use crate::emit::fabric::loaded::{self, LoadWires, NodeTables};
use crate::emit::fabric::rules;
use crate::emit::fabric::timing::{ControlTiming, SequenceControl};
use crate::emit::fabric::top::rows::{row_name, spread_name};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::BitRange;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::{Rom, Router};
use crate::program::{ClassId, Window, count};

#[derive(Template)]
#[template(path = "rtl/fabric.v", escape = "none")]
pub struct FabricModule<'d> {
    design: &'d EmitDesign<'d>,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    timing: ControlTiming,
    leaf: String,
    chain: Chain,
    /// control words that are loaded, if they are
    loads: Option<LoadWires<'d>>,
    /// true if every node has its own sequence and receives only the start signal
    per_node: bool,
    /// own packets are taken flit by flit
    streams: bool,
    /// the registers of links, where they have any
    long: Option<LongLinks>,
    /// suffix of a link's name before its registers
    sent: &'static str,
    /// controls by sequence
    controls: Vec<SequenceControl>,
    /// channel names by output
    channels: Vec<ChannelName>,
    /// shared ports by class
    common: Vec<CommonPorts>,
    ties: bool,
}

/// Pipeline registers of each link.
struct LongLinks {
    module: String,
    stages: u32,
    ce: bool,
}

/// A node's ports in the fabric's list.
struct Interface<'m> {
    name: String,
    place: String,
    packets: &'m [String],
    arrivals: Vec<RouterInput>,
}

/// A node's router.
struct PlacedRouter<'m> {
    name: String,
    instance: String,
    router: &'m str,
    row: String,
    /// word that its leaf passes on
    told: String,
    word: RouterWord,
    configuration: Option<&'m ChainPart>,
    /// words at power-up, if words are loaded
    loaded: Option<NodeTables>,
    control: &'m SequenceControl,
    packets: &'m [String],
    opening: Option<Opening>,
    reads: Vec<LinkedPort<'m>>,
    drives: Vec<LinkedPort<'m>>,
    /// arrivals at inputs without links, which say nothing
    silent: Vec<String>,
}

/// Ports that all routers of a class share.
struct CommonPorts {
    router: String,
    /// the number of its sequence
    control: usize,
    word: RouterWord,
    /// the first class that is told the same in the same way, if its routers take some of the sequence's word more than once
    spread: Option<ClassId>,
    packets: Vec<String>,
}

/// A router's word.
#[derive(Clone, Copy)]
struct RouterWord {
    bits: u32,
    range: BitRange,
}

/// Names of a lane of a port: alone, as a router's input and as its output.
struct ChannelName {
    name: String,
    input: String,
    output: String,
}

/// When the node's window is open.
struct Opening {
    /// ticks before it
    start: u32,
    length: u32,
}

struct RouterInput {
    name: String,
    comma: &'static str,
}

/// A router's port and the link at it.
struct LinkedPort<'m> {
    port: &'m str,
    arrival: String,
    /// false at a port of the router that the node has no link for
    is_linked: bool,
    /// true if the valid bit of an arrival is read
    has_valid: bool,
    /// number of an input among those whose links are alive
    alive_bit: usize,
    comma: &'static str,
}

impl<'d> FabricModule<'d> {
    pub fn new(design: &'d EmitDesign<'d>) -> Self {
        let program = design.program;
        let axes = program.topology.axes();
        let channel_name = |channel: Channel| {
            let name = names::channel(axes, channel);
            ChannelName { input: format!("{name}_in"), output: format!("{name}_out"), name }
        };
        let mut alike = HashMap::new();
        let mut common = |(class, router): (ClassId, &'d Router)| CommonPorts {
            router: names::router(program, design.netlist.module_of(class)),
            control: design.netlist.sequence_of(class),
            spread: router
                .is_spread()
                .then(|| *alike.entry((design.netlist.sequence_of(class), &router.word)).or_insert(class)),
            word: RouterWord { bits: router.word_bits(), range: BitRange::vector(router.word_bits()) },
            packets: router.packets.iter().map(|&own| names::own(own)).collect(),
        };
        let per_node = design.netlist.rom == Rom::PerNode;
        let mut fabric = Self {
            design,
            name: design.name(),
            headline: design.headline(),
            notes: notes(design),
            width: design.options.width,
            timing: ControlTiming::of(design, if per_node { Vec::new() } else { controls(design) }),
            leaf: names::leaf(program),
            chain: Chain::of(design),
            loads: LoadWires::of(design),
            per_node,
            streams: design.netlist.streams,
            long: (program.latency > 1).then(|| LongLinks {
                module: names::link(program),
                stages: program.latency - 1,
                ce: design.has_links_on_boards(),
            }),
            sent: if program.latency > 1 { "_sent" } else { "" },
            controls: controls(design),
            channels: program.channels().map(channel_name).collect(),
            common: (0..).map(ClassId).zip(&design.netlist.routers).map(&mut common).collect(),
            ties: false,
        };
        let ties = fabric.tied().next().is_some();
        fabric.ties = ties;
        fabric
    }

    /// The ports of all nodes. What one part of the template shows is made for that part alone: names take the time here.
    fn interfaces(&self) -> impl Iterator<Item = Interface<'_>> {
        let (program, topology) = (self.design.program, &self.design.program.topology);
        let last_live = topology.live_ids().last();
        topology.live_ids().map(move |node| {
            let last = if last_live == Some(node) { program.inputs(node).last() } else { None };
            let arrival = |input: Channel| RouterInput {
                name: self.arrival(node, input),
                comma: if last == Some(input) { "" } else { "," },
            };
            Interface {
                name: names::node(topology, node),
                place: topology.show(node),
                packets: &self.common(node).packets,
                arrivals: program.inputs(node).map(arrival).collect(),
            }
        })
    }

    /// The links that nobody drives.
    fn tied(&self) -> impl Iterator<Item = String> {
        let program = self.design.program;
        let is_tied = move |node: NodeId, input: Channel| {
            let neighbour = program.topology.step(node, input.port).filter(|_| program.is_wired(node, input));
            neighbour.is_some_and(|there| self.design.router(there).output(input.opposite()).is_none())
        };
        let inputs = program.topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input)));
        inputs.filter(move |&(node, input)| is_tied(node, input)).map(|(node, input)| self.arrival(node, input))
    }

    /// The routers of all nodes that have one.
    fn instances(&self) -> impl Iterator<Item = PlacedRouter<'_>> {
        let nodes = self.design.program.topology.node_ids();
        nodes.filter(|&node| !self.design.router(node).is_idle()).map(|node| self.instance(node))
    }

    fn instance(&self, node: NodeId) -> PlacedRouter<'_> {
        let topology = &self.design.program.topology;
        let router = self.design.router(node);
        let read = |&input: &Channel| LinkedPort {
            port: &self.channel(input).input,
            arrival: self.arrival(node, input),
            is_linked: topology.step(node, input.port).is_some(),
            has_valid: router.hears(input),
            alive_bit: loaded::alive_bit(input),
            comma: ",",
        };
        let name = names::node(topology, node);
        let drive = |output: Channel| {
            let port = &self.channel(output).output;
            let neighbour = topology.step(node, output.port);
            // only a router that all nodes share has outputs without links
            let arrival = match neighbour {
                Some(there) => self.arrival(there, output.opposite()),
                None if self.loads.is_some() => loaded::unlinked(&name, port),
                None => return None,
            };
            Some(LinkedPort {
                port,
                arrival,
                is_linked: neighbour.is_some(),
                has_valid: true,
                alive_bit: 0,
                comma: ",",
            })
        };
        let reads: Vec<LinkedPort> = router.inputs.iter().map(read).collect();
        let mut drives: Vec<LinkedPort> = router.outputs.iter().filter_map(|output| drive(output.channel)).collect();
        if let Some(last) = drives.last_mut() {
            last.comma = "";
        }
        let CommonPorts { router: module, control, word, spread, packets } = self.common(node);
        let (row, control) = (row_name(topology, node), &self.controls[*control]);
        PlacedRouter {
            told: match *spread {
                Some(class) => spread_name(&row, self.design.program, class),
                None => format!("{row}_word_{}", control.class),
            },
            word: *word,
            configuration: self.chain.parts.get(&node),
            loaded: self.loads.as_ref().map(|loads| NodeTables::of(self.design, loads.loadable, node)),
            silent: reads.iter().filter(|link| !link.is_linked).map(|link| link.arrival.clone()).collect(),
            name,
            instance: names::instance(topology, node),
            router: module,
            row,
            control,
            packets,
            opening: Opening::of(router, self.design.program.window(node)),
            reads,
            drives,
        }
    }

    fn common(&self, node: NodeId) -> &CommonPorts {
        &self.common[self.design.program.class_of[node.index()].index()]
    }

    fn channel(&self, channel: Channel) -> &ChannelName {
        &self.channels[self.design.program.output_index(channel)]
    }

    /// Name of the arrival at a node's input, without `_data` or `_valid`.
    fn arrival(&self, node: NodeId, input: Channel) -> String {
        let mut name = names::node(&self.design.program.topology, node);
        for part in ["_", &self.channel(input).name, "_in"] {
            name.push_str(part);
        }
        name
    }
}

fn controls(design: &EmitDesign) -> Vec<SequenceControl> {
    (0..design.netlist.sequences.len()).map(|number| SequenceControl::of(design, number)).collect()
}

fn notes(design: &EmitDesign) -> Vec<String> {
    let program = design.program;
    let axes = program.topology.axes();
    let all_alike = design.netlist.loadable.as_ref().map(|_| format!("every node: {}", loaded::RULE));
    let is_alike = all_alike.is_some();
    let driven = design.netlist.driven().filter(|_| !is_alike);
    let mut notes: Vec<String> = driven
        .map(|(class, router)| {
            let (name, rule) = (program.class_name(class), rules::rule_of_class(router, axes));
            let set = design.setting(class).map_or_else(String::new, |setting| format!("; configured as {setting}"));
            format!("class {name}: {rule}; {}{set}", design.members(class))
        })
        .chain(all_alike)
        .collect();
    let delay = count(u64::from(design.netlist.start_delay()), "clock");
    notes.push(format!(
        "Hold run high for {} and {} more to play the program: the control takes {delay} to reach the routers, so tick 1 \
         starts {delay} after the first clock with run high. One clock of run low, or of rst, ends the program with the same delay \
         and makes all registers invalid. After power-up hold rst for {}.",
        count(u64::from(program.ticks), "tick"),
        delay,
        count(u64::from(design.netlist.start_delay()) + 1, "clock")
    ));
    if let Some(reduction) = &program.reduction {
        notes.push(format!(
            "Combines by {}. Each own input is a stream of the node's values for one output, in the order of \
             program.json; `take` is high in a tick that takes a value{}, and the next one must follow.",
            reduction.operation,
            if design.netlist.takes_ahead { ", which leaves in the next tick" } else { "" }
        ));
        if design.netlist.takes_ahead {
            notes.push(format!(
                "After tick {} a node completes its own values with the last partials, and sends them as packets.",
                reduction.ticks
            ));
        }
    } else if design.netlist.streams {
        notes.push(
            "Each own input presents a flit of its packets; `take` is high in a tick that sends it, and the next one must follow."
                .to_owned(),
        );
    } else if program.flits > 1 {
        notes.push("Each own input presents the flit of its packet that `flit` asks for.".to_owned());
    } else {
        notes.push("Hold each own input at its packet while run is high.".to_owned());
    }
    if program.latency > 1 {
        notes.push(format!("Links are {} ticks long, with pipeline registers in the fabric.", program.latency));
    }
    notes.extend(crossbar::shifting(design));
    notes.extend(design.netlist.loadable.as_ref().map(loaded::loading));
    notes.push("Arrivals of a tick are at the outputs of the fabric after that tick.".to_owned());
    notes.push(design.generated());
    words::wrap_all(&notes)
}

impl Opening {
    fn of(router: &Router, window: Window) -> Option<Self> {
        let start = window.first.saturating_sub(1);
        router.has_window().then_some(Self { start, length: window.ticks })
    }
}
