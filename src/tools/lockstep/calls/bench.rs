//! Calls beside the model: registers after every tick, and the words that nodes give.
//!
//! A call is played in the order in which it was taken. Words of other calls may move meanwhile.

use std::collections::VecDeque;

use super::super::Difference;
use super::super::dut::Wires;
use super::super::model::Model;
use super::super::outcome::{DifferencePlace, Pass};
use super::arrays::{Arrays, Word};
use super::traffic::{Driver, Events, GivenWord, LoadedCall};
use super::{Call, CallAgreement, CallSimulator, CallWatch, Listed, SeenCall};
use crate::net::{Channel, NodeId};
use crate::play::Payloads;

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
    word: Word,
    is_last: bool,
}

/// Call that is being played, or is to be.
struct Playing<'p> {
    call: Call,
    listed: &'p Listed<'p>,
    arrays: Arrays<'p>,
    model: Model<'p>,
    /// Node of the program by node of the network.
    positions: Vec<NodeId>,
    /// Ticks played, with those after the program.
    ticks: u32,
}

/// Design, and the model of the call that it plays.
pub(super) struct Bench<'s, 'w> {
    simulator: &'s CallSimulator<'s>,
    watch: CallWatch<'w>,
    wires: Wires,
    driver: Driver,
    seed: u64,
    nodes: Vec<NodeId>,
    channels: Vec<Channel>,
    waiting: VecDeque<Playing<'s>>,
    playing: Option<Playing<'s>>,
    /// Words that nodes are to give, by node.
    awaited: Vec<VecDeque<Awaited>>,
    /// Call that is played, or was last.
    last: Call,
    idle: u32,
    taken: usize,
    agreement: CallAgreement,
}

type Checked = Result<(), Box<Difference>>;

impl<'s, 'w> Bench<'s, 'w> {
    pub fn new(simulator: &'s CallSimulator<'s>, wires: Wires, seed: u64, watch: CallWatch<'w>) -> Self {
        let program = simulator.listed[0].program;
        let nodes: Vec<NodeId> = program.topology.node_ids().collect();
        let channels: Vec<Channel> = program.channels().collect();
        let registers = 2 * simulator.ports.outputs.len();
        let calls = vec![0; simulator.listed.len()];
        Self {
            simulator,
            watch,
            wires,
            driver: Driver::of(&simulator.ports, seed),
            seed,
            awaited: nodes.iter().map(|_| VecDeque::new()).collect(),
            nodes,
            channels,
            waiting: VecDeque::new(),
            playing: None,
            last: Call { number: 0, program: 0, root: 0 },
            idle: 0,
            taken: 0,
            agreement: CallAgreement { calls, registers, ..CallAgreement::default() },
        }
    }

    /// Plays all calls from a reset on.
    pub fn play(mut self, calls: &[Call]) -> Result<CallAgreement, Box<Difference>> {
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
        self.waiting.is_empty() && self.playing.is_none() && self.awaited.iter().all(VecDeque::is_empty)
    }

    /// Makes the words of a call, and its model.
    fn load(&mut self, call: Call) {
        let listed = &self.simulator.listed[call.program];
        let seed = self.seed.wrapping_mul(0x1_0001).wrapping_add(call.number.into());
        let payloads = Payloads { width: self.simulator.width, seed };
        let arrays = Arrays::of(listed, call, payloads);
        let positions: Vec<NodeId> = self.nodes.iter().map(|&node| arrays.position(node)).collect();
        let taken = self.nodes.iter().map(|&node| arrays.taken(node)).collect();
        let given = positions.iter().map(|position| listed.placed.words[position.index()].1 as usize).collect();
        self.driver.add(LoadedCall { call, taken, given });
        let model = Model::of(listed.program, payloads);
        self.waiting.push_back(Playing { call, listed, arrays, model, positions, ticks: 0 });
    }

    /// A clock: what the edge moves, and what registers hold after it.
    fn clock(&mut self) -> Checked {
        let starts = self.driver.set(&mut self.wires, &self.simulator.ports);
        self.wires.settle(false, starts);
        let events = self.driver.note(&self.wires, &self.simulator.ports);
        let [begins, plays, tick] = self.simulator.ports.sequencer.map(|index| self.number(index) as u32);
        self.wires.tick(false, starts);
        (self.watch)(&SeenCall { wires: &self.wires, ports: &self.simulator.ports });
        self.progress(&events, begins != 0 || plays != 0)?;
        if let Some(error) = events.error {
            return Err(self.control(&format!("no {error}"), error));
        }
        if plays != 0 {
            self.tick(tick)?;
        } else if self.playing.is_some() {
            return Err(self.control("a tick", "none"));
        }
        if begins != 0 {
            let Some(playing) = self.waiting.pop_front() else { return Err(self.control("no run", "a run")) };
            self.last = playing.call;
            self.playing = Some(playing);
        }
        events.given.into_iter().try_for_each(|given| self.given(given))
    }

    fn progress(&mut self, events: &Events, plays: bool) -> Checked {
        self.taken += usize::from(events.taken);
        self.idle = if events.taken || events.moved || plays { 0 } else { self.idle + 1 };
        if self.idle > PATIENCE { Err(self.control("an end", "none")) } else { Ok(()) }
    }

    /// Plays a tick in the model, and compares all registers after it.
    fn tick(&mut self, tick: u32) -> Checked {
        let Some(mut playing) = self.playing.take() else { return Err(self.control("no tick", &tick.to_string())) };
        playing.ticks += 1;
        if tick != playing.ticks {
            return Err(self.control(&format!("tick {}", playing.ticks), &format!("tick {tick}")));
        }
        if tick <= playing.listed.program.ticks {
            playing.model.step();
            self.agreement.ticks += 1;
            self.compare(&playing)?;
        }
        if tick == playing.listed.placed.ticks {
            self.agreement.calls[playing.call.program] += 1;
            self.await_words(&playing);
        } else {
            self.playing = Some(playing);
        }
        Ok(())
    }

    /// Compares the output registers of every node, then what arrives at its inputs.
    fn compare(&mut self, playing: &Playing<'_>) -> Checked {
        let program = playing.listed.program;
        let (words, ports) = (playing.arrays.words(), &self.simulator.ports);
        let all = || {
            let nodes = playing.positions.iter().zip(&self.nodes);
            nodes.flat_map(|at| self.channels.iter().map(move |&channel| (channel, at)))
        };
        let held = all().zip(&ports.outputs).map(|((channel, at), &wire)| {
            let register = program.register(*at.0, channel);
            (playing.model.held(register, words), wire, DifferencePlace::Output(channel), at)
        });
        let arrived = all().zip(&ports.inputs).map(|((channel, at), &wire)| {
            let register = program.arriving(*at.0, channel);
            let value = register.and_then(|register| playing.model.register(register, words));
            (value, wire, DifferencePlace::Input(channel), at)
        });
        let mut values = 0;
        for (expected, wire, place, (&position, &node)) in held.chain(arrived) {
            let Some(expected) = expected else { continue };
            values += 1;
            let got = self.wires.get(wire);
            if got != &*expected {
                let shown = (hex(&expected), hex(got));
                return Err(self.difference(playing.call, playing.ticks, (node, position), place, shown));
            }
        }
        self.agreement.values += values;
        Ok(())
    }

    /// Expects the words that nodes give after a call.
    fn await_words(&mut self, playing: &Playing<'_>) {
        let results = match &playing.model {
            Model::Combines(combiner) => Some(combiner),
            Model::Moves(_) => None,
        };
        for (&node, awaited) in self.nodes.iter().zip(&mut self.awaited) {
            let words = playing.arrays.given(node, results);
            let last = words.len().saturating_sub(1);
            awaited.extend(words.into_iter().enumerate().map(|(place, word)| Awaited {
                call: playing.call,
                place,
                word,
                is_last: place == last,
            }));
        }
    }

    /// Compares a word that a node gives.
    fn given(&mut self, GivenWord { node, word, marks }: GivenWord) -> Checked {
        let at = self.nodes[node];
        let Some(Awaited { call, place, word: expected, is_last }) = self.awaited[node].pop_front() else {
            let place = DifferencePlace::Word(0);
            return Err(self.difference(self.last, 0, (at, at), place, ("none".into(), hex(&word))));
        };
        let are_marked = marks.is_none_or(|marks| marks == (is_last, call.program));
        let (low, high) = word.split_at(expected.len().min(word.len()));
        if !are_marked || low != expected || high.iter().any(|&byte| byte != 0) {
            let said = marks.map(|(last, program)| format!("{}of program {program}", if last { "last " } else { "" }));
            let right = marks.map(|_| format!("{}of program {}", if is_last { "last " } else { "" }, call.program));
            let shown = |word: &[u8], marks: Option<String>| format!("{} {}", hex(word), marks.unwrap_or_default());
            let values = (shown(&expected, right).trim_end().into(), shown(&word, said).trim_end().into());
            return Err(self.difference(call, 0, (at, at), DifferencePlace::Word(place), values));
        }
        self.agreement.words += 1;
        Ok(())
    }

    fn number(&self, index: usize) -> u64 {
        self.wires.get(index).iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    #[allow(clippy::unnecessary_box_returns)] // the error of an outcome
    fn control(&self, expected: &str, got: &str) -> Box<Difference> {
        let at = self.nodes[0];
        // a call whose words come in has not begun to play
        let call = self.playing.as_ref().or_else(|| self.waiting.front()).map_or(self.last, |playing| playing.call);
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
    ) -> Box<Difference> {
        let program = self.simulator.listed[call.program].program;
        Box::new(Difference {
            pass: Pass::Call { number: call.number, program: call.program, root: call.root },
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
