//! The router of a class in the fabric, less all others: any arrivals, any packets, from any state.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::super::design::Design;
use super::super::names;
use super::super::rtl::Count;
use super::{Question, flit, rendered};
use crate::net::{Channel, NodeId};
use crate::netlist::Own;
use crate::program::{ClassId, Source};

#[derive(Template)]
#[template(path = "formal/class.sv", escape = "none")]
struct ClassProof<'d> {
    module: &'d str,
    class: String,
    program: String,
    place: String,
    fabric: &'d str,
    node: String,
    ticks: u32,
    /// the highest bit of a flit
    high: u32,
    tick: Count,
    /// clocks from `run` to the first tick
    delay: u32,
    wait: Count,
    flit: Option<Count>,
    flits_asked: Vec<Asked>,
    /// the inputs for own packets
    packets: Vec<String>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

/// A flit that the fabric has to ask for, for the tick to come.
struct Asked {
    tick: u32,
    flit: u32,
}

/// An input that the class reads.
struct Input {
    label: String,
    port: String,
    /// the largest age it is read at
    depth: u32,
    /// whether its valid bit is read
    is_heard: bool,
    /// whether it has to be set back before the first tick
    is_cleared: bool,
}

/// An output that the class drives, and what it has to hold when.
struct Output {
    label: String,
    port: String,
    is_certain: bool,
    /// whether it is set back before the first tick
    is_cleared: bool,
    rules: Vec<Rule>,
}

/// What an output holds after some ticks; one of the last three.
struct Rule {
    first: u32,
    last: u32,
    is_idle: bool,
    own: Option<String>,
    input: Option<Aged>,
}

/// What arrived at an input some ticks ago.
struct Aged {
    port: String,
    age: u32,
}

#[derive(Template)]
#[template(path = "formal/class.ys", escape = "none")]
struct Script<'d> {
    module: &'d str,
    fabric: &'d str,
    place: String,
    instance: String,
    /// how the names of all instances of routers begin
    instances: &'static str,
    width: u32,
    wires: Vec<Wire>,
}

/// A port of the router that becomes one of the fabric.
struct Wire {
    way: &'static str,
    port: String,
    has_valid: bool,
}

/// The question; none for a class that never sends.
pub fn question(design: &Design, class: ClassId) -> Option<Question> {
    let program = design.program;
    let topology = &program.topology;
    let node = NodeId(program.class_of.iter().position(|&of| of == class)? as u32);
    let module = format!("{}_prove_{}", design.name(), program.class_name(class));
    let router = &design.netlist.routers[class.index()];
    let mut rules = Rules { design, depths: BTreeMap::new(), packets: BTreeSet::new(), flits_asked: BTreeMap::new() };
    let tracks = program.channels().zip(&program.classes[class.index()].outputs);
    let outputs: Vec<Output> = tracks
        .filter(|(_, track)| !track.is_idle())
        .map(|(channel, track)| Output {
            label: channel.label(topology.axes()),
            port: rules.name(channel, "out"),
            is_certain: router.output(channel).is_some_and(|output| output.drive.is_certain),
            is_cleared: router.output(channel).is_some_and(|output| output.drive.rests.is_some()),
            rules: track.spans(program.ticks).flat_map(|span| rules.of(span.source, span.first, span.last)).collect(),
        })
        .collect();
    if outputs.is_empty() {
        return None;
    }
    let Rules { depths, packets, flits_asked, .. } = rules;
    let inputs: Vec<Input> = depths
        .iter()
        .map(|(&input, &depth)| Input {
            label: input.label(topology.axes()),
            port: format!("{}_in", names::channel(topology.axes(), input)),
            depth,
            is_heard: router.hears(input),
            is_cleared: router.begins.is_some(),
        })
        .collect();
    let wires = inputs.iter().map(|it| Wire { way: "input", port: it.port.clone(), has_valid: it.is_heard });
    let outward = outputs.iter().map(|it| Wire { way: "output", port: it.port.clone(), has_valid: true });
    let wires = wires.chain(outward).collect();
    let assertions = outputs.iter().map(|output| output.rules.len() + 2).sum::<usize>() + flits_asked.len() + 1;
    let asked = |(tick, flit)| Asked { tick, flit };
    let proof = ClassProof {
        module: &module,
        class: program.class_name(class),
        program: design.headline(),
        place: topology.show(node),
        fabric: design.name(),
        node: names::node(topology, node),
        ticks: program.ticks,
        high: design.options.width - 1,
        tick: Count::up_to(program.ticks + 1),
        delay: design.start_delay(),
        wait: Count::up_to(design.start_delay()),
        flit: flit(program),
        flits_asked: flits_asked.into_iter().map(asked).collect(),
        packets: packets.into_iter().collect(),
        inputs,
        outputs,
    };
    let script = Script {
        module: &module,
        fabric: design.name(),
        place: topology.show(node),
        instance: names::instance(topology, node),
        instances: names::INSTANCE,
        width: design.options.width,
        wires,
    };
    let (text, script) = (rendered(&proof), rendered(&script));
    Some(Question { module, text, script, steps: program.ticks + design.start_delay() + 3, assertions })
}

/// Collects what the rules of a class need.
struct Rules<'d> {
    design: &'d Design<'d>,
    /// the largest age each input is read at
    depths: BTreeMap<Channel, u32>,
    packets: BTreeSet<String>,
    /// by tick
    flits_asked: BTreeMap<u32, u32>,
}

impl Rules<'_> {
    fn name(&self, channel: Channel, way: &str) -> String {
        format!("{}_{way}", names::channel(self.design.program.topology.axes(), channel))
    }

    /// What an output holds after ticks `first` to `last`.
    fn of(&mut self, source: Source, first: u32, last: u32) -> Vec<Rule> {
        let rule = |first, last| Rule { first, last, is_idle: false, own: None, input: None };
        let idle = |first, last| Rule { is_idle: true, ..rule(first, last) };
        match source {
            Source::Idle => vec![idle(first, last)],
            Source::Own { packet, through } => {
                let own = names::own(Own { packet, through });
                self.packets.insert(own.clone());
                let flits = self.design.program.flits;
                if flits > 1 {
                    self.flits_asked.extend((first..=last).map(|tick| (tick, (tick - first) % flits)));
                }
                vec![Rule { own: Some(own), ..rule(first, last) }]
            }
            // before tick 1 nothing has arrived
            Source::In { age, .. } if age >= last => vec![idle(first, last)],
            Source::In { port, lane, age } => {
                let input = Channel { port, lane };
                let name = self.name(input, "in");
                let depth = self.depths.entry(input).or_default();
                *depth = age.max(*depth);
                let input = Some(Aged { port: name, age });
                let mut rules = Vec::new();
                if age >= first {
                    rules.push(idle(first, age));
                }
                rules.push(Rule { input, ..rule(first.max(age + 1), last) });
                rules
            }
            // not asked for: see `is_known`
            Source::Any { .. } | Source::Sum { .. } => Vec::new(),
        }
    }
}
