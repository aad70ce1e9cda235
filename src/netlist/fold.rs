//! Results of a node: in which steps which arrivals are combined with its own values.

use super::node::{AskedWord, Completed, Node, NodeBank};
use super::units::UnitPair;
use crate::program::{Number, Operand, Operation, Program};

/// Combination of a node's own values with what completes them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueFold {
    /// Operation of the reduction.
    pub operation: Operation,
    /// Type of the values.
    pub number: Number,
    /// Number of results that form side by side: one for each of the node's packets.
    pub packets: u32,
    /// Words of a result, one per step.
    pub flits: u32,
    /// Stretches of steps in which something is combined at once, in order; no two overlap.
    pub windows: Vec<FoldWindow>,
    /// Formation of each result, by packet, where combining takes time.
    pub formed: Vec<Formed>,
    /// Step from which the router is handed results instead of values, if it is.
    pub hands_on: Option<u32>,
}

/// Steps in which a word of every result is combined with what arrives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoldWindow {
    /// First step, counted from 0: that of the first word.
    pub first: u32,
    /// By packet, the inputs whose arrivals count.
    pub inputs: Vec<Vec<u32>>,
}

/// Formation of a packet's result by units that take time: all values enter them in the step of the last arrival.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Formed {
    /// Step of the last arrival for the first word, counted from 0.
    pub first: u32,
    /// Inputs in the order in which they are combined, each with the steps that its arrival waits.
    pub inputs: Vec<(u32, u32)>,
    /// Units row by row; the first value is the node's own.
    pub rows: Vec<Vec<UnitPair>>,
    /// Clocks from the step of the last arrival to the result.
    pub ticks: u32,
}

impl Formed {
    fn of(program: &Program, result: &Completed) -> Self {
        let youngest = result.operands.iter().map(|operand| operand.age).min().unwrap_or(1);
        let input = |operand: Operand| (operand.port.index() as u32, operand.age - youngest);
        let rows = result.operands.rows();
        Self {
            first: result.tick.saturating_sub(youngest + 1),
            inputs: result.operands.iter().map(input).collect(),
            rows: UnitPair::rows(1 + result.operands.iter().len(), rows),
            ticks: rows * program.adder_ticks(),
        }
    }
}

impl ValueFold {
    /// Combination at a node; none if the program combines nothing.
    pub fn of(program: &Program, node: &Node) -> Option<Self> {
        let reduction = program.reduction.as_ref()?;
        let packets = node.results.len() as u32 / program.flits;
        let results = || node.results.iter().step_by(program.flits as usize);
        let takes_time = program.adder_ticks() > 0;
        let formed = results().filter(|_| takes_time).map(|result| Formed::of(program, result)).collect();
        let mut windows: Vec<FoldWindow> = Vec::new();
        for (packet, result) in results().filter(|_| !takes_time).enumerate() {
            for operand in result.operands.iter() {
                let first = result.tick - operand.age - 1;
                let at = windows.binary_search_by_key(&first, |window| window.first).unwrap_or_else(|at| {
                    windows.insert(at, FoldWindow { first, inputs: vec![Vec::new(); packets as usize] });
                    at
                });
                windows[at].inputs[packet].push(operand.port.index() as u32);
            }
        }
        let hands_on = (reduction.ticks < program.ticks).then(|| reduction.ticks - 1);
        let (operation, number) = (reduction.operation, reduction.number);
        Some(Self { operation, number, packets, flits: program.flits, windows, formed, hands_on })
    }

    /// Inputs whose arrivals are combined.
    pub fn inputs(&self) -> impl Iterator<Item = u32> {
        let late = self.formed.iter().flat_map(|formed| formed.inputs.iter().map(|&(input, _)| input));
        self.windows.iter().flat_map(|window| window.inputs.iter().flatten().copied()).chain(late)
    }

    /// Clocks after the last of so many steps in which results still form.
    pub fn rest(&self, steps: u32) -> u32 {
        let ends = self.formed.iter().map(|formed| formed.first + self.flits + formed.ticks);
        ends.max().unwrap_or(0).saturating_sub(steps)
    }

    /// Windows in which something arrives for a packet.
    pub fn windows_of(&self, packet: u32) -> impl Iterator<Item = &FoldWindow> {
        self.windows.iter().filter(move |window| !window.inputs[packet as usize].is_empty())
    }
}

/// Values that a bank hands to its router, each once, and the packet whose result it hands on after them, word by word.
pub fn values(bank: &NodeBank, flits: u32) -> Option<(u32, Option<u32>)> {
    let count = bank.words.iter().take_while(|asked| matches!(asked, AskedWord::Taken(_))).count();
    let (values, results) = bank.words.split_at(count);
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let packet = match results.first() {
        Some(AskedWord::Result(first)) => Some(first / flits),
        _ => None,
    };
    let one = packet.into_iter().flat_map(|packet| (packet * flits..(packet + 1) * flits).map(AskedWord::Result));
    let is_right = sorted.len() == values.len() && one.eq(results.iter().copied());
    is_right.then_some((count as u32, packet))
}
