//! Words and calls that go into a design and come out of it: by the streams of all nodes, or by the ring of a host.

use std::collections::VecDeque;

use super::super::dut::DutWires;
use super::Call;
use super::arrays::WordBits;
use super::events::{BlockName, Events, GivenWord, LoadedCall, WordMarks, is_high, number, small};
use super::ports::{CallPorts, GivenPorts, NodeCodes, NodeStreams, TrafficPorts};
use super::ring::RingDriver;
use crate::net::NodeId;
use crate::net::splitmix::Splitmix;

/// Driver of one design: it sets inputs before each edge, and notes what the edge moves.
pub(super) enum Driver {
    Streams(StreamDriver),
    Ring(RingDriver),
}

impl Driver {
    pub fn of(ports: &CallPorts, seed: u64) -> Self {
        match &ports.traffic {
            TrafficPorts::Streams { nodes, .. } => Self::Streams(StreamDriver {
                calls: VecDeque::new(),
                waiting: vec![VecDeque::new(); nodes.len()],
                reading: nodes.iter().map(|_| NodeReading::default()).collect(),
                starts: false,
                random: Splitmix(seed),
            }),
            TrafficPorts::Ring(_) => Self::Ring(RingDriver::default()),
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
    pub fn set(&mut self, wires: &mut DutWires, ports: &CallPorts) -> bool {
        match (self, &ports.traffic) {
            (Self::Streams(driver), TrafficPorts::Streams { nodes, .. }) => driver.set(wires, ports, nodes),
            (Self::Ring(driver), TrafficPorts::Ring(ring)) => driver.set(wires, ports, ring),
            _ => unreachable!("the driver is made for the ports"),
        }
    }

    /// Notes what the coming edge moves.
    pub fn note(&mut self, wires: &DutWires, ports: &CallPorts) -> Events {
        match (self, &ports.traffic) {
            (Self::Streams(driver), TrafficPorts::Streams { nodes, ready, errors }) => {
                let mut events = driver.note(wires, nodes, *ready, &ports.codes);
                events.error = errors.iter().find(|&&(index, _)| is_high(wires, index)).map(|&(_, name)| name);
                events
            }
            (Self::Ring(driver), TrafficPorts::Ring(ring)) => driver.note(wires, ring),
            _ => unreachable!("the driver is made for the ports"),
        }
    }
}

/// Clocks of four in which a word is offered, or taken.
const BUSY_CLOCKS: u32 = 3;

/// Word that waits at a stream in.
#[derive(Clone)]
struct StreamWaiting {
    word: WordBits,
    program: usize,
    /// True for the last of a block.
    is_last: bool,
}

/// Reads of one node's port.
#[derive(Default)]
struct NodeReading {
    /// Words of the calls that are to be read: the number and the node of the block, and the place in it.
    calls: VecDeque<Vec<(usize, NodeId, usize)>>,
    /// Words of the first call that have been asked for.
    asked: usize,
    /// Program that the port named with each word that is on its way.
    programs: VecDeque<usize>,
}

/// Streams at every node.
pub(super) struct StreamDriver {
    /// Calls that wait, the one that is offered first.
    calls: VecDeque<Call>,
    /// Words by node.
    waiting: Vec<VecDeque<StreamWaiting>>,
    /// Reads by node.
    reading: Vec<NodeReading>,
    /// The first call is offered.
    starts: bool,
    random: Splitmix,
}

impl StreamDriver {
    fn add(&mut self, LoadedCall { call, taken, given }: LoadedCall) {
        self.calls.push_back(call);
        for (waiting, words) in self.waiting.iter_mut().zip(taken) {
            let next: Vec<BlockName> = words.iter().skip(1).map(|&(_, block)| block).collect();
            waiting.extend(words.into_iter().enumerate().map(|(place, (word, block))| StreamWaiting {
                word,
                program: call.program,
                is_last: next.get(place) != Some(&block),
            }));
        }
        for (reading, given) in self.reading.iter_mut().zip(given) {
            let blocks = given.into_iter().enumerate();
            let words: Vec<(usize, NodeId, usize)> =
                blocks.flat_map(|(number, (node, words))| (0..words).map(move |place| (number, node, place))).collect();
            reading.calls.extend((!words.is_empty()).then_some(words));
        }
    }

    fn is_busy(&mut self) -> bool {
        self.random.below(4) < BUSY_CLOCKS
    }

    fn set(&mut self, wires: &mut DutWires, ports: &CallPorts, nodes: &[NodeStreams]) -> bool {
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
                Some(waiting) => {
                    wires.set(data, &waiting.word);
                    wires.set(program, &small(waiting.program));
                    wires.set(valid, &[1]);
                    if let Some(ends) = streams.ends {
                        wires.set(ends, &[waiting.is_last.into()]);
                    }
                }
                None => wires.set(valid, &[0]),
            }
            let takes = self.is_busy();
            match streams.given {
                GivenPorts::Stream { signals, .. } => wires.set(signals[2], &[takes.into()]),
                GivenPorts::Memory { asked, .. } => self.read(wires, ports, node, asked, takes),
            }
        }
        self.starts
    }

    /// Asks for the next word at a read port, and frees the memory with the last.
    fn read(&mut self, wires: &mut DutWires, ports: &CallPorts, node: usize, asked: [usize; 4], takes: bool) {
        let [full, free, enable, address] = asked;
        let reading = &mut self.reading[node];
        let call = reading.calls.front().filter(|_| takes && is_high(wires, full));
        wires.set(enable, &[call.is_some().into()]);
        let is_last = call.is_some_and(|words| reading.asked + 1 == words.len());
        wires.set(free, &[is_last.into()]);
        let Some(&(number, of, place)) = call.map(|words| &words[reading.asked]) else { return };
        let codes = &ports.codes;
        let code = if codes.are_by_arrival { number as u32 } else { codes.of(of) };
        let at = u64::from(code) << codes.place | place as u64;
        wires.set(address, &at.to_le_bytes()[..ports.bytes[address].min(8)]);
        reading.asked += 1;
        if is_last {
            reading.calls.pop_front();
            reading.asked = 0;
        }
    }

    fn note(&mut self, wires: &DutWires, nodes: &[NodeStreams], ready: usize, codes: &NodeCodes) -> Events {
        let mut events = Events { taken: self.starts && is_high(wires, ready), ..Events::default() };
        if events.taken {
            self.calls.pop_front();
        }
        for (node, streams) in nodes.iter().enumerate() {
            let [_, valid, ready, _] = streams.taken;
            if is_high(wires, valid) && is_high(wires, ready) {
                self.waiting[node].pop_front();
                events.moved = true;
            }
            let marks = |lane: u32| WordMarks {
                program: number(wires, streams.program) as usize,
                from: streams.user.map(|user| bits(wires.get(user), lane * codes.bits, codes.bits) as u32),
                is_last: None,
            };
            match streams.given {
                GivenPorts::Stream { signals: [data, valid, ready, last], keep } => {
                    if !is_high(wires, valid) || !is_high(wires, ready) {
                        continue;
                    }
                    let kept = keep.map_or(1, |keep| number(wires, keep));
                    let words = (0..u64::BITS).filter(|lane| kept >> lane & 1 == 1).map(|lane| GivenWord {
                        node,
                        word: part(wires.get(data), lane, codes.width, keep.is_some()),
                        marks: Some(marks(lane)),
                    });
                    events.moved = true;
                    events.given.extend(words);
                    if let Some(WordMarks { is_last, .. }) =
                        events.given.last_mut().and_then(|word| word.marks.as_mut())
                    {
                        *is_last = Some(is_high(wires, last));
                    }
                }
                GivenPorts::Memory { asked: [_, _, enable, _], answer: [valid, data] } => {
                    let programs = &mut self.reading[node].programs;
                    if is_high(wires, valid) {
                        events.moved = true;
                        let word = wires.get(data).to_vec();
                        let program = programs.pop_front().unwrap_or(usize::MAX);
                        events.given.push(GivenWord { node, word, marks: Some(WordMarks { program, ..marks(0) }) });
                    }
                    programs.extend(is_high(wires, enable).then(|| number(wires, streams.program) as usize));
                }
            }
        }
        events
    }
}

/// Bits of a vector, at most 64.
fn bits(vector: &[u8], low: u32, count: u32) -> u64 {
    let bit = |at: u32| u64::from(vector[at as usize / 8] >> (at % 8) & 1);
    (0..count).map(|at| bit(low + at) << at).sum()
}

/// Word of a lane, as it would be stored by itself.
fn part(vector: &[u8], lane: u32, width: u32, is_lane: bool) -> WordBits {
    if !is_lane {
        return vector.to_vec();
    }
    let byte = |at: u32| bits(vector, lane * width + at * 8, (width - at * 8).min(8)) as u8;
    (0..width.div_ceil(8)).map(byte).collect()
}
