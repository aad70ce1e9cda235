//! Nodes with their links, their place in the ring or their streams, for `templates/listed/system.v`.

use askama::Template;

use crate::emit::boards::ends::PortEnds;
use crate::emit::boards::side::{BoardPlace, BoardSide};
use crate::emit::boards::starter::ElasticCommon;
use crate::emit::boards::wires::DIVISOR;
use crate::emit::boards::{crossing, link};
use crate::emit::node::banks::name;
use crate::emit::node::boards::{self, BoardBase, BoardCoordinate, BoardPorts, LINKS, LinkOrigin, PortLinks};
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{Bus, ListDesign, module};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::output::OutputFile;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeBlocks, NodeId};
use crate::netlist::{bits_for, digits};

#[derive(Template)]
#[template(path = "listed/system.v", escape = "none")]
struct ListedTop {
    module: String,
    headline: String,
    programs: Vec<NodeAbout>,
    notes: Vec<String>,
    sizes: WireSizes,
    last_node: u32,
    place: String,
    sequencer: String,
    tile: String,
    caller: String,
    /// Registers of a link beside that of the output.
    stages: u32,
    nodes: Vec<NodeInstance>,
    /// `ready` of nodes beside each other, the highest first.
    near: Vec<String>,
    /// Module of a node's place on the ring of the one program.
    chain: String,
    has_chain: bool,
    last_name: String,
    /// Reset of everything but the links.
    reset: &'static str,
    axes: Vec<NetworkAxis>,
    sides: Vec<BoardSide<boards::TokenLane>>,
    board_place: BoardPlace,
    bases: Vec<BoardBase>,
    /// Bits of a token that name program and root.
    tag: u32,
    links: Vec<PortLinks>,
    patience: u32,
    /// Bits of a frame beside its token, added to a range.
    beyond: String,
    ends: PortEnds,
    divisor: u32,
    /// Bytes of a beat.
    bytes: u32,
    /// Bits of an address of what waits at an input.
    address: u64,
    check: Option<link::CheckedLink>,
    // names and choices in `elastic/port.v`
    common: Option<ElasticCommon>,
    crosses: bool,
    fifo: String,
    sent: &'static str,
    t: &'static str,
    halt: &'static str,
    running: &'static str,
}

struct NodeAbout {
    about: String,
}

struct NodeInstance {
    place: String,
    name: String,
    instance: String,
    /// Place on the ring of the one program.
    chain: String,
    /// Stream before it on the ring of the one program.
    chained: String,
    /// Words that a node's place on the ring of the one program counts.
    counted: RingWords,
    code: u32,
    /// Coordinates, if they depend on the board.
    at: Vec<BoardCoordinate>,
    links: Vec<LinkWires>,
    before_data: String,
    before_valid: String,
    before_ready: String,
}

struct LinkWires {
    name: String,
    /// Output of the neighbour, or port of the board, if there is one.
    from: Option<String>,
    /// True if the neighbour is on the same device.
    is_used: bool,
    /// True if it leads to another board.
    leaves: bool,
}

#[derive(Template)]
#[template(path = "listed/caller.v", escape = "none")]
struct Caller {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    programs: usize,
    /// Programs that are played for any root.
    moved: Vec<usize>,
    nodes: u32,
    /// Tokens to other boards name the program and root that are played.
    is_board: bool,
}

impl Caller {
    fn new(design: &ListDesign<'_>, sizes: WireSizes) -> Self {
        Self {
            module: design.module("caller"),
            notes: design.notes(),
            sizes,
            programs: design.netlist.programs.len(),
            moved: (0..).zip(&design.netlist.programs).filter(|(_, placed)| placed.is_moved).map(|it| it.0).collect(),
            nodes: design.netlist.nodes(),
            is_board: design.boards.is_some(),
        }
    }
}

/// Place of a node on the ring of the one program.
#[derive(Template)]
#[template(path = "listed/chain.v", escape = "none")]
struct ChainModule {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    /// Bits of a count of words.
    count: u32,
}

impl ChainModule {
    fn new(design: &ListDesign<'_>, sizes: WireSizes) -> Self {
        let nodes = design.netlist.nodes() as usize;
        let words = (0..nodes).map(|node| RingWords::of(design, node));
        let most = words.map(|words| words.take + words.pass + words.give).max().unwrap_or(1);
        let about = "The words of all nodes come in node by node, each node keeps its own, and what it has in the end goes out \
                     behind what those before it have.";
        Self {
            module: design.module("chain"),
            notes: words::wrap_all(&[vec![about.to_owned()], design.notes()].concat()),
            sizes,
            count: digits(u32::try_from(most - 1).unwrap_or(u32::MAX)),
        }
    }
}

/// Words of a collective at a node's place on the ring: those to the node, those that go by, those from the node.
#[derive(Clone, Copy, Default)]
struct RingWords {
    take: u64,
    pass: u64,
    give: u64,
}

impl RingWords {
    /// Words of the place with this number. What goes by is for the nodes behind, then from those before.
    fn of(design: &ListDesign<'_>, number: usize) -> Self {
        let words = &design.netlist.programs[0].words;
        let behind: u64 = words[number + 1..].iter().map(|&(take, _)| u64::from(take)).sum();
        let before: u64 = words[..number].iter().map(|&(_, give)| u64::from(give)).sum();
        let (take, give) = words[number];
        Self { take: take.into(), pass: behind + before, give: give.into() }
    }
}

/// Nodes whose `ready` one look-up table brings together.
const NEAR: u32 = 4;

/// Bits of `ready` of such nodes, the highest first.
fn near(nodes: u32) -> Vec<String> {
    let bits = |first: u32| format!("[{}:{first}]", (first + NEAR).min(nodes) - 1);
    let mut all: Vec<String> = (0..nodes).step_by(NEAR as usize).map(bits).collect();
    all.reverse();
    all
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, sizes: &WireSizes) -> Vec<OutputFile<'d>> {
    let sizes = *sizes;
    let top = module(design, design.nodes(), move || ListedTop::new(design, sizes));
    if design.has_chain() {
        return vec![module(design, "chain", move || ChainModule::new(design, sizes)), top];
    }
    if design.is_one() {
        return vec![top];
    }
    if design.bus == Bus::Streams {
        return vec![module(design, "caller", move || Caller::new(design, sizes)), top];
    }
    vec![top]
}

impl ListedTop {
    fn new(design: &ListDesign<'_>, sizes: WireSizes) -> Self {
        let topology = &design.netlist.topology;
        let blocks = design.boards.as_ref().map(|boards| &boards.blocks);
        let before = std::iter::once(None).chain(topology.live_ids().map(Some));
        let of_device =
            || topology.live_ids().zip(before).map(|(node, before)| NodeInstance::new(design, node, before));
        let nodes: Vec<NodeInstance> = match blocks {
            Some(blocks) => (0..blocks.sites()).map(|site| NodeInstance::of_board(design, blocks, site)).collect(),
            None => of_device().collect(),
        };
        let BoardPorts { axes, sides, overhead, patience, links } = BoardPorts::of(design);
        let form = design.boards.as_ref().map(|boards| boards.form).unwrap_or_default();
        let about = |resident: &super::ResidentFiles| {
            let operation = resident.operation.map_or(String::new(), |operation| format!(" of the {operation}"));
            NodeAbout {
                about: format!("{}{operation}, {}, {} ticks", resident.collective, resident.scheme, resident.ticks),
            }
        };
        let together = design
            .netlist
            .together
            .iter()
            .map(|together| NodeAbout { about: format!("{together}, {} ticks", together.ticks) });
        Self {
            module: design.module(design.nodes()),
            headline: design.headline(),
            programs: design.residents.iter().map(about).chain(together).collect(),
            notes: design.notes(),
            sizes,
            last_node: design.nodes_of_device() - 1,
            place: design.module("place"),
            sequencer: design.module("sequencer"),
            tile: design.module("tile"),
            caller: design.module("caller"),
            stages: design.netlist.latency - 1,
            near: near(design.nodes_of_device()),
            chain: design.module("chain"),
            has_chain: design.has_chain(),
            last_name: nodes.last().map(|node| node.name.clone()).unwrap_or_default(),
            nodes,
            reset: match blocks {
                Some(_) if sizes.has_streams => "halt",
                Some(_) => "clear",
                None => "rst",
            },
            board_place: BoardPlace::of(&axes, &sides, false),
            axes,
            sides,
            bases: blocks.map_or_else(Vec::new, |blocks| boards::bases(design, blocks)),
            tag: boards::tag(&sizes),
            links,
            patience,
            beyond: format!("+{overhead}"),
            ends: PortEnds::new(design.name, form),
            divisor: DIVISOR,
            bytes: form.bytes,
            address: bits_for(crossing::waiting(design.netlist.latency)).into(),
            check: boards::checked(design),
            common: boards::started(design),
            crosses: form.crosses(),
            fifo: design.module("fifo"),
            sent: "token",
            t: "",
            halt: "halt",
            // a board that misses a common call leaves its neighbours in it, also before they play
            running: if sizes.has_streams && !design.has_common_calls() { "runs" } else { "busy" },
        }
    }
}

impl NodeInstance {
    fn new(design: &ListDesign<'_>, node: NodeId, before: Option<NodeId>) -> Self {
        let netlist = design.netlist;
        let topology = &netlist.topology;
        let signals = |node| names::node(topology, node);
        let RingBefore { data, valid, ready } = RingBefore::of(before.map(signals));
        let link = |number: usize| {
            let Channel { port, lane } = Channel::from_index(number, netlist.union.parts.lanes);
            let from = topology.step(node, port).map(|neighbour| {
                let opposite = Channel { port: port.opposite(), lane };
                format!("{}_{}", signals(neighbour), names::channel(topology.axes(), opposite))
            });
            LinkWires { name: name(netlist, number), is_used: from.is_some(), from, leaves: false }
        };
        Self {
            place: format!("Node {}.", topology.show(node)),
            name: signals(node),
            instance: names::instance(topology, node),
            chain: names::chain_instance(topology, node),
            chained: before.map_or_else(|| "s_axis".to_owned(), |before| format!("{}_chain", signals(before))),
            counted: RingWords::of(design, topology.rank(node)),
            code: netlist.code(node),
            at: Vec::new(),
            links: (0..netlist.union.parts.outputs).map(link).collect(),
            before_data: data,
            before_valid: valid,
            before_ready: ready,
        }
    }

    /// Node at a place of every board's block.
    fn of_board(design: &ListDesign<'_>, blocks: &NodeBlocks, site: u32) -> Self {
        let netlist = design.netlist;
        let name_of = |site| names::of_site(blocks, site);
        let RingBefore { data, valid, ready } = RingBefore::of(site.checked_sub(1).map(name_of));
        let link = |number: usize| {
            let channel = Channel::from_index(number, netlist.union.parts.lanes);
            let (from, is_used, leaves) = match boards::from(design, blocks, site, channel) {
                LinkOrigin::Inside(from) => (Some(from), true, false),
                LinkOrigin::Port(from) => (Some(from), false, true),
                LinkOrigin::Nothing => (None, false, false),
            };
            LinkWires { name: name(netlist, number), from, is_used, leaves }
        };
        let signals = name_of(site);
        Self {
            place: format!("Node {} of the board.", names::coordinates(&blocks.place(site))),
            instance: names::site_instance(blocks, site),
            chain: String::new(),
            chained: String::new(),
            counted: RingWords::default(),
            name: signals,
            code: 0,
            at: boards::coordinates(design, blocks, site),
            links: (0..netlist.union.parts.outputs).map(link).collect(),
            before_data: data,
            before_valid: valid,
            before_ready: ready,
        }
    }
}

/// Signals of the ring before a node.
struct RingBefore {
    data: String,
    valid: String,
    ready: String,
}

impl RingBefore {
    /// Signals after a node of some name, or those of the host.
    fn of(node: Option<String>) -> Self {
        let [data, valid, ready] = match node {
            Some(node) => ["data", "valid", "ready"].map(|part| format!("{node}_{part}")),
            None => ["s_data", "s_valid & opens", "first_ready"].map(str::to_owned),
        };
        Self { data, valid, ready }
    }
}
