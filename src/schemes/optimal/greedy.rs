//! The universal greedy: any torus in nearly linear time, packets re-read from the store at any age.
//!
//! Directions starve when the nodes that only they can still reach are gone. Against that an independent set of nodes is
//! held back: whatever their neighbours were reached by, such a node can be entered from every side, late.

use std::collections::VecDeque;

use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::{ORIGIN, TreeArc, reserved};

/// Tries before a torus is given up; three suffice wherever every side is at least 3 (measured).
const TRIES: u64 = 64;

/// Nodes held back in each try, in percent of those with no neighbour held back.
const RESERVES: [u32; 5] = [15, 10, 20, 30, 0];

/// A tree of at most `steps` steps, if one of the tries finds it.
pub fn arcs(torus: &Torus, steps: u32) -> Option<Vec<TreeArc>> {
    (0..TRIES).find_map(|seed| GreedyTry::new(torus, RESERVES[seed as usize % RESERVES.len()], seed).run(steps))
}

/// A direction's unvisited nodes, the longest reachable first.
#[derive(Default)]
struct DirectionQueue {
    normal: VecDeque<NodeId>,
    reserved: VecDeque<NodeId>,
}

impl DirectionQueue {
    fn len(&self) -> usize {
        self.normal.len() + self.reserved.len()
    }
}

struct GreedyTry<'a> {
    torus: &'a Torus,
    visited: Vec<bool>,
    reserved: Vec<bool>,
    queues: Vec<DirectionQueue>,
    random: Splitmix,
}

impl<'a> GreedyTry<'a> {
    fn new(torus: &'a Torus, percent: u32, seed: u64) -> Self {
        let mut random = Splitmix(seed);
        let reserved = reserved(torus, percent, &mut random);
        let queues = torus.port_ids().map(|_| DirectionQueue::default()).collect();
        Self { torus, visited: vec![false; torus.nodes() as usize], reserved, queues, random }
    }

    fn run(mut self, steps: u32) -> Option<Vec<TreeArc>> {
        let mut arcs = Vec::with_capacity(self.visited.len());
        let mut left = self.visited.len() - 1;
        // number of slots that may stay idle before the remaining nodes no longer fit
        let mut slack = (steps as usize * self.queues.len()).checked_sub(left)?;
        let mut order: Vec<Port> = self.torus.port_ids().collect();
        let mut picks: Vec<Option<NodeId>> = vec![None; self.queues.len()];
        self.reach(ORIGIN);
        for time in 1..=steps {
            picks.fill(None);
            self.random.shuffle(&mut order);
            order.sort_by_key(|port| self.queues[port.index()].len());
            self.serve(&order, &mut picks);
            for &starved in &order {
                if picks[starved.index()].is_none() {
                    self.exchange(starved, &mut picks);
                }
            }
            for (index, &pick) in picks.iter().enumerate() {
                let Some(node) = pick else { continue };
                arcs.push(TreeArc { time, by: Port::from_index(index), node });
                self.reach(node);
                left -= 1;
            }
            if left == 0 {
                return Some(arcs);
            }
            let idle = picks.iter().filter(|pick| pick.is_none()).count();
            slack = slack.checked_sub(idle)?;
        }
        None
    }

    /// Marks a node visited and queues its neighbours, which can be reached from the next step on.
    fn reach(&mut self, node: NodeId) {
        self.visited[node.index()] = true;
        for port in self.torus.port_ids() {
            let next = self.torus.neighbour(node, port);
            if !self.visited[next.index()] {
                let DirectionQueue { normal, reserved } = &mut self.queues[port.index()];
                let queue = if self.reserved[next.index()] { reserved } else { normal };
                queue.push_back(next);
            }
        }
    }

    /// Every direction picks a node: first all of them among the normal ones, then the rest among the reserved ones.
    fn serve(&mut self, order: &[Port], picks: &mut [Option<NodeId>]) {
        for port in order {
            picks[port.index()] = self.next_normal(*port);
        }
        for port in order {
            if picks[port.index()].is_none() {
                picks[port.index()] = self.next_reserved(*port);
            }
        }
    }

    fn next_normal(&mut self, port: Port) -> Option<NodeId> {
        take(&mut self.queues[port.index()].normal, &mut self.visited)
    }

    fn next_reserved(&mut self, port: Port) -> Option<NodeId> {
        take(&mut self.queues[port.index()].reserved, &mut self.visited)
    }

    /// A starved direction takes over another one's pick, if that one finds a new pick.
    fn exchange(&mut self, starved: Port, picks: &mut [Option<NodeId>]) {
        for giver in self.torus.port_ids() {
            let Some(node) = picks[giver.index()] else { continue };
            let parent = self.torus.neighbour(node, starved.opposite());
            if !self.visited[parent.index()] || picks.contains(&Some(parent)) {
                continue;
            }
            if let Some(other) = self.next_normal(giver).or_else(|| self.next_reserved(giver)) {
                picks[giver.index()] = Some(other);
                picks[starved.index()] = Some(node);
                return;
            }
        }
    }
}

/// Takes the first node that is still unvisited, and marks it.
fn take(queue: &mut VecDeque<NodeId>, visited: &mut [bool]) -> Option<NodeId> {
    loop {
        let node = queue.pop_front()?;
        if !std::mem::replace(&mut visited[node.index()], true) {
            return Some(node);
        }
    }
}
