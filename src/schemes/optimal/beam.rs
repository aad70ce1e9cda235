//! Beam search for the tail of a tree in which every packet is sent on in the step after it came in, or never.

use std::collections::HashSet;

use super::fold::{Fold, Move, SLOTS, Step};
use crate::net::{NodeId, Ports};
use crate::paths::tree::ORIGIN;
use crate::schemes::splitmix::{Splitmix, mix};

/// How wide and how varied the search is.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States kept after each step.
    pub width: usize,
    /// What it costs to change the word of the table, in the unit of [`LONELY`].
    pub change: i64,
    /// Ways to take a step that are looked at in one state, a random choice if there are more.
    pub ways: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// What may go on by which port, if not everything may.
    pub follows: Option<Follows>,
}

/// For each slot of a search that is not folded, the ports by which a node was entered that goes on by it. The origin goes
/// on by none: it has done so before the search.
pub type Follows = [Ports; SLOTS];

/// What an unvisited node costs by the number of its unvisited neighbours: one that loses them all is hard to reach.
const LONELY: [i64; 6] = [3000, 1000, 350, 120, 50, 20];

fn loneliness(unvisited: usize) -> i64 {
    LONELY.get(unvisited).copied().unwrap_or(0)
}

/// What the outputs do in one step, for each slot: 0 idle, else the source and the port.
type Word = [u8; SLOTS];

/// A tree so far.
struct State {
    /// One bit for each node and its twin that the bulk has left.
    visited: Vec<u64>,
    last: Step,
    word: Word,
    score: i64,
    hash: u64,
    /// Its last step in the trail.
    trail: usize,
}

/// A way to go on from a state.
struct Candidate {
    score: i64,
    /// Puts equal scores into a random order.
    tie: u32,
    parent: usize,
    step: Step,
    word: Word,
    hash: u64,
}

/// How a kept state came about: the state before, by its place in the trail, and the step taken.
struct Trail {
    before: usize,
    step: Step,
}

/// No bit of [`State::visited`]: what the bulk has taken and what is not searched.
const TAKEN: u32 = u32::MAX;

/// The search, after the bulk has been taken.
pub struct Beam<'a> {
    fold: &'a Fold,
    effort: Effort,
    bits: Vec<u32>,
    /// how many bits there are
    searched: usize,
    random: Splitmix,
    candidates: Vec<Candidate>,
    affected: Vec<NodeId>,
    /// by bit, whether the step that is being combined reaches the node or its twin
    chosen: Vec<bool>,
    budget: u32,
}

impl<'a> Beam<'a> {
    /// The search for the tail of the tree that begins with `bulk`.
    pub fn new(fold: &'a Fold, bulk: &[Step], effort: Effort) -> Self {
        let mut bits = vec![0; fold.nodes()];
        for node in [ORIGIN].into_iter().chain(fold.left_over()) {
            bits[node.index()] = TAKEN;
        }
        for taken in bulk.iter().flat_map(Step::taken) {
            bits[taken.node.index()] = TAKEN;
            bits[fold.twin(taken.node).index()] = TAKEN;
        }
        let mut next = 0;
        for node in fold.searched() {
            if bits[node.index()] != TAKEN {
                bits[node.index()] = next;
                bits[fold.twin(node).index()] = next;
                next += 1;
            }
        }
        let random = Splitmix(effort.seed);
        Self {
            fold,
            effort,
            bits,
            searched: next as usize,
            random,
            candidates: Vec::new(),
            affected: Vec::new(),
            chosen: vec![false; next as usize],
            budget: 0,
        }
    }

    /// Steps that take `arcs[0]`, `arcs[1]`, ... arcs: every way that the search ends with, best first.
    pub fn tails(mut self, last: Option<Step>, arcs: &[usize]) -> Vec<Vec<Step>> {
        let start = State {
            visited: vec![0; self.searched.div_ceil(64)],
            last: last.unwrap_or_default(),
            word: Word::default(),
            score: 0,
            hash: 0,
            trail: usize::MAX,
        };
        let mut trail: Vec<Trail> = Vec::new();
        let mut states = vec![start];
        for (index, &need) in arcs.iter().enumerate() {
            let is_last = arcs[index + 1..].iter().all(|&need| need == 0);
            for (parent, state) in states.iter().enumerate() {
                self.expand(parent, state, need, is_last);
            }
            states = self.keep_best(&states, &mut trail);
        }
        states.iter().map(|state| unwind(&trail, state.trail)).collect()
    }

    fn is_visited(&self, state: &State, node: NodeId) -> bool {
        let bit = self.bits[node.index()];
        bit == TAKEN || state.visited[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// Collects the ways to take a step of `need` arcs.
    fn expand(&mut self, parent: usize, state: &State, need: usize, is_last: bool) {
        let mut choices: [Vec<Move>; SLOTS] = Default::default();
        for (slot, choices) in choices.iter_mut().enumerate().take(self.fold.slots()) {
            self.choices(state, slot, choices);
            self.random.shuffle(choices);
        }
        self.budget = self.effort.ways;
        self.combine(&Expansion { parent, state, need, is_last, choices: &choices }, 0, Step::default(), 0);
    }

    /// The arcs of a slot: out of the nodes reached in the step before, or out of the origin.
    fn choices(&self, state: &State, slot: usize, choices: &mut Vec<Move>) {
        for by in self.fold.ports(slot) {
            let goes_on = |taken: &Move| self.effort.follows.is_none_or(|follows| follows[slot].contains(taken.by));
            let origin = self.effort.follows.is_none().then_some(ORIGIN);
            for from in state.last.taken().filter(goes_on).map(|taken| taken.node).chain(origin) {
                let node = self.fold.neighbour(from, by);
                let bit = self.bits[node.index()];
                if !self.is_visited(state, node) && choices.iter().all(|other| self.bits[other.node.index()] != bit) {
                    choices.push(Move { node, by });
                }
            }
        }
    }

    /// Chooses an arc or none for `slot` and every later one.
    fn combine(&mut self, expansion: &Expansion, slot: usize, step: Step, taken: usize) {
        if self.budget == 0 || taken + (self.fold.slots() - slot) < expansion.need {
            return;
        }
        if slot == self.fold.slots() {
            if taken == expansion.need {
                self.budget -= 1;
                self.weigh(expansion, step);
            }
            return;
        }
        for &choice in &expansion.choices[slot] {
            // what is a choice has a bit
            let bit = self.bits[choice.node.index()] as usize;
            if !self.chosen[bit] {
                let mut step = step;
                step.moves[slot] = Some(choice);
                self.chosen[bit] = true;
                self.combine(expansion, slot + 1, step, taken + 1);
                self.chosen[bit] = false;
            }
        }
        self.combine(expansion, slot + 1, step, taken);
    }

    /// Whether the step that is being combined reaches a node or its twin.
    fn is_chosen(&self, node: NodeId) -> bool {
        let bit = self.bits[node.index()];
        bit != TAKEN && self.chosen[bit as usize]
    }

    /// How many of some nodes are open, and how many stay so after the step that is being combined.
    fn open(&self, state: &State, nodes: &[NodeId]) -> (usize, usize) {
        let (mut open, mut stay) = (0, 0);
        for node in nodes {
            let bit = self.bits[node.index()];
            if bit != TAKEN && state.visited[bit as usize / 64] >> (bit % 64) & 1 == 0 {
                open += 1;
                stay += usize::from(!self.chosen[bit as usize]);
            }
        }
        (open, stay)
    }

    /// Scores a step, and drops it if it leaves a node that nothing can reach any more.
    fn weigh(&mut self, expansion: &Expansion, step: Step) {
        let state = expansion.state;
        let fold = self.fold;
        if !expansion.is_last && self.strands(state) {
            return;
        }
        let mut score = state.score;
        let mut hash = state.hash;
        let mut affected = std::mem::take(&mut self.affected);
        affected.clear();
        let stays_open = |node: NodeId| !self.is_visited(state, node) && !self.is_chosen(node);
        for Move { node, .. } in step.taken() {
            let around = fold.neighbours(node);
            hash ^= mix(u64::from(fold.representative(node).0));
            score -= loneliness(self.open(state, around).0);
            for &other in around.iter().filter(|&&other| stays_open(other)) {
                let other = fold.representative(other);
                if !affected.contains(&other) {
                    affected.push(other);
                }
            }
        }
        for &node in &affected {
            let (open, stay) = self.open(state, fold.neighbours(node));
            score += loneliness(stay) - loneliness(open);
        }
        let word = self.word(&state.last, &step);
        if word != state.word {
            score += self.effort.change;
        }
        self.affected = affected;
        let tie = self.random.below(1 << 16);
        self.candidates.push(Candidate { score, tie, parent: expansion.parent, step, word, hash });
    }

    /// Whether a neighbour of the nodes that send now for the last time is left without a way in.
    fn strands(&self, state: &State) -> bool {
        let stays_open = |node: NodeId| !self.is_visited(state, node) && !self.is_chosen(node);
        let sends_later = |node: NodeId| node == ORIGIN || self.is_chosen(node);
        let reachable =
            |node: NodeId| self.fold.neighbours(node).iter().any(|&other| stays_open(other) || sends_later(other));
        let mut leaving = state.last.taken().flat_map(|taken| self.fold.neighbours(taken.node));
        leaving.any(|&node| stays_open(node) && !reachable(node))
    }

    /// What the step asks of the table.
    fn word(&self, last: &Step, step: &Step) -> Word {
        step.moves.map(|arc| {
            let Some(Move { node, by }) = arc else { return 0 };
            let parent = self.fold.neighbour(node, by.opposite());
            let entered = last.taken().find(|taken| taken.node == parent).map_or(0, |taken| taken.by.index() + 1);
            (1 + entered * 2 * SLOTS + by.index()) as u8
        })
    }

    /// The best candidates, each visited set with the same last nodes once.
    fn keep_best(&mut self, states: &[State], trail: &mut Vec<Trail>) -> Vec<State> {
        let mut candidates = std::mem::take(&mut self.candidates);
        // among equals the earlier; numbers are moved, not candidates
        let order = |(index, candidate): (u32, &Candidate)| (candidate.score, candidate.tie, index);
        let mut order: Vec<(i64, u32, u32)> = (0..).zip(&candidates).map(order).collect();
        order.sort_unstable();
        let mut kept = Vec::with_capacity(self.effort.width);
        let mut seen = HashSet::new();
        for candidate in order.into_iter().map(|(.., index)| &candidates[index as usize]) {
            let key = candidate.step.taken().fold(candidate.hash, |key, taken| mix(key ^ u64::from(taken.node.0)));
            if seen.insert(key) {
                kept.push(self.follow(&states[candidate.parent], candidate, trail));
            }
            if kept.len() == self.effort.width {
                break;
            }
        }
        candidates.clear();
        self.candidates = candidates;
        kept
    }

    /// The state after a candidate's step.
    fn follow(&self, state: &State, candidate: &Candidate, trail: &mut Vec<Trail>) -> State {
        let mut visited = state.visited.clone();
        for taken in candidate.step.taken() {
            let bit = self.bits[taken.node.index()];
            visited[bit as usize / 64] |= 1 << (bit % 64);
        }
        trail.push(Trail { before: state.trail, step: candidate.step });
        let Candidate { score, step, word, hash, .. } = *candidate;
        State { visited, last: step, word, score, hash, trail: trail.len() - 1 }
    }
}

/// One state about to be expanded.
struct Expansion<'a> {
    parent: usize,
    state: &'a State,
    need: usize,
    is_last: bool,
    choices: &'a [Vec<Move>; SLOTS],
}

/// The steps that led to a place in the trail.
fn unwind(trail: &[Trail], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(Trail { before, step }) = trail.get(at) {
        steps.push(*step);
        at = *before;
    }
    steps.reverse();
    steps
}
