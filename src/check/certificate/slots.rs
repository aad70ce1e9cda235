//! Slots by which cycles pass the nodes of a class.
//!
//! A node that lies on a cycle joins two of its ports, a *slot*: what comes in at `a` goes out by `b` and the other way
//! round. Seen from there the cycle has coordinates 0, 1, ... `age` - 1 for the node's own packets, below 0 what comes in at
//! `a` (-t in tick t), above what comes in at `b`.

use super::OutputSpans;
use super::rings::CycleOutput;
use crate::net::Port;
use crate::program::{Program, Source};

/// Two ports of a class that a cycle joins, `a` before `b`.
#[derive(Clone, Debug)]
pub(super) struct PortSlot {
    pub(super) a: Port,
    pub(super) b: Port,
    pub(super) age: u32,
    /// the packets at its own coordinates
    pub(super) own: Vec<u32>,
}

/// The slots of every class.
pub(super) struct Slots {
    ports: usize,
    of_class: Vec<Vec<PortSlot>>,
    /// by class and port, the slot
    at: Vec<Option<u8>>,
}

impl Slots {
    /// Finds the slots of a program; `None` if a stream ends early or a packet is sent on no cycle.
    pub(super) fn of(program: &Program, spans: &OutputSpans) -> Option<Self> {
        let ports = program.topology.ports();
        if !program.topology.has_every_link() {
            return None;
        }
        let mut slots = Self { ports, of_class: Vec::new(), at: Vec::with_capacity(spans.0.len()) };
        for class in spans.0.chunks_exact(ports) {
            let outputs: Vec<CycleOutput> = class.iter().map(|spans| CycleOutput::of(program.ticks, spans)).collect();
            let mut of_class = Vec::new();
            let mut at = vec![None; ports];
            let ends_early = |port: &Port| class[port.index()].last().is_some_and(|span| span.source == Source::Idle);
            for ([a, b], turn, own) in CycleOutput::pairs(&outputs) {
                if [a, b].iter().any(ends_early) {
                    continue;
                }
                at[a.index()] = Some(of_class.len() as u8);
                at[b.index()] = at[a.index()];
                of_class.push(PortSlot { a, b, age: turn.age, own: own.to_vec() });
            }
            let is_sent = |packet| of_class.iter().any(|slot: &PortSlot| slot.own.contains(&packet));
            if !(0..program.demand.most_packets()).all(is_sent) {
                return None;
            }
            slots.of_class.push(of_class);
            slots.at.extend(at);
        }
        Some(slots)
    }

    /// The slots of a class.
    pub(super) fn of_class(&self, class: usize) -> &[PortSlot] {
        &self.of_class[class]
    }

    /// The slot of a port of a class.
    pub(super) fn at(&self, class: usize, port: Port) -> Option<usize> {
        self.at[class * self.ports + port.index()].map(usize::from)
    }

    /// The most slots of any class.
    pub(super) fn most(&self) -> usize {
        self.of_class.iter().map(Vec::len).max().unwrap_or(0)
    }
}
