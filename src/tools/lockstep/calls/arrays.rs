//! Words that nodes take for a call and give at its end, in the order of MPI: written down beside the lowering, not read off it.

use super::super::words::FlitWords;
use super::{Call, CallPart};
use crate::net::NodeId;
use crate::play::{Combiner, Payloads, Values};
use crate::program::{FlitId, Program};

/// A word, as Verilator stores it.
pub(super) type WordBits = Vec<u8>;

/// Words of one program of a call.
pub(super) struct Arrays<'p> {
    listed: &'p CallPart<'p>,
    root: NodeId,
    payloads: Payloads,
    words: FlitWords,
}

impl<'p> Arrays<'p> {
    pub fn of(listed: &'p CallPart<'p>, call: Call, payloads: Payloads) -> Self {
        let of_call = || listed.program.topology.live_ids().nth(call.root as usize).expect("a live node");
        let root = listed.root.unwrap_or_else(of_call);
        Self { listed, root, payloads, words: words_of(listed.program, payloads) }
    }

    /// Node of the program that a node of the network plays.
    pub fn position(&self, node: NodeId) -> NodeId {
        let topology = &self.listed.program.topology;
        if self.listed.placed.is_moved { topology.node(&topology.offset(self.root, node)) } else { node }
    }

    /// Words that a node takes, each with the node of its block: a block for every node that it has one for, in the order of the
    /// nodes.
    pub fn taken(&self, node: NodeId) -> Vec<(WordBits, NodeId)> {
        let program = self.listed.program;
        let here = self.position(node);
        let total = self.listed.placed.words[self.listed.program.topology.rank(here)].0 as usize;
        if program.reduction.is_some() {
            let values = Values::drawn(program, self.payloads);
            let value = |flit: u64| self.words.stored(&values.of(here, flit as u32));
            let of = |to: NodeId| program.demand.flits_of(self.position(to)).map(move |flit| (flit, to));
            return program
                .demand
                .group_of(&program.topology, here)
                .flat_map(of)
                .map(|(flit, to)| (value(flit), to))
                .collect();
        }
        let blocks: Vec<(NodeId, Vec<FlitId>)> =
            program.topology.live_ids().map(|to| (to, self.sent(here, self.position(to)))).collect();
        let sent: usize = blocks.iter().map(|(_, flits)| flits.len()).sum();
        let mut words = Vec::new();
        for (to, flits) in blocks {
            words.extend(flits.into_iter().map(|flit| (self.words.get(flit).to_vec(), to)));
            if to == node {
                words.extend(self.of_itself(node, total - sent).into_iter().map(|word| (word, to)));
            }
        }
        words
    }

    /// Words that a node gives, each with the node of its block: a block of every node that it has one of, in the order of the
    /// nodes.
    pub fn given(&self, node: NodeId, results: Option<&Combiner<'_>>) -> Vec<(WordBits, NodeId)> {
        let program = self.listed.program;
        let here = self.position(node);
        let (taken, total) = self.listed.placed.words[self.listed.program.topology.rank(here)];
        if let (Some(combiner), Some(_)) = (results, &program.reduction) {
            // results of one root are those of each node
            let named = |from: NodeId| if program.combines_at_root() { node } else { from };
            let of = |from: NodeId| program.demand.flits_of(self.position(from)).map(move |flit| (flit, named(from)));
            let flits = self.result_nodes(here).flat_map(of);
            return flits.map(|(flit, from)| (self.words.stored(combiner.result(here, flit as u32)), from)).collect();
        }
        let mut words = Vec::new();
        for from in program.topology.live_ids() {
            let there = self.position(from);
            let mut add = |word: WordBits| words.push((word, from));
            if there == here {
                let for_all = (0..program.demand.packets_of(here)).filter(|&packet| self.to(here, packet).is_none());
                let flits = for_all.flat_map(|packet| program.demand.flits_of_packet(here, packet));
                flits.for_each(|flit| add(self.words.get(FlitId(flit as u32)).to_vec()));
                let others = program.topology.live_ids();
                let sent: usize = others.map(|to| self.sent(here, to).len()).sum();
                self.of_itself(node, taken as usize - sent).into_iter().for_each(add);
            } else {
                let are_together = program.demand.are_together(there, here);
                let wanted = |&packet: &u32| self.to(there, packet).map_or(are_together, |to| to == here);
                let packets = (0..program.demand.packets_of(there)).filter(wanted);
                let flits = packets.flat_map(|packet| program.demand.flits_of_packet(there, packet));
                flits.for_each(|flit| add(self.words.get(FlitId(flit as u32)).to_vec()));
            }
        }
        debug_assert_eq!(words.len(), total as usize, "words of node {}", node.0);
        words
    }

    /// Blocks that a node gives, in the order of their nodes: of which node, and how many words.
    pub fn blocks(&self, node: NodeId) -> Vec<(NodeId, usize)> {
        let program = self.listed.program;
        if program.reduction.is_some() {
            let named = |from: NodeId| if program.combines_at_root() { node } else { from };
            let words = |from| (named(from), program.demand.flits_of(self.position(from)).count());
            let blocks = self.result_nodes(self.position(node)).map(words);
            return blocks.filter(|&(_, words)| words > 0).collect();
        }
        let words = self.given(node, None);
        words.chunk_by(|(_, one), (_, other)| one == other).map(|block| (block[0].1, block.len())).collect()
    }

    /// Nodes whose results a node has in the end.
    fn result_nodes(&self, here: NodeId) -> impl Iterator<Item = NodeId> + use<'_, 'p> {
        let program = self.listed.program;
        let keeps_results = program.keeps_results();
        let group = program.demand.group_of(&program.topology, here);
        group.filter(move |&node| !keeps_results || self.position(node) == here)
    }

    /// Words of all flits.
    pub fn words(&self) -> &FlitWords {
        &self.words
    }

    fn to(&self, sender: NodeId, packet: u32) -> Option<NodeId> {
        self.listed.program.demand.receiver(&self.listed.program.topology, sender, packet)
    }

    /// Flits that a node has for another; a packet for everybody is in its block for itself.
    fn sent(&self, node: NodeId, to: NodeId) -> Vec<FlitId> {
        let demand = &self.listed.program.demand;
        let is_for_it = |&packet: &u32| match self.to(node, packet) {
            Some(receiver) => receiver == to && to != node,
            None => to == node,
        };
        let packets = (0..demand.packets_of(node)).filter(is_for_it);
        packets.flat_map(|packet| demand.flits_of_packet(node, packet)).map(|flit| FlitId(flit as u32)).collect()
    }

    /// Block of a node for itself: words of their own.
    fn of_itself(&self, node: NodeId, words: usize) -> Vec<WordBits> {
        let first = self.listed.program.demand.flits() as u32 + node.0 * words as u32;
        let word = |number| self.payloads.words(FlitId(first + number)).collect::<Vec<_>>();
        (0..words as u32).map(|number| self.words.stored(&word(number))).collect()
    }
}

/// Words of all flits of a program that moves packets.
fn words_of(program: &Program, payloads: Payloads) -> FlitWords {
    let flits = if program.reduction.is_some() { 0 } else { program.demand.flits() };
    FlitWords::of(payloads, flits as u32)
}
