//! The fabric with its nodes, for `templates/node/system.v`, and a node's place on the host's ring.

use askama::Template;

use super::super::design::Design;
use super::super::rtl::Count;
use super::super::{names, words};
use super::memory::told;
use super::parts::{Axis, user};
use crate::net::NodeId;
use crate::netlist::{Host, Local, Own, Reading};
use crate::program::count;

#[derive(Template)]
#[template(path = "node/system.v", escape = "none")]
pub struct SystemModule<'d> {
    design: &'d Design<'d>,
    reading: &'d Reading,
    module: String,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    chain: bool,
    /// the module of a node's place on the ring
    link: String,
    memory: String,
    several_tables: bool,
    last_node: u32,
    delay: u32,
    step: Count,
    flit: Option<Count>,
    user: Count,
}

struct Node {
    name: String,
    place: String,
    instance: String,
    chain_instance: String,
    is_first: bool,
    is_last: bool,
    table: u32,
    coordinates: Vec<At>,
    /// every packet it has, and those that its router takes
    own: Vec<String>,
    sent: Vec<String>,
    inputs: Vec<Input>,
    /// packets that go by on the ring
    pass: u64,
    /// the streams of the ring before and after it
    before: String,
    after: String,
}

struct At {
    constant: String,
    coordinate: u32,
}

struct Input {
    name: String,
    is_linked: bool,
    is_last: bool,
}

impl<'d> SystemModule<'d> {
    pub fn new(design: &'d Design<'d>, local: Local, reading: &'d Reading) -> Self {
        let program = design.program;
        Self {
            design,
            reading,
            module: names::system(program),
            name: design.name(),
            headline: design.headline(),
            notes: notes(design, local, reading),
            width: design.options.width,
            chain: local.host == Host::Chain,
            link: names::chain(program),
            memory: names::memory(program),
            several_tables: reading.tables.len() > 1,
            last_node: program.topology.nodes() - 1,
            delay: design.start_delay(),
            step: Count::up_to(reading.steps - 1),
            flit: Count::of_several(program.flits),
            user: user(&program.topology, reading.packets),
        }
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        self.design.program.topology.node_ids().map(|node| self.node(node))
    }

    fn node(&self, node: NodeId) -> Node {
        let program = self.design.program;
        let topology = &program.topology;
        let name = names::node(topology, node);
        let is_last = node.0 == self.last_node;
        let is_linked = |input: &crate::net::Channel| program.is_wired(node, *input);
        let last_linked = program.channels().filter(is_linked).last();
        let input = |channel| Input {
            name: names::channel(topology.axes(), channel),
            is_linked: is_linked(&channel),
            is_last: Some(channel) == last_linked,
        };
        let at = |(axis, at): (Axis, u32)| At { constant: axis.constant, coordinate: at };
        let own = |packet| names::own(Own { packet, through: packet });
        let before = node.0.checked_sub(1).map(|before| format!("{}_chain", names::node(topology, NodeId(before))));
        Node {
            place: topology.show(node),
            instance: names::memory_instance(topology, node),
            chain_instance: names::chain_instance(topology, node),
            is_first: node.0 == 0,
            is_last,
            table: self.reading.table_of[node.index()],
            coordinates: Axis::all(topology).into_iter().zip(topology.coords(node)).map(at).collect(),
            own: (0..self.reading.packets).map(own).collect(),
            sent: self.design.router(node).packets.iter().map(|&own| names::own(own)).collect(),
            inputs: program.channels().map(input).collect(),
            pass: passed(self.reading, topology.nodes(), node),
            before: before.unwrap_or_else(|| "s_axis".to_owned()),
            after: if is_last { "m_axis".to_owned() } else { format!("{name}_chain") },
            name,
        }
    }
}

/// Packets that go by a node on the ring in a collective: those for the nodes after it, and all that those before it have.
fn passed(reading: &Reading, nodes: u32, node: NodeId) -> u64 {
    let [packets, nodes, before] = [reading.packets, nodes, node.0].map(u64::from);
    (nodes - 1 - before) * packets + before * nodes * packets
}

fn notes(design: &Design, local: Local, reading: &Reading) -> Vec<String> {
    let streams = match local.host {
        Host::Ports => "s_axis takes a node's packets, m_axis gives all that it has afterwards".to_owned(),
        Host::Chain => format!(
            "s_axis takes the packets of all nodes, {} each, one node after the other; then m_axis gives what each node \
             has afterwards, in the same order",
            count(u64::from(reading.packets), "packet")
        ),
    };
    words::wrap_all(&[
        format!("{streams}; tuser is {}.", told(design, reading)),
        "A collective begins as soon as every node has its packets and room for the others and start is high: tie it to \
         1, or hold it until busy rises."
            .to_owned(),
        "A reader that waits holds up nothing but the next collective but one.".to_owned(),
        design.generated(),
    ])
}

#[derive(Template)]
#[template(path = "node/chain.v", escape = "none")]
pub struct ChainModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    user: Count,
    count: Count,
    own: u32,
    all: u64,
}

impl ChainModule {
    pub fn new(design: &Design, reading: &Reading) -> Self {
        let program = design.program;
        let nodes = program.topology.nodes();
        let all = program.demand.packets();
        let pass = passed(reading, nodes, NodeId(nodes - 1)).max(passed(reading, nodes, NodeId(0)));
        let most = u64::from(reading.packets) + pass + all - 1;
        Self {
            module: names::chain(program),
            notes: words::wrap_all(&[
                "The packets of all nodes come in node by node, each node keeps its own, and what it has in the end goes \
                 out behind what those before it have."
                    .to_owned(),
                design.generated(),
            ]),
            width: design.options.width,
            user: user(&program.topology, reading.packets),
            count: Count::up_to(u32::try_from(most).unwrap_or(u32::MAX)),
            own: reading.packets,
            all,
        }
    }
}
