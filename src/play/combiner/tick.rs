//! A tick of a reduction, class by class: what an output does is the same at all nodes of a class.

use super::Combiner;
use super::arrivals::Due;
use crate::net::NodeId;
use crate::play::shift::VOID;
use crate::program::{FlitId, Operand, Partial, Source};

/// Arrivals at a port of all nodes: the registers of the plane in which they were sent.
#[derive(Clone, Copy)]
struct Sent {
    port: usize,
    plane: usize,
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
        let at = self.plane(ago) + register;
        (self.flits[at] != VOID).then(|| (self.flits[at], &self.words[at * self.limbs..][..self.limbs]))
    }

    /// Arrivals of `age` ticks ago at a port, unless they lie in another part of the program.
    fn sent(&self, Operand { port, age }: Operand) -> Option<Sent> {
        let part = if self.tick > self.reduction.ticks { self.reduction.ticks + 1 } else { 0 };
        if self.tick.checked_sub(age).is_none_or(|then| then <= part) || self.tick < age + self.later() {
            return None;
        }
        Some(Sent { port: port.index(), plane: self.plane(age + self.later()) })
    }

    /// Position in `flits` of what a node received, if it received anything.
    fn brought(&self, node: NodeId, Sent { port, plane }: Sent) -> Option<usize> {
        let register = self.arriving[node.index() * self.program.topology.ports() + port];
        let at = plane + register as usize;
        (register != VOID && self.flits[at] != VOID).then_some(at)
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
        let program = self.program;
        let (now, ports, limbs) = (self.plane(0), program.topology.ports(), self.limbs);
        let register = |node: NodeId| node.index() * ports + output;
        match source {
            Source::Idle | Source::Any { .. } => {
                for &node in nodes {
                    self.flits[now + register(node)] = VOID;
                }
            }
            Source::In { port, age, .. } => {
                let sent = self.sent(Operand { port, age });
                for &node in nodes {
                    let (from, to) = (sent.and_then(|sent| self.brought(node, sent)), now + register(node));
                    self.flits[to] = from.map_or(VOID, |from| self.flits[from]);
                    if let Some(from) = from {
                        self.words.copy_within(from * limbs..(from + 1) * limbs, to * limbs);
                    }
                }
            }
            Source::Own { packet, through } => {
                for &node in nodes {
                    let (flit, to) = (program.demand.flit(node, packet, through, played), now + register(node));
                    self.flits[to] = flit.map_or(VOID, |flit| flit.0);
                    if let Some(FlitId(flit)) = flit {
                        let value = &self.results[flit as usize * limbs..][..limbs];
                        self.words[to * limbs..][..limbs].copy_from_slice(value);
                        self.load(register(node), to);
                    }
                }
            }
            Source::Sum { operands } => {
                let place = &mut self.places[class * ports + output];
                let flit = place.sums % program.flits;
                place.sums += 1;
                let sent: Vec<Sent> = operands.iter().filter_map(|operand| self.sent(operand)).collect();
                let mut arrived = Vec::with_capacity(sent.len());
                for &node in nodes {
                    arrived.clear();
                    arrived.extend(sent.iter().filter_map(|&sent| self.brought(node, sent)));
                    self.sum(node, output, flit, &arrived);
                }
            }
        }
    }

    /// An output of a node sends a sum of its own value and of what arrived, by its position.
    fn sum(&mut self, node: NodeId, output: usize, flit: u32, arrived: &[usize]) {
        let (limbs, width) = (self.limbs, self.values.width());
        let register = node.index() * self.program.topology.ports() + output;
        let to = self.plane(0) + register;
        let Some(flit) = self.summed(node, output, flit, arrived) else {
            self.flits[to] = VOID;
            return;
        };
        self.flits[to] = flit;
        self.values.write(node, flit, &mut self.words[to * limbs..][..limbs]);
        self.load(register, to);
        let arithmetic = self.reduction.arithmetic();
        if arithmetic.is_ordered() {
            let mut words = self.words[to * limbs..][..limbs].to_vec();
            for &from in arrived {
                words.extend_from_slice(&self.words[from * limbs..][..limbs]);
            }
            arithmetic.all(width, limbs, &mut words);
            self.words[to * limbs..][..limbs].copy_from_slice(&words);
            return;
        }
        for &from in arrived {
            let [value, other] = self
                .words
                .get_disjoint_mut([to * limbs..(to + 1) * limbs, from * limbs..(from + 1) * limbs])
                .expect("what arrives was sent in an earlier tick");
            arithmetic.combine(width, value, other);
        }
    }

    /// Records a node's own value that goes into a register, if that is asked for.
    fn load(&mut self, register: usize, at: usize) {
        if let Some(loaded) = &mut self.loaded {
            loaded[register].extend_from_slice(&self.words[at * self.limbs..][..self.limbs]);
        }
    }

    /// Returns the flit whose partial leaves in this tick, `flit` of its packet.
    fn summed(&mut self, node: NodeId, output: usize, flit: u32, arrived: &[usize]) -> Option<u32> {
        let Self { program, reduction, .. } = *self;
        let register = node.index() * program.topology.ports() + output;
        if flit == 0 {
            let continued = arrived.first().filter(|_| reduction.order.starts).map(|&at| self.flits[at]);
            let (entries, packet) = &mut self.partials[register];
            *packet = if let Some(flit) = continued {
                flit / program.flits
            } else {
                *entries += 1;
                let entry = reduction.order.entry(&program.topology, node, output, *entries as usize - 1).flatten();
                entry.map_or(VOID, |Partial { node, packet }| program.demand.packet(node, packet) as u32)
            };
        }
        let (_, packet) = self.partials[register];
        (packet != VOID).then(|| packet * program.flits + flit)
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
                let own = self.program.demand.flits_of_packet(node, packet).start as usize + flit as usize;
                let Some(from) = self.brought(node, sent) else { continue };
                let other = &self.words[from * limbs..][..limbs];
                if let Some(arrived) = &mut self.arrived {
                    let arrived = &mut arrived[own];
                    arrived.resize(arrived.len().max(place + 1), None);
                    arrived[place] = Some(other.to_vec());
                    continue;
                }
                let result = &mut self.results[own * limbs..][..limbs];
                self.reduction.arithmetic().combine(self.values.width(), result, other);
            }
        }
    }
}
