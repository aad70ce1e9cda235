//! Rules of a node in every tick of a program, read off its tracks and its model.

use std::collections::{BTreeMap, BTreeSet};

use crate::net::{Channel, NodeId};
use crate::play::{Combiner, Machine, Payloads};
use crate::program::{FlitId, Program, Source};

/// Value that an output or unit loads, or one of those that it combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOperand {
    /// Word of the node's own.
    Own,
    /// Arrival at an input, some ticks ago.
    Arrival { input: usize, age: u32 },
    /// Word that a unit has combined, by the unit and its flit.
    Result { unit: usize, flit: u32 },
}

/// Contents of an output, or of a unit after them, after a tick, and behind adders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TickRule {
    /// Tick in which the operands are read.
    pub tick: u32,
    /// Ticks that they take to become the contents: those of adders in a row.
    pub late: u32,
    pub output: usize,
    /// Place of the flit in a packet that a unit combines.
    pub flit: u32,
    pub operands: Vec<RuleOperand>,
}

/// Rules of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRules {
    pub rules: Vec<TickRule>,
    /// Tick and input or unit of everything that is kept of the tick before.
    pub keeps: BTreeSet<(u32, usize)>,
}

/// Flits in all registers, tick after tick.
pub struct Moves<'p> {
    program: &'p Program,
    /// By tick, then by register: what an output sends.
    sent: Vec<Vec<Option<FlitId>>>,
    /// Flits by tick and register, as seen at the far ends of links.
    arrived: Vec<Vec<Option<FlitId>>>,
}

impl<'p> Moves<'p> {
    /// Plays a program.
    pub fn of(program: &'p Program) -> Self {
        let registers = || 0..program.registers();
        let nothing = vec![None; program.registers()];
        let (mut sent, mut arrived) = (vec![nothing.clone()], vec![nothing]);
        if let Some(mut combiner) = Combiner::new(program, Payloads { width: 8, seed: 1 }) {
            while !combiner.is_done() {
                combiner.step();
                sent.push(registers().map(|register| combiner.sending(register)).collect());
                arrived.push(registers().map(|register| combiner.flit(register)).collect());
            }
        } else {
            let mut machine = Machine::new(program);
            while !machine.is_done() {
                machine.step();
                sent.push(registers().map(|register| machine.register(register)).collect());
                arrived.push(registers().map(|register| machine.delivered(register)).collect());
            }
        }
        Self { program, sent, arrived }
    }

    /// Flit that arrives at an input in a tick.
    fn arrival(&self, node: NodeId, input: Channel, tick: u32) -> Option<FlitId> {
        self.arrived.get(tick as usize)?[self.program.arriving(node, input)?]
    }

    /// Rules of a node.
    pub fn rules(&self, node: NodeId) -> NodeRules {
        let program = self.program;
        let mut all = NodeRules::default();
        for tick in 1..=program.ticks {
            for (output, channel) in program.channels().enumerate() {
                let Some(flit) = self.sent[tick as usize][program.register(node, channel)] else { continue };
                let operands = self.operands(node, output, tick, flit);
                let is_sum = program.class(node).outputs[output].source_at(tick).is_sum();
                let late = program.reduction.as_ref().filter(|_| is_sum).map_or(0, |reduction| reduction.adding);
                all.rules.push(TickRule { tick, late, output, flit: 0, operands });
            }
        }
        self.combine(node, &mut all);
        self.keep(node, &mut all);
        all
    }

    /// Operands of what an output sends.
    fn operands(&self, node: NodeId, output: usize, tick: u32, flit: FlitId) -> Vec<RuleOperand> {
        let program = self.program;
        let track = &program.class(node).outputs[output];
        if track.inject.is_some() && program.window(node).open(tick).is_some() {
            return vec![RuleOperand::Own];
        }
        let arrival = |input: Channel, age: u32| {
            let is_it = self.arrival(node, input, tick.checked_sub(age)?) == Some(flit);
            is_it.then(|| RuleOperand::Arrival { input: program.output_index(input), age })
        };
        match track.source_at(tick) {
            Source::Own { .. } if program.reduction.is_some() => {
                let number = flit.0 - program.results_of(node).start as u32;
                let (packet, flit) = (number / program.flits, number % program.flits);
                let places = program.result_places(program.class_of[node.index()]);
                vec![RuleOperand::Result { unit: places[packet as usize].unit as usize, flit }]
            }
            Source::Own { .. } => vec![RuleOperand::Own],
            Source::Sum { operands } => {
                let arrivals: Vec<RuleOperand> =
                    operands.iter().filter_map(|it| arrival(Channel::first(it.port), it.age)).collect();
                let come = |operand: &RuleOperand| match *operand {
                    RuleOperand::Arrival { input, age } => Some((tick - age, input)),
                    RuleOperand::Own | RuleOperand::Result { .. } => None,
                };
                let so_far = self.so_far(node, flit, tick, arrivals.iter().filter_map(come).collect());
                so_far.unwrap_or_else(|| std::iter::once(RuleOperand::Own).chain(arrivals).collect())
            }
            source => {
                let age = source.age().unwrap_or(1);
                source.inputs().find_map(|input| arrival(input, age)).into_iter().collect()
            }
        }
    }

    /// Adds the words that a node combines by itself.
    fn combine(&self, node: NodeId, all: &mut NodeRules) {
        let program = self.program;
        let Some(reduction) = &program.reduction else { return };
        let class = program.class_of[node.index()];
        let places = program.result_places(class);
        for (packet, (operands, place)) in (0..).zip(reduction.results[class.index()].iter().zip(places)) {
            let output = program.outputs() + place.unit as usize;
            if place.accumulates && operands.iter().len() > 0 {
                let number = program.result_flit(node, packet, 0) as u32;
                self.accumulate(node, FlitId(number), output, all);
                continue;
            }
            let late = program.adder_ticks() * operands.rows();
            for flit in 0..program.flits {
                let number = program.result_flit(node, packet, flit);
                let tick = reduction.ticks + 1 + flit - place.earlier;
                let arrivals = operands.iter().filter_map(|operand| {
                    let (input, age) = (Channel::first(operand.port), operand.age - place.earlier);
                    let is_it = self.arrival(node, input, tick.checked_sub(age)?) == Some(FlitId(number as u32));
                    is_it.then(|| RuleOperand::Arrival { input: program.output_index(input), age })
                });
                let operands = std::iter::once(RuleOperand::Own).chain(arrivals).collect();
                all.rules.push(TickRule { tick, late, output, flit, operands });
                all.keeps.insert((tick + late + 1, output));
            }
        }
    }

    /// Adds the sums of a unit after each tick in which something comes. They are told apart by their ticks.
    fn accumulate(&self, node: NodeId, flit: FlitId, output: usize, all: &mut NodeRules) {
        let unit = output - self.program.outputs();
        let mut before = RuleOperand::Own;
        for (then, inputs) in self.adding(node, flit) {
            let tick = then + 1;
            let arrivals = inputs.into_iter().map(|input| RuleOperand::Arrival { input, age: 1 });
            let operands = std::iter::once(before).chain(arrivals).collect();
            all.rules.push(TickRule { tick, late: 0, output, flit: tick, operands });
            before = RuleOperand::Result { unit, flit: tick };
        }
        if let RuleOperand::Result { flit: tick, .. } = before {
            all.keeps.insert((tick + 1, output));
        }
    }

    /// Ticks in which something comes that a node adds to a flit of its own, and by which inputs.
    fn adding(&self, node: NodeId, flit: FlitId) -> BTreeMap<u32, Vec<usize>> {
        let mut adding: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let Some(reduction) = &self.program.reduction else { return adding };
        let last = reduction.ticks + 1;
        let packet = (u64::from(flit.0) - self.program.results_of(node).start) as usize;
        for operand in reduction.results[self.program.class_of[node.index()].index()][packet].iter() {
            let input = Channel::first(operand.port);
            let then = last.checked_sub(operand.age).filter(|&then| self.arrival(node, input, then) == Some(flit));
            if let Some(then) = then {
                adding.entry(then).or_default().push(self.program.output_index(input));
            }
        }
        adding
    }

    /// Operands of an output that sends all that has come of a flit so far, where a unit adds it up.
    fn so_far(&self, node: NodeId, flit: FlitId, tick: u32, mut asked: Vec<(u32, usize)>) -> Option<Vec<RuleOperand>> {
        let program = self.program;
        let own = program.results_of(node);
        let packet = own.contains(&flit.0.into()).then(|| (u64::from(flit.0) - own.start) as usize)?;
        let place = program.result_places(program.class_of[node.index()])[packet];
        let adding = self.adding(node, flit);
        let ends = *adding.keys().next_back()?;
        let before = adding.range(..tick - 1).next_back().map(|(&then, _)| then + 1)?;
        let come = adding.range(..tick).flat_map(|(&then, inputs)| inputs.iter().map(move |&input| (then, input)));
        let mut come: Vec<(u32, usize)> = come.collect();
        asked.sort_unstable();
        come.sort_unstable();
        if !place.accumulates || tick > ends + 2 || asked != come {
            return None;
        }
        let latest = adding.get(&(tick - 1)).into_iter().flatten().map(|&input| RuleOperand::Arrival { input, age: 1 });
        Some(std::iter::once(RuleOperand::Result { unit: place.unit as usize, flit: before }).chain(latest).collect())
    }

    /// Adds what is kept: the first arrival of every flit that the node wants.
    fn keep(&self, node: NodeId, all: &mut NodeRules) {
        let program = self.program;
        let reduced = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        if program.reduction.is_some() && reduced == program.ticks {
            return;
        }
        let mut seen: BTreeSet<u32> = program.demand.flits_of(node).map(|flit| flit as u32).collect();
        for tick in reduced + 1..=program.ticks {
            for (index, input) in program.channels().enumerate() {
                let Some(flit) = self.arrival(node, input, tick) else { continue };
                if program.demand.wants_flit(&program.topology, node, flit) && seen.insert(flit.0) {
                    all.keeps.insert((tick + 1, index));
                }
            }
        }
    }
}
