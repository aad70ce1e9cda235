//! Partials of a reduction in the self-test: each has a number, by which its value is known wherever it arrives.
//!
//! Sums and `xor`: every partial has a word of its own, as a flit has. A node's own value is that word less the words of
//! the partials that it is combined with. A partial that is missing, doubled or another one changes the sum.
//!
//! Operations in which one value decides (`max`, `min`, `and`, `or`), and floats, whose differences are rounded: in every
//! run one value of each sum is marked. The values of a sum are numbered from the root of its tree on, so that a partial
//! has those from a first to a last one. The next run marks the next value. In a sum of floats the value after the marked
//! one is the same, so that one addition, another one in each run, has two operands that are not zero.

use crate::net::{Channel, NodeId};
use crate::netlist::digits;
use crate::play::{Combiner, Payloads};
use crate::program::{Operation, Program, Source};

/// Rule by which the values of a sum are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Differences of words.
    Differences(Operation),
    /// One value of each sum is marked in every run.
    Marks,
}

impl ValueRule {
    /// Rule for a program that combines values.
    pub fn of(program: &Program) -> Option<Self> {
        let reduction = program.reduction.as_ref()?;
        Some(match reduction.operation {
            operation @ (Operation::Sum | Operation::Xor) if reduction.number.float().is_none() => {
                Self::Differences(operation)
            }
            _ => Self::Marks,
        })
    }
}

/// Partial that an output sends, or a result that a node does.
struct ExpectedPartial {
    flit: u32,
    /// Partials that go into it.
    operands: Vec<usize>,
    is_result: bool,
}

/// First and last of the values that a partial has, by their numbers in its sum.
#[derive(Clone, Copy, Default)]
struct Members {
    first: u32,
    last: u32,
}

/// Partials and results, in the order in which they are sent.
pub struct ExpectedPartials {
    rule: ValueRule,
    sent: Vec<ExpectedPartial>,
    members: Vec<Members>,
    /// By tick and register, what arrives at the input with the register's number.
    arrived: Vec<Option<usize>>,
    /// By register, what own values go into, in the order in which they are taken.
    taken: Vec<Vec<usize>>,
    flits: u64,
    /// Last of the values of the sum that has most.
    last: u32,
}

impl ExpectedPartials {
    /// Traces a program; `None` if it combines nothing.
    pub fn of(program: &Program) -> Option<Self> {
        let mut partials = Self {
            rule: ValueRule::of(program)?,
            sent: Vec::new(),
            members: Vec::new(),
            arrived: Vec::new(),
            taken: vec![Vec::new(); program.registers()],
            flits: program.demand.flits(),
            last: 0,
        };
        partials.trace(program);
        partials.members = vec![Members::default(); partials.sent.len()];
        if !partials.are_differences() && partials.are_trees() {
            partials.number();
        }
        Some(partials)
    }

    /// Returns true if every value can be marked by itself: every partial goes into one other, or a result.
    pub fn are_trees(&self) -> bool {
        let mut operands: Vec<usize> = self.sent.iter().flat_map(|sent| sent.operands.iter().copied()).collect();
        operands.sort_unstable();
        operands.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Returns true if every partial has a word of its own.
    pub fn are_differences(&self) -> bool {
        self.rule != ValueRule::Marks
    }

    /// Bits of a number that tells partials apart: of the word, and of each value's number in its sum.
    pub fn bits(&self) -> (u32, u32) {
        match self.rule {
            ValueRule::Differences(_) => (digits(self.sent.len().saturating_sub(1) as u32).max(2), 0),
            ValueRule::Marks => (digits(self.flits.saturating_sub(1) as u32).max(2), digits(self.last)),
        }
    }

    /// Last of the values of the sum that has most.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Number of a partial.
    fn number_of(&self, at: usize) -> u64 {
        let (ExpectedPartial { flit, is_result, .. }, Members { first, last }, (_, mark)) =
            (&self.sent[at], self.members[at], self.bits());
        match self.rule {
            ValueRule::Differences(_) => at as u64,
            // a result has all values
            ValueRule::Marks if *is_result => u64::from(*flit) << (2 * mark) | u64::from(self.last),
            ValueRule::Marks => (u64::from(*flit) << mark | u64::from(first)) << mark | u64::from(last),
        }
    }

    /// Number of what arrives at an input in a tick.
    pub fn arrival(&self, tick: u32, register: usize) -> Option<u64> {
        let registers = self.taken.len();
        self.arrived[(tick as usize - 1) * registers + register].map(|at| self.number_of(at))
    }

    /// Own values of an output, in the order in which they are taken: the number of what it sends, and those of the
    /// partials that the value is combined with.
    pub fn values(&self, register: usize) -> Vec<(u64, Vec<u64>)> {
        let (_, mark) = self.bits();
        let value = |&at: &usize| match (self.rule, &self.sent[at]) {
            (ValueRule::Differences(_), ExpectedPartial { operands, .. }) => {
                (at as u64, operands.iter().map(|&at| at as u64).collect())
            }
            (ValueRule::Marks, ExpectedPartial { is_result: true, .. }) => (self.number_of(at), Vec::new()),
            (ValueRule::Marks, ExpectedPartial { flit, .. }) => {
                let first = u64::from(self.members[at].first);
                ((u64::from(*flit) << mark | first) << mark | first, Vec::new())
            }
        };
        self.taken[register].iter().map(value).collect()
    }

    fn trace(&mut self, program: &Program) {
        let Some(mut combiner) = Combiner::new(program, Payloads { width: 1, seed: 0 }) else { return };
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let sources: Vec<Vec<Source>> = tracks.map(|track| track.sources(program.ticks).collect()).collect();
        let outputs = program.outputs();
        let mut results: Vec<Option<usize>> = vec![None; self.flits as usize];
        let mut sends = Sends { program, all: Vec::with_capacity(program.ticks as usize * program.registers()) };
        for tick in 1..=program.ticks {
            combiner.step();
            for register in 0..program.registers() {
                let (node, _) = program.owner(register);
                let class = program.class_of[node.index()].index();
                let flit = combiner.sending(register).map(|flit| flit.0);
                let source = sources[class * outputs + register % outputs][tick as usize - 1];
                let at = match (source, flit) {
                    (Source::Sum { operands }, Some(flit)) => {
                        let operands = operands
                            .iter()
                            .filter_map(|operand| sends.brought(tick, node, Channel::first(operand.port), operand.age));
                        let sent = ExpectedPartial { flit, operands: operands.collect(), is_result: false };
                        Some(self.send(register, sent))
                    }
                    (Source::Own { .. }, Some(flit)) => {
                        let known = results[flit as usize];
                        let sent = ExpectedPartial { flit, operands: Vec::new(), is_result: true };
                        let result = known.unwrap_or_else(|| self.send(register, sent));
                        if known.is_some() {
                            self.taken[register].push(result);
                        }
                        results[flit as usize] = Some(result);
                        Some(result)
                    }
                    (Source::In { port, age, .. }, Some(_)) => sends.brought(tick, node, Channel::first(port), age),
                    _ => None,
                };
                sends.all.push(at);
            }
            for register in 0..program.registers() {
                let (node, input) = program.owner(register);
                self.arrived.push(sends.brought(tick, node, input, 0));
            }
        }
    }

    /// Notes what an output sends with an own value of its node.
    fn send(&mut self, register: usize, sent: ExpectedPartial) -> usize {
        self.sent.push(sent);
        self.taken[register].push(self.sent.len() - 1);
        self.sent.len() - 1
    }

    /// Numbers the values of every sum: those of a partial follow one another.
    fn number(&mut self) {
        let mut is_operand = vec![false; self.sent.len()];
        for &operand in self.sent.iter().flat_map(|sent| &sent.operands) {
            is_operand[operand] = true;
        }
        let mut next = vec![0; self.flits as usize];
        for root in (0..self.sent.len()).filter(|&at| !is_operand[at] && !self.sent[at].is_result) {
            let mut path = vec![(root, 0)];
            while let Some((at, operand)) = path.last_mut() {
                let ExpectedPartial { flit, operands, .. } = &self.sent[*at];
                let next = &mut next[*flit as usize];
                if *operand == 0 {
                    self.members[*at].first = *next;
                    *next += 1;
                }
                if let Some(&inner) = operands.get(*operand) {
                    *operand += 1;
                    path.push((inner, 0));
                } else {
                    self.members[*at].last = *next - 1;
                    path.pop();
                }
            }
        }
        self.last = next.into_iter().max().unwrap_or(0).saturating_sub(1);
    }
}

/// Sends of every register in every tick played so far.
struct Sends<'p> {
    program: &'p Program,
    all: Vec<Option<usize>>,
}

impl Sends<'_> {
    /// Returns the partial that an input received some ticks ago, unless that lies in another part of the program.
    fn brought(&self, tick: u32, node: NodeId, input: Channel, age: u32) -> Option<usize> {
        let program = self.program;
        let reduced = program.reduction.as_ref()?.ticks;
        let (part, latency) =
            if tick > reduced { (reduced + 1, program.latency) } else { (0, program.reduce_latency()) };
        let then = tick.checked_sub(age).filter(|&then| then > part)?.checked_sub(latency)?;
        self.all[then as usize * program.registers() + program.arriving(node, input)?]
    }
}
