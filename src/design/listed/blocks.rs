//! Blocks of the programs of a list: words of each, and entries of tables for them.

use crate::design::Design;
use crate::design::config::{CollectiveName, Config, ProgramChoice};
use crate::emit::node::{OffsetBlock, ResidentGroups};
use crate::net::{NodeId, Topology};
use crate::netlist::listed::PlacedProgram;
use crate::program::Program;
use crate::task::Collective;

/// Words of each pair's block, row by row; of each node's, where there is one root.
pub(super) fn lengths(placed: &PlacedProgram, collective: Collective, roots: &[usize]) -> Option<Vec<Vec<u32>>> {
    let rows = placed.lengths.as_ref()?;
    let root = if let &[root] = roots { Some(root) } else { None };
    Some(match (collective, root) {
        (Collective::Scatter, Some(root)) => vec![rows[root].clone()],
        (_, Some(root)) => vec![rows.iter().map(|row| row[root]).collect()],
        (_, None) => rows.clone(),
    })
}

/// Blocks by offset, where each goes as far from every node.
pub(super) fn offsets(design: &Design) -> Option<Vec<OffsetBlock>> {
    let topology = &design.program.topology;
    let group = design.of_group();
    // in each group offsets lead to nodes of that group
    let of_network = |network: &Topology, place: &dyn Fn(NodeId) -> NodeId, hops: &[i32], to: &mut [Option<u32>]| {
        for from in network.live_ids() {
            let there = network.displaced(from, hops).filter(|&there| network.is_live(there));
            to[topology.rank(place(from))] = there.map(|there| topology.rank(place(there)) as u32);
        }
    };
    let offsets = group.config.offsets(&group.program.topology).ok().flatten()?;
    let block = |(hops, words): (Vec<i32>, u32)| {
        let mut to = vec![None; topology.live_nodes() as usize];
        if design.groups.is_empty() {
            of_network(topology, &|node| node, &hops, &mut to);
        }
        for kind in &design.groups {
            for places in &kind.places {
                of_network(&kind.design.program.topology, &|node| places[node.index()], &hops, &mut to);
            }
        }
        OffsetBlock { hops, words, to }
    };
    Some(offsets.into_iter().map(block).collect())
}

/// Groups of the nodes, as software numbers these.
pub(super) fn groups(design: &Design) -> Option<ResidentGroups> {
    let Program { topology, demand, .. } = &design.program;
    let ranks = |nodes: &[NodeId]| nodes.iter().map(|&node| topology.rank(node) as u32).collect();
    Some(ResidentGroups {
        form: design.config.groups.as_ref()?.to_string(),
        nodes: demand.each_group(topology).iter().map(|nodes| ranks(nodes)).collect(),
        roots: ranks(&design.roots()),
    })
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
