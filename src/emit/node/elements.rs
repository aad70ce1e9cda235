//! A top with a processing element at each node, for a user to begin with; the elements of a list of programs call them.

use crate::emit::node::edited::{
    self, BoardElements, ElementCall, ElementCalls, ElementModule, NumberStep, SystemPin, TopModule,
};
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{BoardPorts, ListBoards, ListDesign, ResidentFiles};
use crate::emit::shared::names;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::emit::shared::parts::UpCounter;
use crate::net::NodeBlocks;
use crate::netlist::NodeLowering;
use crate::netlist::listed::PlacedProgram;

/// Files for the user to edit, if the config asks for them.
pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    if !design.ports.elements {
        return Vec::new();
    }
    let file = |part: &str| format!("{}.v", design.module(part));
    vec![
        OutputFile::of(file("element"), FileType::Element, move || element(design)),
        OutputFile::of(file("top"), FileType::Element, move || top(design)),
    ]
}

/// Paths of the files that are for the user to edit.
pub fn edited_paths(design: &ListDesign<'_>) -> Vec<String> {
    files(design).into_iter().map(|file| file.path).collect()
}

fn element(design: &ListDesign<'_>) -> ElementModule {
    let sizes = WireSizes::of(design);
    let axes = (0..design.netlist.topology.axes()).map(names::coordinate);
    let number = (sizes.message > 0).then(|| "the packet's number".to_owned());
    let whose: Vec<String> = axes.chain(number).collect();
    let block = if design.is_one() {
        NodeLowering::words_of_a_block(design.schedules[0].program)
    } else {
        design.residents.iter().map(|resident| resident.words).max()
    };
    let block = UpCounter::of_several(block.unwrap_or(1));
    ElementModule {
        module: design.module("element"),
        notes: edited::notes(&design.origin),
        width: design.width,
        lanes: sizes.lanes(),
        user: UpCounter::of_bits(sizes.lanes() * sizes.user()),
        whose: format!("{{{}}}", whose.join(", ")),
        tells: sizes.has_blocks(),
        address: sizes.has_read_port().then(|| sizes.ram()),
        block,
        block_text: if design.is_one() && block.is_none() { "each block: with every word" } else { "each block" },
        calls: ElementCalls::of(design, sizes),
    }
}

fn top(design: &ListDesign<'_>) -> TopModule {
    let sizes = WireSizes::of(design);
    TopModule {
        module: design.module("top"),
        element: design.module("element"),
        system: design.whole(),
        headline: design.headline(),
        notes: edited::notes(&design.origin),
        width: design.width,
        lanes: sizes.lanes(),
        by_lane: edited::by_lane(sizes.lanes()),
        nodes: design.nodes_of_device(),
        user: UpCounter::of_bits(sizes.user()),
        tells: sizes.has_blocks(),
        address: sizes.has_read_port().then(|| sizes.ram()),
        pins: match &design.boards {
            Some(ListBoards { blocks, .. }) => {
                pins_of(sizes, (0..blocks.sites()).map(|at| (names::of_site(blocks, at), at)))
            }
            None => pins(design, sizes),
        },
        calls: ElementCalls::of(design, sizes),
        board: design.boards.as_ref().map(|boards| BoardElements::of(design, &boards.blocks)),
        has_common_calls: design.has_common_calls(),
    }
}

impl BoardElements {
    fn of(design: &ListDesign<'_>, blocks: &NodeBlocks) -> Self {
        let topology = &design.netlist.topology;
        let BoardPorts { axes, links, .. } = BoardPorts::of(design);
        let sides = blocks.sides();
        let step = |axis: usize| NumberStep {
            name: (blocks.boards().side(axis) > 1).then(|| names::coordinate(axis)),
            side: topology.side(axis),
            of_block: sides[axis],
            divisor: sides[axis + 1..].iter().product(),
        };
        let dead = topology.node_ids().filter(|&node| !topology.is_live(node)).map(|node| node.0);
        Self { axes, links, steps: (0..topology.axes()).map(step).collect(), dead: dead.collect() }
    }
}

impl ElementCalls {
    /// Calls of a design; none if its one collective is all that it plays.
    fn of(design: &ListDesign<'_>, sizes: WireSizes) -> Option<Self> {
        sizes.has_calls().then(|| Self {
            program: sizes.program,
            node: sizes.node,
            total: sizes.total,
            last_program: design.residents.len() - 1,
            last_node: design.netlist.nodes() - 1,
            programs: design.residents.iter().zip(&design.netlist.programs).map(called).collect(),
            is_common: design.has_common_calls(),
        })
    }
}

fn called((resident, placed): (&ResidentFiles, &PlacedProgram)) -> ElementCall {
    let taken = || placed.words.iter().map(|&(taken, _)| taken);
    ElementCall {
        name: resident.collective.to_owned(),
        words: taken().max().unwrap_or(0),
        is_of_root: taken().any(|words| words == 0),
        roots: match &resident.groups {
            Some(groups) => groups.roots.clone(),
            None => resident.root.iter().filter_map(|root| Some(root.as_u64()? as u32)).collect(),
        },
        last: resident.words - 1,
    }
}

/// Ports of the nodes at the system.
pub(in crate::emit) fn pins(design: &ListDesign<'_>, sizes: WireSizes) -> Vec<SystemPin> {
    let topology = &design.netlist.topology;
    pins_of(sizes, topology.live_ids().map(|node| names::node(topology, node)).zip(0..))
}

/// Ports of nodes of some names, with the places of the nodes in the vectors.
pub(in crate::emit) fn pins_of(sizes: WireSizes, nodes: impl Iterator<Item = (String, u32)>) -> Vec<SystemPin> {
    let ports = sizes.stream_ports();
    let pin = |(node, index): (String, u32), port: &super::StreamPort| {
        let (stream, signal) = port.name.rsplit_once('_').expect("a port has two names");
        let vector = if stream == "s_axis" { "in" } else { "out" };
        let signal = signal.strip_prefix('t').filter(|_| stream != "m_ram").unwrap_or(signal);
        let is_by_lane = vector == "out" && matches!(signal, "data" | "user");
        let bits = match signal {
            "data" => Some("width"),
            "user" => Some("user"),
            "keep" => Some("lanes"),
            "dest" => Some("program"),
            "addr" => Some("address"),
            _ => None,
        };
        SystemPin {
            name: format!("{node}_{}", port.name),
            vector: format!("{vector}_{signal}"),
            index,
            is_by_lane,
            bits,
        }
    };
    nodes.flat_map(|node| ports.iter().map(move |port| pin(node.clone(), port))).collect()
}
