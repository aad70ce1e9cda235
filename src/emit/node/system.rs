//! The fabric with its nodes, for `templates/node/system.v`, and a node's place on the host's ring.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::rtl::{BitSlice, UpCounter};
use super::super::{names, words};
use super::notes::{told, user_name};
use super::parts::{NetworkAxis, ram, user};
use crate::net::NodeId;
use crate::netlist::{HostStreams, NodeKind, NodeOptions, ReadingTables, Results, StreamSize};

/// Nodes whose `ready` one look-up table brings together.
const NEAR: usize = 4;

#[derive(Template)]
#[template(path = "node/system.v", escape = "none")]
pub struct SystemModule<'d> {
    design: &'d EmitDesign<'d>,
    reading: &'d ReadingTables,
    module: String,
    name: &'d str,
    headline: String,
    notes: Vec<String>,
    width: u32,
    /// words per clock of a stream out
    lanes: u32,
    chain: bool,
    /// the module of a node's place on the ring
    link: String,
    /// routers take their own words one by one
    is_streamed: bool,
    first_node: NodeId,
    last_node: NodeId,
    last_ready: usize,
    last_wrong: usize,
    delay: u32,
    /// registers that bring `ready` of nodes beside each other together
    near: UpCounter,
    /// the place before the last arrivals, if there is one
    before_last: Option<ArrivalsBefore>,
    step: UpCounter,
    flit: Option<UpCounter>,
    /// output of the fabric for the flit that is due, if it is not used
    spare_flit: Option<UpCounter>,
    user: UpCounter,
    rings: Vec<RingWords>,
}

struct SystemNode {
    name: String,
    place: String,
    instance: String,
    /// module of the node, if it has a stream
    memory: Option<String>,
    chain_instance: String,
    is_first: bool,
    is_last: bool,
    gives: bool,
    /// address of the read port, if it has one
    ram: Option<UpCounter>,
    /// index among the nodes with streams, and among those with an input stream
    ready: usize,
    wrong: Option<usize>,
    parameters: Vec<NodeAt>,
    /// own inputs of its router that its module serves, those at which nothing is ever asked for, and all
    own: Vec<String>,
    empty: Vec<String>,
    sent: Vec<String>,
    /// inputs whose arrivals its module keeps, and all
    inputs: Vec<SystemInput>,
    arrivals: Vec<SystemInput>,
    /// signals that nobody reads
    unused: Vec<String>,
    /// words that its place on the ring counts
    ring: RingWords,
    /// the streams of the ring before and after it
    before: String,
    after: String,
}

/// Place of the arrivals one clock before the last.
struct ArrivalsBefore {
    step: u32,
    flit: u32,
}

impl ArrivalsBefore {
    fn last(ticks: u32, reading: &ReadingTables) -> Option<Self> {
        let before = ticks.checked_sub(2)?;
        Some(Self { step: before / reading.flits, flit: before % reading.flits })
    }
}

struct NodeAt {
    constant: String,
    coordinate: u32,
}

struct SystemInput {
    name: String,
    is_linked: bool,
    is_last: bool,
}

impl<'d> SystemModule<'d> {
    pub fn new(design: &'d EmitDesign<'d>, local: NodeOptions, reading: &'d ReadingTables) -> Self {
        let program = design.program;
        Self {
            design,
            reading,
            module: names::system(program),
            name: design.name(),
            headline: design.headline(),
            notes: notes(design, local, reading),
            width: design.options.width,
            lanes: local.words,
            chain: local.host == HostStreams::Chain,
            link: names::chain(program),
            is_streamed: reading.is_streamed(),
            first_node: program.topology.first_live(),
            last_node: program.topology.live_ids().last().expect("a network has live nodes"),
            last_ready: placed(reading, NodeKind::has_streams).saturating_sub(1),
            last_wrong: placed(reading, NodeKind::takes).saturating_sub(1),
            // `run` rises in the clock of `go`
            delay: design.start_delay() - 1,
            near: UpCounter::of_bits(placed(reading, NodeKind::has_streams).div_ceil(NEAR) as u32),
            before_last: ArrivalsBefore::last(program.ticks, reading),
            step: UpCounter::up_to(reading.steps - 1),
            flit: UpCounter::of_several(reading.flits),
            spare_flit: UpCounter::of_several(program.flits).filter(|_| reading.flits == 1),
            user: UpCounter::of_bits(local.words * user(&program.topology, reading.packets).bits),
            rings: RingWords::all(reading),
        }
    }

    /// Bits of `ready` for each register, the highest first.
    fn groups(&self) -> impl Iterator<Item = BitSlice> {
        let nodes = self.last_ready + 1;
        let first = (0..nodes).step_by(NEAR).collect::<Vec<_>>().into_iter().rev();
        first.map(move |first| BitSlice::new(first as u32, NEAR.min(nodes - first) as u32))
    }

    fn nodes(&self) -> impl Iterator<Item = SystemNode> {
        self.design.program.topology.live_ids().map(|node| self.node(node))
    }

    /// Parameters of a node's module besides the width.
    fn parameters(&self, node: NodeId, kind: &NodeKind) -> Vec<NodeAt> {
        let topology = &self.design.program.topology;
        let number =
            |constant: &str, of: &[u32]| NodeAt { constant: constant.to_owned(), coordinate: of[node.index()] };
        let fill = (kind.fills.len() > 1 && !self.reading.is_direct()).then(|| number("FILL", &self.reading.fill_of));
        let table = (kind.tables.len() > 1).then(|| number("TABLE", &self.reading.table_of));
        let is_placed = kind.gives() && !self.reading.is_absolute();
        let at = |(axis, at): (NetworkAxis, u32)| NodeAt { constant: axis.constant, coordinate: at };
        let coordinates =
            NetworkAxis::all(topology).into_iter().zip(topology.coords(node)).filter(|_| is_placed).map(at);
        fill.into_iter().chain(table).chain(coordinates).collect()
    }

    fn node(&self, node: NodeId) -> SystemNode {
        let program = self.design.program;
        let topology = &program.topology;
        let name = names::node(topology, node);
        let is_last = node == self.last_node;
        let is_linked = |input: &crate::net::Channel| program.is_wired(node, *input);
        let last_linked = program.channels().filter(is_linked).last();
        let kind = self.reading.kind(node);
        let input = |channel| SystemInput {
            name: names::channel(topology.axes(), channel),
            is_linked: is_linked(&channel),
            is_last: Some(channel) == last_linked,
        };
        let (takes, gives) = (kind.takes(), kind.gives());
        let is_memory = self.design.results() == Results::Memory;
        let own = |own| names::own(own);
        let all = || program.channels().map(input);
        let arrivals = kind.arrivals();
        let inputs: Vec<SystemInput> =
            all().zip(0..).filter(|(_, index)| arrivals.contains(index)).map(|(it, _)| it).collect();
        let empty: Vec<String> = kind.banks.iter().filter(|bank| !bank.is_used()).map(|bank| own(bank.input)).collect();
        let before = (0..node.0).rev().map(NodeId).find(|&before| topology.is_live(before));
        let before = before.map(|before| format!("{}_chain", names::node(topology, before)));
        let nodes_before = &self.reading.kind_of[..node.index()];
        let before_of = |of: fn(&NodeKind) -> bool| {
            nodes_before.iter().filter(|&&kind| of(&self.reading.kinds[kind as usize])).count()
        };
        let memory =
            names::memory_of_kind(program, self.reading.kind_of[node.index()] as usize, self.reading.kinds.len());
        SystemNode {
            place: topology.show(node),
            instance: names::memory_instance(topology, node),
            memory: kind.has_streams().then_some(memory),
            chain_instance: names::chain_instance(topology, node),
            is_first: node == self.first_node,
            is_last,
            gives,
            ram: is_memory.then(|| ram(self.design, self.reading, kind)),
            ready: before_of(NodeKind::has_streams),
            wrong: takes.then(|| before_of(NodeKind::takes)),
            parameters: self.parameters(node, kind),
            own: kind.banks.iter().filter(|bank| bank.is_used()).map(|bank| own(bank.input)).collect(),
            sent: self.design.router(node).packets.iter().map(|&packet| own(packet)).collect(),
            unused: unused(
                takes,
                if gives { &[] } else { output_of(is_memory) },
                &empty,
                all().filter(|it| it.is_linked).map(|it| {
                    let is_of_use = inputs.iter().any(|used| used.name == it.name);
                    (it, is_of_use)
                }),
            ),
            empty,
            inputs,
            arrivals: all().collect(),
            ring: self.rings[node.index()],
            before: before.unwrap_or_else(|| "s_axis".to_owned()),
            after: if is_last { "m_axis".to_owned() } else { format!("{name}_chain") },
            name,
        }
    }
}

/// Signals that go to the output of a node.
fn output_of(is_memory: bool) -> &'static [&'static str] {
    if is_memory { &["m_ram_free", "m_ram_en", "m_ram_addr"] } else { &["m_axis_tready"] }
}

/// Signals of a node that nobody reads: of streams that it does not have, of inputs whose arrivals it does not keep.
fn unused(
    takes: bool,
    output: &[&str],
    empty: &[String],
    inputs: impl Iterator<Item = (SystemInput, bool)>,
) -> Vec<String> {
    let taken =
        ["s_axis_tdata", "s_axis_tvalid", "s_axis_tlast"].iter().filter(|_| !takes).map(|&name| name.to_owned());
    let given = output.iter().map(|&name| name.to_owned());
    // the valid bit of a combined value is not looked at
    let arrivals = inputs.flat_map(|(input, is_of_use)| {
        let parts = if is_of_use { &["valid"][..] } else { &["data", "valid"] };
        parts.iter().map(move |part| format!("{}_in_{part}", input.name)).collect::<Vec<_>>()
    });
    let takes = empty.iter().map(|name| format!("{name}_take"));
    taken.chain(given).chain(takes).chain(arrivals).collect()
}

/// Number of nodes of some kinds.
fn placed(reading: &ReadingTables, of: fn(&NodeKind) -> bool) -> usize {
    reading.kind_of.iter().filter(|&&kind| of(&reading.kinds[kind as usize])).count()
}

/// Words of a collective at a node's place on the ring: those to the node, those that go by, those from the node.
#[derive(Clone, Copy)]
struct RingWords {
    take: u64,
    pass: u64,
    give: u64,
}

impl RingWords {
    /// Places of all nodes. What goes by is for the nodes behind, then from those before.
    fn all(reading: &ReadingTables) -> Vec<Self> {
        let words =
            |stream: &StreamSize| u64::from(stream.entries) * u64::from(stream.words) * u64::from(reading.flits);
        let kinds = reading.kind_of.iter().map(|&kind| &reading.kinds[kind as usize]);
        let mut behind: u64 = kinds.clone().map(|kind| words(&kind.taken)).sum();
        let mut before = 0;
        let place = |kind: &NodeKind| {
            let (take, give) = (words(&kind.taken), words(&kind.given));
            behind -= take;
            let place = Self { take, pass: behind + before, give };
            before += give;
            place
        };
        kinds.map(place).collect()
    }

    /// Most words that a place counts.
    fn most(reading: &ReadingTables) -> u64 {
        Self::all(reading).iter().map(|ring| ring.take + ring.pass + ring.give).max().unwrap_or(1)
    }
}

fn notes(design: &EmitDesign, local: NodeOptions, reading: &ReadingTables) -> Vec<String> {
    let streams = match (local.host, local.results) {
        (HostStreams::Ports, Results::Memory) => {
            "s_axis takes a node's packets; afterwards m_ram reads all that it has, m_ram_data three clocks after m_ram_en".to_owned()
        }
        (HostStreams::Ports, Results::Stream) => "s_axis takes a node's packets, m_axis gives all that it has afterwards".to_owned(),
        (HostStreams::Chain, _) => {
            "s_axis takes the packets of all nodes, one node after the other; then m_axis gives what each node has \
                        afterwards, in the same order"
                .to_owned()
        }
    };
    words::wrap_all(&[
        format!("{streams}; {} is {}.", user_name(local.results), told(design, reading)),
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
    user: UpCounter,
    count: UpCounter,
}

impl ChainModule {
    pub fn new(design: &EmitDesign, reading: &ReadingTables) -> Self {
        let program = design.program;
        Self {
            module: names::chain(program),
            notes: words::wrap_all(&[
                "The words of all nodes come in node by node, each node keeps its own, and what it has in the end goes out \
                 behind what those before it have."
                    .to_owned(),
                design.generated(),
            ]),
            width: design.options.width,
            user: user(&program.topology, reading.packets),
            count: UpCounter::up_to(u32::try_from(RingWords::most(reading) - 1).unwrap_or(u32::MAX)),
        }
    }
}
