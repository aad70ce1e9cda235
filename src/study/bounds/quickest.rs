//! The fewest ticks of a broadcast: the quickest flow from the root to each node.
//!
//! With paths of lengths p1, p2, ... found one after the other, each the shortest that is left, at most the sum of all T - p + 1 flits
//! reach a node in T ticks.

use std::collections::VecDeque;

use super::{Bound, BoundReason};
use crate::net::{Network, NodeId, OUTSIDE};

/// Nodes times links: more take seconds.
const MOST_WORK: u64 = 1 << 23;
const NEVER: i64 = i64::MAX / 2;

/// The bound by the node that a message reaches last; none if that would take long.
pub fn lower_bound(network: &Network, root: NodeId, flits: u64, latency: u32) -> Option<Bound> {
    if u64::from(network.nodes()) * network.registers() as u64 > MOST_WORK {
        return None;
    }
    let mut to = Vec::with_capacity(network.registers());
    network.sweep(0..network.nodes(), |_, neighbours| to.extend_from_slice(neighbours));
    let residue = Residue { ports: network.ports(), to };
    let others = network.live_ids().filter(|&node| node != root);
    let bounds = others.map(|node| {
        let lengths = residue.lengths(root, node);
        let ticks = ticks(&lengths, flits, latency.into());
        Bound { ticks, due_to: BoundReason::Flow { node, paths: lengths.len(), flits } }
    });
    bounds.max_by_key(|bound| bound.ticks)
}

/// The fewest ticks in which so many flits pass paths of these numbers of links.
fn ticks(lengths: &[u64], flits: u64, latency: u64) -> u64 {
    let mut sum = 0;
    let ticks = (1..).zip(lengths).map(|(paths, length)| {
        sum += length * latency - 1;
        (flits + sum).div_ceil(paths)
    });
    ticks.min().unwrap_or(0)
}

struct Residue {
    ports: usize,
    /// By node and port.
    to: Vec<NodeId>,
}

impl Residue {
    /// Lengths of the shortest paths between two nodes, one after the other.
    fn lengths(&self, from: NodeId, to: NodeId) -> Vec<u64> {
        let mut is_used = vec![false; self.to.len()];
        let mut lengths = Vec::new();
        while let Some(length) = self.augment(from, to, &mut is_used) {
            lengths.push(length);
        }
        lengths
    }

    fn augment(&self, from: NodeId, to: NodeId, is_used: &mut [bool]) -> Option<u64> {
        let nodes = self.to.len() / self.ports;
        let mut distance = vec![NEVER; nodes];
        let mut before: Vec<Option<(NodeId, usize)>> = vec![None; nodes];
        let mut is_queued = vec![false; nodes];
        distance[from.index()] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            is_queued[node.index()] = false;
            for port in 0..self.ports {
                let link = node.index() * self.ports + port;
                let there = self.to[link];
                if there == OUTSIDE {
                    continue;
                }
                // flow the other way is taken back, else a link is free or full
                let back = there.index() * self.ports + (port ^ 1);
                let length = match (is_used[back], is_used[link]) {
                    (true, _) => -1,
                    (false, false) => 1,
                    (false, true) => continue,
                };
                if distance[node.index()] + length < distance[there.index()] {
                    distance[there.index()] = distance[node.index()] + length;
                    before[there.index()] = Some((node, port));
                    if !std::mem::replace(&mut is_queued[there.index()], true) {
                        queue.push_back(there);
                    }
                }
            }
        }
        let length = distance[to.index()];
        let mut at = to;
        while let Some((node, port)) = before[at.index()].filter(|_| at != from && length < NEVER) {
            let back = at.index() * self.ports + (port ^ 1);
            if is_used[back] {
                is_used[back] = false;
            } else {
                is_used[node.index() * self.ports + port] = true;
            }
            at = node;
        }
        (length < NEVER).then_some(length.unsigned_abs())
    }
}
