//! Beam search for the tail of a tree in which every packet is sent on in the step after it came in, or never.

use std::collections::HashSet;
use std::ops::Range;

use super::fold::{SLOTS, SearchLayout, StepArcs, TreeMove};
use crate::net::splitmix::{Splitmix, mix};
use crate::net::{NodeId, Ports};
use crate::paths::tree::ORIGIN;

/// Width and variety of the search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States kept after each step.
    pub width: usize,
    /// Cost of changing the word of the table, in the unit of [`LONELY`].
    pub change: i64,
    /// Ways to take a step that are looked at in one state, a random choice if there are more.
    pub ways: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Inputs that each output may forward, if restricted.
    pub follows: Option<Follows>,
}

/// For each slot of a search that is not folded, the ports by which a node was entered that goes on by it. The origin goes
/// on by none: it has done so before the search.
pub type Follows = [Ports; SLOTS];

/// Cost of an unvisited node by the number of its unvisited neighbours: one that loses them all is hard to reach.
const LONELY: [i64; 6] = [3000, 1000, 350, 120, 50, 20];

fn loneliness(unvisited: usize) -> i64 {
    LONELY.get(unvisited).copied().unwrap_or(0)
}

/// Actions of the outputs in one step, one per slot: 0 idle, otherwise the source and the port.
type StepActions = [u8; SLOTS];

/// A tree so far.
struct BeamTree {
    /// One bit for each node and its twin that the bulk has left.
    visited: Vec<u64>,
    last: StepArcs,
    word: StepActions,
    score: i64,
    hash: u64,
    /// index of the last step in the trail
    trail: usize,
}

/// A way to go on from a state.
struct BeamCandidate {
    score: i64,
    /// Puts equal scores into a random order.
    tie: u32,
    parent: usize,
    step: StepArcs,
    word: StepActions,
    hash: u64,
}

/// Origin of a kept state: the index of the state before in the trail, and the step taken.
struct Trail {
    before: usize,
    step: StepArcs,
}

/// No bit of [`BeamTree::visited`]: what the bulk has taken and what is not searched.
const TAKEN: u32 = u32::MAX;

/// The search, after the bulk has been taken.
pub struct Beam<'a> {
    fold: &'a SearchLayout,
    effort: Effort,
    bits: Vec<u32>,
    /// number of bits per state
    searched: usize,
    random: Splitmix,
    candidates: Vec<BeamCandidate>,
    /// choices in the step under construction: slots and indices of their choices
    picked: Vec<(usize, usize)>,
    /// by bit, whether it reaches the node or its twin
    chosen: Vec<bool>,
    /// by bit, how many open neighbours it takes from the node
    lost: Vec<u8>,
    /// nodes that lose neighbours, by bit, with their number of open neighbours before
    affected: Vec<(usize, usize)>,
    budget: u32,
}

impl<'a> Beam<'a> {
    /// The search for the tail of the tree that begins with `bulk`.
    pub fn new(fold: &'a SearchLayout, bulk: &[StepArcs], effort: Effort) -> Self {
        let mut bits = vec![0; fold.nodes()];
        for node in [ORIGIN].into_iter().chain(fold.left_over()) {
            bits[node.index()] = TAKEN;
        }
        for taken in bulk.iter().flat_map(StepArcs::taken) {
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
            picked: Vec::new(),
            chosen: vec![false; next as usize],
            lost: vec![0; next as usize],
            affected: Vec::new(),
            budget: 0,
        }
    }

    /// Steps that take `arcs[0]`, `arcs[1]`, ... arcs: every way that the search ends with, best first.
    pub fn tails(mut self, last: Option<StepArcs>, arcs: &[usize]) -> Vec<Vec<StepArcs>> {
        let start = BeamTree {
            visited: vec![0; self.searched.div_ceil(64)],
            last: last.unwrap_or_default(),
            word: StepActions::default(),
            score: 0,
            hash: 0,
            trail: usize::MAX,
        };
        let mut trail: Vec<Trail> = Vec::new();
        let mut states = vec![start];
        let mut ways = PossibleSteps::default();
        for (index, &need) in arcs.iter().enumerate() {
            let is_last = arcs[index + 1..].iter().all(|&need| need == 0);
            for (parent, state) in states.iter().enumerate() {
                self.look_round(state, is_last, &mut ways);
                self.budget = self.effort.ways;
                self.combine(&Expansion { parent, state, need, ways: &ways }, 0);
            }
            states = self.keep_best(&states, &mut trail);
        }
        states.iter().map(|state| unwind(&trail, state.trail)).collect()
    }

    /// The bit of a node that no state so far has visited.
    fn open_bit(&self, state: &BeamTree, node: NodeId) -> Option<usize> {
        let bit = self.bits[node.index()] as usize;
        (bit != TAKEN as usize && state.visited[bit / 64] >> (bit % 64) & 1 == 0).then_some(bit)
    }

    /// Number of open neighbours of a node.
    fn open_around(&self, state: &BeamTree, node: NodeId) -> usize {
        self.fold.neighbours(node).iter().filter(|&&other| self.open_bit(state, other).is_some()).count()
    }

    /// Collects the possible steps of a state.
    fn look_round(&mut self, state: &BeamTree, is_last: bool, ways: &mut PossibleSteps) {
        let PossibleSteps { moves, choices, around, at_risk } = ways;
        around.clear();
        for (slot, choices) in choices.iter_mut().enumerate().take(self.fold.slots()) {
            moves.clear();
            self.moves(state, slot, moves);
            self.random.shuffle(moves);
            choices.clear();
            choices.extend(moves.iter().map(|&taken| self.choice(state, taken, around)));
        }
        at_risk.clear();
        if !is_last {
            self.find_at_risk(state, at_risk);
        }
    }

    /// The arcs of a slot: out of the nodes reached in the step before, or out of the origin.
    fn moves(&self, state: &BeamTree, slot: usize, moves: &mut Vec<TreeMove>) {
        for by in self.fold.ports(slot) {
            let goes_on = |taken: &TreeMove| self.effort.follows.is_none_or(|follows| follows[slot].contains(taken.by));
            let origin = self.effort.follows.is_none().then_some(ORIGIN);
            for from in state.last.taken().filter(goes_on).map(|taken| taken.node).chain(origin) {
                let node = self.fold.neighbour(from, by);
                let bit = self.bits[node.index()];
                let is_new = moves.iter().all(|other| self.bits[other.node.index()] != bit);
                if is_new && self.open_bit(state, node).is_some() {
                    moves.push(TreeMove { node, by });
                }
            }
        }
    }

    /// All that weighing asks of an arc, looked up once for the hundreds of steps that it is part of.
    fn choice(&self, state: &BeamTree, taken: TreeMove, around: &mut Vec<(usize, usize)>) -> BeamChoice {
        let TreeMove { node, by } = taken;
        let begin = around.len();
        for &other in self.fold.neighbours(node) {
            if let Some(bit) = self.open_bit(state, other) {
                around.push((bit, self.open_around(state, other)));
            }
        }
        let parent = self.fold.neighbour(node, by.opposite());
        let entered = state.last.taken().find(|taken| taken.node == parent).map_or(0, |taken| taken.by.index() + 1);
        BeamChoice {
            taken,
            // every choice has a bit
            bit: self.bits[node.index()] as usize,
            hash: mix(u64::from(self.fold.representative(node).0)),
            gain: loneliness(around.len() - begin),
            around: begin..around.len(),
            word: (1 + entered * 2 * SLOTS + by.index()) as u8,
        }
    }

    /// The neighbours of the nodes that send now for the last time into which no other way will ever lead, by bit: whatever
    /// does not take them strands them.
    fn find_at_risk(&self, state: &BeamTree, at_risk: &mut Vec<usize>) {
        let leads_in = |&other: &NodeId| other == ORIGIN || self.open_bit(state, other).is_some();
        for &node in state.last.taken().flat_map(|taken| self.fold.neighbours(taken.node)) {
            if let Some(bit) = self.open_bit(state, node)
                && !self.fold.neighbours(node).iter().any(leads_in)
            {
                at_risk.push(bit);
            }
        }
    }

    /// Chooses an arc or none for `slot` and every later one.
    fn combine(&mut self, expansion: &Expansion, slot: usize) {
        if self.budget == 0 || self.picked.len() + (self.fold.slots() - slot) < expansion.need {
            return;
        }
        if slot == self.fold.slots() {
            if self.picked.len() == expansion.need {
                self.budget -= 1;
                self.weigh(expansion);
            }
            return;
        }
        for (number, &BeamChoice { bit, .. }) in expansion.ways.choices[slot].iter().enumerate() {
            if !self.chosen[bit] {
                self.chosen[bit] = true;
                self.picked.push((slot, number));
                self.combine(expansion, slot + 1);
                self.picked.pop();
                self.chosen[bit] = false;
            }
        }
        self.combine(expansion, slot + 1);
    }

    /// Scores a step, and drops it if it leaves a node that nothing can reach any more.
    fn weigh(&mut self, expansion: &Expansion) {
        if expansion.ways.at_risk.iter().any(|&bit| !self.chosen[bit]) {
            return;
        }
        let Expansion { parent, state, ways: PossibleSteps { choices, around, .. }, .. } = *expansion;
        let (mut score, mut hash) = (state.score, state.hash);
        let (mut step, mut word) = (StepArcs::default(), StepActions::default());
        for &(slot, number) in &self.picked {
            let choice = &choices[slot][number];
            step.moves[slot] = Some(choice.taken);
            word[slot] = choice.word;
            hash ^= choice.hash;
            score -= choice.gain;
            for &(bit, open) in &around[choice.around.clone()] {
                if !self.chosen[bit] {
                    if self.lost[bit] == 0 {
                        self.affected.push((bit, open));
                    }
                    self.lost[bit] += 1;
                }
            }
        }
        for (bit, open) in self.affected.drain(..) {
            let lost = std::mem::take(&mut self.lost[bit]);
            score += loneliness(open - usize::from(lost)) - loneliness(open);
        }
        if word != state.word {
            score += self.effort.change;
        }
        let tie = self.random.below(1 << 16);
        self.candidates.push(BeamCandidate { score, tie, parent, step, word, hash });
    }

    /// The best candidates, each visited set with the same last nodes once.
    fn keep_best(&mut self, states: &[BeamTree], trail: &mut Vec<Trail>) -> Vec<BeamTree> {
        let mut candidates = std::mem::take(&mut self.candidates);
        // among equals the earlier; numbers are moved, not candidates
        let order = |(index, candidate): (u32, &BeamCandidate)| (candidate.score, candidate.tie, index);
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
    fn follow(&self, state: &BeamTree, candidate: &BeamCandidate, trail: &mut Vec<Trail>) -> BeamTree {
        let mut visited = state.visited.clone();
        for taken in candidate.step.taken() {
            let bit = self.bits[taken.node.index()];
            visited[bit as usize / 64] |= 1 << (bit % 64);
        }
        trail.push(Trail { before: state.trail, step: candidate.step });
        let BeamCandidate { score, step, word, hash, .. } = *candidate;
        BeamTree { visited, last: step, word, score, hash, trail: trail.len() - 1 }
    }
}

/// One state about to be expanded.
struct Expansion<'a> {
    parent: usize,
    state: &'a BeamTree,
    need: usize,
    ways: &'a PossibleSteps,
}

/// Possible steps of a state; the memory is reused for all states.
#[derive(Default)]
struct PossibleSteps {
    /// the arcs of the slot just looked at
    moves: Vec<TreeMove>,
    choices: [Vec<BeamChoice>; SLOTS],
    /// the open neighbours of all choices, by bit, and how many open neighbours each has
    around: Vec<(usize, usize)>,
    /// nodes that are stranded if the step does not take them, by bit
    at_risk: Vec<usize>,
}

/// An arc that a step may take.
struct BeamChoice {
    taken: TreeMove,
    bit: usize,
    hash: u64,
    /// cost of its node that no longer applies
    gain: i64,
    /// range in [`PossibleSteps::around`]
    around: Range<usize>,
    /// action in the table's word
    word: u8,
}

/// The steps that led to a place in the trail.
fn unwind(trail: &[Trail], mut at: usize) -> Vec<StepArcs> {
    let mut steps = Vec::new();
    while let Some(Trail { before, step }) = trail.get(at) {
        steps.push(*step);
        at = *before;
    }
    steps.reverse();
    steps
}
