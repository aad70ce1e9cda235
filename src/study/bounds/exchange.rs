//! The fewest ticks of a total exchange: by what crosses a cut, and by lengths of links.
//!
//! For lengths of links that are at least 0, all messages together travel at least the sum of all distances, and in a tick at most
//! the sum of all lengths.

use super::limit::Share;
use super::{Bound, BoundReason, gossip, pairs};
use crate::net::{Around, Network, NodeId, OUTSIDE};
use crate::program::{Link, Pairs};

/// Sum of the lengths of all axes that are tried.
const WEIGHT: u64 = 64;
/// Nodes times ports of searches with different lengths: more take seconds.
const MOST_WORK: u64 = 1 << 26;

/// Largest network whose links have lengths of their own.
const MOST_LENGTHS: u32 = 1 << 8;

/// The best bound of all kinds, for so many flits per pair of nodes.
pub fn lower_bound(network: &Network, flits: u64, latency: u32) -> Bound {
    let share = |flits_of_one: u64, room| Share { flits: flits_of_one.saturating_mul(flits), room, latency };
    let by_links = match network.as_product() {
        Some(product) => {
            (0..network.axes()).rev().map(|axis| across(network, axis, product.wraps(axis), share)).collect()
        }
        None if network.is_homogeneous() => vec![by_axes(network, share)],
        None => {
            let is_small = network.nodes() <= MOST_LENGTHS;
            let by_lengths = is_small.then(|| {
                let (distances, lengths) = pairs::best_lengths(network, &Pairs::alike(network, 1));
                let share = share(distances, lengths);
                Bound { ticks: share.ticks(), due_to: BoundReason::LinkLengths(share) }
            });
            by_lengths.into_iter().chain(slabs(network, share)).chain([by_distances(network, share)]).collect()
        }
    };
    // every node receives as much as in a gossip
    let received = gossip::lower_bound(network, Link { latency, ..Link::default() }, flits);
    by_links.into_iter().chain([received]).fold(gossip::diameter(network, latency), Bound::or)
}

/// Traffic across the middle of an axis of a product, in one direction, by all links there; twice as many if it wraps.
fn across(network: &Network, axis: usize, wraps: bool, share: impl Fn(u64, u64) -> Share) -> Bound {
    let side = u64::from(network.side(axis));
    let hops = u64::from(network.nodes()) / side * (side * side / 4);
    if wraps {
        let share = share(hops, 2);
        Bound { ticks: share.ticks(), due_to: BoundReason::Hops { axis, share } }
    } else {
        let share = share(hops, 1);
        Bound { ticks: share.ticks(), due_to: BoundReason::Middle { axis, share } }
    }
}

/// All distances by all links.
fn by_distances(network: &Network, share: impl Fn(u64, u64) -> Share) -> Bound {
    let orbits = network.orbits();
    let mut sizes = vec![0; orbits.first().len()];
    for orbit in network.live_ids().filter_map(|node| orbits.of(node)) {
        sizes[orbit] += 1;
    }
    let sums = orbits.first().iter().zip(sizes).map(|(&node, size): (_, u64)| size * Around::new(network, node).hops());
    let share = share(sums.sum(), network.links());
    Bound { ticks: share.ticks(), due_to: BoundReason::Distances(share) }
}

/// Bound where all nodes are alike: the best lengths of axes, in whole numbers.
fn by_axes(network: &Network, share: impl Fn(u64, u64) -> Share) -> Bound {
    let linked: Vec<usize> =
        (0..network.axes()).filter(|&axis| network.step(NodeId(0), crate::net::Port::plus(axis)).is_some()).collect();
    let bound = |weights: &[u64]| {
        let mut lengths = vec![0; network.axes()];
        linked.iter().zip(weights).for_each(|(&axis, &weight)| lengths[axis] = weight);
        let distances = weighted(network, &lengths);
        let length = 2 * weights.iter().sum::<u64>();
        let share = share(distances, length);
        Bound { ticks: share.ticks(), due_to: BoundReason::Lengths(share) }
    };
    let axes = linked.len() as u64;
    let mut weights = vec![WEIGHT / axes; linked.len()];
    let mut best = bound(&weights);
    if u64::from(network.nodes()) * network.ports() as u64 * WEIGHT > MOST_WORK {
        return best;
    }
    if linked.len() == 2 {
        let all = (0..=WEIGHT).map(|first| bound(&[first, WEIGHT - first]));
        return all.fold(best, Bound::or);
    }
    // ratios of sums can be compared exactly
    let beats = |one: &Bound, other: &Bound| match (one.due_to, other.due_to) {
        (BoundReason::Lengths(one), BoundReason::Lengths(other)) => {
            u128::from(one.flits) * u128::from(other.room) > u128::from(other.flits) * u128::from(one.room)
        }
        _ => false,
    };
    for axis in 0..linked.len() {
        let alone: Vec<u64> = (0..linked.len()).map(|other| if other == axis { WEIGHT } else { 0 }).collect();
        let alone_bound = bound(&alone);
        if beats(&alone_bound, &best) {
            (weights, best) = (alone, alone_bound);
        }
    }
    let mut step = WEIGHT / 4;
    while step > 0 {
        let mut found = None;
        'pairs: for from in 0..weights.len() {
            for to in (0..weights.len()).filter(|&to| to != from && weights[from] >= step) {
                let mut moved = weights.clone();
                moved[from] -= step;
                moved[to] += step;
                let bound = bound(&moved);
                if beats(&bound, &best) {
                    found = Some((moved, bound));
                    break 'pairs;
                }
            }
        }
        match found {
            Some(found) => (weights, best) = found,
            None => step /= 2,
        }
    }
    best
}

/// Sum of the distances from the first node if the links along each axis have such a length.
fn weighted(network: &Network, lengths: &[u64]) -> u64 {
    let mut distance = vec![u64::MAX; network.nodes() as usize];
    let mut heap = std::collections::BinaryHeap::from([std::cmp::Reverse((0, NodeId(0)))]);
    distance[0] = 0;
    let mut sum = 0;
    while let Some(std::cmp::Reverse((so_far, node))) = heap.pop() {
        if so_far > distance[node.index()] {
            continue;
        }
        sum += so_far;
        for port in network.port_ids() {
            let Some(there) = network.step(node, port) else { continue };
            let far = so_far + lengths[port.axis()];
            if far < distance[there.index()] {
                distance[there.index()] = far;
                heap.push(std::cmp::Reverse((far, there)));
            }
        }
    }
    sum
}

/// Traffic across the border of every slab across an axis.
fn slabs(network: &Network, share: impl Fn(u64, u64) -> Share) -> Vec<Bound> {
    let live = u64::from(network.live_nodes());
    let sides: u64 = network.dims().iter().map(|&side| u64::from(side)).sum();
    if sides * sides * network.registers() as u64 > MOST_WORK {
        return Vec::new();
    }
    let mut bounds = Vec::new();
    for axis in 0..network.axes() {
        let side = network.side(axis);
        for (first, thick) in (0..side).flat_map(|first| (1..side).map(move |thick| (first, thick))) {
            let is_inside = |node: NodeId| (network.coord(node, axis) + side - first) % side < thick;
            let (mut inside, mut links) = (0, 0);
            network.sweep(0..network.nodes(), |node, neighbours| {
                if is_inside(node) && network.is_live(node) {
                    inside += 1;
                    let leaves = |there: &&NodeId| **there != OUTSIDE && !is_inside(**there);
                    links += neighbours.iter().filter(leaves).count() as u64;
                }
            });
            let messages: u64 = inside * (live - inside);
            if messages > 0 && links > 0 {
                let share = share(messages, links);
                bounds.push(Bound { ticks: share.ticks(), due_to: BoundReason::Slab { axis, share } });
            }
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn hops_limit_an_exchange() {
        let ticks = |dims: &[u32], flits| lower_bound(&Network::new(ShapeName::Torus, dims).unwrap(), flits, 1).ticks;
        assert_eq!([&[6, 6][..], &[16, 16], &[5, 6], &[3, 3, 3]].map(|dims| ticks(dims, 1)), [27, 512, 23, 9]);
        // opposite corners are three hops apart, and four hops along an axis are shared by two directions
        assert_eq!(ticks(&[2, 2, 2], 1), 3);
        // flits are not rounded packet by packet, and the diameter is one of flits
        assert_eq!([ticks(&[2, 2], 4), ticks(&[6], 1024)], [4, 4608]);
    }
}
