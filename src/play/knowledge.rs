//! Who knows what: one bit a node and flit.

use bitvec::vec::BitVec;

use super::{FlitId, Machine};
use crate::net::NodeId;
use crate::program::Program;

/// Which node knows which flit: one bit each.
pub struct Knowledge {
    known: BitVec,
    counts: Vec<u32>,
    flits: usize,
}

impl Knowledge {
    /// Before tick 1 every node knows just its own packets.
    pub fn new(program: &Program) -> Self {
        let nodes = program.torus.nodes() as usize;
        let own = usize::from(program.packets) * program.flits as usize;
        let flits = nodes * own;
        let mut known = BitVec::repeat(false, nodes * flits);
        for node in 0..nodes {
            known[node * flits + node * own..][..own].fill(true);
        }
        Self { known, counts: vec![own as u32; nodes], flits }
    }

    /// Notes that `node` has received `flit`; false if it knew it before.
    pub fn learn(&mut self, node: NodeId, flit: FlitId) -> bool {
        let news = !self.known.replace(node.index() * self.flits + flit.0 as usize, true);
        self.counts[node.index()] += u32::from(news);
        news
    }

    /// How many flits a node knows.
    pub fn count(&self, node: NodeId) -> u32 {
        self.counts[node.index()]
    }

    /// How many flits there are to know.
    pub fn total(&self) -> u32 {
        self.flits as u32
    }

    /// The nodes that do not know everything yet.
    pub fn incomplete(&self) -> impl Iterator<Item = NodeId> + '_ {
        let total = self.total();
        self.counts.iter().enumerate().filter(move |&(_, &count)| count < total).map(|(node, _)| NodeId(node as u32))
    }
}

/// The steps after which every node knows every packet, found by execution; none if the program ends before.
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
