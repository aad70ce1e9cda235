//! Trees that meet the bound on any torus: a greedy with several seeds.
//!
//! An axis starves when the nodes that only it can still reach are gone. Against that an independent set of nodes is held
//! back: whatever their neighbours were reached by, such a node can be entered along every axis, late.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::tree::TimedArc;
use crate::net::splitmix::Splitmix;
use crate::net::{AxisDirection, NodeId, Port, Torus};
use crate::paths::tree::{ORIGIN, reserved};

/// Tries before a number of steps is given up; 21 suffice for the bound wherever it is met (measured).
const TRIES: u64 = 64;

/// Nodes held back in each try, in percent of those with no neighbour held back.
const RESERVES: [u32; 5] = [15, 25, 8, 35, 0];

/// The fewest steps of a tree: every step has a slot per axis and lane, except that in step 1 a node has one packet only;
/// and no packet is faster than the diameter.
pub fn bound(dims: &[u32], lanes: u8) -> u32 {
    let (axes, lanes) = (dims.len() as u64, u64::from(lanes));
    let nodes: u64 = dims.iter().map(|&side| u64::from(side)).product();
    let diameter: u32 = dims.iter().map(|side| side / 2).sum();
    (nodes - 1 + (lanes - 1) * axes).div_ceil(lanes * axes).max(u64::from(diameter)) as u32
}

/// The fewest steps in which a tree has been found. Around a side of 2 or 3 two lanes are more than can be filled.
pub fn known(dims: &[u32], lanes: u8) -> u32 {
    let thin = match *dims {
        [m, n] if lanes > 1 && m.min(n) <= 3 && m.max(n) >= 5 => m.max(n) + m.min(n) - 3,
        _ => 0,
    };
    bound(dims, lanes).max(thin)
}

/// A tree of as few steps as the tries find.
pub fn arcs(torus: &Torus, lanes: u8) -> Vec<TimedArc> {
    let least = known(torus.dims(), lanes);
    let tries = (least..).flat_map(|steps| (0..TRIES).map(move |seed| (steps, seed)));
    let mut found = tries.filter_map(|(steps, seed)| TorusTry::new(torus, lanes, seed).run(steps));
    found.next().expect("with a step per node there is a tree")
}

/// Nodes that a direction can still reach, the longest reachable first.
#[derive(Clone, Debug, Default)]
struct ReachQueue {
    normal: VecDeque<NodeId>,
    reserved: VecDeque<NodeId>,
}

impl ReachQueue {
    fn len(&self) -> usize {
        self.normal.len() + self.reserved.len()
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.normal.iter().chain(&self.reserved).copied()
    }
}

/// An arc of the step in the making.
#[derive(Clone, Copy, Debug)]
struct PickedArc {
    by: Port,
    lane: u8,
    node: NodeId,
}

struct TorusTry<'a> {
    torus: &'a Torus,
    lanes: usize,
    ports: Vec<Port>,
    visited: Vec<bool>,
    reserved: Vec<bool>,
    queues: Vec<ReachQueue>,
    picks: Vec<PickedArc>,
    random: Splitmix,
}

impl<'a> TorusTry<'a> {
    fn new(torus: &'a Torus, lanes: u8, seed: u64) -> Self {
        let mut random = Splitmix(seed);
        let reserved = reserved(torus, RESERVES[seed as usize % RESERVES.len()], &mut random);
        // one lane fills up in one direction, so that no link ever turns
        let ports = torus.port_ids().filter(|port| lanes > 1 || port.way() == AxisDirection::Plus).collect();
        Self {
            torus,
            lanes: lanes.into(),
            ports,
            visited: vec![false; torus.nodes() as usize],
            reserved,
            queues: vec![ReachQueue::default(); torus.ports()],
            picks: Vec::new(),
            random,
        }
    }

    fn run(mut self, steps: u32) -> Option<Vec<TimedArc>> {
        let axes = self.torus.axes();
        let mut arcs = Vec::with_capacity(self.visited.len());
        let mut left = self.visited.len() - 1;
        self.reach(ORIGIN);
        for time in 1..=steps {
            if left > (steps - time + 1) as usize * axes * self.lanes {
                return None;
            }
            self.picks.clear();
            if time % 32 == 0 {
                self.sweep();
            }
            for axis in self.order() {
                self.serve(axis);
            }
            for PickedArc { by, lane, node } in std::mem::take(&mut self.picks) {
                arcs.push(TimedArc { time, by, lane, node });
                left -= 1;
                self.reach(node);
            }
            if left == 0 {
                return Some(arcs);
            }
        }
        None
    }

    /// Forgets what has been reached by now.
    fn sweep(&mut self) {
        for ReachQueue { normal, reserved } in &mut self.queues {
            normal.retain(|node| !self.visited[node.index()]);
            reserved.retain(|node| !self.visited[node.index()]);
        }
    }

    /// The axes, those that have the least to choose from first.
    fn order(&mut self) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..self.torus.axes()).collect();
        self.random.shuffle(&mut axes);
        axes.sort_by_key(|&axis| {
            [Port::plus(axis), Port::minus(axis)].map(|port| self.queues[port.index()].len()).into_iter().max()
        });
        axes
    }

    /// Marks a node visited and queues its neighbours, which can be reached from the next step on.
    fn reach(&mut self, node: NodeId) {
        self.visited[node.index()] = true;
        for &port in &self.ports {
            let next = self.torus.neighbour(node, port);
            if !self.visited[next.index()] {
                let ReachQueue { normal, reserved } = &mut self.queues[port.index()];
                let queue = if self.reserved[next.index()] { reserved } else { normal };
                queue.push_back(next);
            }
        }
    }

    fn is_open(&self, node: NodeId) -> bool {
        !self.visited[node.index()] && self.picks.iter().all(|pick| pick.node != node)
    }

    /// The next nodes out of a port, at most one per lane.
    fn next(&mut self, port: Port) -> Vec<NodeId> {
        let visited = &self.visited;
        let ReachQueue { normal, reserved } = &mut self.queues[port.index()];
        for queue in [normal, reserved] {
            while queue.front().is_some_and(|node| visited[node.index()]) {
                queue.pop_front();
            }
        }
        let mut next: Vec<NodeId> = Vec::with_capacity(self.lanes);
        for node in self.queues[port.index()].nodes() {
            if self.is_open(node) && !next.contains(&node) {
                next.push(node);
                if next.len() == self.lanes {
                    break;
                }
            }
        }
        next
    }

    /// All arcs of an axis take the direction that reaches the most nodes, those not held back first.
    fn serve(&mut self, axis: usize) {
        let ports: Vec<Port> = self.ports.iter().copied().filter(|port| port.axis() == axis).collect();
        let offers = ports.into_iter().map(|port| {
            let nodes = self.next(port);
            let free = nodes.iter().filter(|node| !self.reserved[node.index()]).count();
            (Reverse((nodes.len(), free, self.queues[port.index()].len())), port, nodes)
        });
        let offers: Vec<_> = offers.collect();
        let Some((_, by, nodes)) = offers.into_iter().min_by_key(|(weight, ..)| *weight) else { return };
        let count = nodes.len();
        for (lane, node) in nodes.into_iter().enumerate() {
            self.picks.push(PickedArc { by, lane: lane as u8, node });
        }
        if count < self.lanes {
            self.exchange(by, count as u8);
        }
    }

    /// A starved direction takes over another axis's pick, if that one finds a new pick.
    fn exchange(&mut self, starved: Port, lane: u8) {
        for index in 0..self.picks.len() {
            let PickedArc { by, node, .. } = self.picks[index];
            if by.axis() == starved.axis() || !self.queues[starved.index()].nodes().any(|other| other == node) {
                continue;
            }
            if let Some(&other) = self.next(by).first() {
                self.picks[index].node = other;
                self.picks.push(PickedArc { by: starved, lane, node });
                return;
            }
        }
    }
}
