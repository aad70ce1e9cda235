//! The fewest ticks of an exchange whose messages have lengths of their own.
//!
//! Flits that leave a set of nodes share the links out of it; the sets are balls around nodes and slabs across axes. And whatever
//! lengths links are given, all flits together travel at least the sum of their distances, and in a tick at most the sum of all
//! lengths. The best lengths are the dual of a linear program. Rounds of shortest ways, each of which makes links longer that more
//! flits take than others, come within a hundredth of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::limit::Share;
use super::{Bound, BoundReason, Travel, layers};
use crate::net::{Around, Network, NodeId, Port};
use crate::program::{Demand, Pairs};

/// Rounds of shortest ways.
const ROUNDS: u64 = 64;
/// Rounds times pairs of nodes times ports: more take seconds.
const MOST_WORK: u64 = 1 << 23;
/// Length of a link before the first round.
const UNIT: u64 = 1 << 20;
/// Parts of a flit, in which the loads of links are compared with their mean.
const PARTS: i128 = 1 << 10;

/// The best bound of all kinds.
pub fn lower_bound(network: &Network, pairs: &Pairs, latency: u32) -> Bound {
    let balls = network.live_ids().flat_map(|node| {
        let around = Around::new(network, node);
        [(true, pairs.sent(node).to_vec()), (false, pairs.received(node))]
            .map(|(is_sender, lengths)| ball(&around, &lengths, latency, is_sender))
    });
    let of_links = slabs(network, pairs, latency).into_iter().chain([by_lengths(network, pairs, latency)]);
    balls.chain(of_links).fold(Bound::NONE, Bound::or)
}

/// Bound by what one node sends, where there are too many nodes for more.
pub fn by_senders(network: &Network, demand: &Demand, latency: u32) -> Bound {
    let bound = |node| {
        let way = Travel { radius: 0, latency };
        let (flits, links) = (demand.own_flits(node), network.linked_ports(node).count() as u64);
        let due_to = BoundReason::OneNode { node, is_sender: true, way, flits, links };
        Bound { ticks: way.ticks() + flits.div_ceil(links), due_to }
    };
    network.live_ids().map(bound).max_by_key(|bound| bound.ticks).expect("there is a node")
}

/// Bound by the flits of one sender, or for one receiver, and the links out of balls around it.
fn ball(around: &Around, lengths: &[u32], latency: u32, is_sender: bool) -> Bound {
    let mut at = vec![0u64; around.depth() as usize + 1];
    for node in around.topology().live_ids().filter(|&node| node != around.root()) {
        at[around.distance(node) as usize] += u64::from(lengths[node.index()]);
    }
    let bound = layers::lower_bound(around, &at, latency);
    let node = around.root();
    let due_to = match bound.due_to {
        BoundReason::Layers { way, flits, links } => BoundReason::OneNode { node, is_sender, way, flits, links },
        other => other,
    };
    Bound { due_to, ..bound }
}

/// Flits that leave each slab across an axis, by the links that do.
fn slabs(network: &Network, pairs: &Pairs, latency: u32) -> Vec<Bound> {
    (0..network.axes()).filter_map(|axis| slab(network, pairs, axis, latency)).collect()
}

/// The best bound by slabs across one axis.
fn slab(network: &Network, pairs: &Pairs, axis: usize, latency: u32) -> Option<Bound> {
    let side = network.side(axis) as usize;
    let (mut flits, mut links) = (Between::new(side), Between::new(side));
    for from in network.live_ids() {
        let at = |node: NodeId| network.coord(node, axis) as usize;
        let neighbours = network.linked_ports(from).filter_map(|port| network.step(from, port));
        neighbours.for_each(|there| links.add(at(from), at(there), 1));
        network.live_ids().for_each(|to| flits.add(at(from), at(to), pairs.flits(from, to).into()));
    }
    let (flits, links) = (flits.summed(), links.summed());
    let slabs = (0..side).flat_map(|first| (1..side).map(move |thick| (first, thick)));
    let bound = |(first, thick)| {
        let (flits, room) = (flits.leaving(first, thick), links.leaving(first, thick));
        // the network is connected: a slab without links out of it has no live node inside, or none outside
        let share = (room > 0).then_some(Share { flits, room, latency })?;
        Some(Bound { ticks: share.ticks(), due_to: BoundReason::Slab { axis, share } })
    };
    slabs.filter_map(bound).reduce(Bound::or)
}

/// Numbers from place to place along an axis, the axis twice, so that a slab that wraps is a range.
struct Between {
    side: usize,
    /// Entry (a, b) at a * (2 side + 1) + b, counted from 1 once they are summed.
    numbers: Vec<u64>,
}

impl Between {
    fn new(side: usize) -> Self {
        Self { side, numbers: vec![0; (2 * side + 1) * (2 * side + 1)] }
    }

    fn index(&self, from: usize, to: usize) -> usize {
        from * (2 * self.side + 1) + to
    }

    fn add(&mut self, from: usize, to: usize, number: u64) {
        for (from, to) in
            [(from, to), (from + self.side, to), (from, to + self.side), (from + self.side, to + self.side)]
        {
            let index = self.index(from + 1, to + 1);
            self.numbers[index] += number;
        }
    }

    /// Sums up to each place.
    fn summed(mut self) -> Self {
        for (from, to) in (1..=2 * self.side).flat_map(|from| (1..=2 * self.side).map(move |to| (from, to))) {
            let before = self.numbers[self.index(from - 1, to)] + self.numbers[self.index(from, to - 1)]
                - self.numbers[self.index(from - 1, to - 1)];
            let index = self.index(from, to);
            self.numbers[index] += before;
        }
        self
    }

    fn sum(&self, from: (usize, usize), to: (usize, usize)) -> u64 {
        let up_to = |from, to| self.numbers[self.index(from, to)];
        up_to(from.1, to.1) + up_to(from.0, to.0) - up_to(from.0, to.1) - up_to(from.1, to.0)
    }

    /// Sum from a slab to all that is outside.
    fn leaving(&self, first: usize, thick: usize) -> u64 {
        let inside = (first, first + thick);
        self.sum(inside, (0, self.side)) - self.sum(inside, inside)
    }
}

/// All distances by all links, for the best lengths of links that are found.
fn by_lengths(network: &Network, pairs: &Pairs, latency: u32) -> Bound {
    let (distances, length) = best_lengths(network, pairs);
    if length == network.links() * UNIT {
        let share = Share { flits: distances / UNIT, room: network.links(), latency };
        return Bound { ticks: share.ticks(), due_to: BoundReason::Distances(share) };
    }
    let share = Share { flits: distances, room: length, latency };
    Bound { ticks: share.ticks(), due_to: BoundReason::LinkLengths(share) }
}

/// Distances of all flits, and lengths of all links together, for the best lengths of links that are found.
pub fn best_lengths(network: &Network, pairs: &Pairs) -> (u64, u64) {
    let nodes = u64::from(network.live_nodes());
    let rounds = (MOST_WORK / (nodes * nodes * network.ports() as u64)).clamp(1, ROUNDS);
    let mut links = Vec::new();
    for node in network.live_ids() {
        links.extend(network.linked_ports(node).map(|port| network.register(node, port)));
    }
    let mut length = vec![0; network.registers()];
    for &link in &links {
        length[link] = UNIT;
    }
    let mut moves = vec![0_i128; network.registers()];
    let mut best = (0, 1);
    for round in 0..rounds {
        let mut load = vec![0; network.registers()];
        let distances =
            network.live_ids().map(|from| ShortestWays::new(network, from, &length).add(pairs.sent(from), &mut load));
        let (distances, sum) = (distances.sum::<u64>(), length.iter().sum::<u64>().max(1));
        if u128::from(distances) * u128::from(best.1) > u128::from(best.0) * u128::from(sum) {
            best = (distances, sum);
        }
        // links that carry more than the bound says grow, the others shrink, with some of the move before
        let least = i128::from(distances) * PARTS / i128::from(sum);
        let hops = i128::from(load.iter().sum::<u64>()) * PARTS;
        for &link in &links {
            moves[link] = moves[link] * 3 / 4 + i128::from(load[link]) * PARTS - least;
            let step = moves[link] * i128::from(UNIT) * 4 * links.len() as i128 / (hops.max(1) * i128::from(8 + round));
            length[link] = u64::try_from(i128::from(length[link]) + step).unwrap_or(0);
        }
    }
    best
}

/// Shortest ways from one node to all.
struct ShortestWays<'n> {
    network: &'n Network,
    distance: Vec<u64>,
    /// By node, the link that leads there.
    last: Vec<Option<(NodeId, Port)>>,
    /// Nodes, nearest first.
    order: Vec<NodeId>,
}

impl<'n> ShortestWays<'n> {
    fn new(network: &'n Network, from: NodeId, length: &[u64]) -> Self {
        let nodes = network.nodes() as usize;
        let mut ways = Self { network, distance: vec![u64::MAX; nodes], last: vec![None; nodes], order: Vec::new() };
        let mut heap = BinaryHeap::from([Reverse((0, from))]);
        ways.distance[from.index()] = 0;
        while let Some(Reverse((distance, node))) = heap.pop() {
            if distance > ways.distance[node.index()] {
                continue;
            }
            ways.order.push(node);
            for port in network.linked_ports(node) {
                let Some(there) = network.step(node, port) else { continue };
                let far = distance + length[network.register(node, port)];
                if far < ways.distance[there.index()] {
                    ways.distance[there.index()] = far;
                    ways.last[there.index()] = Some((node, port));
                    heap.push(Reverse((far, there)));
                }
            }
        }
        ways
    }

    /// Adds the flits to the load of the links on their ways; returns the sum of their distances.
    fn add(&self, flits: &[u32], load: &mut [u64]) -> u64 {
        let mut passing: Vec<u64> = flits.iter().map(|&flits| flits.into()).collect();
        let mut sum = 0;
        for &node in self.order.iter().rev() {
            sum += u64::from(flits[node.index()]) * self.distance[node.index()];
            if let Some((before, port)) = self.last[node.index()] {
                load[self.network.register(before, port)] += passing[node.index()];
                passing[before.index()] += passing[node.index()];
            }
        }
        sum
    }
}
