//! A tick of a reduction, class by class: what an output does is the same at all nodes of a class.

use super::Combiner;
use super::arrivals::Due;
use crate::net::NodeId;
use crate::play::shift::VOID;
use crate::program::{Away, Entries, FlitId, Operand, Operands, Partial, Source};

/// Arrivals at a port of all nodes: the registers of the plane in which they were sent.
#[derive(Clone, Copy)]
struct SentRegisters {
    port: usize,
    plane: usize,
}

/// Room for what an output of some nodes sends.
#[derive(Default)]
pub(super) struct Scratch {
    /// by node, the flit whose partial leaves
    flits: Vec<u32>,
    /// by node, its value, and the value that it is combined with
    words: Vec<u64>,
    others: Vec<u64>,
    /// the nodes so far away from each node, and the output and the entry of its order that this is of
    away: Vec<u32>,
    away_of: Option<(usize, usize)>,
}

impl Combiner<'_> {
    /// First register of the plane of so many ticks ago.
    pub(super) fn plane(&self, ago: u32) -> usize {
        let ago = ago as usize;
        self.registers * if ago <= self.now { self.now - ago } else { self.now + self.planes - ago }
    }

    /// Returns the flit and the value that a register held `ago` ticks ago.
    pub(super) fn sent_before(&self, ago: u32, register: usize) -> Option<(u32, &[u64])> {
        // before the first tick all planes are void
        self.tick.checked_sub(ago)?;
        let ports = self.program.topology.ports();
        let at = self.plane(ago) + register % ports * self.nodes + register / ports;
        (self.flits[at] != VOID).then(|| (self.flits[at], &self.words[at * self.limbs..][..self.limbs]))
    }

    /// Arrivals of `age` ticks ago at a port, unless they lie in another part of the program.
    fn sent(&self, Operand { port, age }: Operand) -> Option<SentRegisters> {
        let part = if self.tick > self.reduction.ticks { self.reduction.ticks + 1 } else { 0 };
        if self.tick.checked_sub(age).is_none_or(|then| then <= part) || self.tick < age + self.later() {
            return None;
        }
        Some(SentRegisters { port: port.index(), plane: self.plane(age + self.later()) })
    }

    /// Position in `flits` of what a node received, if it received anything.
    fn brought(&self, node: NodeId, SentRegisters { port, plane }: SentRegisters) -> Option<usize> {
        let place = self.arriving[port * self.nodes + node.index()];
        (place != VOID).then(|| plane + place as usize).filter(|&at| self.flits[at] != VOID)
    }

    /// Returns the source of an output of a class in this tick, and the ticks of its run before.
    pub(super) fn source(&mut self, class: usize, output: usize) -> (Source, u32) {
        let track = &self.program.classes[class].outputs[output];
        let place = &mut self.places[class * self.program.topology.ports() + output];
        while place.run < track.runs.len() && place.played == track.runs[place.run].ticks {
            (place.run, place.played) = (place.run + 1, 0);
            if place.run == track.runs.len() {
                place.run = track.repeat_from.unwrap_or(place.run);
            }
        }
        place.played += 1;
        (track.runs.get(place.run).map_or(Source::Idle, |run| run.source), place.played - 1)
    }

    /// An output of all nodes of a class sends in this tick.
    pub(super) fn send(&mut self, nodes: &[NodeId], (class, output): (usize, usize), source: Source, played: u32) {
        let (now, limbs) = (self.plane(0) + output * self.nodes, self.limbs);
        match source {
            Source::Idle | Source::Any { .. } => {
                for &node in nodes {
                    self.flits[now + node.index()] = VOID;
                }
            }
            Source::In { port, age, .. } => {
                let sent = self.sent(Operand { port, age });
                for &node in nodes {
                    let (from, to) = (sent.and_then(|sent| self.brought(node, sent)), now + node.index());
                    self.flits[to] = from.map_or(VOID, |from| self.flits[from]);
                    match from {
                        Some(from) if limbs == 1 => self.words[to] = self.words[from],
                        Some(from) => self.words.copy_within(from * limbs..(from + 1) * limbs, to * limbs),
                        None => {}
                    }
                }
            }
            Source::Own { packet, through } => {
                for &node in nodes {
                    let flit = self.program.demand.flit(node, packet, through, played);
                    let to = now + node.index();
                    self.flits[to] = flit.map_or(VOID, |flit| flit.0);
                    if let Some(FlitId(flit)) = flit {
                        let value = &self.results[flit as usize * limbs..][..limbs];
                        self.words[to * limbs..][..limbs].copy_from_slice(value);
                        if let Some(loaded) = &mut self.loaded {
                            loaded[node.index() * self.program.topology.ports() + output].extend_from_slice(value);
                        }
                    }
                }
            }
            Source::Sum { operands } => {
                let place = &mut self.places[class * self.program.topology.ports() + output];
                let flit = place.sums % self.program.flits;
                place.sums += 1;
                self.sum(nodes, output, flit, operands);
            }
        }
    }

    /// An output of nodes sends sums of their own values and of what arrived.
    fn sum(&mut self, nodes: &[NodeId], output: usize, flit: u32, operands: Operands) {
        let (now, limbs, flits) = (self.plane(0) + output * self.nodes, self.limbs, self.program.flits);
        let sent: Vec<SentRegisters> = operands.iter().filter_map(|operand| self.sent(operand)).collect();
        if flit == 0 {
            self.name(nodes, output, &sent);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let packets = &self.packets[output * self.nodes..][..self.nodes];
        let partial = |packet: u32| if packet == VOID { VOID } else { packet * flits + flit };
        scratch.flits.clear();
        scratch.flits.extend(nodes.iter().map(|node| partial(packets[node.index()])));
        scratch.words.resize(nodes.len() * limbs, 0);
        self.values.write_all(nodes, &scratch.flits, &mut scratch.words);
        if let Some(loaded) = &mut self.loaded {
            let words = scratch.words.chunks_exact(limbs);
            for ((node, words), _) in nodes.iter().zip(words).zip(&scratch.flits).filter(|&(_, &flit)| flit != VOID) {
                loaded[node.index() * self.program.topology.ports() + output].extend_from_slice(words);
            }
        }
        self.combine(nodes, &sent, &mut scratch);
        let words = scratch.words.chunks_exact(limbs);
        for ((node, &flit), words) in nodes.iter().zip(&scratch.flits).zip(words) {
            let to = now + node.index();
            self.flits[to] = flit;
            match words {
                [word] => self.words[to] = *word,
                words => self.words[to * limbs..][..limbs].copy_from_slice(words),
            }
        }
        self.scratch = scratch;
    }

    /// Combines nodes' own values with what arrived.
    fn combine(&self, nodes: &[NodeId], sent: &[SentRegisters], scratch: &mut Scratch) {
        let Self { limbs, arithmetic, .. } = *self;
        let width = self.values.width();
        let value = |at: usize| &self.words[at * limbs..][..limbs];
        if arithmetic.is_ordered() {
            for (&node, words) in nodes.iter().zip(scratch.words.chunks_exact_mut(limbs)) {
                let mut all = words.to_vec();
                sent.iter()
                    .filter_map(|&sent| self.brought(node, sent))
                    .for_each(|at| all.extend_from_slice(value(at)));
                arithmetic.all(width, limbs, &mut all);
                words.copy_from_slice(&all);
            }
            return;
        }
        for &sent in sent {
            scratch.others.clear();
            for &node in nodes {
                match self.brought(node, sent) {
                    Some(at) if limbs == 1 => scratch.others.push(self.words[at]),
                    Some(at) => scratch.others.extend_from_slice(value(at)),
                    None => break,
                }
            }
            if scratch.others.len() == scratch.words.len() {
                arithmetic.combine_each(width, limbs, &mut scratch.words, &scratch.others);
                continue;
            }
            // something came to some of the nodes only
            for (&node, words) in nodes.iter().zip(scratch.words.chunks_exact_mut(limbs)) {
                if let Some(at) = self.brought(node, sent) {
                    arithmetic.combine(width, words, value(at));
                }
            }
        }
    }

    /// Finds the packets whose partials begin to leave at an output.
    fn name(&mut self, nodes: &[NodeId], output: usize, sent: &[SentRegisters]) {
        let Self { program, reduction, .. } = *self;
        let first = output * self.nodes;
        let packet_of = |Partial { node, packet }: Partial| program.demand.packet(node, packet) as u32;
        match &reduction.order.entries {
            // all nodes are at the same entry
            Entries::Offsets(lists) if !reduction.order.starts => {
                let place = nodes.first().map_or(0, |node| self.entries[first + node.index()] as usize);
                let entry = lists.get(output).and_then(|list| list.get(place)?.as_ref());
                if let Some(Away { offset, .. }) = entry
                    && self.scratch.away_of != Some((output, place))
                {
                    program.topology.away_from_all(offset, &mut self.scratch.away);
                    self.scratch.away_of = Some((output, place));
                }
                for node in nodes {
                    self.entries[first + node.index()] += 1;
                    self.packets[first + node.index()] = entry.map_or(VOID, |Away { packet, .. }| {
                        packet_of(Partial { node: NodeId(self.scratch.away[node.index()]), packet: *packet })
                    });
                }
            }
            _ => {
                for &node in nodes {
                    let arrived = sent.iter().find_map(|&sent| self.brought(node, sent));
                    let (entries, packet) =
                        (&mut self.entries[first + node.index()], &mut self.packets[first + node.index()]);
                    if let Some(at) = arrived.filter(|_| reduction.order.starts) {
                        *packet = self.flits[at] / program.flits;
                        continue;
                    }
                    let entry = reduction.order.entry(&program.topology, node, output, *entries as usize).flatten();
                    *entries += 1;
                    *packet = entry.map_or(VOID, packet_of);
                }
            }
        }
    }

    /// Nodes of a class combine their own values with what completes them in this tick.
    pub(super) fn receive(&mut self, class: usize, nodes: &[NodeId]) {
        let limbs = self.limbs;
        while let Some(&Due { tick, operand, place, packet, flit }) = self.due[class].get(self.received[class]) {
            if tick > self.tick {
                break;
            }
            self.received[class] += 1;
            let Some(sent) = self.sent(Operand { age: 0, ..operand }).filter(|_| tick == self.tick) else { continue };
            for &node in nodes {
                let own = self.program.result_place(node, self.program.result_flit(node, packet, flit));
                let Some(from) = self.brought(node, sent) else { continue };
                let other = &self.words[from * limbs..][..limbs];
                if let Some(arrived) = &mut self.arrived {
                    let arrived = &mut arrived[own];
                    arrived.resize(arrived.len().max(place + 1), None);
                    arrived[place] = Some(other.to_vec());
                    continue;
                }
                let result = &mut self.results[own * limbs..][..limbs];
                self.arithmetic.combine(self.values.width(), result, other);
            }
        }
    }
}
