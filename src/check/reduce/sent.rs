//! Partials that each node sent, and how often: one of each packet of others, or several where that does no harm.

use std::collections::HashMap;

use bitvec::vec::BitVec;

use crate::check::{Violation, token};
use crate::net::NodeId;
use crate::program::{Program, Reduction};

pub(super) struct SentPartials<'p> {
    program: &'p Program,
    is_idempotent: bool,
    /// number of each node's first packet
    own: Vec<u32>,
    packets: u32,
    /// by packet, counted from a node's own, and node
    noted: BitVec,
    /// number of repeated sends, where repetition is wrong
    again: HashMap<(NodeId, u32), u8>,
}

impl<'p> SentPartials<'p> {
    pub(super) fn new(program: &'p Program, reduction: &Reduction) -> Self {
        let bits = program.topology.nodes() as usize * program.demand.packets() as usize;
        let is_idempotent = reduction.operation.is_idempotent();
        let own = program.topology.node_ids().map(|node| program.demand.packet(node, 0) as u32).collect();
        let packets = program.demand.packets() as u32;
        Self { program, is_idempotent, own, packets, noted: BitVec::repeat(false, bits), again: HashMap::new() }
    }

    /// A node sends a partial of a packet.
    pub(super) fn note(&mut self, node: NodeId, packet: u32) {
        let at = self.at(node, packet);
        if self.noted.replace(at, true) && !self.is_as_often_as_it_should(node, packet, 2) {
            let again = self.again.entry((node, packet)).or_default();
            *again = again.saturating_add(1);
        }
    }

    /// Index of the note for a packet at a node. Nodes that act alike share words, which takes a third of the time of
    /// one row per node where nodes are many.
    fn at(&self, node: NodeId, packet: u32) -> usize {
        let own = self.own[node.index()];
        let after_own = if packet < own { self.packets - (own - packet) } else { packet - own };
        after_own as usize * self.own.len() + node.index()
    }

    /// Returns true if every node sent what it should: looked at as a whole.
    pub(super) fn is_right(&self) -> bool {
        let Program { topology, demand, .. } = self.program;
        if demand.groups().is_some() {
            return topology.live_ids().all(|node| self.violation(node).is_none());
        }
        let needed: u64 = topology.live_ids().map(|node| demand.packets() - u64::from(demand.packets_of(node))).sum();
        let sends_own = |node: NodeId| {
            let first = self.own[node.index()];
            (first..first + demand.packets_of(node)).any(|packet| self.noted[self.at(node, packet)])
        };
        self.again.is_empty() && self.noted.count_ones() as u64 == needed && !topology.live_ids().any(sends_own)
    }

    /// Returns the violation in what a node sent.
    pub(super) fn violation(&self, node: NodeId) -> Option<Violation> {
        if !self.program.topology.is_live(node) {
            return None;
        }
        let times = |packet: u32| {
            let again = self.again.get(&(node, packet)).copied().unwrap_or(0);
            (packet, if self.noted[self.at(node, packet)] { again.saturating_add(1) } else { 0 })
        };
        let sent = (0..self.program.demand.packets() as u32).map(times);
        let mut wrong = sent.filter(|&(packet, times)| !self.is_as_often_as_it_should(node, packet, times));
        let (packet, times) = wrong.next()?;
        let (partials, first) = (1 + wrong.count() as u64, token(self.program, packet.into()));
        Some(Violation::Sent { node: self.program.topology.coords(node), partials, first, times })
    }

    fn is_as_often_as_it_should(&self, node: NodeId, packet: u32, times: u8) -> bool {
        let demand = &self.program.demand;
        let (of, _) = demand.sender(packet.into());
        let is_never = of == node || !demand.are_together(of, node);
        is_never == (times == 0) && (times < 2 || self.is_idempotent)
    }
}
