//! All nodes of a design with several programs together: a program is placed and called, own words are arbitrary, and every register is
//! what the rules of all nodes make of them.

use std::collections::BTreeMap;

use askama::Template;

use crate::emit::fabric::Neutral;
use crate::emit::formal::combine_module::CombineModule;
use crate::emit::formal::listed::router::View;
use crate::emit::formal::listed::rules::{self, NodeRules, RuleOperand, TickRule};
use crate::emit::formal::listed::{
    ListedQuestion, ListedSubject, ValueCombine, combine_module, name, neutral, own, width,
};
use crate::emit::formal::term::FormalTerm;
use crate::emit::formal::{Question, rendered};
use crate::emit::node::{Bus, ListDesign, WireSizes};
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::NodeId;
use crate::program::{Operation, Program};

/// Steps from the reset to the first record, from the last one to the start, and from the start to tick 1; in all at most so many.
const AROUND: u32 = 32;

#[derive(Template)]
#[template(path = "formal/listed_whole.sv", escape = "none")]
struct WholeProof<'d> {
    module: &'d str,
    about: String,
    top: String,
    sizes: WireSizes,
    streams: bool,
    program: usize,
    root: usize,
    step: UpCounter,
    now: UpCounter,
    high: u32,
    keeps: u32,
    neutral: Option<Neutral>,
    combines: Option<ValueCombine>,
    /// Names of own words.
    words: Vec<String>,
    values: Vec<HeldValue>,
    nodes: Vec<WholeNode>,
    checks: Vec<ValueCheck>,
    controls: Vec<NodeControl>,
}

/// Value that a register holds after a tick.
struct HeldValue {
    name: String,
    term: FormalTerm,
}

/// Ports of a node that are added to it.
struct WholeNode {
    name: String,
    owns: Vec<OwnSource>,
    inputs: Vec<String>,
    units: Vec<String>,
}

/// Own words of a node by the tick in which they are sent.
struct OwnSource {
    name: String,
    words: Vec<OwnWord>,
}

struct OwnWord {
    tick: u32,
    word: String,
    is_inverted: bool,
}

/// Register that is compared, in the tick in which what it holds is read at the soonest.
struct ValueCheck {
    tick: u32,
    port: String,
    value: String,
}

/// Arrivals that a node keeps, and own words that it takes, in a tick.
struct NodeControl {
    node: String,
    tick: u32,
    keeps: String,
    takes: Vec<(String, bool)>,
}

#[derive(Template)]
#[template(path = "formal/listed_whole.ys", escape = "none")]
struct WholeScript<'d> {
    module: &'d str,
    top: String,
    tile: String,
    node: String,
    streams: bool,
    width: u32,
    word: u32,
    owns: Vec<String>,
    inputs: Vec<String>,
    units: Vec<String>,
    nodes: Vec<PlacedNode>,
    unit: Option<CombineModule>,
    adders: Vec<String>,
}

/// Node with the name of its instance.
struct PlacedNode {
    name: String,
    instance: String,
}

/// Design with words of as many bits as a question about all of it takes.
pub fn narrow<'d>(design: &ListDesign<'d>) -> ListDesign<'d> {
    ListDesign { width: width(design), ..design.clone() }
}

/// Questions about all nodes, one for each program of these numbers.
pub fn questions(design: &ListDesign<'_>, programs: &[&Program], numbers: &[usize]) -> Vec<ListedQuestion> {
    let question = |(number, &program): (usize, &&Program)| {
        let whole = Whole::of(design, number, program);
        let subject = ListedSubject::Whole { root: whole.is_moved().then(|| whole.root()) };
        let wrong = whole.rules().iter().any(|(_, rule)| takes_own(rule)).then(|| whole.question(true));
        let right = whole.question(false);
        ListedQuestion { program: number, subject, right, wrong, width: width(design) }
    };
    programs.iter().enumerate().filter(|(number, _)| numbers.contains(number)).map(question).collect()
}

/// Program with the rules of all nodes, as it is called.
struct Whole<'d> {
    design: &'d ListDesign<'d>,
    number: usize,
    program: &'d Program,
    /// Live nodes, the node that each is as seen from the root, and the rules there.
    nodes: Vec<(NodeId, NodeId, NodeRules)>,
}

impl<'d> Whole<'d> {
    fn of(design: &'d ListDesign<'d>, number: usize, program: &'d Program) -> Self {
        let topology = &program.topology;
        let moves = rules::Moves::of(program);
        let mut whole = Self { design, number, program, nodes: Vec::new() };
        let (first, root) = (topology.first_live(), whole.root());
        for node in topology.live_ids() {
            let seen = if whole.is_moved() { topology.away(first, &topology.offset(root, node)) } else { node };
            whole.nodes.push((node, seen, moves.rules(seen)));
        }
        whole
    }

    fn is_moved(&self) -> bool {
        self.design.netlist.programs[self.number].is_moved
    }

    /// Root of the call: the last node, where any can be, so that no coordinate is that of the first.
    fn root(&self) -> NodeId {
        let topology = &self.program.topology;
        let last = topology.live_ids().last().filter(|_| self.is_moved());
        last.unwrap_or_else(|| topology.first_live())
    }

    fn name(&self, node: NodeId) -> String {
        names::node(&self.program.topology, node)
    }

    fn value(&self, node: NodeId, rule: &TickRule) -> String {
        format!("{}_{}_{}", self.name(node), name(self.design.netlist, rule.output), rule.tick + rule.late)
    }

    /// Own word of a bank in a tick.
    fn word(&self, node: NodeId, bank: usize, tick: u32) -> String {
        format!("{}_{}_{tick}", self.name(node), names::own(own(bank)))
    }

    /// Every rule with its node, in the order of the ticks after which the registers hold what it says.
    fn rules(&self) -> Vec<(NodeId, &TickRule)> {
        let rules = self.nodes.iter().flat_map(|(node, _, rules)| rules.rules.iter().map(|rule| (*node, rule)));
        let mut rules: Vec<(NodeId, &TickRule)> = rules.collect();
        rules.sort_by_key(|(_, rule)| rule.tick + rule.late);
        rules
    }

    fn question(&self, has_fault: bool) -> Question {
        let Self { design, number, program, .. } = *self;
        let netlist = design.netlist;
        let (topology, parts, placed) = (&netlist.topology, &netlist.union.parts, &netlist.programs[number]);
        let module = format!("{}_prove_{number}", design.name);
        let rules = self.rules();
        let owns: Vec<(NodeId, usize, u32)> = {
            let word = |(node, rule): (NodeId, &TickRule)| (node, parts.bank(rule.output), rule.tick);
            let mut words: Vec<_> = rules.iter().copied().filter(|(_, rule)| takes_own(rule)).map(word).collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let fault = owns.first().filter(|_| has_fault);
        let views: Vec<View> =
            self.nodes.iter().map(|(_, seen, rules)| View { design, number, program, node: *seen, rules }).collect();
        let sends = |index: &usize| netlist.union.router.output(parts.channel(*index)).is_some();
        let inputs: Vec<String> = (0..parts.outputs).map(|input| name(netlist, input)).collect();
        let units: Vec<String> =
            (parts.outputs..parts.inputs()).filter(sends).map(|unit| name(netlist, unit)).collect();
        let nodes = self.nodes.iter().zip(&views).map(|((node, ..), view)| {
            let source = |bank: usize| OwnSource {
                name: names::own(own(bank)),
                words: owns
                    .iter()
                    .filter(|word| (word.0, word.1) == (*node, bank))
                    .map(|word| OwnWord {
                        tick: word.2,
                        word: self.word(word.0, word.1, word.2),
                        is_inverted: fault == Some(word),
                    })
                    .collect(),
            };
            WholeNode {
                name: self.name(*node),
                owns: view.owns().map(source).collect(),
                inputs: inputs.clone(),
                units: units.clone(),
            }
        });
        let controls: Vec<NodeControl> = self
            .nodes
            .iter()
            .zip(&views)
            .flat_map(|((node, ..), view)| {
                (1..=placed.ticks).map(|tick| {
                    let control = view.control(tick);
                    NodeControl { node: self.name(*node), tick, keeps: control.keeps, takes: control.takes }
                })
            })
            .collect();
        let checks: Vec<ValueCheck> = rules.iter().filter_map(|&(node, rule)| self.check(node, rule)).collect();
        let assertions = checks.len() + controls.iter().map(|control| control.takes.len() + 1).sum::<usize>() + 1;
        let steps = AROUND + (placed.records.1 - placed.records.0) + placed.ticks + netlist.latency;
        let proof = WholeProof {
            module: &module,
            about: self.about(),
            top: design.whole(),
            sizes: WireSizes::of(design),
            streams: design.bus == Bus::Streams,
            program: number,
            root: topology.rank(self.root()),
            step: UpCounter::up_to(steps),
            now: UpCounter::up_to(placed.ticks + netlist.latency + 1),
            high: design.width - 1,
            keeps: parts.keeps.len() as u32,
            neutral: neutral(design),
            combines: ValueCombine::of(design, program),
            words: owns.iter().map(|&(node, bank, tick)| self.word(node, bank, tick)).collect(),
            values: self.values(&rules),
            nodes: nodes.collect(),
            checks,
            controls,
        };
        let (text, script) = (rendered(&proof), rendered(&self.script(&module, inputs.clone(), units.clone())));
        Question { module, text, script, steps: steps + 1, assertions, one_by_one: true }
    }

    fn about(&self) -> String {
        let root = if self.is_moved() {
            format!(", called for root {}", self.program.topology.show(self.root()))
        } else {
            String::new()
        };
        format!("program {}{root}", self.number)
    }

    /// Contents of each register, made of own words and of the contents of others.
    fn values(&self, rules: &[(NodeId, &TickRule)]) -> Vec<HeldValue> {
        let netlist = self.design.netlist;
        let (topology, parts) = (&netlist.topology, &netlist.union.parts);
        // by node, output and the tick in which it is there for the neighbour; by node, unit and flit
        let mut arriving: BTreeMap<(NodeId, usize, u32), String> = BTreeMap::new();
        let mut results: BTreeMap<(NodeId, usize, u32), String> = BTreeMap::new();
        for &(node, rule) in rules {
            let there = rule.tick + rule.late + netlist.latency - 1;
            let name = self.value(node, rule);
            match rule.output.checked_sub(parts.outputs) {
                None => arriving.insert((node, rule.output, there), name),
                Some(unit) => results.insert((node, unit, rule.flit), name),
            };
        }
        let operand = |node: NodeId, rule: &TickRule, operand: &RuleOperand| match *operand {
            RuleOperand::Own => Some(self.word(node, parts.bank(rule.output), rule.tick)),
            RuleOperand::Result { unit, flit } => results.get(&(node, unit, flit)).cloned(),
            RuleOperand::Arrival { input, age } => {
                let channel = parts.channel(input);
                let from = topology.step(node, channel.port)?;
                let output = self.program.output_index(channel.opposite());
                arriving.get(&(from, output, rule.tick - age)).cloned()
            }
        };
        let held = |&(node, rule): &(NodeId, &TickRule)| {
            let values = rule.operands.iter().map(|it| operand(node, rule, it).expect("what a rule reads was sent"));
            let values = values.collect();
            let term = if rule.late > 0 { FormalTerm::pairwise(values) } else { FormalTerm::in_a_row(values) };
            Some(HeldValue { name: self.value(node, rule), term: term? })
        };
        rules.iter().filter_map(held).collect()
    }

    /// An output is looked at where it arrives, a unit where it is.
    fn check(&self, node: NodeId, rule: &TickRule) -> Option<ValueCheck> {
        let netlist = self.design.netlist;
        let parts = &netlist.union.parts;
        let (value, channel) = (self.value(node, rule), parts.channel(rule.output));
        let (there, port, ticks) = if rule.output < parts.outputs {
            let there = netlist.topology.step(node, channel.port)?;
            let input = self.program.output_index(channel.opposite());
            (there, format!("{}_in", name(netlist, input)), netlist.latency)
        } else {
            (node, name(netlist, rule.output), 1)
        };
        Some(ValueCheck { tick: rule.tick + rule.late + ticks, port: format!("{}_at_{port}", self.name(there)), value })
    }

    fn script<'m>(&self, module: &'m str, inputs: Vec<String>, units: Vec<String>) -> WholeScript<'m> {
        let design = self.design;
        let topology = &design.netlist.topology;
        let owns =
            (0..design.netlist.inputs()).filter(|&index| design.netlist.union.router.packets.contains(&own(index)));
        let nodes: Vec<PlacedNode> = topology
            .live_ids()
            .map(|node| PlacedNode { name: self.name(node), instance: names::instance(topology, node) })
            .collect();
        let (unit, names) = combine_module(design);
        let adders = nodes.iter().flat_map(|node| {
            let of_node = move |name: &String| format!("design.{}.node.router.{name}", node.instance);
            names.iter().map(of_node)
        });
        WholeScript {
            module,
            top: design.whole(),
            tile: design.module("tile"),
            node: design.module("node"),
            streams: design.bus == Bus::Streams,
            width: design.width,
            word: WireSizes::of(design).word,
            owns: owns.map(|bank| names::own(own(bank))).collect(),
            inputs,
            units,
            adders: adders.collect(),
            nodes,
            unit,
        }
    }
}

fn takes_own(rule: &TickRule) -> bool {
    rule.operands.contains(&RuleOperand::Own)
}
