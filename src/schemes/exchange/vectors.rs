//! Hops of every message where all nodes are alike: a vector per offset, chosen so that the busiest port has little to do.
//!
//! The order of a vector's hops is free, so that a message is as many hops by each port. From a start by chance single messages
//! change their vectors while that helps, then pairs of them.

use super::load::MessageLoad;
use crate::net::splitmix::Splitmix;
use crate::net::{Around, Network, NodeId, Port};

/// Hops beyond the distance that a vector may have.
const DETOUR: u32 = 2;
/// Starts that are tried.
const SEEDS: u64 = 40;
/// Passes over all messages from one start.
const PASSES: u32 = 200;
/// Largest network on which pairs of messages change together.
const MOST_PAIRED: usize = 300;
/// Points of the grid that are looked at: more take too long.
const MOST_POINTS: f64 = (1 << 24) as f64;

/// Hops along each axis, upwards if positive.
type Vector = Vec<i32>;

/// Returns true if the vectors of all offsets can be listed.
pub fn are_few(network: &Network) -> bool {
    let reach = f64::from(network.diameter() + DETOUR);
    let axes = network.axes() as i32;
    let box_of = (1..=axes).fold(1.0, |points, axis| points * (2.0 * reach + 1.0) / f64::from(axis));
    box_of <= MOST_POINTS
}

/// Hops of the message for every offset, the busiest port as little loaded as the search finds; it stops at `least`.
pub fn loads(network: &Network, least: u64) -> Vec<MessageLoad> {
    let candidates = candidates(network);
    let mut best: Option<(u64, Vec<usize>)> = None;
    for seed in 0..SEEDS {
        let mut search = VectorSearch::new(network, &candidates, seed);
        search.improve(least);
        let most = search.most();
        if best.as_ref().is_none_or(|(best, _)| most < *best) {
            best = Some((most, search.chosen));
        }
        if best.as_ref().is_some_and(|(best, _)| *best <= least) {
            break;
        }
    }
    let (_, chosen) = best.expect("there are seeds");
    let load = |(node, &chosen): (NodeId, &usize)| MessageLoad {
        offset: network.coords(node),
        loads: by_port(&candidates[node.index()][chosen]).collect(),
    };
    network.node_ids().zip(&chosen).skip(1).map(load).collect()
}

/// Hops of a vector by each port.
fn by_port(vector: &Vector) -> impl Iterator<Item = (Port, u32)> + '_ {
    let hops = vector.iter().enumerate().filter(|&(_, &hops)| hops != 0);
    hops.map(|(axis, &hops)| (if hops > 0 { Port::plus(axis) } else { Port::minus(axis) }, hops.unsigned_abs()))
}

/// By node, the vectors that lead to it from the first and are hardly longer than they must; the shortest first.
fn candidates(network: &Network) -> Vec<Vec<Vector>> {
    let around = Around::new(network, NodeId(0));
    let mut found = vec![Vec::new(); network.nodes() as usize];
    let mut point = vec![0; network.axes()];
    visit(network, 0, NodeId(0), around.depth() + DETOUR, &mut point, &mut |node, vector: &Vector| {
        let hops: u32 = vector.iter().map(|hops| hops.unsigned_abs()).sum();
        if hops <= around.distance(node) + DETOUR {
            found[node.index()].push((hops, vector.clone()));
        }
    });
    let sorted = |mut vectors: Vec<(u32, Vector)>| {
        vectors.sort();
        vectors.into_iter().map(|(_, vector)| vector).collect()
    };
    found.into_iter().map(sorted).collect()
}

/// Calls `see` with every vector of at most `left` more hops along this axis and those after it.
fn visit(
    network: &Network,
    axis: usize,
    node: NodeId,
    left: u32,
    point: &mut Vector,
    see: &mut impl FnMut(NodeId, &Vector),
) {
    if axis == network.axes() {
        return see(node, point);
    }
    for (port, sign) in [(Port::plus(axis), 1), (Port::minus(axis), -1)] {
        let mut at = node;
        for hops in 0..=left {
            if hops > 0 {
                let Some(there) = network.step(at, port) else { break };
                at = there;
            }
            if hops > 0 || sign > 0 {
                point[axis] = sign * hops as i32;
                visit(network, axis + 1, at, left - hops, point, see);
            }
        }
    }
    point[axis] = 0;
}

struct VectorSearch<'c> {
    candidates: &'c [Vec<Vector>],
    /// by node, the position of its vector; that of the first node is not used
    chosen: Vec<usize>,
    /// load by port
    load: Vec<u64>,
    order: Vec<usize>,
}

impl<'c> VectorSearch<'c> {
    fn new(network: &Network, candidates: &'c [Vec<Vector>], seed: u64) -> Self {
        let mut random = Splitmix(seed);
        let mut order: Vec<usize> = (1..candidates.len()).collect();
        random.shuffle(&mut order);
        let mut search = Self { candidates, chosen: vec![0; candidates.len()], load: vec![0; network.ports()], order };
        for at in 0..search.order.len() {
            let node = search.order[at];
            let hops = |vector: &Vector| vector.iter().map(|hops| hops.unsigned_abs()).sum::<u32>();
            let shortest =
                candidates[node].iter().take_while(|vector| hops(vector) == hops(&candidates[node][0])).count();
            search.chosen[node] = random.below(shortest as u32) as usize;
            search.add(node);
        }
        search
    }

    fn add(&mut self, node: usize) {
        by_port(&self.candidates[node][self.chosen[node]])
            .for_each(|(port, hops)| self.load[port.index()] += u64::from(hops));
    }

    fn remove(&mut self, node: usize) {
        by_port(&self.candidates[node][self.chosen[node]])
            .for_each(|(port, hops)| self.load[port.index()] -= u64::from(hops));
    }

    fn choose(&mut self, node: usize, chosen: usize) {
        self.remove(node);
        self.chosen[node] = chosen;
        self.add(node);
    }

    fn most(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// The busiest port, and then how unequal all are.
    fn cost(&self) -> (u64, u64) {
        (self.most(), self.load.iter().map(|load| load * load).sum())
    }

    fn improve(&mut self, least: u64) {
        for _ in 0..PASSES {
            let mut has_changed = false;
            for at in 0..self.order.len() {
                let node = self.order[at];
                let mut cost = self.cost();
                for candidate in 0..self.candidates[node].len() {
                    let before = self.chosen[node];
                    if candidate == before {
                        continue;
                    }
                    self.choose(node, candidate);
                    if self.cost() < cost {
                        (cost, has_changed) = (self.cost(), true);
                    } else {
                        self.choose(node, before);
                    }
                }
            }
            if self.most() <= least || !has_changed && !self.improve_a_pair() {
                break;
            }
        }
    }

    /// Changes two messages together, if that helps for some pair.
    fn improve_a_pair(&mut self) -> bool {
        if self.candidates.len() > MOST_PAIRED {
            return false;
        }
        let cost = self.cost();
        for (one, other) in (0..self.order.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let (one, other) = (self.order[one], self.order[other]);
            let before = (self.chosen[one], self.chosen[other]);
            for first in (0..self.candidates[one].len()).filter(|&first| first != before.0) {
                self.choose(one, first);
                for second in (0..self.candidates[other].len()).filter(|&second| second != before.1) {
                    self.choose(other, second);
                    if self.cost() < cost {
                        return true;
                    }
                }
                self.choose(other, before.1);
            }
            self.choose(one, before.0);
        }
        false
    }
}
