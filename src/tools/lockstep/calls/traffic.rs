//! Words and calls that go into a design and come out of it: by the streams of all nodes, or by the ring of a host.

use std::collections::VecDeque;

use super::super::dut::Wires;
use super::Call;
use super::arrays::Word;
use super::ports::{CallPorts, NodeStreams, RingPorts, Traffic};
use crate::net::splitmix::Splitmix;

/// Call with the words that nodes take for it, by node.
pub(super) struct LoadedCall {
    pub call: Call,
    pub taken: Vec<Vec<Word>>,
    /// Number of words that each node gives.
    pub given: Vec<usize>,
}

/// Word that a node has given.
pub(super) struct GivenWord {
    pub node: usize,
    pub word: Word,
    /// Last of its call, and the number of its program, where streams say so.
    pub marks: Option<(bool, usize)>,
}

/// Progress in one clock.
#[derive(Default)]
pub(super) struct Events {
    /// A call was taken.
    pub taken: bool,
    /// A word or a header moved, or a state was left.
    pub moved: bool,
    pub given: Vec<GivenWord>,
    /// Name of an error that must stay low.
    pub error: Option<&'static str>,
}

/// Driver of one design: it sets inputs before each edge, and notes what the edge moves.
pub(super) enum Driver {
    Streams(StreamDriver),
    Ring(RingDriver),
}

impl Driver {
    pub fn of(ports: &CallPorts, seed: u64) -> Self {
        match &ports.traffic {
            Traffic::Streams { nodes, .. } => Self::Streams(StreamDriver {
                calls: VecDeque::new(),
                waiting: vec![VecDeque::new(); nodes.len()],
                starts: false,
                random: Splitmix(seed),
            }),
            Traffic::Ring(_) => Self::Ring(RingDriver::default()),
        }
    }

    /// Number of calls that have not been taken.
    pub fn calls_left(&self) -> usize {
        match self {
            Self::Streams(driver) => driver.calls.len(),
            Self::Ring(driver) => driver.calls.len(),
        }
    }

    pub fn add(&mut self, call: LoadedCall) {
        match self {
            Self::Streams(driver) => driver.add(call),
            Self::Ring(driver) => driver.calls.push_back(call),
        }
    }

    /// Sets the inputs of a clock; returns true if a call starts.
    pub fn set(&mut self, wires: &mut Wires, ports: &CallPorts) -> bool {
        match (self, &ports.traffic) {
            (Self::Streams(driver), Traffic::Streams { nodes, .. }) => driver.set(wires, ports, nodes),
            (Self::Ring(driver), Traffic::Ring(ring)) => driver.set(wires, ports, ring),
            _ => unreachable!("the driver is made for the ports"),
        }
    }

    /// Notes what the coming edge moves.
    pub fn note(&mut self, wires: &Wires, ports: &CallPorts) -> Events {
        match (self, &ports.traffic) {
            (Self::Streams(driver), Traffic::Streams { nodes, ready, errors }) => {
                driver.note(wires, nodes, *ready, *errors)
            }
            (Self::Ring(driver), Traffic::Ring(ring)) => driver.note(wires, ring),
            _ => unreachable!("the driver is made for the ports"),
        }
    }
}

fn is_high(wires: &Wires, index: usize) -> bool {
    wires.get(index).iter().any(|&byte| byte != 0)
}

fn number(wires: &Wires, index: usize) -> u64 {
    wires.get(index).iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The bytes that hold a small number; the rest of its variable is 0.
fn small(value: usize) -> [u8; 1] {
    [value as u8]
}

/// Clocks of four in which a word is offered, or taken.
const BUSY_CLOCKS: u32 = 3;

/// Streams at every node.
pub(super) struct StreamDriver {
    /// Calls that wait, the one that is offered first.
    calls: VecDeque<Call>,
    /// Words by node, with their program.
    waiting: Vec<VecDeque<(Word, usize)>>,
    /// The first call is offered.
    starts: bool,
    random: Splitmix,
}

impl StreamDriver {
    fn add(&mut self, LoadedCall { call, taken, .. }: LoadedCall) {
        self.calls.push_back(call);
        for (waiting, words) in self.waiting.iter_mut().zip(taken) {
            waiting.extend(words.into_iter().map(|word| (word, call.program)));
        }
    }

    fn is_busy(&mut self) -> bool {
        self.random.below(4) < BUSY_CLOCKS
    }

    fn set(&mut self, wires: &mut Wires, ports: &CallPorts, nodes: &[NodeStreams]) -> bool {
        let call = self.calls.front().copied();
        self.starts = call.is_some() && self.is_busy();
        if let Some(call) = call {
            wires.set(ports.program, &small(call.program));
            wires.set(ports.root, &call.root.to_le_bytes()[..ports.bytes[ports.root]]);
        }
        for (node, streams) in nodes.iter().enumerate() {
            let offers = self.is_busy();
            let [data, valid, _, program] = streams.taken;
            match self.waiting[node].front().filter(|_| offers) {
                Some((word, number)) => {
                    wires.set(data, word);
                    wires.set(program, &small(*number));
                    wires.set(valid, &[1]);
                }
                None => wires.set(valid, &[0]),
            }
            let takes = self.is_busy();
            wires.set(streams.given[2], &[takes.into()]);
        }
        self.starts
    }

    fn note(&mut self, wires: &Wires, nodes: &[NodeStreams], ready: usize, errors: [usize; 2]) -> Events {
        let mut events = Events::default();
        let named = errors.into_iter().zip(["absent", "astray"]);
        events.error = named.into_iter().find(|&(index, _)| is_high(wires, index)).map(|(_, name)| name);
        events.taken = self.starts && is_high(wires, ready);
        if events.taken {
            self.calls.pop_front();
        }
        for (node, streams) in nodes.iter().enumerate() {
            let [_, valid, ready, _] = streams.taken;
            if is_high(wires, valid) && is_high(wires, ready) {
                self.waiting[node].pop_front();
                events.moved = true;
            }
            let [data, valid, ready, last, program] = streams.given;
            if is_high(wires, valid) && is_high(wires, ready) {
                events.moved = true;
                let marks = Some((is_high(wires, last), number(wires, program) as usize));
                events.given.push(GivenWord { node, word: wires.get(data).to_vec(), marks });
            }
        }
        events
    }
}

/// Bit of a ring's word that marks headers.
const HEADER: u64 = 1 << 32;
/// Operations of headers on the ring.
const WRITE: u64 = 2;
const READ: u64 = 4;

/// State of a host's call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
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
    calls: VecDeque<LoadedCall>,
    stage: Stage,
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
    fn set(&mut self, wires: &mut Wires, ports: &CallPorts, ring: &RingPorts) -> bool {
        if self.stage == Stage::Idle && !self.calls.is_empty() {
            self.stage = Stage::Placing;
        }
        if let Some(LoadedCall { call, .. }) = self.calls.front() {
            wires.set(ports.program, &small(call.program));
            wires.set(ports.root, &call.root.to_le_bytes()[..ports.bytes[ports.root]]);
        }
        let [data, valid, _] = ring.sent;
        wires.set(valid, &[(!self.outgoing.is_empty()).into()]);
        wires.set(data, &self.outgoing.front().copied().unwrap_or(0).to_le_bytes());
        wires.set(ring.received[2], &[1]);
        self.stage == Stage::Starting
    }

    fn note(&mut self, wires: &Wires, ring: &RingPorts) -> Events {
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

    fn next_stage(&mut self, wires: &Wires, ring: &RingPorts, events: &mut Events) {
        let Some(LoadedCall { taken, given, .. }) = self.calls.front() else { return };
        match self.stage {
            Stage::Placing if is_high(wires, ring.placed) => {
                for (node, words) in taken.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
                    self.outgoing.push_back(header(WRITE, node, words.len()));
                    let value = |word: &Word| word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
                    self.outgoing.extend(words.iter().map(value));
                }
                self.outgoing.push_back(HEADER);
                (self.ends, self.awaited, self.stage) = (0, 1, Stage::Writing);
            }
            Stage::Writing if self.ends == self.awaited => self.stage = Stage::Starting,
            Stage::Starting => {
                events.taken = true;
                self.stage = Stage::Running;
            }
            Stage::Running if is_high(wires, ring.done) => {
                for (node, &words) in given.iter().enumerate().filter(|&(_, &words)| words > 0) {
                    self.outgoing.extend([header(READ, node, words), HEADER]);
                    self.reading.push_back(node);
                }
                (self.ends, self.awaited, self.stage) = (0, self.reading.len(), Stage::Reading);
            }
            Stage::Reading if self.ends == self.awaited => {
                self.calls.pop_front();
                self.stage = Stage::Idle;
            }
            _ => {}
        }
    }
}
