//! A gather whose lengths are found out while it runs, in lockstep with its state machines: whatever the lengths are, after
//! every tick every register of every node holds what the machine's does.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::dut::Dut;
use super::probe::Probe;
use super::words::{FlitWords, stored_bytes};
use super::{Agreement, LockstepError, Simulator, Toolchain};
use crate::emit::{self, names};
use crate::net::NodeId;
use crate::net::splitmix::Splitmix;
use crate::play::Payloads;
use crate::program::{FlitId, Program};
use crate::protocol::{Protocol, ProtocolKind, RegisterContents};

/// Ticks played on after the last word, in which nothing may move.
const SILENT_TICKS: u32 = 4;

/// The first register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolDifference {
    /// The lengths that were played.
    pub lengths: Vec<u32>,
    /// The tick after which it differs.
    pub tick: u32,
    /// The node's instance and the register.
    pub register: String,
    /// Value of the machine in hexadecimal; `None` if the register must be invalid.
    pub expected: Option<String>,
    /// Value in the RTL.
    pub got: Option<String>,
}

impl fmt::Display for ProtocolDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lengths, tick, register, expected, got } = self;
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "invalid".to_owned());
        write!(f, "lengths {lengths:?}, tick {tick}, {register}: expected {}, got {}", value(expected), value(got))
    }
}

/// Plays each of some lengths, the simulator built once.
pub fn play_protocol(
    tools: &Toolchain,
    program: &Program,
    options: &emit::Options,
    protocol: &Protocol,
    lengths: &[Vec<u32>],
    seed: u64,
) -> Result<Result<Agreement, Box<ProtocolDifference>>, LockstepError> {
    let simulator = Simulator::build(tools, program, options, None)?;
    simulator.play_protocol(protocol, lengths, seed)
}

/// Lengths to try a protocol with, by turns: all short, many empty, one giant among short ones, all empty but one.
pub fn random_lengths(protocol: &Protocol, rounds: u32, seed: u64) -> Vec<Vec<u32>> {
    const SHORT: u32 = 8;
    const GIANT: u32 = 64;
    let mut random = Splitmix(seed);
    let nodes = protocol.tree.topology().nodes();
    let round = |round: u32| {
        let chosen = random.below(nodes);
        let mut lengths: Vec<u32> = (0..nodes).map(|_| random.below(SHORT)).collect();
        match round % 4 {
            1 => lengths.iter_mut().for_each(|length| *length *= random.below(2)),
            2 => lengths[chosen as usize] = GIANT,
            3 => (0..).zip(&mut lengths).for_each(|(node, length)| *length *= u32::from(node == chosen)),
            _ => {}
        }
        lengths
    };
    (0..rounds).map(round).collect()
}

/// A register of a node by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RegisterPurpose {
    Data,
    Tap,
    Lag,
    Flits,
    Token(usize),
    Order(usize),
}

impl Simulator<'_> {
    /// Plays each of some lengths beside the machines of the protocol.
    pub fn play_protocol(
        &self,
        protocol: &Protocol,
        lengths: &[Vec<u32>],
        seed: u64,
    ) -> Result<Result<Agreement, Box<ProtocolDifference>>, LockstepError> {
        let (purposes, probes): (Vec<_>, Vec<_>) = self.registers(protocol).into_iter().unzip();
        let dut = self.load(&probes)?;
        let mut bench = ProtocolLockstep { simulator: self, protocol, purposes, probes, dut, ticks: 0 };
        for (round, lengths) in (0..).zip(lengths) {
            let payloads = Payloads { width: self.width, seed: seed.wrapping_add(round) };
            if let Err(difference) = bench.play(lengths, payloads) {
                return Ok(Err(difference));
            }
        }
        Ok(Ok(Agreement { ticks: bench.ticks, registers: bench.probes.len(), verilated: self.verilated }))
    }

    /// Every register that another node reads.
    fn registers(&self, protocol: &Protocol) -> Vec<((NodeId, RegisterPurpose), Probe)> {
        let Protocol { kind, tree, .. } = protocol;
        let topology = tree.topology();
        let (word, count) = (self.wiring.word_bytes, stored_bytes(protocol.count_bits()));
        let mut registers = Vec::new();
        for node in topology.node_ids() {
            let scope = format!("TOP.{}.{}", self.program.title.name, names::instance(topology, node));
            let is_root = node == tree.root();
            let mut add = |purpose, valid: String, data: String, bytes| {
                registers.push(((node, purpose), Probe { scope: scope.clone(), valid, data, bytes }));
            };
            let children = tree.children(node).len();
            if !is_root {
                add(RegisterPurpose::Data, "up_out_valid".into(), "up_out_data".into(), word);
            }
            match kind {
                ProtocolKind::ShoulderTap if is_root || children == 0 => {}
                ProtocolKind::ShoulderTap => add(RegisterPurpose::Tap, "tap_out_valid".into(), "tap_out".into(), count),
                ProtocolKind::Certification | ProtocolKind::CertificationAllPort => {
                    if !is_root {
                        add(RegisterPurpose::Lag, "certificate_out_valid".into(), "lag_out".into(), count);
                        add(RegisterPurpose::Flits, "certificate_out_valid".into(), "flits_out".into(), count);
                    }
                    for child in 0..children {
                        let [token, order] = ["token", "order"].map(|what| format!("{what}_{child}_out"));
                        add(RegisterPurpose::Token(child), token.clone(), token, 1);
                        add(RegisterPurpose::Order(child), format!("{order}_valid"), order, count);
                    }
                }
            }
        }
        registers
    }
}

struct ProtocolLockstep<'s> {
    simulator: &'s Simulator<'s>,
    protocol: &'s Protocol,
    purposes: Vec<(NodeId, RegisterPurpose)>,
    probes: Vec<Probe>,
    dut: Dut,
    ticks: u64,
}

impl ProtocolLockstep<'_> {
    fn play(&mut self, lengths: &[u32], payloads: Payloads) -> Result<(), Box<ProtocolDifference>> {
        let flits = self.numbers(lengths);
        let words = FlitWords::of(payloads, flits.iter().map(|flits| flits.end).max().unwrap_or(0) as u32);
        let mut expected = self.expected(lengths, &flits, &words);
        let last = expected.last_key_value().map_or(0, |((tick, _), _)| *tick);
        self.dut.set_lengths(&flits);
        self.dut.tick(true, false);
        // a run given up half way, by a reset or by `run` falling, leaves nothing behind
        for _ in 0..last / 2 {
            self.dut.present(&words);
            self.dut.tick(false, true);
        }
        let is_reset = last.is_multiple_of(2);
        self.dut.tick(is_reset, is_reset);
        for tick in 1..=last + SILENT_TICKS {
            self.dut.present(&words);
            self.dut.tick(false, true);
            self.ticks += 1;
            if let Some(register) = self.dut.noise() {
                let (node, output) = self.simulator.program.owner(register);
                return Err(Box::new(ProtocolDifference {
                    lengths: lengths.to_vec(),
                    tick,
                    register: format!("node {}, output {output}", self.simulator.program.topology.show(node)),
                    expected: None,
                    got: Some("a valid bit".into()),
                }));
            }
            for index in 0..self.probes.len() {
                let expected = expected.remove(&(tick, index));
                if !self.dut.holds(index, expected.as_deref()) {
                    let Probe { scope, data, .. } = &self.probes[index];
                    let hex = |word: Vec<u8>| {
                        let bytes: Vec<String> = word.iter().rev().map(|byte| format!("{byte:02x}")).collect();
                        bytes.concat()
                    };
                    return Err(Box::new(ProtocolDifference {
                        lengths: lengths.to_vec(),
                        tick,
                        register: format!("{scope}.{data}"),
                        expected: expected.map(hex),
                        got: self.dut.hex(index),
                    }));
                }
            }
        }
        assert!(expected.is_empty(), "every word of the machines has a register");
        self.dut.tick(false, false);
        Ok(())
    }

    /// The numbers of the flits of each input's message.
    fn numbers(&self, lengths: &[u32]) -> Vec<Range<u64>> {
        let mut end = 0;
        let of = |(_, node): &(String, NodeId)| {
            let start = end;
            end += u64::from(lengths[node.index()]);
            start..end
        };
        self.simulator.wiring.lengths.iter().map(of).collect()
    }

    /// Expected contents of each register, by tick and register.
    fn expected(&self, lengths: &[u32], flits: &[Range<u64>], words: &FlitWords) -> BTreeMap<(u32, usize), Vec<u8>> {
        let tree = &self.protocol.tree;
        let place: BTreeMap<(NodeId, RegisterPurpose), usize> =
            self.purposes.iter().enumerate().map(|(index, &purpose)| (purpose, index)).collect();
        let inputs = self.simulator.wiring.lengths.iter().map(|&(_, node)| node);
        let first: BTreeMap<NodeId, u64> = inputs.zip(flits).map(|(node, flits)| (node, flits.start)).collect();
        let mut expected = BTreeMap::new();
        for event in self.protocol.play(lengths) {
            let child =
                || tree.children(event.from).iter().position(|&child| child == event.to).expect("it is a child");
            let mut hold = |purpose, bytes: Vec<u8>| {
                // the root of a path taps its child without a register of a node's
                if let Some(&index) = place.get(&(event.from, purpose)) {
                    expected.insert((event.tick, index), bytes);
                }
            };
            let count = stored_bytes(self.protocol.count_bits());
            let number = |value: u32| u64::from(value).to_le_bytes()[..count].to_vec();
            match event.word {
                RegisterContents::Tap(ticks) => hold(RegisterPurpose::Tap, number(ticks)),
                RegisterContents::Token => hold(RegisterPurpose::Token(child()), vec![1]),
                RegisterContents::Order(ticks) => hold(RegisterPurpose::Order(child()), number(ticks)),
                RegisterContents::Certificate { lag, flits } => {
                    hold(RegisterPurpose::Lag, number(lag));
                    hold(RegisterPurpose::Flits, number(flits));
                }
                RegisterContents::Flit { of, flit } => {
                    let number = first[&of] + u64::from(flit);
                    hold(RegisterPurpose::Data, words.get(FlitId(number as u32)).to_vec());
                }
            }
        }
        expected
    }
}
