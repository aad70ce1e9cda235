//! Results of a node: in which steps which arrivals are combined with its own values.

use super::node::{Asked, Bank, Node};
use crate::program::{Operation, Program};

/// Combination of a node's own values with what completes them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fold {
    /// Operation of the reduction.
    pub operation: Operation,
    /// Number of results that form side by side: one for each of the node's packets.
    pub packets: u32,
    /// Words of a result, one per step.
    pub flits: u32,
    /// Stretches of steps in which something is combined, in order; no two overlap.
    pub windows: Vec<Window>,
    /// Step from which the router is handed results instead of values, if it is.
    pub hands_on: Option<u32>,
}

/// Steps in which a word of every result is combined with what arrives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// First step, counted from 0: that of the first word.
    pub first: u32,
    /// By packet, the inputs whose arrivals count.
    pub inputs: Vec<Vec<u32>>,
}

impl Fold {
    /// Combination at a node; none if the program combines nothing.
    pub fn of(program: &Program, node: &Node) -> Option<Self> {
        let reduction = program.reduction.as_ref()?;
        let packets = node.results.len() as u32 / program.flits;
        let mut windows: Vec<Window> = Vec::new();
        for (packet, result) in node.results.iter().step_by(program.flits as usize).enumerate() {
            for operand in result.operands.iter() {
                let first = result.tick - operand.age - 1;
                let at = windows.binary_search_by_key(&first, |window| window.first).unwrap_or_else(|at| {
                    windows.insert(at, Window { first, inputs: vec![Vec::new(); packets as usize] });
                    at
                });
                windows[at].inputs[packet].push(operand.port.index() as u32);
            }
        }
        let hands_on = (reduction.ticks < program.ticks).then(|| reduction.ticks - 1);
        Some(Self { operation: reduction.operation, packets, flits: program.flits, windows, hands_on })
    }

    /// Inputs whose arrivals are combined.
    pub fn inputs(&self) -> impl Iterator<Item = u32> {
        self.windows.iter().flat_map(|window| window.inputs.iter().flatten().copied())
    }

    /// Windows in which something arrives for a packet.
    pub fn windows_of(&self, packet: u32) -> impl Iterator<Item = &Window> {
        self.windows.iter().filter(move |window| !window.inputs[packet as usize].is_empty())
    }
}

/// Values that a bank hands to its router, each once, and the packet whose result it hands on after them, word by word.
pub fn values(bank: &Bank, flits: u32) -> Option<(u32, Option<u32>)> {
    let count = bank.words.iter().take_while(|asked| matches!(asked, Asked::Taken(_))).count();
    let (values, results) = bank.words.split_at(count);
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let packet = match results.first() {
        Some(Asked::Result(first)) => Some(first / flits),
        _ => None,
    };
    let one = packet.into_iter().flat_map(|packet| (packet * flits..(packet + 1) * flits).map(Asked::Result));
    let is_right = sorted.len() == values.len() && one.eq(results.iter().copied());
    is_right.then_some((count as u32, packet))
}
