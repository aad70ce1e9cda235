//! The router of a node: with the control words of one program it does what that program says there.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::emit::fabric::Neutral;
use crate::emit::formal::combine_module::CombineModule;
use crate::emit::formal::listed::rules::{self, NodeRules, RuleOperand};
use crate::emit::formal::listed::{
    ListedQuestion, ListedSubject, ValueCombine, combine_module, name, neutral, own, width,
};
use crate::emit::formal::term::FormalTerm;
use crate::emit::formal::{Question, rendered};
use crate::emit::node::{ListDesign, WireSizes, binary};
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::NodeId;
use crate::netlist::listed::RecordWords;
use crate::program::{Operation, Program};

/// Step in which the run is started.
const START: u32 = 4;
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
    /// Neutral value of units that take ticks: any function is in their place.
    neutral: Option<Neutral>,
    combines: Option<ValueCombine>,
    owns: Vec<FormalInput>,
    inputs: Vec<Arriving>,
    outputs: Vec<String>,
    units: Vec<UnitResult>,
    controls: Vec<RequiredControl>,
    checks: Vec<OutputCheck>,
    results: Vec<Captured>,
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
    depth: u32,
    /// Step of the fault, if it is here.
    fault: Option<u32>,
}

/// Input from a neighbour.
struct Arriving {
    name: String,
    depth: u32,
    /// Steps in which operands of units arrive, which have left other units.
    settled: BTreeSet<u32>,
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
pub struct RequiredControl {
    step: u32,
    pub tick: u32,
    pub keeps: String,
    pub takes: Vec<(String, bool)>,
}

#[derive(Template)]
#[template(path = "formal/listed.ys", escape = "none")]
struct ListedScript<'d> {
    module: &'d str,
    /// Module in the place of the one that combines in some ticks, and the names of its instances.
    unit: Option<CombineModule>,
    units: Vec<String>,
}

/// Questions about one program: one for each node if nodes have control words of their own, else one for all that do the same.
pub fn of_program(design: &ListDesign<'_>, number: usize, program: &Program) -> Vec<ListedQuestion> {
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
        let subject = ListedSubject::Router { node, nodes };
        ListedQuestion { program: number, subject, right: view.question(None), wrong, width: width(design) }
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

/// A node in a program.
pub struct View<'d> {
    pub design: &'d ListDesign<'d>,
    pub number: usize,
    pub program: &'d Program,
    pub node: NodeId,
    pub rules: &'d NodeRules,
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
        let operands = || rules.rules.iter().flat_map(|rule| rule.operands.iter().map(move |operand| (rule, *operand)));
        let depth = |index: usize| {
            let ages = operands().map(move |(rule, operand)| match operand {
                RuleOperand::Arrival { input, age } if input == index => age + rule.late,
                _ => 0,
            });
            ages.max().unwrap_or(0)
        };
        let settled = |index: usize| {
            let steps = operands().filter_map(move |(rule, operand)| match operand {
                RuleOperand::Arrival { input, age } if input == index && rule.late > 0 => {
                    Some(START + 2 + rule.tick - age)
                }
                _ => None,
            });
            steps.collect()
        };
        let of_bank = |index: usize| {
            let late = operands().map(move |(rule, operand)| {
                if operand == RuleOperand::Own && parts.bank(rule.output) == index { rule.late } else { 0 }
            });
            1 + late.max().unwrap_or(0)
        };
        let router = &netlist.union.router;
        let is_read = |index: &usize| router.inputs.contains(&parts.channel(*index));
        let sends = |index: &usize| router.output(parts.channel(*index)).is_some();
        let at_bank = |fault: &InvertedInput, bank: usize| fault.own.is_some_and(|output| parts.bank(output) == bank);
        let fault_of =
            |is_it: &dyn Fn(&InvertedInput) -> bool| fault.filter(|fault| is_it(fault)).map(|fault| fault.step);
        let owns = self.owns().map(|index| FormalInput {
            name: names::own(own(index)),
            depth: of_bank(index),
            fault: fault_of(&|fault| at_bank(fault, index)),
        });
        let inputs = (0..parts.outputs).filter(is_read).map(|index| Arriving {
            name: name(netlist, index),
            depth: depth(index),
            settled: settled(index),
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
            high: width(design) - 1,
            neutral: neutral(design),
            keeps: parts.keeps.len() as u32,
            tracks: self.tracks(&sizes, ticks),
            record: 2 + sizes.code + sizes.number + sizes.data,
            combines: ValueCombine::of(design, self.program),
            owns: owns.collect(),
            inputs: inputs.collect(),
            outputs: (0..parts.outputs).filter(sends).map(|output| name(netlist, output)).collect(),
            units: units.collect(),
            controls,
            checks,
            results,
            sizes,
        };
        let (unit, names) = combine_module(design);
        let units = names.iter().map(|name| format!("router.{name}")).collect();
        let script = ListedScript { module: &module, unit, units };
        let (text, script) = (rendered(&proof), rendered(&script));
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
    pub fn owns(&self) -> impl Iterator<Item = usize> {
        let netlist = self.design.netlist;
        (0..netlist.inputs()).filter(|&index| netlist.union.router.packets.contains(&own(index)))
    }

    pub fn control(&self, tick: u32) -> RequiredControl {
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
            RuleOperand::Own => {
                format!("{}_{}", names::own(own(self.design.netlist.union.parts.bank(rule.output))), 1 + rule.late)
            }
            RuleOperand::Arrival { input, age } => {
                format!("{}_in_{}", name(self.design.netlist, input), age + rule.late)
            }
            RuleOperand::Result { unit, flit } => format!("result_{unit}_{flit}"),
        });
        let values = values.collect();
        let term = if rule.late > 0 { FormalTerm::pairwise(values) } else { FormalTerm::in_a_row(values) }?;
        Some(OutputCheck {
            step: START + 2 + rule.tick + rule.late,
            port: name(self.design.netlist, rule.output),
            term,
        })
    }

    /// Results are what units hold right after they form; that is checked.
    fn captured(&self, rule: &rules::TickRule) -> Option<Captured> {
        let unit = rule.output.checked_sub(self.design.netlist.union.parts.outputs)?;
        let is_it = RuleOperand::Result { unit, flit: rule.flit };
        // a word that is only kept is looked at when it is there
        self.rules.rules.iter().find(|rule| rule.operands.contains(&is_it))?;
        let port = name(self.design.netlist, rule.output);
        let step = START + 2 + rule.tick + rule.late;
        Some(Captured { name: format!("result_{unit}_{}", rule.flit), step, port })
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
