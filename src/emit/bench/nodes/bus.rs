//! Testbench of a design behind the bus of its host, for `templates/listed/tb.v`.

use askama::Template;

use crate::emit::bench::nodes::{BenchCall, sequence};
use crate::emit::bench::sums::Sums;
use crate::emit::node::{Bus, ListDesign, ResidentFiles, WireSizes};
use crate::emit::shared::numbers::ExactNumbers;
use crate::emit::shared::output::{FileType, OutputFile};
use crate::netlist::listed::{PlacedProgram, Together};
use crate::program::Operation;

#[derive(Template)]
#[template(path = "listed/tb.v", escape = "none")]
struct CallBench<'d> {
    module: String,
    top: String,
    bus_name: &'static str,
    notes: Vec<String>,
    sizes: WireSizes,
    nodes: u32,
    width: u32,
    calls: usize,
    words: u64,
    patience: u32,
    is_signed: bool,
    float: Option<ExactNumbers>,
    /// Check of the unit that adds floats.
    sums: Option<Sums>,
    /// Function of the values that are combined.
    term: &'static str,
    programs: Vec<BenchProgram>,
    /// Programs that are played at once.
    together: &'d [Together],
    sequence: Vec<BenchCall>,
    /// Most words that a node takes in a call.
    most: u32,
    is_ring: bool,
    is_uart: bool,
    hash: String,
}

/// Program as the bench plays it.
struct BenchProgram {
    number: u32,
    operation: Option<Operation>,
    collective: String,
    words: u32,
    /// Root, if it is the same in every call.
    root: Option<u64>,
    /// Vectors of an all-reduce are one block.
    is_whole: bool,
    /// Words of the blocks that have any, by sender and receiver, where blocks have different lengths.
    lengths: Option<Vec<(usize, u32)>>,
    /// By node of a group, the first of its group and the root; those of other nodes are the call's.
    groups: Vec<GroupMember>,
}

/// Node of a group.
struct GroupMember {
    node: u32,
    first: u32,
    /// root of the group; the node itself if there is none
    root: u32,
}

impl BenchProgram {
    fn of((resident, placed): (&ResidentFiles, &PlacedProgram)) -> Self {
        let lengths = placed
            .lengths
            .as_ref()
            .map(|rows| rows.iter().flatten().copied().enumerate().filter(|&(_, words)| words > 0).collect());
        Self {
            number: resident.number,
            operation: resident.operation,
            collective: named(resident.collective),
            words: resident.words,
            root: resident.root.as_ref().and_then(serde_json::Value::as_u64),
            is_whole: resident.is_whole(),
            lengths,
            groups: members(resident),
        }
    }
}

/// Nodes of all groups.
fn members(resident: &ResidentFiles) -> Vec<GroupMember> {
    let Some(groups) = &resident.groups else { return Vec::new() };
    let of_group = |(number, nodes): (usize, &Vec<u32>)| {
        let root = groups.roots.get(number).copied();
        let member = |&node: &u32| GroupMember { node, first: nodes[0], root: root.unwrap_or(node) };
        nodes.iter().map(member).collect::<Vec<_>>()
    };
    groups.nodes.iter().enumerate().flat_map(of_group).collect()
}

/// Name of a collective in the bench; SCATTER is an operation of the ring there.
fn named(collective: &str) -> String {
    if collective == "scatter" { "SCATTERING".to_owned() } else { collective.to_uppercase().replace('-', "_") }
}

/// Words that a call brings back from all nodes.
fn compared(placed: &PlacedProgram) -> u64 {
    placed.words.iter().map(|&(_, given)| u64::from(given)).sum()
}

/// Calls of the bench, and the words that it compares in all.
fn calls(design: &ListDesign<'_>) -> (Vec<BenchCall>, u64) {
    let calls = sequence(design);
    let words = calls.iter().map(|call| compared(&design.netlist.programs[call.program as usize])).sum();
    (calls, words)
}

/// Text that it prints if every word is right.
pub fn verdict(design: &ListDesign<'_>) -> String {
    let (calls, words) = calls(design);
    format!("PASS {} {words}", calls.len())
}

pub fn file<'d>(design: &'d ListDesign<'d>) -> OutputFile<'d> {
    let nodes = design.netlist.nodes();
    let view = move || {
        let parts = &design.netlist.union.parts;
        let (sequence, words) = calls(design);
        CallBench {
            module: design.module("tb"),
            top: design.top(),
            bus_name: match design.bus {
                Bus::Ring => "ring",
                Bus::AxiLite => "AXI4-Lite",
                Bus::Uart => "serial line",
                Bus::Streams => unreachable!("streams have a bench of their own"),
            },
            notes: design.notes(),
            sizes: WireSizes::of(design),
            nodes,
            width: design.width,
            calls: sequence.len(),
            words,
            // a serial line is silent while a long command is on its way
            patience: if design.bus == Bus::Uart { 200_000 } else { 20_000 },
            is_signed: parts.number.is_signed() && parts.number.float().is_none(),
            term: if parts.number.float().is_some() { "number" } else { "value" },
            float: ExactNumbers::of(parts.number, nodes),
            sums: Sums::of(parts.unit, design.module("combine")),
            programs: design.residents.iter().zip(&design.netlist.programs).map(BenchProgram::of).collect(),
            together: &design.netlist.together,
            sequence,
            most: design
                .netlist
                .programs
                .iter()
                .flat_map(|placed| &placed.words)
                .map(|words| words.0)
                .max()
                .unwrap_or(1),
            is_ring: design.bus == Bus::Ring,
            is_uart: design.bus == Bus::Uart,
            hash: format!("{:08x}", design.hash),
        }
    };
    OutputFile::of(format!("tb/{}.v", design.module("tb")), FileType::Testbench, view)
}
