//! A top with a processing element at each node of a list of programs, which the elements call, for a user to begin with.

use super::sizes::Sizes;
use super::{ListDesign, Resident};
use crate::emit::elements::{self, ElementModule, TopModule};
use crate::emit::names;
use crate::emit::output::{File, Kind};
use crate::emit::rtl::Count;

/// Calls of an element.
pub struct ElementCalls {
    /// Bits of a program's number.
    pub program: u32,
    /// Bits of a root's number.
    pub node: u32,
    /// Bits of a count of words.
    pub total: u32,
    /// Number of the last program.
    pub last_program: usize,
    /// Number of the last node.
    pub last_node: u32,
    /// Programs by number.
    pub programs: Vec<CalledProgram>,
    /// Ports of the nodes at the system.
    pub pins: Vec<SystemPin>,
}

/// Program that an element calls.
pub struct CalledProgram {
    pub name: String,
    /// Words that a node sends for a call.
    pub words: u32,
    /// Only the root sends words.
    pub is_of_root: bool,
    /// Number of the one root, where there is one.
    pub root: Option<u64>,
    /// Last place in a block.
    pub last: u32,
}

/// Port of the system, with its part of a vector of all nodes.
pub struct SystemPin {
    pub name: String,
    pub vector: String,
    pub index: u32,
    /// Constant with the bits of its part, if it has several.
    pub bits: Option<&'static str>,
}

/// Files for the user to edit, if the config asks for them.
pub(super) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<File<'d>> {
    if !design.ports.elements {
        return Vec::new();
    }
    let file = |part: &str| format!("{}.v", design.module(part));
    vec![
        File::of(file("element"), Kind::Element, move || element(design)),
        File::of(file("top"), Kind::Element, move || top(design)),
    ]
}

/// Paths of the files that are for the user to edit.
pub fn edited(design: &ListDesign<'_>) -> Vec<String> {
    files(design).into_iter().map(|file| file.path).collect()
}

fn element(design: &ListDesign<'_>) -> ElementModule {
    let sizes = Sizes::of(design);
    let axes: Vec<String> = (0..design.netlist.topology.axes()).map(names::coordinate).collect();
    let longest = design.residents.iter().map(|resident| resident.words).max().unwrap_or(1);
    ElementModule {
        module: design.module("element"),
        notes: elements::notes(&design.origin),
        width: design.width,
        lanes: sizes.lanes(),
        user: Count::of_bits(sizes.lanes() * sizes.code),
        whose: format!("{{{}}}", axes.join(", ")),
        tells: sizes.has_blocks(),
        address: sizes.has_read_port().then(|| sizes.ram()),
        block: Count::of_several(longest),
        block_text: "each block",
        calls: Some(ElementCalls::of(design, sizes)),
    }
}

fn top(design: &ListDesign<'_>) -> TopModule {
    let sizes = Sizes::of(design);
    TopModule {
        module: design.module("top"),
        element: design.module("element"),
        system: design.whole(),
        headline: design.headline(),
        notes: elements::notes(&design.origin),
        width: design.width,
        lanes: sizes.lanes(),
        by_lane: elements::by_lane(sizes.lanes()),
        nodes: design.netlist.topology.nodes(),
        user: Count::of_bits(sizes.code),
        tells: sizes.has_blocks(),
        address: sizes.has_read_port().then(|| sizes.ram()),
        pins: Vec::new(),
        calls: Some(ElementCalls::of(design, sizes)),
    }
}

impl ElementCalls {
    fn of(design: &ListDesign<'_>, sizes: Sizes) -> Self {
        let nodes = design.netlist.topology.nodes();
        Self {
            program: sizes.program,
            node: sizes.node,
            total: sizes.total,
            last_program: design.residents.len() - 1,
            last_node: nodes - 1,
            programs: design.residents.iter().map(|resident| called(design, resident)).collect(),
            pins: pins(design, sizes),
        }
    }
}

fn called(design: &ListDesign<'_>, resident: &Resident) -> CalledProgram {
    let is_of_all = !matches!(resident.collective, "gossip" | "broadcast" | "gather");
    CalledProgram {
        name: resident.collective.to_owned(),
        words: resident.words * if is_of_all { design.netlist.topology.nodes() } else { 1 },
        is_of_root: matches!(resident.collective, "broadcast" | "scatter"),
        root: resident.root.as_ref().and_then(serde_json::Value::as_u64),
        last: resident.words - 1,
    }
}

fn pins(design: &ListDesign<'_>, sizes: Sizes) -> Vec<SystemPin> {
    let topology = &design.netlist.topology;
    let ports = sizes.stream_ports(design.width);
    let pin = |(node, index): (String, u32), port: &super::StreamPort| {
        let (stream, signal) = port.name.rsplit_once('_').expect("a port has two names");
        let vector = if stream == "s_axis" { "in" } else { "out" };
        let signal = signal.strip_prefix('t').filter(|_| stream != "m_ram").unwrap_or(signal);
        let bits = match signal {
            "data" if vector == "out" && sizes.lanes() > 1 => Some("LANES*WIDTH"),
            "user" if sizes.lanes() > 1 => Some("LANES*USER"),
            "data" => Some("WIDTH"),
            "user" => Some("USER"),
            "keep" => Some("LANES"),
            "dest" => Some("PROGRAM"),
            "addr" => Some("ADDRESS"),
            _ => None,
        };
        SystemPin { name: format!("{node}_{}", port.name), vector: format!("{vector}_{signal}"), index, bits }
    };
    let nodes = topology.node_ids().map(|node| (names::node(topology, node), node.0));
    nodes.flat_map(|node| ports.iter().map(move |port| pin(node.clone(), port))).collect()
}
