//! Ways of all messages of an exchange, so that the busiest link has little to carry.
//!
//! On products of cycles and paths in dimension order, forward or reversed by a regular tournament on one axis, so that links have
//! equal loads and the hops of a message leave room for each other. Elsewhere along shortest ways whose lengths grow with the
//! load; then messages leave the fullest links one by one.

use super::graph::{Graph, NEVER};
use crate::net::splitmix::Splitmix;
use crate::net::{Network, NodeId, Port, Product};
use crate::program::Pairs;

/// A message of a representative.
#[derive(Clone, Debug)]
pub struct RoutedMessage {
    /// Sender of the message.
    pub from: NodeId,
    /// Receiver of the message.
    pub to: NodeId,
    /// Ports by which it leaves one node after the other.
    pub way: Vec<u8>,
}

/// Rounds in which every message is routed again.
const ROUNDS: u64 = 40;
/// Most messages that are routed again.
const MOST_REROUTED: usize = 1 << 15;
/// Attempts to relieve the fullest links.
const RELIEFS: u32 = 4000;
/// Failures in a row after which nothing more is tried.
const MOST_FAILURES: u32 = 60;
/// Messages that are looked at to relieve one link.
const MOST_LOOKED_AT: usize = 80;
/// Messages that are moved by chance if no link can be relieved.
const KICKED: u32 = 6;
/// Length of a link that would be as full as the fullest.
const FULL: u64 = 1 << 20;

/// The messages of all representatives with their ways; `least` is a load that no ways can be below. Each flit of `pairs` is a
/// message; without them each pair of nodes has one.
pub fn messages(network: &Network, graph: &Graph, pairs: Option<&Pairs>, least: u64) -> Vec<RoutedMessage> {
    let mut routes = Routes::new(network, graph, pairs);
    if routes.busiest() > least && routes.messages.len() <= MOST_REROUTED {
        routes.reroute(least);
        routes.relieve(least);
    }
    routes.messages
}

struct Routes<'g> {
    graph: &'g Graph,
    messages: Vec<RoutedMessage>,
    load: Vec<u64>,
    random: Splitmix,
}

impl<'g> Routes<'g> {
    fn new(network: &Network, graph: &'g Graph, pairs: Option<&Pairs>) -> Self {
        let messages = graph.first.iter().flat_map(|&from| {
            network.live_ids().filter(move |&to| to != from).flat_map(move |to| {
                let flits = pairs.map_or(1, |pairs| pairs.flits(from, to));
                std::iter::repeat_n(RoutedMessage { from, to, way: Vec::new() }, flits as usize)
            })
        });
        let messages = messages.collect();
        let mut routes = Self { graph, messages, load: vec![0; graph.links()], random: Splitmix(1) };
        if let Some(product) = network.as_product() {
            for at in 0..routes.messages.len() {
                let RoutedMessage { from, to, .. } = routes.messages[at];
                routes.messages[at].way = in_dimension_order(product, from, to);
                routes.add(at);
            }
            return routes;
        }
        let mut order: Vec<usize> = (0..routes.messages.len()).collect();
        routes.random.shuffle(&mut order);
        for at in order {
            let length = routes.lengths(13, FULL / 20);
            routes.messages[at].way = routes.way(at, &length).expect("the network is connected");
            routes.add(at);
        }
        routes
    }

    fn busiest(&self) -> u64 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Kinds of the links that a message takes.
    fn links(&self, at: usize) -> Vec<usize> {
        let RoutedMessage { from, way, .. } = &self.messages[at];
        let mut node = *from;
        let link = |&port: &u8| {
            let link = self.graph.link(node, port.into());
            node = self.graph.step(node, port.into()).expect("a way keeps to links");
            link
        };
        way.iter().map(link).collect()
    }

    fn add(&mut self, at: usize) {
        self.links(at).into_iter().for_each(|link| self.load[link] += 1);
    }

    fn remove(&mut self, at: usize) {
        self.links(at).into_iter().for_each(|link| self.load[link] -= 1);
    }

    fn way(&self, at: usize, length: &[u64]) -> Option<Vec<u8>> {
        let RoutedMessage { from, to, .. } = self.messages[at];
        self.graph.way(from, to, length)
    }

    /// Lengths that shrink by 10 / `tenths` with each message that a link carries less than the fullest, and a little chance.
    fn lengths(&mut self, tenths: u64, hop: u64) -> Vec<u64> {
        let busiest = self.busiest();
        let mut shrunk = vec![FULL];
        while *shrunk.last().expect("it begins with one") > 0 {
            shrunk.push(shrunk[shrunk.len() - 1] * 10 / tenths);
        }
        let random = &mut self.random;
        let length = |&load: &u64| {
            let less = busiest.saturating_sub(load + 1) as usize;
            shrunk.get(less).copied().unwrap_or(0) + hop + u64::from(random.below(16))
        };
        self.load.iter().map(length).collect()
    }

    /// Routes every message again, some rounds long; the best round is kept.
    fn reroute(&mut self, least: u64) {
        let mut best = (self.busiest(), self.messages.clone(), self.load.clone());
        let mut order: Vec<usize> = (0..self.messages.len()).collect();
        for round in 0..ROUNDS {
            if best.0 <= least {
                break;
            }
            self.random.shuffle(&mut order);
            for &at in &order {
                self.remove(at);
                let length = self.lengths((12 + round).min(30), FULL / 50);
                self.messages[at].way = self.way(at, &length).expect("the network is connected");
                self.add(at);
            }
            if self.busiest() < best.0 {
                best = (self.busiest(), self.messages.clone(), self.load.clone());
            }
        }
        (_, self.messages, self.load) = best;
    }

    /// Takes messages off the fullest links, one at a time; some others are moved by chance if none can be.
    fn relieve(&mut self, least: u64) {
        let mut best = (self.busiest(), self.messages.clone(), self.load.clone());
        let (mut target, mut failures) = (best.0, 0);
        for _ in 0..RELIEFS {
            if target <= least || failures >= MOST_FAILURES {
                break;
            }
            let hot: Vec<usize> = (0..self.load.len()).filter(|&link| self.load[link] >= target).collect();
            if hot.is_empty() {
                (target, failures) = (target - 1, 0);
                if target < best.0 {
                    best = (target, self.messages.clone(), self.load.clone());
                }
                continue;
            }
            let link = hot[self.random.below(hot.len() as u32) as usize];
            if !self.relieve_link(link, target) {
                failures += 1;
                self.kick(target);
            }
        }
        (_, self.messages, self.load) = best;
    }

    /// Moves one message off a link, without filling another one.
    fn relieve_link(&mut self, link: usize, target: u64) -> bool {
        let users: Vec<usize> = (0..self.messages.len()).filter(|&at| self.links(at).contains(&link)).collect();
        let start = self.random.below(users.len() as u32) as usize;
        for &at in users[start..].iter().chain(&users[..start]).take(MOST_LOOKED_AT) {
            self.remove(at);
            let random = &mut self.random;
            let length = |&load: &u64| match load + 1 {
                full if full >= target => NEVER,
                load => FULL / 20 + steep(load, target) + u64::from(random.below(256)),
            };
            let length: Vec<u64> = self.load.iter().map(length).collect();
            let found = self.way(at, &length);
            let is_found = found.is_some();
            if let Some(way) = found {
                self.messages[at].way = way;
            }
            self.add(at);
            if is_found {
                return true;
            }
        }
        false
    }

    fn kick(&mut self, target: u64) {
        for _ in 0..KICKED {
            let at = self.random.below(self.messages.len() as u32) as usize;
            self.remove(at);
            let random = &mut self.random;
            let length = |&load: &u64| match load + 1 {
                over if over > target => NEVER / 64,
                full if full == target => 3 * FULL,
                load => FULL * 3 / 10 + steep(load, target) + u64::from(random.below(1024)),
            };
            let length: Vec<u64> = self.load.iter().map(length).collect();
            if let Some(way) = self.way(at, &length) {
                self.messages[at].way = way;
            }
            self.add(at);
        }
    }
}

/// Part of `FULL` that a link's load counts for: the fourth power of its part of the target, which is no less.
fn steep(load: u64, target: u64) -> u64 {
    // 24 bits are enough of any load, and their fourth power fits
    let less = (u64::BITS - target.leading_zeros()).saturating_sub(24);
    let fourth = |load: u64| u128::from(load >> less).pow(4);
    (u128::from(FULL) * fourth(load) / fourth(target)) as u64
}

/// A way along one axis after the other, the short way round; where both are as long and in which order, by parity and tournament.
fn in_dimension_order(product: Product, from: NodeId, to: NodeId) -> Vec<u8> {
    let network = product.network();
    let (mut at, there) = (network.coords(from), network.coords(to));
    let axes: Vec<usize> = if is_reversed(product, &at, &there) {
        (0..network.axes()).rev().collect()
    } else {
        (0..network.axes()).collect()
    };
    let mut way = Vec::new();
    for axis in axes {
        let side = network.side(axis);
        let ahead = (there[axis] + side - at[axis]) % side;
        let upwards = match (product.wraps(axis), (2 * ahead).cmp(&side)) {
            (false, _) => there[axis] > at[axis],
            (true, std::cmp::Ordering::Less) => true,
            (true, std::cmp::Ordering::Greater) => false,
            (true, std::cmp::Ordering::Equal) => {
                let others = there.iter().enumerate().filter(|&(other, _)| other != axis).map(|(_, x)| x);
                at.iter().chain(others).sum::<u32>() % 2 == 1
            }
        };
        let hops = match (product.wraps(axis), upwards) {
            (true, true) => ahead,
            (true, false) => (side - ahead) % side,
            (false, _) => there[axis].abs_diff(at[axis]),
        };
        let port = if upwards { Port::plus(axis) } else { Port::minus(axis) };
        way.extend(std::iter::repeat_n(port.index() as u8, hops as usize));
        at[axis] = there[axis];
    }
    way
}

/// Returns true if the axes come in reversed order: by a regular tournament on the first axis that wraps, or else the
/// first.
fn is_reversed(product: Product, from: &[u32], to: &[u32]) -> bool {
    let network = product.network();
    let axis = (0..network.axes()).find(|&axis| product.wraps(axis)).unwrap_or(0);
    let side = network.side(axis);
    match (to[axis] + side - from[axis]) % side {
        0 => false,
        ahead if 2 * ahead != side => 2 * ahead < side,
        _ => {
            let others = (0..network.axes()).filter(|&other| other != axis);
            others.map(|other| from[other] + to[other]).sum::<u32>() % 2 == 1
        }
    }
}
