//! Blocks of the programs of a list: words of each, and entries of tables for them.

use crate::design::Design;
use crate::design::config::{CollectiveName, Config, ProgramChoice};
use crate::emit::node::OffsetBlock;
use crate::net::Topology;
use crate::netlist::listed::PlacedProgram;
use crate::task::Collective;

/// Words of each pair's block, row by row; of each node's, where there is a root.
pub(super) fn lengths(placed: &PlacedProgram, collective: Collective, root: Option<usize>) -> Option<Vec<Vec<u32>>> {
    let rows = placed.lengths.as_ref()?;
    Some(match (collective, root) {
        (Collective::Scatter, Some(root)) => vec![rows[root].clone()],
        (_, Some(root)) => vec![rows.iter().map(|row| row[root]).collect()],
        (_, None) => rows.clone(),
    })
}

/// Blocks by offset, where each goes as far from every node.
pub(super) fn offsets(design: &Design) -> Option<Vec<OffsetBlock>> {
    let topology = &design.program.topology;
    let offsets = design.config.offsets(topology).ok().flatten()?;
    let block = |(hops, words): (Vec<i32>, u32)| {
        let to = |from| topology.displaced(from, &hops).filter(|&to| topology.is_live(to));
        let to = topology.live_ids().map(|from| Some(topology.rank(to(from)?) as u32)).collect();
        OffsetBlock { hops, words, to }
    };
    Some(offsets.into_iter().map(block).collect())
}

/// Entries that the tables of a program have at least, with one packet per block.
pub(super) fn least_entries(config: &Config, topology: &Topology, choice: &ProgramChoice) -> u64 {
    if choice.lengths.is_some() || choice.collective == CollectiveName::Halo {
        return 0;
    }
    let nodes = u64::from(topology.live_nodes());
    if let Some(count) = choice.count {
        return 2 * nodes * u64::from(count.get());
    }
    let flits = u64::from(choice.flits.unwrap_or(config.link.flits).get());
    // blocks that all nodes take, and that they give
    let (taken, given) = match choice.collective.planned() {
        Collective::Gossip => (nodes, nodes * nodes),
        Collective::Exchange | Collective::AllReduce => (nodes * nodes, nodes * nodes),
        Collective::ReduceScatter => (nodes * nodes, nodes),
        Collective::Broadcast => (1, nodes),
        Collective::Reduce => (nodes, 1),
        Collective::Scatter | Collective::Gather => (nodes, nodes),
    };
    flits.saturating_mul(taken + given)
}
