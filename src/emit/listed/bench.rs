//! Testbench of a design behind its bus, for `templates/listed/tb.v`.

use askama::Template;

use super::super::numbers::ExactNumbers;
use super::super::sums::Sums;
use super::sizes::WireSizes;
use super::{Bus, ListDesign, ResidentFiles, network};
use crate::emit::names;
use crate::emit::output::{FileType, OutputFile};
use crate::netlist::listed::PlacedProgram;
use crate::program::Operation;

#[derive(Template)]
#[template(path = "listed/tb.v", escape = "none")]
struct CallBench {
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
    sequence: Vec<BenchCall>,
    /// Nodes by name, if they have streams.
    streams: Vec<String>,
    /// Coordinates of the nodes side by side.
    codes: Vec<u32>,
    /// Coordinates of some node, where any will do.
    any_code: u32,
    /// Most words that a node gives in a call.
    most: u32,
    is_ring: bool,
    is_uart: bool,
    hash: String,
}

impl CallBench {
    /// Returns true if blocks come whole, one after the other as they arrived.
    fn has_arrival_order(&self) -> bool {
        self.sizes.is_by_arrival() && self.sizes.lanes() == 1
    }
}

/// Program as the bench plays it.
struct BenchProgram {
    number: u32,
    operation: Option<Operation>,
    collective: String,
    words: u32,
    /// Vectors of an all-reduce are one block.
    is_whole: bool,
    /// Words of the blocks that have any, by sender and receiver, where blocks have different lengths.
    lengths: Option<Vec<(usize, u32)>>,
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
            is_whole: resident.is_whole(),
            lengths,
        }
    }
}

/// Call of a program.
#[derive(Clone, Copy)]
struct BenchCall {
    program: u32,
    root: u32,
}

/// Name of a collective in the bench; SCATTER is an operation of the ring there.
fn named(collective: &str) -> String {
    if collective == "scatter" { "SCATTERING".to_owned() } else { collective.to_uppercase().replace('-', "_") }
}

/// Words that a call brings back from all nodes.
fn compared(resident: &ResidentFiles, nodes: u64) -> u64 {
    let blocks = match resident.collective {
        _ if resident.is_whole() => nodes,
        "gossip" | "all-reduce" | "exchange" => nodes * nodes,
        "reduce" => 1,
        _ => nodes,
    };
    match &resident.lengths {
        Some(rows) => rows.iter().flatten().copied().map(u64::from).sum(),
        None => blocks * u64::from(resident.words),
    }
}

/// Every program with its first, middle and last root, in an order in which each follows others.
fn sequence(residents: &[ResidentFiles], nodes: u32) -> Vec<BenchCall> {
    let roots = |resident: &ResidentFiles| match &resident.root {
        Some(root) => root.as_u64().map_or_else(|| vec![0, nodes / 2, nodes - 1], |root| vec![root as u32]),
        None => vec![0],
    };
    let all = residents.iter().flat_map(|resident| roots(resident).into_iter().map(|root| (resident.number, root)));
    let mut all: Vec<(u32, u32)> = all.collect();
    all.dedup();
    // odd places backwards, then even ones
    let (even, odd): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(place, _)| place % 2 == 0);
    let order: Vec<(u32, u32)> = odd.into_iter().rev().chain(even).map(|(_, &call)| call).collect();
    order.into_iter().map(|(program, root)| BenchCall { program, root }).collect()
}

/// Calls of the bench, and the words that it compares in all.
fn calls(design: &ListDesign<'_>) -> (Vec<BenchCall>, u64) {
    let nodes = design.netlist.nodes();
    let mut calls = sequence(&design.residents, nodes);
    calls.retain(|call| design.called.is_none_or(|called| called == call.program));
    if design.bus == Bus::Streams {
        // a program also follows itself
        calls = calls.into_iter().flat_map(|call| [call, call]).collect();
    }
    let words = calls.iter().map(|call| compared(&design.residents[call.program as usize], nodes.into())).sum();
    (calls, words)
}

/// Returns true if there is a bench: boards with hosts are played from Python.
fn is_due(design: &ListDesign<'_>) -> bool {
    design.boards.is_none() || design.bus == Bus::Streams
}

/// Name of the testbench, and what it prints if every word is right; none of several boards with hosts.
pub(super) fn verdict(design: &ListDesign<'_>) -> Option<(String, String)> {
    let (calls, words) = calls(design);
    is_due(design).then(|| (design.module("tb"), format!("PASS {} {words}", calls.len())))
}

/// Testbench of a design; none of several boards with hosts, which are played from Python.
pub(super) fn file<'d>(design: &'d ListDesign<'d>) -> Option<OutputFile<'d>> {
    if !is_due(design) {
        return None;
    }
    let topology = &design.netlist.topology;
    let nodes = design.netlist.nodes();
    let view = move || {
        let (sequence, words) = calls(design);
        CallBench {
            module: design.module("tb"),
            top: if design.boards.is_some() { network::module(design.name) } else { design.top() },
            bus_name: match design.bus {
                Bus::Ring => "ring",
                Bus::AxiLite => "AXI4-Lite",
                Bus::Uart => "serial line",
                Bus::Streams => "nodes' streams",
            },
            notes: design.notes(),
            sizes: WireSizes::of(design),
            nodes,
            width: design.width,
            calls: sequence.len(),
            words,
            // a serial line is silent while a long command is on its way
            patience: if design.bus == Bus::Uart { 200_000 } else { 20_000 },
            is_signed: design.netlist.union.parts.number.is_signed()
                && design.netlist.union.parts.number.float().is_none(),
            term: if design.netlist.union.parts.number.float().is_some() { "number" } else { "value" },
            float: ExactNumbers::of(design.netlist.union.parts.number, nodes),
            sums: Sums::of(design.netlist.union.parts.unit, design.module("combine")),
            programs: design.residents.iter().zip(&design.netlist.programs).map(BenchProgram::of).collect(),
            sequence,
            streams: match design.bus {
                Bus::Streams => topology.live_ids().map(|node| names::node(topology, node)).collect(),
                _ => Vec::new(),
            },
            any_code: *design.netlist.node_codes().last().expect("a network has live nodes"),
            codes: design.netlist.node_codes(),
            most: nodes * design.residents.iter().map(|it| it.words).max().unwrap_or(1),
            is_ring: design.bus == Bus::Ring,
            is_uart: design.bus == Bus::Uart,
            hash: format!("{:08x}", design.hash),
        }
    };
    Some(OutputFile::of(format!("tb/{}.v", design.module("tb")), FileType::Testbench, view))
}
