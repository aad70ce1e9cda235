//! Calls beside the model: registers after every tick, and the words that nodes give.
//!
//! Calls are played in the order in which they were taken. Words of other calls may move meanwhile. A board may be some ticks ahead of
//! others: values of the model are kept until all have played their tick.

mod given;
mod played;

use std::cmp::Ordering;
use std::collections::VecDeque;

use super::super::RegisterDifference;
use super::super::dut::DutWires;
use super::super::outcome::{DifferencePlace, LockstepPass};
use super::arrays::WordBits;
use super::events::{BlockName, Events};
use super::ports::{CallDevice, DeviceNode};
use super::traffic::Driver;
use super::{Call, CallAgreement, CallSimulator, CallWatch, SeenCall};
use crate::net::{Channel, NodeId};
use crate::play::Payloads;
use played::PlayedCall;

/// Clocks of the reset.
const RESET: u32 = 8;
/// Clocks after the last call in which nothing may come.
const QUIET: u32 = 64;
/// Clocks without progress after which a call is given up.
const PATIENCE: u32 = 20_000;
/// Calls whose words wait before they are taken.
const AHEAD: usize = 2;

/// Word that a node is to give.
struct Awaited {
    call: Call,
    place: usize,
    word: WordBits,
    /// Code of the node of its block.
    from: u32,
    /// Last of its call, and of its block.
    is_last: bool,
    ends: bool,
}

/// Progress of one device.
#[derive(Clone, Copy, Default)]
struct CallProgress {
    /// Calls that it has ended.
    calls: usize,
    /// Ticks of the call that it plays; none if it plays none.
    ticks: Option<u32>,
}

/// Design, and the model of the call that it plays.
pub(super) struct CallLockstep<'s, 'w> {
    simulator: &'s CallSimulator<'s>,
    watch: CallWatch<'w>,
    wires: DutWires,
    driver: Driver,
    seed: u64,
    nodes: Vec<NodeId>,
    channels: Vec<Channel>,
    /// Calls that are played or wait, and the number of those before them.
    calls: VecDeque<PlayedCall<'s>>,
    ended: usize,
    /// Progress by device.
    devices: Vec<CallProgress>,
    /// Words that nodes are to give, by node.
    awaited: Vec<VecDeque<Awaited>>,
    /// Words of the clock so far are the last of their blocks.
    row_ends: bool,
    /// Call that is played, or was last.
    last: Call,
    idle: u32,
    taken: usize,
    agreement: CallAgreement,
}

type CallResult = Result<(), Box<RegisterDifference>>;

impl<'s, 'w> CallLockstep<'s, 'w> {
    pub fn new(simulator: &'s CallSimulator<'s>, wires: DutWires, seed: u64, watch: CallWatch<'w>) -> Self {
        let program = simulator.listed[0].parts[0].program;
        let nodes: Vec<NodeId> = program.topology.live_ids().collect();
        let channels: Vec<Channel> = program.channels().collect();
        let devices = &simulator.ports.devices;
        let links: usize =
            devices.iter().map(|device| device.nodes.iter().map(|node| node.outputs.len()).sum::<usize>()).sum();
        let registers = links * if simulator.ports.are_inputs_held { 2 } else { 1 };
        let calls = vec![0; simulator.listed.len()];
        Self {
            simulator,
            watch,
            wires,
            driver: Driver::of(&simulator.ports, seed),
            seed,
            awaited: nodes.iter().map(|_| VecDeque::new()).collect(),
            row_ends: true,
            nodes,
            channels,
            calls: VecDeque::new(),
            ended: 0,
            devices: vec![CallProgress::default(); devices.len()],
            last: Call { number: 0, program: 0, root: 0 },
            idle: 0,
            taken: 0,
            agreement: CallAgreement { calls, registers, ..CallAgreement::default() },
        }
    }

    /// Plays all calls from a reset on.
    pub fn play(mut self, calls: &[Call]) -> Result<CallAgreement, Box<RegisterDifference>> {
        (0..RESET).for_each(|_| self.wires.tick(true, false));
        let mut next = calls.iter();
        loop {
            while self.driver.calls_left() < AHEAD
                && let Some(&call) = next.next()
            {
                self.load(call);
            }
            if self.taken == calls.len() && self.is_over() {
                break;
            }
            self.clock()?;
        }
        for _ in 0..QUIET {
            self.clock()?;
        }
        Ok(self.agreement)
    }

    fn is_over(&self) -> bool {
        self.calls.is_empty() && self.awaited.iter().all(VecDeque::is_empty)
    }

    /// Makes the words of a call, and its model.
    fn load(&mut self, call: Call) {
        let listed = &self.simulator.listed[call.program];
        let seed = self.seed.wrapping_mul(0x1_0001).wrapping_add(call.number.into());
        let played = PlayedCall::of(call, listed, Payloads { width: self.simulator.width, seed }, &self.nodes);
        self.driver.add(played.loaded(&self.nodes));
        self.calls.push_back(played);
    }

    /// A clock: what the edge moves, and what registers hold after it.
    fn clock(&mut self) -> CallResult {
        let starts = self.driver.set(&mut self.wires, &self.simulator.ports);
        self.wires.settle(false, starts);
        let events = self.driver.note(&self.wires, &self.simulator.ports);
        let simulator = self.simulator;
        let seen = |device: &CallDevice| {
            let [begins, plays, tick] = device.sequencer.map(|index| self.number(index) as u32);
            let is_enabled = device.enable.is_none_or(|enable| self.number(enable) != 0);
            is_enabled.then_some((begins != 0, plays != 0, tick))
        };
        let seen: Vec<Option<(bool, bool, u32)>> = simulator.ports.devices.iter().map(seen).collect();
        self.wires.tick(false, starts);
        (self.watch)(&SeenCall { wires: &self.wires, ports: &simulator.ports });
        let is_moving = seen.iter().flatten().any(|&(begins, plays, _)| begins || plays);
        self.progress(&events, is_moving)?;
        if let Some(error) = events.error {
            return Err(self.control(&format!("no {error}"), error));
        }
        for (number, seen) in seen.into_iter().enumerate() {
            let Some((begins, plays, tick)) = seen else { continue };
            if plays {
                self.tick(number, tick)?;
            } else if self.devices[number].ticks.is_some() {
                return Err(self.control("a tick", "none"));
            }
            if begins {
                self.begin(number)?;
            }
        }
        events.given.into_iter().try_for_each(|given| self.given(given))
    }

    fn progress(&mut self, events: &Events, plays: bool) -> CallResult {
        self.taken += usize::from(events.taken);
        self.idle = if events.taken || events.moved || plays { 0 } else { self.idle + 1 };
        if self.idle > PATIENCE { Err(self.control("an end", "none")) } else { Ok(()) }
    }

    /// A device begins its next call.
    fn begin(&mut self, number: usize) -> CallResult {
        let Some(playing) = self.calls.get(self.devices[number].calls - self.ended) else {
            return Err(self.control("no run", "a run"));
        };
        self.last = playing.call;
        self.devices[number].ticks = Some(0);
        Ok(())
    }

    /// A device plays a tick: the model has played it, or plays it now, and all registers are compared after it.
    fn tick(&mut self, number: usize, tick: u32) -> CallResult {
        let CallProgress { calls, ticks } = self.devices[number];
        let Some(before) = ticks else { return Err(self.control("no tick", &tick.to_string())) };
        let now = before + 1;
        if tick != now {
            return Err(self.control(&format!("tick {now}"), &format!("tick {tick}")));
        }
        let index = calls - self.ended;
        let PlayedCall { listed, call, .. } = self.calls[index];
        if self.calls[index].ticks < now {
            self.step(index);
        }
        self.compare(number, index, now)?;
        let is_last = tick == listed.ticks;
        self.last = call;
        self.devices[number] = if is_last {
            CallProgress { calls: calls + 1, ticks: None }
        } else {
            CallProgress { calls, ticks: Some(now) }
        };
        self.forget(index);
        Ok(())
    }

    /// Plays the next tick in the model.
    fn step(&mut self, index: usize) {
        let playing = &mut self.calls[index];
        playing.ticks += 1;
        let expected = playing.step(&self.channels);
        self.agreement.ticks += u64::from(!expected.is_empty());
        playing.expected.push_back(expected);
        if playing.ticks == playing.listed.ticks {
            self.agreement.calls[playing.call.program] += 1;
            self.await_words(index);
        }
    }

    /// Drops values of ticks that every device has played, and calls that every device has ended.
    fn forget(&mut self, index: usize) {
        let call = self.ended + index;
        let played = |device: &CallProgress| match device.calls.cmp(&call) {
            Ordering::Less => 0,
            Ordering::Equal => device.ticks.unwrap_or(0),
            Ordering::Greater => u32::MAX,
        };
        let least = self.devices.iter().map(played).min().unwrap_or(u32::MAX);
        let playing = &mut self.calls[index];
        while playing.ticks - (playing.expected.len() as u32) < least && !playing.expected.is_empty() {
            playing.expected.pop_front();
        }
        while self.devices.iter().all(|device| device.calls > self.ended) {
            self.calls.pop_front();
            self.ended += 1;
        }
    }

    /// Compares the output registers of the nodes of a device, then what arrives at their inputs, after a tick.
    fn compare(&mut self, number: usize, index: usize, tick: u32) -> CallResult {
        let simulator = self.simulator;
        let playing = &self.calls[index];
        let first = playing.ticks - playing.expected.len() as u32 + 1;
        let expected = &playing.expected[(tick - first) as usize];
        let mut values = 0;
        if expected.is_empty() {
            return Ok(());
        }
        let nodes = &simulator.ports.devices[number].nodes;
        let rank = |node: NodeId| playing.listed.topology().rank(node);
        let held = nodes.iter().flat_map(|of @ DeviceNode { node, outputs, .. }| {
            let values = expected[rank(*node)][0].iter().zip(outputs).zip(&self.channels);
            values.map(move |(value, &channel)| (of, value, DifferencePlace::Output(channel)))
        });
        let arrived = nodes.iter().filter(|_| simulator.ports.are_inputs_held);
        let arrived = arrived.flat_map(|of @ DeviceNode { node, inputs, .. }| {
            let values = expected[rank(*node)][1].iter().zip(inputs).zip(&self.channels);
            values.map(move |(value, &channel)| (of, value, DifferencePlace::Input(channel)))
        });
        for (DeviceNode { node, .. }, (expected, &wire), place) in held.chain(arrived) {
            let Some(expected) = expected else { continue };
            values += 1;
            let got = self.wires.get(wire);
            if got != expected.as_slice() {
                let at = (*node, playing.parts[0].positions[rank(*node)]);
                return Err(self.difference(playing.call, tick, at, place, (hex(expected), hex(got))));
            }
        }
        self.agreement.values += values;
        Ok(())
    }

    /// Expects the words that nodes give after a call.
    fn await_words(&mut self, index: usize) {
        let playing = &self.calls[index];
        for (&node, awaited) in self.nodes.iter().zip(&mut self.awaited) {
            let words = playing.given(node);
            let blocks: Vec<BlockName> = words.iter().map(|&(_, block)| block).collect();
            awaited.extend(words.into_iter().enumerate().map(|(place, (word, block))| Awaited {
                call: playing.call,
                place,
                word,
                from: self.simulator.ports.codes.all[playing.listed.topology().rank(block.node)],
                is_last: place + 1 == blocks.len(),
                ends: blocks.get(place + 1) != Some(&block),
            }));
        }
    }

    fn number(&self, index: usize) -> u64 {
        self.wires.get(index).iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    #[allow(clippy::unnecessary_box_returns)] // the error of an outcome
    fn control(&self, expected: &str, got: &str) -> Box<RegisterDifference> {
        let at = self.nodes[0];
        // a call whose words come in has not begun to play
        let call = self.calls.front().map_or(self.last, |playing| playing.call);
        self.difference(call, 0, (at, at), DifferencePlace::Control, (expected.into(), got.into()))
    }

    #[allow(clippy::unnecessary_box_returns)] // the error of an outcome
    fn difference(
        &self,
        call: Call,
        tick: u32,
        (node, position): (NodeId, NodeId),
        place: DifferencePlace,
        (expected, got): (String, String),
    ) -> Box<RegisterDifference> {
        let program = self.simulator.listed[call.program].parts[0].program;
        Box::new(RegisterDifference {
            pass: LockstepPass::Call { number: call.number, program: call.program, root: call.root },
            tick,
            node: program.topology.coords(node),
            place,
            class: program.class_name(program.class_of[position.index()]),
            expected: Some(expected),
            got: Some(got),
        })
    }
}

/// A word in hexadecimal.
fn hex(word: &[u8]) -> String {
    word.iter().rev().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}
