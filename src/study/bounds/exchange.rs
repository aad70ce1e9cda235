//! The fewest ticks of a total exchange: by what crosses a cut, and by lengths of links.
//!
//! For lengths of links that are at least 0, all messages together travel at least the sum of all distances, and in a tick at most
//! the sum of all lengths.

use super::{Bound, Limit, pairs};
use crate::net::{Around, Network, NodeId, OUTSIDE};
use crate::program::Pairs;

/// Sum of the lengths of all axes that are tried.
const WEIGHT: u64 = 64;
/// Nodes times ports of searches with different lengths: more take seconds.
const MOST_WORK: u64 = 1 << 26;

/// Largest network whose links have lengths of their own.
const MOST_LENGTHS: u32 = 1 << 8;

/// The best bound of all kinds.
pub fn lower_bound(network: &Network) -> Bound {
    let diameter = Bound { steps: network.diameter().into(), due_to: Limit::Diameter };
    let bounds: Vec<Bound> = match network.as_product() {
        Some(product) => (0..network.axes()).map(|axis| across(network, axis, product.wraps(axis))).collect(),
        None if network.is_homogeneous() => vec![by_axes(network)],
        None => {
            let is_small = network.nodes() <= MOST_LENGTHS;
            let by_lengths = is_small.then(|| pairs::by_lengths(network, &Pairs::alike(network, 1)));
            by_lengths.into_iter().chain(slabs(network)).chain([by_distances(network)]).collect()
        }
    };
    bounds.into_iter().chain([diameter]).max_by_key(|bound| bound.steps).expect("the diameter is one")
}

/// Traffic across the middle of an axis of a product, in one direction, by all links there; twice as many if it wraps.
fn across(network: &Network, axis: usize, wraps: bool) -> Bound {
    let side = u64::from(network.side(axis));
    let hops = u64::from(network.nodes()) / side * (side * side / 4);
    if wraps {
        Bound { steps: hops.div_ceil(2), due_to: Limit::Hops { axis, hops } }
    } else {
        Bound { steps: hops, due_to: Limit::Middle { axis, messages: hops } }
    }
}

/// All distances by all links.
fn by_distances(network: &Network) -> Bound {
    let orbits = network.orbits();
    let mut sizes = vec![0; orbits.first().len()];
    for orbit in network.live_ids().filter_map(|node| orbits.of(node)) {
        sizes[orbit] += 1;
    }
    let sums = orbits.first().iter().zip(sizes).map(|(&node, size): (_, u64)| size * Around::new(network, node).hops());
    let (hops, links) = (sums.sum::<u64>(), network.links());
    Bound { steps: hops.div_ceil(links), due_to: Limit::Distances { hops, links } }
}

/// Bound where all nodes are alike: the best lengths of axes, in whole numbers.
fn by_axes(network: &Network) -> Bound {
    let linked: Vec<usize> =
        (0..network.axes()).filter(|&axis| network.step(NodeId(0), crate::net::Port::plus(axis)).is_some()).collect();
    let bound = |weights: &[u64]| {
        let mut lengths = vec![0; network.axes()];
        linked.iter().zip(weights).for_each(|(&axis, &weight)| lengths[axis] = weight);
        let distances = weighted(network, &lengths);
        let length = 2 * weights.iter().sum::<u64>();
        Bound { steps: distances.div_ceil(length), due_to: Limit::Lengths { distances, length } }
    };
    let axes = linked.len() as u64;
    let mut weights = vec![WEIGHT / axes; linked.len()];
    let mut best = bound(&weights);
    if u64::from(network.nodes()) * network.ports() as u64 * WEIGHT > MOST_WORK {
        return best;
    }
    if linked.len() == 2 {
        let all = (0..=WEIGHT).map(|first| bound(&[first, WEIGHT - first]));
        return all.fold(best, |best, bound| if bound.steps > best.steps { bound } else { best });
    }
    // ratios of sums can be compared exactly
    let beats = |one: &Bound, other: &Bound| match (one.due_to, other.due_to) {
        (Limit::Lengths { distances: a, length: b }, Limit::Lengths { distances: c, length: d }) => a * d > c * b,
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
fn slabs(network: &Network) -> Vec<Bound> {
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
                bounds.push(Bound { steps: messages.div_ceil(links), due_to: Limit::Slab { axis, messages, links } });
            }
        }
    }
    bounds
}
