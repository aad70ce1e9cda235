//! The router of a design with several programs: with the control words of one program it does what that program says at a node.
//!
//! Rules of a node are read off the program and its model, not off the union of routers.

mod elaboration;
mod rules;

use std::collections::BTreeMap;

use askama::Template;

use crate::emit::boards::crossing::CrossingFacts;
use crate::emit::formal::listed::rules::{NodeRules, RuleOperand};
use crate::emit::formal::term::FormalTerm;
use crate::emit::formal::{Fault, Induction, Question, crossing, receiver, rendered};
use crate::emit::node::{ListDesign, WireSizes, binary};
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::{Channel, NodeId};
use crate::netlist::Own;
use crate::netlist::listed::{ListNetlist, RecordWords};
use crate::program::{Operation, Program};

pub use elaboration::{at_board, wires};

/// Question about one program at nodes that do the same.
pub struct ListedQuestion {
    /// Number of the program.
    pub program: usize,
    /// First of the nodes; where a root is chosen for each call, counted from it.
    pub node: NodeId,
    /// Number of nodes that the question is about.
    pub nodes: u32,
    /// Question about the Verilog as generated.
    pub right: Question,
    /// Question with one arrival or own word inverted in one tick; none if nothing is sent.
    pub wrong: Option<Question>,
}

/// Step in which the run is started.
const START: u32 = 4;
/// Data is only moved, or combined by an operator of Verilog: few bits show all that many would.
pub const BITS: u32 = 4;

#[derive(Template)]
#[template(path = "formal/listed.sv", escape = "none")]
struct Proof<'d> {
    module: &'d str,
    about: String,
    router: String,
    sequencer: String,
    records: String,
    sizes: WireSizes,
    /// Boards stop; here none does.
    stops: bool,
    program: usize,
    start: u32,
    ticks: u32,
    step: UpCounter,
    high: u32,
    /// Lowest bits of a control word, which say what is kept.
    keeps: u32,
    /// Control words of the node's own, if it has some.
    tracks: Vec<Tracked>,
    /// Bits of a record.
    record: u32,
    combines: Option<ValueCombine>,
    owns: Vec<FormalInput>,
    inputs: Vec<Arriving>,
    outputs: Vec<String>,
    units: Vec<UnitResult>,
    controls: Vec<RequiredControl>,
    checks: Vec<OutputCheck>,
    results: Vec<Captured>,
}

/// Combination of two values.
struct ValueCombine {
    operation: Operation,
    signed: bool,
}

/// Ticks of a record with a control word, with the bits above the word.
struct Tracked {
    first: u32,
    last: u32,
    index: u32,
    bits: String,
}

/// Input for words of the node's own.
struct FormalInput {
    name: String,
    /// Step of the fault, if it is here.
    fault: Option<u32>,
}

/// Input from a neighbour.
struct Arriving {
    name: String,
    depth: u32,
    fault: Option<u32>,
}

/// Register in which a node combines words.
struct UnitResult {
    name: String,
    is_read: bool,
}

/// Required contents of an output or unit after a tick.
struct OutputCheck {
    step: u32,
    port: String,
    term: FormalTerm,
}

/// Result that is noted for later ticks.
struct Captured {
    name: String,
    step: u32,
    port: String,
}

/// Required control signals in a tick.
struct RequiredControl {
    step: u32,
    tick: u32,
    keeps: String,
    takes: Vec<(String, bool)>,
}

#[derive(Template)]
#[template(path = "formal/listed.ys", escape = "none")]
struct ListedScript<'d> {
    module: &'d str,
}

/// Builds the questions about all programs of a design, in their order.
pub fn questions(design: &ListDesign<'_>, programs: &[&Program]) -> Vec<ListedQuestion> {
    let each = programs.iter().enumerate();
    each.flat_map(|(number, program)| of_program(design, number, program)).collect()
}

/// Questions about the buffers between the clocks of cables and boards; none if there are no such clocks.
pub fn crossings(design: &ListDesign<'_>, fault: Option<Fault>) -> Vec<Induction> {
    let facts = design.link_layer().filter(|layer| layer.form.crosses()).map(|layer| CrossingFacts::of_layer(&layer));
    facts.map_or_else(Vec::new, |facts| crossing::questions(&facts, fault))
}

/// Question about the receiver of checked links; none on one device.
pub fn receivers(design: &ListDesign<'_>, fault: Option<Fault>) -> Option<Induction> {
    Some(receiver::question(design.link_layer()?, fault))
}

/// Questions about one program: one for each node if nodes have control words of their own, else one for all that do the same.
fn of_program(design: &ListDesign<'_>, number: usize, program: &Program) -> Vec<ListedQuestion> {
    let netlist = design.netlist;
    let moves = rules::Moves::of(program);
    let has_tracks = netlist.programs[number].shared.is_none();
    let mut groups: Vec<(NodeId, u32, NodeRules)> = Vec::new();
    for node in program.topology.live_ids() {
        let rules = moves.rules(node);
        match groups.iter_mut().find(|(_, _, other)| !has_tracks && *other == rules) {
            Some((_, nodes, _)) => *nodes += 1,
            None => groups.push((node, 1, rules)),
        }
    }
    let question = |(node, nodes, rules): (NodeId, u32, NodeRules)| {
        let view = View { design, number, program, node, rules: &rules };
        let wrong = rules.rules.iter().find_map(InvertedInput::of).map(|fault| view.question(Some(fault)));
        ListedQuestion { program: number, node, nodes, right: view.question(None), wrong }
    };
    groups.into_iter().map(question).collect()
}

/// Own word or arrival that is inverted, and the step of it.
#[derive(Clone, Copy)]
struct InvertedInput {
    /// Output of the own word, or input.
    own: Option<usize>,
    input: Option<usize>,
    step: u32,
}

impl InvertedInput {
    fn of(rule: &rules::TickRule) -> Option<Self> {
        match *rule.operands.last()? {
            RuleOperand::Own => Some(Self { own: Some(rule.output), input: None, step: START + 1 + rule.tick }),
            RuleOperand::Arrival { input, age } => {
                Some(Self { own: None, input: Some(input), step: START + 2 + rule.tick - age })
            }
            RuleOperand::Result { .. } => None,
        }
    }
}

/// Subject of a question.
struct View<'d> {
    design: &'d ListDesign<'d>,
    number: usize,
    program: &'d Program,
    node: NodeId,
    rules: &'d NodeRules,
}

impl View<'_> {
    fn question(&self, fault: Option<InvertedInput>) -> Question {
        let Self { design, number, node, rules, .. } = *self;
        let netlist = design.netlist;
        let (sizes, parts) = (WireSizes::of(design), &netlist.union.parts);
        let module = format!("{}_prove_{number}_{}", design.name, node.0);
        let ticks = netlist.programs[number].ticks;
        let controls: Vec<RequiredControl> = (1..=ticks).map(|tick| self.control(tick)).collect();
        let checks: Vec<OutputCheck> = rules.rules.iter().filter_map(|rule| self.check(rule)).collect();
        let results: Vec<Captured> = rules.rules.iter().filter_map(|rule| self.captured(rule)).collect();
        let depth = |index: usize| {
            let ages = rules.rules.iter().flat_map(|rule| &rule.operands).map(move |operand| match *operand {
                RuleOperand::Arrival { input, age } if input == index => age,
                _ => 0,
            });
            ages.max().unwrap_or(0)
        };
        let router = &netlist.union.router;
        let is_read = |index: &usize| router.inputs.contains(&parts.channel(*index));
        let sends = |index: &usize| router.output(parts.channel(*index)).is_some();
        let at_bank = |fault: &InvertedInput, bank: usize| fault.own.is_some_and(|output| parts.bank(output) == bank);
        let fault_of =
            |is_it: &dyn Fn(&InvertedInput) -> bool| fault.filter(|fault| is_it(fault)).map(|fault| fault.step);
        let owns = self
            .owns()
            .map(|index| FormalInput { name: names::own(own(index)), fault: fault_of(&|fault| at_bank(fault, index)) });
        let inputs = (0..parts.outputs).filter(is_read).map(|index| Arriving {
            name: name(netlist, index),
            depth: depth(index),
            fault: fault_of(&|fault| fault.input == Some(index)),
        });
        let units = (parts.outputs..parts.inputs()).filter(sends);
        let units = units.map(|unit| UnitResult { name: name(netlist, unit), is_read: is_read(&unit) });
        let assertions = checks.len() + controls.iter().map(|control| control.takes.len() + 2).sum::<usize>();
        let steps = START + ticks + 4;
        let proof = Proof {
            module: &module,
            about: self.about(),
            router: design.module("router"),
            sequencer: design.module("sequencer"),
            records: design.module("records"),
            stops: design.boards.is_some(),
            program: number,
            start: START,
            ticks,
            step: UpCounter::up_to(steps + 1),
            high: BITS - 1,
            keeps: parts.keeps.len() as u32,
            tracks: self.tracks(&sizes, ticks),
            record: 2 + sizes.code + sizes.number + sizes.data,
            combines: self
                .program
                .reduction
                .as_ref()
                .map(|reduction| ValueCombine { operation: reduction.operation, signed: parts.number.is_signed() }),
            owns: owns.collect(),
            inputs: inputs.collect(),
            outputs: (0..parts.outputs).filter(sends).map(|output| name(netlist, output)).collect(),
            units: units.collect(),
            controls,
            checks,
            results,
            sizes,
        };
        let (text, script) = (rendered(&proof), rendered(&ListedScript { module: &module }));
        Question { module, text, script, steps, assertions, one_by_one: true }
    }

    fn about(&self) -> String {
        let topology = &self.program.topology;
        let place = topology.show(self.node);
        let relative = self.design.netlist.programs[self.number].is_moved;
        let place = if relative { format!("{place} as seen from its root") } else { place };
        format!("program {} at node {place}", self.number)
    }

    /// Inputs of the router for words of the node's own.
    fn owns(&self) -> impl Iterator<Item = usize> {
        let netlist = self.design.netlist;
        (0..netlist.inputs()).filter(|&index| netlist.union.router.packets.contains(&own(index)))
    }

    fn control(&self, tick: u32) -> RequiredControl {
        // inputs whose words lie side by side are kept when one of them is
        let groups = self.design.netlist.union.parts.keeps.iter().rev();
        let is_kept = |group: &Vec<usize>| group.iter().any(|&input| self.rules.keeps.contains(&(tick, input)));
        let keeps = groups.map(|group| if is_kept(group) { '1' } else { '0' });
        let parts = &self.design.netlist.union.parts;
        let takes = |index: usize| {
            let is_taken = |rule: &rules::TickRule| {
                rule.tick == tick && parts.bank(rule.output) == index && rule.operands.contains(&RuleOperand::Own)
            };
            self.rules.rules.iter().any(is_taken)
        };
        let takes = self.owns().map(|index| (names::own(own(index)), takes(index)));
        RequiredControl { step: START + 1 + tick, tick, keeps: keeps.collect(), takes: takes.collect() }
    }

    fn check(&self, rule: &rules::TickRule) -> Option<OutputCheck> {
        let values = rule.operands.iter().map(|operand| match *operand {
            RuleOperand::Own => format!("{}_1", names::own(own(self.design.netlist.union.parts.bank(rule.output)))),
            RuleOperand::Arrival { input, age } => format!("{}_in_{age}", name(self.design.netlist, input)),
            RuleOperand::Result { unit, flit } => format!("result_{unit}_{flit}"),
        });
        let term = FormalTerm::in_a_row(values.collect())?;
        Some(OutputCheck { step: START + 2 + rule.tick, port: name(self.design.netlist, rule.output), term })
    }

    /// Results are what units hold right after they form; that is checked.
    fn captured(&self, rule: &rules::TickRule) -> Option<Captured> {
        let unit = rule.output.checked_sub(self.design.netlist.union.parts.outputs)?;
        let is_it = RuleOperand::Result { unit, flit: rule.flit };
        // a word that is only kept is looked at when it is there
        self.rules.rules.iter().find(|rule| rule.operands.contains(&is_it))?;
        let port = name(self.design.netlist, rule.output);
        Some(Captured { name: format!("result_{unit}_{}", rule.flit), step: START + 2 + rule.tick, port })
    }

    /// Records with the node's own control words.
    fn tracks(&self, sizes: &WireSizes, ticks: u32) -> Vec<Tracked> {
        let netlist = self.design.netlist;
        let placed = &netlist.programs[self.number];
        if placed.shared.is_some() {
            return Vec::new();
        }
        let code = netlist.code(self.node);
        let records = placed.records.0..placed.records.1;
        // by number, the one that comes last
        let mut own: BTreeMap<u32, (u32, u32, Option<u32>)> = BTreeMap::new();
        for index in records {
            let record = &netlist.records[index as usize];
            match record.words {
                RecordWords::Control { number, last, .. } if record.position.is_none_or(|at| at == code) => {
                    own.insert(number, (index, last, record.position));
                }
                _ => {}
            }
        }
        let mut tracks = Vec::new();
        let mut first = 1;
        for (number, (index, last, position)) in own {
            if first > placed.ticks {
                break;
            }
            let of_all = u32::from(position.is_none());
            let fill = sizes.data - sizes.tick - sizes.word;
            let place = [(of_all, 1), (position.unwrap_or(0), sizes.code)];
            let contents = [(0, 1), (number, sizes.number), (0, fill), (last, sizes.tick)];
            let bits = place.into_iter().chain(contents).map(|(value, bits)| binary(value, bits)).collect();
            tracks.push(Tracked { first, last: last.min(ticks), index, bits });
            first = last + 1;
        }
        tracks
    }
}

fn own(index: usize) -> Own {
    Own { packet: index as u32, through: index as u32 }
}

fn name(netlist: &ListNetlist, number: usize) -> String {
    let channel: Channel = netlist.union.parts.channel(number);
    names::channel(netlist.topology.axes(), channel)
}
