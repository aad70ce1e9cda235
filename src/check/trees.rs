//! One class for every node and what it combines: one tree, moved along, collects the partials of every node's sums.
//!
//! The output of port p sends, in tick t, a partial for the node at one offset, whichever node it is at. If a node sends one
//! partial for each offset, and each goes into the partial that the neighbour sends for the same node later, or into the result if
//! that is the node, then the ways to a node are a tree, and no value comes twice. Looking each of them up takes O(dP).

use std::collections::BTreeSet;

use super::{CheckReport, LinkUse, Method, Tally, TrafficFigures, Violation, token};
use crate::net::{Network, NodeId, Port};
use crate::program::{Operand, Operands, Partial, Program, Reduction, Source};

/// Marks a tick in which nothing is sent.
const NOTHING: u32 = u32::MAX;

/// Certifies the reduce part of a program of whole packets and a single class, and counts what each port's link carries.
pub(super) fn certify(program: &Program, reduction: &Reduction) -> (CheckReport, Vec<u32>) {
    let network = &program.topology;
    let mut trees = CheckedTrees::new(program, reduction, network);
    let sources: Vec<Vec<Source>> =
        program.classes[0].outputs.iter().map(|track| track.sources(program.ticks).collect()).collect();
    trees.send(&sources);
    for (packet, operands) in (0..).zip(&reduction.results[0]) {
        trees.complete(packet, *operands);
    }
    // a partial is useful if the later send that includes it is useful
    for tick in (1..=program.ticks).rev() {
        for port in network.port_ids() {
            if let Source::Sum { operands } = sources[port.index()][tick as usize - 1] {
                trees.combine(port, tick, operands);
            }
        }
    }
    trees.finish()
}

struct CheckedTrees<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
    network: &'p Network,
    /// the packet, as the first node sees it, whose partial each port of it sends, tick after tick
    sent: Vec<u32>,
    /// into how many partials and results each goes
    uses: Vec<u8>,
    /// true if the partial ends up in a result
    is_of_use: Vec<bool>,
    carried: Vec<u32>,
    traffic: TrafficFigures,
    complete_at: u32,
    violations: Vec<Violation>,
}

impl<'p> CheckedTrees<'p> {
    fn new(program: &'p Program, reduction: &'p Reduction, network: &'p Network) -> Self {
        let sends = program.ticks as usize * network.ports();
        Self {
            program,
            reduction,
            network,
            sent: vec![NOTHING; sends],
            uses: vec![0; sends],
            is_of_use: vec![false; sends],
            carried: vec![0; network.ports()],
            traffic: TrafficFigures::default(),
            complete_at: 1,
            violations: Vec::new(),
        }
    }

    fn at(&self, port: Port, tick: u32) -> usize {
        (tick as usize - 1) * self.network.ports() + port.index()
    }

    /// Reads off the order what leaves when.
    fn send(&mut self, sources: &[Vec<Source>]) {
        let Self { program, reduction, network, .. } = *self;
        let packets = program.demand.most_packets();
        for port in network.port_ids() {
            let mut used = 0;
            let sums = (1..).zip(&sources[port.index()]).filter(|(_, source)| source.is_sum());
            for (tick, _) in sums {
                let entry = reduction.order.entry(&program.topology, NodeId(0), port.index(), used).flatten();
                used += 1;
                if let Some(Partial { node, packet }) = entry.filter(|entry| entry.packet < packets) {
                    let at = self.at(port, tick);
                    self.sent[at] = node.0 * packets + packet;
                    self.carried[port.index()] += 1;
                }
            }
            let entries = reduction.order.len(NodeId(0), port.index());
            if used != entries {
                let (node, port) = (network.coords(NodeId(0)), port.to_string());
                self.violations.push(Violation::Entries { node, port, used, entries });
            }
        }
        for sent in self.sent.chunks_exact(network.ports()) {
            let sends = sent.iter().filter(|&&packet| packet != NOTHING).count() as u32;
            self.traffic.sends = self.traffic.sends.max(sends);
        }
        // all nodes are alike: each send of a port is an arrival at the neighbour's opposite port
        self.traffic.receives = self.traffic.sends;
    }

    /// Returns the arrival at a port in a tick as the node sees it: its index in the notes, and the packet.
    fn arrived(&self, port: Port, tick: u32) -> Option<(usize, u32)> {
        let at = self.at(port.opposite(), tick);
        let packet = self.sent[at];
        (packet != NOTHING && self.network.step(NodeId(0), port).is_some())
            .then(|| (at, self.seen_from_across(port, packet)))
    }

    /// A packet of the neighbour at a port as the node sees it.
    fn seen_from_across(&self, port: Port, packet: u32) -> u32 {
        let Self { network, .. } = self;
        let packets = self.program.demand.most_packets();
        let there = network.step(NodeId(0), port).expect("what arrives comes over a link");
        network.translated(NodeId(packet / packets), there).0 * packets + packet % packets
    }

    /// A result of the node itself.
    fn complete(&mut self, packet: u32, operands: Operands) {
        for Operand { port, age } in operands.iter() {
            let tick = (self.program.ticks + 1).checked_sub(age).filter(|&tick| tick > 0);
            let Some((from, arrived)) = tick.and_then(|tick| self.arrived(port, tick)) else { continue };
            let tick = self.program.ticks + 1 - age;
            if arrived == packet {
                self.complete_at = self.complete_at.max(tick);
                self.is_of_use[from] = true;
                self.used(from, port, tick);
            } else {
                self.mixed(port, tick);
            }
        }
    }

    /// A partial that the node sends on.
    fn combine(&mut self, port: Port, tick: u32, operands: Operands) {
        let to = self.at(port, tick);
        for Operand { port: input, age } in operands.iter().filter(|operand| operand.age < tick) {
            let Some((from, arrived)) = self.arrived(input, tick - age) else { continue };
            self.traffic.held = self.traffic.held.max(age);
            if arrived == self.sent[to] {
                if self.is_of_use[to] {
                    self.is_of_use[from] = true;
                }
                self.used(from, port, tick);
            } else {
                self.mixed(port, tick);
            }
        }
    }

    fn used(&mut self, from: usize, port: Port, tick: u32) {
        self.uses[from] = self.uses[from].saturating_add(1);
        if self.uses[from] == 2 && !self.reduction.operation.is_idempotent() {
            let (node, port) = (self.network.coords(NodeId(0)), port.to_string());
            self.violations.push(Violation::Twice { node, port, tick });
        }
    }

    fn mixed(&mut self, port: Port, tick: u32) {
        let (node, port) = (self.network.coords(NodeId(0)), port.to_string());
        self.violations.push(Violation::Mixed { node, port, tick });
    }

    fn finish(mut self) -> (CheckReport, Vec<u32>) {
        let Self { program, reduction, network, .. } = self;
        let (nodes, packets) = (network.nodes(), program.demand.most_packets());
        let mut times = vec![0u8; (nodes * packets) as usize];
        for &packet in self.sent.iter().filter(|&&packet| packet != NOTHING) {
            let times = &mut times[packet as usize];
            *times = times.saturating_add(1);
        }
        let is_right = |packet: u32, times: u8| {
            (packet < packets) == (times == 0) && (times < 2 || reduction.operation.is_idempotent())
        };
        let mut wrong = (0..).zip(&times).filter(|&(packet, &times)| !is_right(packet, times));
        if let Some((packet, &times)) = wrong.next() {
            let (node, first) = (network.coords(NodeId(0)), token(program, packet.into()));
            self.violations.push(Violation::Sent { node, partials: 1 + wrong.count() as u64, first, times });
        }
        let sent =
            self.sent.iter().zip(&self.is_of_use).filter(|(packet, is_of_use)| **is_of_use && **packet >= packets);
        let of_use: BTreeSet<u32> = sent.map(|(&packet, _)| packet).collect();
        let mut missing = vec![nodes - 1; packets as usize];
        for packet in of_use {
            missing[(packet % packets) as usize] -= 1;
        }
        for (packet, missing) in (0..).zip(missing).filter(|&(_, missing)| missing > 0) {
            self.violations.push(Violation::NotCombined { node: network.coords(NodeId(0)), packet, missing });
        }
        let link_use = Tally::of(self.carried.iter().copied()).link_use();
        let complete_at = self.violations.is_empty().then_some(self.complete_at);
        let needed = u64::from(packets) * u64::from(nodes - 1);
        let report = CheckReport {
            method: Method::Structure,
            complete_at,
            steps: complete_at,
            duplicates: Some(link_use.sum.saturating_sub(needed) * u64::from(nodes)),
            traffic: Some(self.traffic),
            link_use: Some(LinkUse { sum: link_use.sum * u64::from(nodes), ..link_use }),
            violations: self.violations,
        };
        (report, self.carried)
    }
}
