//! Testbenches of a design: of the streams of its nodes, or of the bus of its host.

mod boards;
mod bus;
mod calls;
mod groups;
mod streams;

use crate::emit::node::{Bus, ListDesign, ResidentFiles};
use crate::emit::shared::output::OutputFile;
pub(in crate::emit) use calls::{all_words, kinds};

/// Call of a program.
#[derive(Clone, Copy)]
pub(in crate::emit) struct BenchCall {
    pub(in crate::emit) program: u32,
    pub(in crate::emit) root: u32,
}

/// Every program with its first, middle and last root, in an order in which each follows others.
fn sequence(design: &ListDesign<'_>) -> Vec<BenchCall> {
    let nodes = design.netlist.nodes();
    let roots = |resident: &ResidentFiles| match &resident.root {
        Some(root) => root.as_u64().map_or_else(|| vec![0, nodes / 2, nodes - 1], |root| vec![root as u32]),
        None => vec![0],
    };
    let residents =
        design.residents.iter().filter(|resident| design.called.is_none_or(|called| called == resident.number));
    let together = design.netlist.together.iter().filter(|it| design.called.is_none_or(|called| called == it.number));
    let all = residents.flat_map(|resident| roots(resident).into_iter().map(|root| (resident.number, root)));
    let all = all.chain(together.map(|together| (together.number, 0)));
    let mut all: Vec<(u32, u32)> = all.collect();
    all.dedup();
    // odd places backwards, then even ones
    let (even, odd): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(place, _)| place % 2 == 0);
    let order: Vec<(u32, u32)> = odd.into_iter().rev().chain(even).map(|(_, &call)| call).collect();
    order.into_iter().map(|(program, root)| BenchCall { program, root }).collect()
}

/// Files of the testbench; none of several boards with hosts, which are played from Python.
pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    match design.bus {
        Bus::Streams => streams::files(design),
        _ if design.boards.is_some() => Vec::new(),
        _ => vec![bus::file(design)],
    }
}

/// Name of the testbench, and what it prints if every word of so many runs is right, or of as many as it plays if it is not told; none
/// of several boards with hosts.
pub(in crate::emit) fn verdict(design: &ListDesign<'_>, runs: Option<u32>) -> Option<(String, String)> {
    match design.bus {
        Bus::Streams => {
            let runs = runs.unwrap_or_else(|| streams::runs(design));
            Some((streams::module(design), streams::verdict(design, runs)))
        }
        _ => design.boards.is_none().then(|| (design.module("tb"), bus::verdict(design))),
    }
}
