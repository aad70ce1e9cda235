//! Groups of nodes whose words are combined, for the testbench of nodes with streams.

use std::io::{self, Write};

use crate::emit::bench::nodes::BenchCall;
use crate::emit::bench::nodes::calls::{all_words, kinds};
use crate::emit::node::ListDesign;
use crate::net::NodeId;
use crate::netlist::bits_for;
use crate::netlist::listed::TogetherPart;
use crate::program::Program;

/// Program of a call, with the number of its first group.
#[derive(Clone, Copy)]
pub(super) struct CombinedProgram<'e> {
    pub program: &'e Program,
    pub first: u32,
}

impl CombinedProgram<'_> {
    /// Number of its groups, if it combines values; all nodes are one if it has none.
    pub fn groups(self) -> u32 {
        let groups = self.program.demand.groups().map_or(1, |groups| groups.members().len() as u32);
        if self.program.reduction.is_some() { groups } else { 0 }
    }
}

/// Programs of a call. Of those that are played at once groups are numbered one after the other, and 0 is no group.
pub(super) fn call_groups<'e>(design: &ListDesign<'e>, call: BenchCall) -> Vec<CombinedProgram<'e>> {
    let parts = design.netlist.parts(call.program);
    let mut first = u32::from(parts.len() > 1);
    let of_part = |part: &TogetherPart| {
        let program = CombinedProgram { program: design.schedules[part.program as usize].program, first };
        first += program.groups();
        program
    };
    parts.iter().map(of_part).collect()
}

/// Bits of a group's number, where values are combined in groups, or in one of several programs that are played at once.
pub(super) fn group_bits(design: &ListDesign<'_>) -> u32 {
    let of_call = |call: BenchCall| {
        let parts = call_groups(design, call);
        let last = parts.iter().map(|part| part.first + part.groups()).max().unwrap_or(0);
        let is_grouped = parts.iter().any(|part| part.groups() > 1) || parts.len() > 1 && last > 1;
        if is_grouped { last } else { 0 }
    };
    // one number more is that of no group
    kinds(design)
        .into_iter()
        .map(of_call)
        .max()
        .filter(|&last| last > 0)
        .map_or(0, |last| bits_for(u64::from(last) + 1))
}

/// Most programs of a call.
pub(super) fn most_parts(design: &ListDesign<'_>) -> usize {
    kinds(design).into_iter().map(|call| design.netlist.parts(call.program).len()).max().unwrap_or(1)
}

/// Number of a node's group.
pub(super) fn group_of(program: &Program, node: NodeId) -> u32 {
    program.demand.groups().and_then(|groups| groups.number(node)).unwrap_or(0)
}

/// Group of each node in each program of each call, one per line, and the words that come in at the nodes before it and in the programs
/// before this one.
pub(super) fn write_groups(design: &ListDesign<'_>, out: &mut dyn Write) -> io::Result<()> {
    let nodes = design.netlist.nodes() as usize;
    let most = most_parts(design);
    let mut before = 0;
    for (call, words) in kinds(design).into_iter().zip(all_words(design)) {
        let mut begins: Vec<u64> = Vec::with_capacity(nodes);
        for taken in &words.taken {
            begins.push(before);
            before += taken;
        }
        let groups = call_groups(design, call);
        for number in 0..most {
            let group = groups.get(number).filter(|part| part.groups() > 0);
            for (rank, node) in design.netlist.topology.live_ids().enumerate() {
                let shown = group.map_or(u32::MAX, |part| part.first + group_of(part.program, node));
                writeln!(out, "{shown:08x}{:08x}", begins[rank])?;
            }
            if let Some(own) = words.programs.get(number) {
                begins.iter_mut().zip(own).for_each(|(begin, taken)| *begin += taken);
            }
        }
    }
    Ok(())
}
