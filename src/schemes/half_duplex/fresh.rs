//! Trees for one lane in which a packet mostly moves on in the step after it came in: few reads of a store. A beam search.

use std::collections::HashMap;

use super::torus::bound;
use super::tree::{TimedArc, stored};
use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Port, Torus};
use crate::paths::tree::ORIGIN;

/// States kept after each step, and the seed: the tries, the best of which is taken.
const TRIES: [(usize, u64); 3] = [(60, 0), (60, 1), (200, 2)];
/// Near the end every read of the store is looked at, before only where an axis would be idle.
const TAIL: u32 = 4;
/// Ways for an axis to take a step that are looked at, and near the end.
const WAYS: [usize; 2] = [6, 10];

/// Costs in the search: to change the word of the table, to read the store, and to leave a node that nobody can reach
/// freshly.
const CHANGE: u32 = 10;
const STORE: u32 = 30;
const LONELY: u32 = 6;

/// The best tree that the tries find; none if they find none.
pub fn arcs(torus: &Torus) -> Option<Vec<TimedArc>> {
    let trees = TRIES.into_iter().filter_map(|(width, seed)| FreshSearch::new(torus, width, seed).run());
    trees.min_by_key(|arcs| stored(torus, arcs))
}

/// Source of the packet that an axis sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PacketSource {
    /// Arrival along this axis in the step before.
    Fresh(usize),
    Own,
    Stored,
    Nobody,
}

#[derive(Clone, Copy, Debug)]
struct FreshChoice {
    from: PacketSource,
    node: NodeId,
}

const IDLE: FreshChoice = FreshChoice { from: PacketSource::Nobody, node: ORIGIN };

/// A tree so far.
#[derive(Clone, Debug)]
struct FreshTree {
    visited: Vec<u64>,
    /// By axis, what the last step reached.
    last: Vec<FreshChoice>,
    cost: u32,
    /// Slots that may still be idle.
    slack: u32,
    trail: usize,
}

struct FreshSearch<'a> {
    torus: &'a Torus,
    width: usize,
    random: Splitmix,
    /// Before which state, and its step.
    trail: Vec<(usize, Vec<FreshChoice>)>,
}

fn has(visited: &[u64], node: NodeId) -> bool {
    visited[node.index() / 64] >> (node.index() % 64) & 1 == 1
}

impl<'a> FreshSearch<'a> {
    fn new(torus: &'a Torus, width: usize, seed: u64) -> Self {
        Self { torus, width, random: Splitmix(seed), trail: Vec::new() }
    }

    fn run(mut self) -> Option<Vec<TimedArc>> {
        let axes = self.torus.axes();
        let (nodes, steps) = (self.torus.nodes(), bound(self.torus.dims(), 1));
        let mut visited = vec![0; nodes.div_ceil(64) as usize];
        visited[0] = 1;
        let slack = steps * axes as u32 - (nodes - 1);
        let mut states = vec![FreshTree { visited, last: vec![IDLE; axes], cost: 0, slack, trail: usize::MAX }];
        for time in 1..=steps {
            let mut next: Vec<(FreshTree, Vec<FreshChoice>, u32)> = Vec::new();
            let mut seen: HashMap<(Vec<u64>, Vec<NodeId>), usize> = HashMap::new();
            for state in &states {
                for step in self.ways(state, steps - time) {
                    let Some(state) = self.follow(state, &step) else { continue };
                    let key = (state.visited.clone(), step.iter().map(|choice| choice.node).collect());
                    let tie = self.random.below(1 << 16);
                    match seen.get(&key) {
                        Some(&at) if next[at].0.cost <= state.cost => {}
                        Some(&at) => next[at] = (state, step, tie),
                        None => {
                            seen.insert(key, next.len());
                            next.push((state, step, tie));
                        }
                    }
                }
            }
            next.sort_by_key(|(state, _, tie)| (state.cost, *tie));
            next.truncate(self.width);
            states = next
                .into_iter()
                .map(|(state, step, _)| {
                    self.trail.push((state.trail, step));
                    FreshTree { trail: self.trail.len() - 1, ..state }
                })
                .collect();
        }
        let trees: Vec<Vec<TimedArc>> = states.iter().map(|state| self.unwind(state.trail)).collect();
        trees.into_iter().filter(|arcs| arcs.len() + 1 == nodes as usize).min_by_key(|arcs| stored(self.torus, arcs))
    }

    /// The steps that a state can take.
    fn ways(&self, state: &FreshTree, after: u32) -> Vec<Vec<FreshChoice>> {
        let mut steps: Vec<Vec<FreshChoice>> = vec![Vec::new()];
        for axis in 0..self.torus.axes() {
            let choices = self.choices(state, axis, after);
            let longer = steps.iter().flat_map(|step| {
                let fits = choices.iter().filter(|choice| {
                    choice.from == PacketSource::Nobody
                        || step.iter().all(|other| other.from == PacketSource::Nobody || other.node != choice.node)
                });
                fits.map(|&choice| [step.as_slice(), &[choice]].concat()).collect::<Vec<_>>()
            });
            steps = longer.collect();
        }
        steps
    }

    fn choices(&self, state: &FreshTree, axis: usize, after: u32) -> Vec<FreshChoice> {
        let mut choices: Vec<FreshChoice> = Vec::new();
        let plus = Port::plus(axis);
        let mut offer = |from: PacketSource, parent: NodeId| {
            let node = self.torus.neighbour(parent, plus);
            if !has(&state.visited, node) && choices.iter().all(|choice| choice.node != node) {
                choices.push(FreshChoice { from, node });
            }
        };
        for (by, last) in state.last.iter().enumerate().filter(|(_, last)| last.from != PacketSource::Nobody) {
            offer(PacketSource::Fresh(by), last.node);
        }
        offer(PacketSource::Own, ORIGIN);
        let is_tail = after < TAIL;
        if choices.is_empty() || is_tail {
            for node in self.torus.node_ids().skip(1) {
                let parent = self.torus.neighbour(node, plus.opposite());
                if !has(&state.visited, node)
                    && has(&state.visited, parent)
                    && choices.iter().all(|choice| choice.node != node)
                {
                    choices.push(FreshChoice { from: PacketSource::Stored, node });
                }
            }
            choices.truncate(WAYS[usize::from(is_tail)]);
        }
        if state.slack > 0 && (choices.is_empty() || after == 0) {
            choices.push(IDLE);
        }
        choices
    }

    /// The state after a step; none if it leaves too many slots idle.
    fn follow(&self, state: &FreshTree, step: &[FreshChoice]) -> Option<FreshTree> {
        let mut visited = state.visited.clone();
        let taken = || step.iter().filter(|choice| choice.from != PacketSource::Nobody);
        for choice in taken() {
            visited[choice.node.index() / 64] |= 1 << (choice.node.index() % 64);
        }
        let idle = step.len() - taken().count();
        let slack = state.slack.checked_sub(idle as u32)?;
        let is_changed = step.iter().zip(&state.last).any(|(choice, last)| choice.from != last.from);
        let reads = taken().filter(|choice| choice.from == PacketSource::Stored).count() as u32;
        let mut cost = state.cost + STORE * reads + if is_changed || reads > 0 { CHANGE } else { 0 };
        for choice in taken() {
            for axis in 0..self.torus.axes() {
                let next = self.torus.neighbour(choice.node, Port::plus(axis));
                let before = |axis| self.torus.neighbour(next, Port::minus(axis));
                if !has(&visited, next) && (0..self.torus.axes()).all(|axis| has(&visited, before(axis))) {
                    cost += LONELY;
                }
            }
        }
        Some(FreshTree { visited, last: step.to_vec(), cost, slack, trail: state.trail })
    }

    fn unwind(&self, mut at: usize) -> Vec<TimedArc> {
        let mut steps = Vec::new();
        while let Some((before, step)) = self.trail.get(at) {
            steps.push(step);
            at = *before;
        }
        let mut arcs = Vec::new();
        for (step, time) in steps.into_iter().rev().zip(1..) {
            let taken = step.iter().enumerate().filter(|(_, choice)| choice.from != PacketSource::Nobody);
            arcs.extend(taken.map(|(axis, choice)| TimedArc {
                time,
                by: Port::plus(axis),
                lane: 0,
                node: choice.node,
            }));
        }
        arcs
    }
}
