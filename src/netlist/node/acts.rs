//! Register transfers of one node in every tick, with don't-cares: what a design's control words are made of.
//!
//! An output that has nothing to send may send anything, as no node keeps it. A word that a node combines by itself forms in a
//! register that is read like an input: a *unit*, numbered after the inputs.

use std::collections::{BTreeMap, BTreeSet};

use super::super::local::BlockOrder;
use super::streams::StreamIn;
use super::trace::FlitTrace;
use super::{BankPlace, MessageBlock, NodeLowering};
use crate::net::{Channel, NodeId};
use crate::program::{ClassId, FlitId, Program, Source};

/// Operands that an output, or a unit, combines in one tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Act {
    /// Word of the node's own, by its place in the stream in.
    pub own: Option<u32>,
    /// Inputs and units, each with the number of ticks since the arrival, in the order in which they are combined.
    pub inputs: Vec<(u32, u32)>,
    /// Rows of adders that they pass, if combining takes time.
    pub rows: Option<u32>,
}

/// Everything that one node does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acts {
    /// By tick from 1 on: what each output and unit loads, and the inputs and units whose arrival of the tick before is kept.
    pub ticks: Vec<Tick>,
    /// Blocks of the stream in.
    pub takes: Vec<MessageBlock>,
    /// Words of the stream in that go out as they are.
    pub passed: Vec<u32>,
    /// Blocks of the stream out.
    pub gives: Vec<MessageBlock>,
    /// Place of each word of the stream out.
    pub words: Vec<FoundPlace>,
}

/// One tick of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    /// By output, then by unit; none where nothing is sent.
    pub acts: Vec<Option<Act>>,
    /// By output, then by unit: the rows of adders whose sum is loaded in this tick.
    pub sums: Vec<Option<u32>>,
    /// Inputs and units, in order.
    pub keeps: Vec<u32>,
}

/// Place of a word that goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundPlace {
    /// Place among the words that pass.
    Passed(u32),
    /// Input or unit, and the place among what is kept there.
    Kept(u32, u32),
}

impl Tick {
    /// A tick in which none of so many outputs and units does anything.
    pub fn idle(registers: usize) -> Self {
        Self { acts: vec![None; registers], sums: vec![None; registers], keeps: Vec::new() }
    }
}

/// Ticks in which a unit combines a word.
#[derive(Clone, Copy)]
struct Forming {
    /// Tick in which the operands are read, and by how much that is before the one of the result.
    first: u32,
    earlier: u32,
    /// Tick in which the register loads the sum.
    last: u32,
}

impl<'p> NodeLowering<'p> {
    /// Lowers a program flit by flit. Two nodes and one message are a scatter as well as a gather: `roots` say which nodes
    /// have a block for themselves.
    pub fn of_flits(program: &'p Program, roots: &[NodeId]) -> Self {
        let (adder, rows) = (program.adder_ticks(), program.adder_rows());
        Self { trace: FlitTrace::of(program), program, adder, rows, roots: roots.to_vec() }
    }

    /// Number of units: words that a node combines by itself in one tick.
    pub fn units(&self) -> usize {
        let classes = (0..self.program.classes.len()).map(|class| ClassId(class as u32));
        let places = classes.flat_map(|class| self.program.result_places(class));
        places.map(|place| place.unit as usize + 1).max().unwrap_or(0)
    }

    /// Register transfers of one node.
    pub fn acts(&self, node: NodeId, units: usize) -> Acts {
        let program = self.program;
        let super::Node { takes, results, gives, kept, .. } = self.node(node, BlockOrder::Origin);
        let outputs = program.outputs();
        let last = results.iter().map(|result| self.forming(result).last).max().unwrap_or(0).max(program.ticks);
        let mut ticks = vec![Tick::idle(outputs + units); last as usize + 1];
        let taken = StreamIn::of(program, node, &self.roots);
        for (output, channel) in program.channels().enumerate() {
            let mut spans = program.class(node).outputs[output].spans(program.ticks).peekable();
            for step in 0..program.ticks {
                while spans.next_if(|span| span.last <= step).is_some() {}
                let source = spans.peek().map_or(Source::Idle, |span| span.source);
                let act = self.act(node, channel, source, step, &taken, &results);
                if let Some(rows) = act.as_ref().and_then(|act| act.rows) {
                    let loads = step + program.reduce_latency() - program.latency;
                    // a legal program begins no sum that would leave the adders after its last tick
                    if let Some(tick) = ticks.get_mut(loads as usize) {
                        tick.sums[output] = Some(rows);
                    }
                }
                ticks[step as usize].acts[output] = act;
            }
        }
        for result in &results {
            let Forming { first, earlier, last } = self.forming(result);
            let unit = outputs + result.place.unit as usize;
            let arrivals = self.arrivals(node, result);
            if result.place.accumulates && !arrivals.is_empty() {
                for (at, (&step, inputs)) in arrivals.iter().enumerate() {
                    let so_far = (at > 0).then_some((unit as u32, 1));
                    let inputs = inputs.iter().map(|&input| (input, 1)).chain(so_far);
                    let own = (at == 0).then_some(result.own);
                    ticks[step as usize + 1].acts[unit] = Some(Act { own, inputs: self.ordered(inputs), rows: None });
                }
                continue;
            }
            let operands = result.operands.iter().filter_map(|operand| {
                let input = Channel::first(operand.port);
                let step = (result.tick - 1).checked_sub(operand.age)?;
                self.trace.arrived(program, node, input, step)?;
                Some((program.output_index(input) as u32, operand.age - earlier))
            });
            let rows = (self.adder > 0).then(|| result.operands.rows());
            ticks[first as usize - 1].acts[unit] =
                Some(Act { own: Some(result.own), inputs: self.ordered(operands), rows });
            ticks[last as usize - 1].sums[unit] = rows;
        }
        let (passed, words) = self.found(&kept, &results, &mut ticks);
        Acts { ticks, takes, passed, gives, words }
    }

    /// Inputs by which what completes a word comes, by the step of the arrival.
    fn arrivals(&self, node: NodeId, result: &super::Completed) -> BTreeMap<u32, Vec<u32>> {
        let mut arrivals: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for operand in result.operands.iter() {
            let Some(step) = (result.tick - 1).checked_sub(operand.age) else { continue };
            let input = Channel::first(operand.port);
            if self.trace.arrived(self.program, node, input, step).is_some() {
                arrivals.entry(step).or_default().push(self.program.output_index(input) as u32);
            }
        }
        arrivals
    }

    /// Operands of an output that sends in a step what has come so far, if a unit has added it up but for the last arrivals.
    fn so_far(&self, node: NodeId, result: &super::Completed, step: u32, inputs: &[(u32, u32)]) -> Option<Act> {
        if !result.place.accumulates {
            return None;
        }
        let arrivals = self.arrivals(node, result);
        let last = *arrivals.keys().next_back()?;
        let come = arrivals.range(..step).flat_map(|(&then, inputs)| inputs.iter().map(move |&it| (it, step - then)));
        let is_all = come.collect::<BTreeSet<_>>() == inputs.iter().copied().collect();
        // the next word takes the unit in the tick after this one is complete
        let is_there = step <= last + 2 && inputs.iter().any(|&(_, age)| age > 1);
        let unit = self.program.outputs() as u32 + result.place.unit;
        let latest = inputs.iter().copied().filter(|&(_, age)| age == 1);
        (is_all && is_there).then(|| Act { own: None, inputs: self.ordered(latest.chain([(unit, 1)])), rows: None })
    }

    /// Ticks in which a word forms.
    fn forming(&self, result: &super::Completed) -> Forming {
        let earlier = result.place.earlier;
        let first = result.tick - earlier;
        Forming { first, earlier, last: first + self.adder * result.operands.rows() }
    }

    /// Operands in the order in which they are combined: any order, but for floats.
    fn ordered(&self, inputs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
        let mut inputs: Vec<_> = inputs.collect();
        if self.adder == 0 {
            inputs.sort_unstable();
        }
        inputs
    }

    /// Operands of an output in a step, counted from 0.
    fn act(
        &self,
        node: NodeId,
        output: Channel,
        source: Source,
        step: u32,
        taken: &StreamIn,
        results: &[super::Completed],
    ) -> Option<Act> {
        let program = self.program;
        let sent = self.trace.sent(program.register(node, output), step)?;
        let inject = program.class(node).outputs[program.output_index(output)].inject;
        let is_injected = inject.is_some() && program.window(node).open(step + 1).is_some();
        let own = || Act { own: Some(taken.place(program, node, sent)), inputs: Vec::new(), rows: None };
        if is_injected {
            return Some(own());
        }
        let gather = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks + 1);
        let part = if step + 1 < gather { 0 } else { gather };
        let arrived = |input: Channel, age: u32| {
            let step = step.checked_sub(age).filter(|&step| step >= part)?;
            (self.trace.arrived(program, node, input, step)? == sent)
                .then_some((program.output_index(input) as u32, age))
        };
        match source {
            Source::Idle => None,
            Source::Own { .. } if program.reduction.is_some() => {
                let number = self.result(node, sent);
                let unit = program.outputs() as u32 + results[number].place.unit;
                // a unit holds what it has combined: of a single word any later tick is the next one
                let age = if program.flits == 1 { 1 } else { step + 1 - self.forming(&results[number]).last };
                Some(Act { own: None, inputs: vec![(unit, age)], rows: None })
            }
            Source::Own { .. } => Some(own()),
            Source::Sum { operands } => {
                let inputs: Vec<(u32, u32)> =
                    operands.iter().filter_map(|operand| arrived(Channel::first(operand.port), operand.age)).collect();
                if program.results_of(node).contains(&sent.0.into())
                    && let Some(act) = self.so_far(node, &results[self.result(node, sent)], step, &inputs)
                {
                    return Some(act);
                }
                let rows = (self.adder > 0).then_some(self.rows);
                Some(Act {
                    own: Some(taken.place(program, node, sent)),
                    inputs: self.ordered(inputs.into_iter()),
                    rows,
                })
            }
            Source::In { .. } | Source::Any { .. } => {
                let age = source.age()?;
                let input = source.inputs().find_map(|input| arrived(input, age))?;
                Some(Act { own: None, inputs: vec![input], rows: None })
            }
        }
    }

    /// Number of a node's own flit among the words that it combines.
    fn result(&self, node: NodeId, flit: FlitId) -> usize {
        flit.0 as usize - self.program.results_of(node).start as usize
    }

    /// Places of the words that go out; what is kept for them is noted in the ticks.
    fn found(
        &self,
        kept: &[BankPlace],
        results: &[super::Completed],
        ticks: &mut Vec<Tick>,
    ) -> (Vec<u32>, Vec<FoundPlace>) {
        let program = self.program;
        let mut passed: Vec<u32> = Vec::new();
        // by input or unit: ticks in which something arrives that is kept
        let mut arrivals: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let arrival = |place: BankPlace| match place {
            BankPlace::Taken(_) => None,
            BankPlace::Received { step, input } => Some((input, step + 1)),
            BankPlace::Result(number) => {
                let result = &results[number as usize];
                Some((program.outputs() as u32 + result.place.unit, self.forming(result).last))
            }
        };
        for &place in kept {
            match (place, arrival(place)) {
                (_, Some((input, tick))) => arrivals.entry(input).or_default().push(tick),
                (BankPlace::Taken(word), None) => passed.push(word),
                _ => {}
            }
        }
        passed.sort_unstable();
        passed.dedup();
        for (&input, list) in &mut arrivals {
            list.sort_unstable();
            list.dedup();
            for &tick in &*list {
                if ticks.len() <= tick as usize {
                    let idle = Tick::idle(ticks[0].acts.len());
                    ticks.resize(tick as usize + 1, idle);
                }
                ticks[tick as usize].keeps.push(input);
            }
        }
        let rank = |list: &[u32], item: u32| list.binary_search(&item).expect("it was put there") as u32;
        let words = kept.iter().map(|&place| match (place, arrival(place)) {
            (_, Some((input, tick))) => FoundPlace::Kept(input, rank(&arrivals[&input], tick)),
            (BankPlace::Taken(word), None) => FoundPlace::Passed(rank(&passed, word)),
            (BankPlace::Result(_) | BankPlace::Received { .. }, None) => unreachable!("it arrives"),
        });
        let words = words.collect();
        (passed, words)
    }
}
