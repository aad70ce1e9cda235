//! The fewest ticks of an all-reduce, whatever the schedule: its parts need not come one after the other.
//!
//! A transfer is any combination of values that have arrived, or a result. With N combined flits, T ticks and links of l ticks:
//!
//! - For a partition of the nodes into q parts with m links between them, T >= l - 1 + ceil(2 (q-1) N / m). Contract the parts,
//!   which only helps. For one flit let part V be complete first, in tick t. Each other part sends a transfer on a way to V that
//!   arrives by t, and each other part completes by an arrival at or after t. A transfer counted twice would arrive in tick t at a
//!   part other than V, and could not reach V by t.
//! - For a node v, T >= ecc(v) l - 1 + ceil(N / c), c the fewest links out of a ball around v: a partial of each flit crosses them
//!   on its way from v to the farthest node.
//! - T >= min((2R - 1) l, l - 1 + ceil(2 P N / m)) with radius R, P nodes and m links: each node's first send leaves by
//!   T - ecc l + 1, and its completing receive leaves at or after (ecc - 1) l + 1. For T below (2R - 1) l these are 2 P different
//!   transfers per flit.

use super::limit::Share;
use super::{Bound, BoundReason, Travel, gossip, layers};
use crate::net::{Around, Network, NodeId, OUTSIDE};
use crate::program::Link;

/// Searches times ports of all nodes: more take seconds.
const MOST_WORK: u64 = 1 << 25;
/// Sets of axes across which parts are cut: more take seconds.
const MOST_AXES: usize = 8;

/// The lower bound for so many words, of which every node has a value each. Partials can be sent on so many ticks after they were
/// sent, and results after the latency of the links.
pub fn lower_bound(network: &Network, link: Link, words: u64, reduce_latency: u32) -> Bound {
    // an equal share of the results is a part of what a node gets
    let reduced = match words / u64::from(network.live_nodes()) {
        0 => gossip::diameter(network, link.latency),
        share => gossip::lower_bound(network, link, share),
    };
    let bounds = [by_radius(network, link, words), by_nodes(network, link, words), reduced].into_iter();
    let adding = by_adders(network, link.latency, reduce_latency);
    bounds.chain(by_parts(network, link, words)).chain(adding).fold(Bound::NONE, Bound::or)
}

/// Bound by the values of the two nodes that are farthest apart: they travel as partials as far as the radius at least, until some node
/// has the first result.
fn by_adders(network: &Network, latency: u32, reduce_latency: u32) -> Option<Bound> {
    let adding = u64::from(reduce_latency.checked_sub(latency).filter(|&adding| adding > 0)?);
    let (radius, links) = (radius(network), network.diameter());
    let ticks = u64::from(links) * u64::from(latency) + u64::from(radius) * adding;
    Some(Bound { ticks, due_to: BoundReason::Adders { links, latency, radius, reduce_latency } })
}

/// Number of flits that leave in a tick over so many directed links.
fn room(link: Link, directed: u64) -> u64 {
    u64::from(link.lanes) * if link.duplex.is_full() { directed } else { directed / 2 }
}

/// Bounds by partitions: nodes with equal coordinates on some axes are a part.
fn by_parts(network: &Network, link: Link, flits: u64) -> Vec<Bound> {
    let axes = network.axes();
    let single = (u64::from(network.live_nodes()), network.links());
    let mut cuts = vec![single];
    if axes <= MOST_AXES && network.registers() as u64 <= MOST_WORK {
        // by the set of axes along which its ends differ, links that have these
        let mut apart = vec![0u64; 1 << axes];
        network.sweep(0..network.nodes(), |node, neighbours| {
            for &there in neighbours.iter().filter(|&&there| there != OUTSIDE) {
                let differ = |axis: &usize| network.coord(node, *axis) != network.coord(there, *axis);
                let set: usize = (0..axes).filter(differ).map(|axis| 1 << axis).sum();
                apart[set] += 1;
            }
        });
        for set in 1..(1usize << axes) - 1 {
            let links = (1..apart.len()).filter(|differ| differ & set != 0).map(|differ| apart[differ]).sum();
            cuts.push((parts(network, set), links));
        }
    }
    let bound = |(parts, links): (u64, u64)| {
        let flits = flits.saturating_mul(2 * (parts - 1));
        let share = Share { flits, room: room(link, links), latency: link.latency };
        (parts > 1).then(|| Bound { ticks: share.ticks(), due_to: BoundReason::Partition { parts, share } })
    };
    cuts.into_iter().filter_map(bound).collect()
}

/// Number of parts with live nodes, if nodes with equal coordinates on these axes are one.
fn parts(network: &Network, set: usize) -> u64 {
    let axes = (0..network.axes()).filter(|axis| set >> axis & 1 == 1);
    if network.dead().is_none() {
        return axes.map(|axis| u64::from(network.side(axis))).product();
    }
    let axes: Vec<usize> = axes.collect();
    let part = |node| axes.iter().map(|&axis| network.coord(node, axis)).collect::<Vec<_>>();
    network.live_ids().map(part).collect::<std::collections::BTreeSet<_>>().len() as u64
}

/// Bound by what leaves a node, and the balls around it, for the farthest node. On a product the first node says most.
fn by_nodes(network: &Network, link: Link, flits: u64) -> Bound {
    let nodes = if network.as_product().is_some() {
        vec![NodeId(0)]
    } else {
        let mut nodes = network.orbits().first().to_vec();
        nodes.sort_by_key(|&node| network.linked_ports(node).count());
        nodes.truncate((MOST_WORK / network.registers() as u64).max(1) as usize);
        nodes
    };
    let lanes = u64::from(link.lanes);
    let bounds = nodes.into_iter().map(|node| {
        let around = Around::new(network, node);
        let links = lanes
            * if network.registers() as u64 > MOST_WORK {
                network.linked_ports(node).count() as u64
            } else {
                layers::links(&around).into_iter().min().unwrap_or(1)
            };
        let way = Travel { radius: around.depth().saturating_sub(1), latency: link.latency };
        Bound { ticks: way.ticks() + flits.div_ceil(links), due_to: BoundReason::Partials { node, way, flits, links } }
    });
    bounds.fold(Bound::NONE, Bound::or)
}

/// Bound by the way from the farthest node to the middle and back.
fn by_radius(network: &Network, link: Link, flits: u64) -> Bound {
    let radius = radius(network);
    let (nodes, latency) = (u64::from(network.live_nodes()), link.latency);
    let there_and_back = (2 * u64::from(radius)).saturating_sub(1) * u64::from(latency);
    let sent = Share { flits: flits.saturating_mul(2 * nodes), room: room(link, network.links()), latency };
    let due_to = BoundReason::Radius { radius, latency };
    if sent.ticks() < there_and_back {
        return Bound { ticks: sent.ticks(), due_to: BoundReason::Partition { parts: nodes, share: sent } };
    }
    Bound { ticks: there_and_back, due_to }
}

/// Distance from the best node to the node that is farthest from it, or less.
fn radius(network: &Network) -> u32 {
    if network.as_product().is_some() {
        return network.dims().iter().map(|side| side / 2).sum();
    }
    let orbits = network.orbits();
    let first = orbits.first();
    if first.len() as u64 * network.registers() as u64 > MOST_WORK {
        return network.diameter().div_ceil(2);
    }
    first.iter().map(|&node| Around::new(network, node).depth()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    fn ticks(shape: ShapeName, dims: &[u32], flits: u64) -> u64 {
        let network = Network::new(shape, dims).unwrap();
        lower_bound(&network, Link::default(), flits * u64::from(network.live_nodes()), 1).ticks
    }

    /// The optima of small networks: `bounds::no_schedule_beats_a_bound` finds them anew.
    #[test]
    fn the_bound_is_the_optimum_of_small_networks() {
        let cycles = [4, 5, 6].map(|n| ticks(ShapeName::Cycle, &[n], 1));
        assert_eq!(cycles, [3, 4, 5]);
        assert_eq!([3, 5].map(|n| ticks(ShapeName::Path, &[n], 2)), [7, 13]);
        assert_eq!(ticks(ShapeName::Path, &[4], 1), 6);
        let meshes = [&[2, 2][..], &[2, 3], &[3, 3]].map(|dims| ticks(ShapeName::Mesh, dims, 1));
        assert_eq!(meshes, [3, 5, 8]);
        let tori =
            [&[2, 3][..], &[2, 4], &[3, 3], &[4, 4], &[5, 5], &[8, 8]].map(|dims| ticks(ShapeName::Torus, dims, 1));
        assert_eq!(tori, [3, 4, 4, 8, 12, 32]);
    }
}
