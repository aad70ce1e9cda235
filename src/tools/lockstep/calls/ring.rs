//! Words that go into a design and come out of it by the ring of a host.

use std::collections::VecDeque;

use super::super::dut::DutWires;
use super::arrays::WordBits;
use super::events::{BlockName, Events, GivenWord, LoadedCall, is_high, number, small};
use super::ports::{CallPorts, RingPorts};

/// Bit of a ring's word that marks headers.
const HEADER: u64 = 1 << 32;
/// Operations of headers on the ring.
const WRITE: u64 = 2;
const READ: u64 = 4;

/// State of a host's call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CallStage {
    #[default]
    Idle,
    Placing,
    Writing,
    Starting,
    Running,
    Reading,
}

/// Ring of a host: one call after the other.
#[derive(Default)]
pub(super) struct RingDriver {
    pub calls: VecDeque<LoadedCall>,
    stage: CallStage,
    outgoing: VecDeque<u64>,
    /// Nodes whose words come back, in order.
    reading: VecDeque<usize>,
    ends: usize,
    awaited: usize,
}

fn header(operation: u64, node: usize, words: usize) -> u64 {
    HEADER | operation << 28 | (node as u64) << 16 | words as u64
}

impl RingDriver {
    pub fn set(&mut self, wires: &mut DutWires, ports: &CallPorts, ring: &RingPorts) -> bool {
        if self.stage == CallStage::Idle && !self.calls.is_empty() {
            self.stage = CallStage::Placing;
        }
        if let Some(LoadedCall { call, .. }) = self.calls.front() {
            wires.set(ports.program, &small(call.program));
            wires.set(ports.root, &call.root.to_le_bytes()[..ports.bytes[ports.root]]);
        }
        let [data, valid, _] = ring.sent;
        wires.set(valid, &[(!self.outgoing.is_empty()).into()]);
        wires.set(data, &self.outgoing.front().copied().unwrap_or(0).to_le_bytes());
        wires.set(ring.received[2], &[1]);
        self.stage == CallStage::Starting
    }

    pub fn note(&mut self, wires: &DutWires, ring: &RingPorts) -> Events {
        let mut events = Events::default();
        let named = ring.errors.into_iter().zip(["lacking", "misframed"]);
        events.error = named.into_iter().find(|&(index, _)| is_high(wires, index)).map(|(_, name)| name);
        let [_, valid, ready] = ring.sent;
        if is_high(wires, valid) && is_high(wires, ready) {
            self.outgoing.pop_front();
            events.moved = true;
        }
        let [data, valid, _] = ring.received;
        if is_high(wires, valid) {
            events.moved = true;
            let word = number(wires, data);
            match (word & HEADER != 0, self.reading.front()) {
                (true, _) if word == HEADER => {
                    self.ends += 1;
                    self.reading.pop_front();
                }
                (true, _) => {}
                (false, Some(&node)) => {
                    let word = wires.get(data).to_vec();
                    events.given.push(GivenWord { node, word, marks: None });
                }
                (false, None) => events.error = Some("ring"),
            }
        }
        let before = self.stage;
        self.next_stage(wires, ring, &mut events);
        events.moved |= before != self.stage;
        events
    }

    fn next_stage(&mut self, wires: &DutWires, ring: &RingPorts, events: &mut Events) {
        let Some(LoadedCall { taken, given, .. }) = self.calls.front() else { return };
        match self.stage {
            CallStage::Placing if is_high(wires, ring.placed) => {
                for (node, words) in taken.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
                    self.outgoing.push_back(header(WRITE, node, words.len()));
                    let value = |(word, _): &(WordBits, BlockName)| {
                        word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
                    };
                    self.outgoing.extend(words.iter().map(value));
                }
                self.outgoing.push_back(HEADER);
                (self.ends, self.awaited, self.stage) = (0, 1, CallStage::Writing);
            }
            CallStage::Writing if self.ends == self.awaited => self.stage = CallStage::Starting,
            CallStage::Starting => {
                events.taken = true;
                self.stage = CallStage::Running;
            }
            CallStage::Running if is_high(wires, ring.done) => {
                let totals = given.iter().map(|blocks| blocks.iter().map(|&(_, words)| words).sum());
                for (node, words) in totals.enumerate().filter(|&(_, words): &(usize, usize)| words > 0) {
                    self.outgoing.extend([header(READ, node, words), HEADER]);
                    self.reading.push_back(node);
                }
                (self.ends, self.awaited, self.stage) = (0, self.reading.len(), CallStage::Reading);
            }
            CallStage::Reading if self.ends == self.awaited => {
                self.calls.pop_front();
                self.stage = CallStage::Idle;
            }
            _ => {}
        }
    }
}
