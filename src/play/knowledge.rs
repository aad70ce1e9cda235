//! Flits known to each node: one bit per node and flit.

use super::Machine;
use crate::net::NodeId;
use crate::program::{FlitId, Program, Wanted};

/// Flits that each node knows, and the number of wanted flits among them: a node's own packets and those it wants.
pub struct Knowledge<'p> {
    /// a line of words for each node, a bit for each flit
    known: Vec<u64>,
    words: usize,
    counts: Vec<u64>,
    goals: Vec<u64>,
    wanted: Wanted<'p>,
}

impl<'p> Knowledge<'p> {
    /// Before tick 1 every node knows just its own packets.
    pub fn new(program: &'p Program) -> Self {
        let Program { topology, demand, .. } = program;
        let words = (demand.flits() as usize).div_ceil(64).max(1);
        let mut known = vec![0u64; topology.nodes() as usize * words];
        let mut counts = Vec::with_capacity(topology.nodes() as usize);
        for (node, known) in topology.node_ids().zip(known.chunks_exact_mut(words)) {
            let own = demand.flits_of(node);
            counts.push(own.end - own.start);
            own.for_each(|flit| known[flit as usize / 64] |= 1 << (flit % 64));
        }
        Self { known, words, counts, goals: demand.goals(topology), wanted: Wanted::new(topology, demand) }
    }

    /// Notes that `node` has received `flit`; false if it knew it before.
    #[inline]
    pub fn learn(&mut self, node: NodeId, flit: FlitId) -> bool {
        let (word, bit) = (&mut self.known[node.index() * self.words + flit.0 as usize / 64], 1 << (flit.0 % 64));
        let news = *word & bit == 0;
        *word |= bit;
        if news && self.wanted.by(node, flit) {
            self.counts[node.index()] += 1;
        }
        news
    }

    /// Notes that `node` has received `flit`; true if it now knows all that it is to know, and did not before.
    pub(super) fn completes(&mut self, node: NodeId, flit: FlitId) -> bool {
        let counted = self.counts[node.index()];
        self.learn(node, flit) && {
            let (count, goal) = (self.counts[node.index()], self.goals[node.index()]);
            counted < goal && count >= goal
        }
    }

    /// Number of wanted flits that the node knows.
    pub fn count(&self, node: NodeId) -> u64 {
        self.counts[node.index()]
    }

    /// The nodes that do not know everything yet.
    pub fn incomplete(&self) -> impl Iterator<Item = NodeId> + '_ {
        let counts = self.counts.iter().zip(&self.goals).enumerate();
        counts.filter(|(_, (count, goal))| count < goal).map(|(node, _)| NodeId(node as u32))
    }
}

/// The steps after which every node knows all that it wants, found by execution; none if the program ends before.
pub fn steps_to_complete(program: &Program) -> Option<u32> {
    let mut machine = Machine::new(program);
    let mut knowledge = Knowledge::new(program);
    while knowledge.incomplete().next().is_some() {
        if machine.is_done() {
            return None;
        }
        machine.step();
        for (node, _, flit) in machine.arrivals() {
            knowledge.learn(node, flit);
        }
    }
    Some(machine.tick().div_ceil(program.flits))
}
