//! The router of a class in the fabric, less all others: any arrivals, any packets, from any state.

mod combined;
mod takes;
mod wires;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::emit::fabric::Neutral;
use crate::emit::formal::class::combined::{settled, silent};
use crate::emit::formal::class::takes::{FlitTakes, own_input, stream_of_output, takes, takes_ahead};
use crate::emit::formal::class::wires::{PortDirection, RouterWire, ValidDriver, wires};
use crate::emit::formal::combine_module::CombineModule;
use crate::emit::formal::term::FormalTerm;
use crate::emit::formal::{Question, flit, rendered, steps};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::{Channel, NodeId};
use crate::netlist::Router;
use crate::program::{ClassId, Operation, Program, Source};

/// The fabric's instance in a question.
const FABRIC: &str = "fabric";

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
    tick: UpCounter,
    /// clocks from `run` to the first tick
    delay: u32,
    wait: UpCounter,
    flit: Option<UpCounter>,
    flits_asked: Vec<AskedFlit>,
    combines: Option<ClassCombine>,
    /// the inputs for own packets
    packets: Vec<String>,
    /// true if they are streams, taken flit by flit
    streams: bool,
    takes: Vec<FlitTakes>,
    inputs: Vec<ClassInput>,
    outputs: Vec<DrivenOutput>,
}

/// Combination of values by an operation.
struct ClassCombine {
    operation: Operation,
    /// Value that changes nothing.
    rest: Neutral,
    /// Neutral value of units that take ticks: any function is in the place of the operation.
    units: Option<Neutral>,
    /// Ticks from the operands to the output, of own values as of arrivals.
    adding: u32,
    /// Words are compared with their sign.
    signed: bool,
    /// own values are taken a tick before the one that sends them
    ahead: bool,
}

/// Range of ticks, both ends included.
struct Ticks {
    first: u32,
    last: u32,
}

/// A flit that the fabric has to ask for, for the tick to come.
struct AskedFlit {
    tick: u32,
    flit: u32,
}

/// An input that the class reads.
struct ClassInput {
    label: String,
    port: String,
    /// the largest age it is read at
    depth: u32,
    /// true if its valid bit is read
    is_heard: bool,
    /// true if it must be cleared before the first tick
    is_cleared: bool,
    /// when nobody sends anything there, as the program says, of values that are combined
    silent: Vec<Ticks>,
    /// when it has operands of units, which have left other units
    settled: Vec<Ticks>,
}

/// An output that the class drives, and what it has to hold when.
struct DrivenOutput {
    label: String,
    port: String,
    is_certain: bool,
    /// true if it is cleared before the first tick
    is_cleared: bool,
    rules: Vec<ContentRule>,
}

/// Required contents of an output after some ticks; one of the last three fields is set.
struct ContentRule {
    first: u32,
    last: u32,
    is_idle: bool,
    own: Option<String>,
    input: Option<Aged>,
    sum: Option<FormalTerm>,
}

/// Arrival at an input a number of ticks ago.
struct Aged {
    port: String,
    age: u32,
}

#[derive(Template)]
#[template(path = "formal/class.ys", escape = "none")]
struct ClassScript<'d> {
    module: &'d str,
    fabric: &'d str,
    place: String,
    instance: String,
    /// prefix of the names of all router instances
    instances: &'static str,
    width: u32,
    wires: Vec<RouterWire>,
    /// configuration of the router, if it has one
    setting: Option<String>,
    /// module in the place of the one that combines, and the names of its instances
    unit: Option<CombineModule>,
    units: Vec<String>,
}

/// Builds the question about a router as it was built; none for a class that never sends.
pub fn question(design: &EmitDesign, program_built: &Program, built: &Router, class: ClassId) -> Option<Question> {
    let program = design.program;
    let topology = &program.topology;
    let node = NodeId(program.class_of.iter().position(|&of| of == class)? as u32);
    let module = format!("{}_prove_{}", design.name(), program.class_name(class));
    let router = &design.netlist.routers[class.index()];
    let mut rules =
        ClassRules { design, class, depths: BTreeMap::new(), packets: BTreeSet::new(), flits_asked: BTreeMap::new() };
    let tracks = program.channels().zip(&program.classes[class.index()].outputs);
    let tracks: Vec<_> = tracks.filter(|(_, track)| !track.is_idle()).collect();
    let driven: Vec<Channel> = tracks.iter().map(|&(channel, _)| channel).collect();
    let outputs: Vec<DrivenOutput> = tracks
        .into_iter()
        .map(|(channel, track)| DrivenOutput {
            label: channel.label(topology.axes()),
            port: rules.name(channel, "out"),
            is_certain: router.output(channel).is_some_and(|output| output.drive.is_certain),
            is_cleared: router.begins.is_some(),
            rules: program
                .loaded(track)
                .into_iter()
                .flat_map(|span| rules.of(channel, span.source, span.first, span.last))
                .collect(),
        })
        .collect();
    if outputs.is_empty() {
        return None;
    }
    let ClassRules { depths, mut packets, flits_asked, .. } = rules;
    let has_units = program.adder_ticks() > 0;
    let inputs: Vec<ClassInput> = depths
        .iter()
        .map(|(&input, &depth)| ClassInput {
            label: input.label(topology.axes()),
            port: format!("{}_in", names::channel(topology.axes(), input)),
            depth,
            is_heard: router.hears(input),
            is_cleared: router.begins.is_some(),
            silent: if program.reduction.is_some() { silent(design, class, input) } else { Vec::new() },
            settled: if has_units { settled(program, class, input) } else { Vec::new() },
        })
        .collect();
    let wires = wires(built, depths.keys().copied().zip(&inputs), driven.into_iter().zip(&outputs));
    let takes = takes(design, class);
    // an output that only forwards has an input, too
    packets.extend(takes.iter().map(|take| take.packet.clone()));
    let of_outputs: usize = outputs.iter().map(|output| output.rules.len() + 2).sum();
    let assertions = of_outputs + flits_asked.len() + 2 * takes.len() + 1;
    let asked = |(tick, flit)| AskedFlit { tick, flit };
    let proof = ClassProof {
        module: &module,
        class: program.class_name(class),
        program: design.headline(),
        place: topology.show(node),
        fabric: design.name(),
        node: names::node(topology, node),
        ticks: program.ticks,
        high: design.options.width - 1,
        tick: UpCounter::up_to(program.ticks + 1),
        delay: design.start_delay(),
        wait: UpCounter::up_to(design.start_delay()),
        flit: flit(design),
        flits_asked: flits_asked.into_iter().map(asked).collect(),
        combines: program.reduction.as_ref().map(|reduction| ClassCombine {
            operation: reduction.operation,
            rest: Neutral::of_words(reduction.operation, reduction.number),
            units: combined::neutral(program),
            adding: reduction.adding,
            signed: reduction.number.is_signed(),
            ahead: takes_ahead(design),
        }),
        packets: packets.into_iter().collect(),
        streams: design.netlist.streams,
        takes,
        inputs,
        outputs,
    };
    let (unit, units) = combined::placed(design, program_built, built, node).unzip();
    let script = ClassScript {
        module: &module,
        fabric: design.name(),
        place: topology.show(node),
        instance: names::instance(topology, node),
        instances: names::INSTANCE,
        width: design.options.width,
        wires,
        setting: design.setting(class),
        unit,
        units: units.unwrap_or_default(),
    };
    let (text, script) = (rendered(&proof), rendered(&script));
    Some(Question { module, text, script, steps: steps(design), assertions, one_by_one: has_units })
}

impl ClassProof<'_> {
    fn takes_ahead(&self) -> bool {
        self.combines.as_ref().is_some_and(|combines| combines.ahead)
    }

    /// Returns true if outputs hold the neutral value while they send nothing.
    fn rests(&self) -> bool {
        self.combines.as_ref().is_some_and(|combines| combines.units.is_none())
    }

    fn adding(&self) -> u32 {
        self.combines.as_ref().map_or(0, |combines| combines.adding)
    }
}

/// Collects what the rules of a class need.
struct ClassRules<'d> {
    design: &'d EmitDesign<'d>,
    class: ClassId,
    /// the largest age each input is read at
    depths: BTreeMap<Channel, u32>,
    packets: BTreeSet<String>,
    /// flit that the fabric asks for, by tick
    flits_asked: BTreeMap<u32, u32>,
}

impl ClassRules<'_> {
    /// The last tick of the part before the one that a tick belongs to.
    fn before(&self, tick: u32) -> u32 {
        let reduced = self.design.program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        if reduced > 0 && tick > reduced { reduced + 1 } else { 0 }
    }

    fn name(&self, channel: Channel, way: &str) -> String {
        format!("{}_{way}", names::channel(self.design.program.topology.axes(), channel))
    }

    /// Refers to the arrival at an input `age` ticks ago.
    fn aged(&mut self, input: Channel, age: u32) -> Aged {
        let depth = self.depths.entry(input).or_default();
        *depth = age.max(*depth);
        Aged { port: self.name(input, "in"), age }
    }

    /// Rules for the contents of an output after the ticks of a run.
    fn of(&mut self, output: Channel, source: Source, first: u32, last: u32) -> Vec<ContentRule> {
        let rule = |first, last| ContentRule { first, last, is_idle: false, own: None, input: None, sum: None };
        let idle = |first, last| ContentRule { is_idle: true, ..rule(first, last) };
        match source {
            Source::Idle => vec![idle(first, last)],
            Source::Own { .. } => {
                let own = own_input(self.design, self.class, output, source);
                self.packets.insert(own.clone());
                let flits = self.design.program.flits;
                if flits > 1 && !self.design.netlist.streams {
                    self.flits_asked.extend((first..=last).map(|tick| (tick, (tick - first) % flits)));
                }
                vec![ContentRule { own: Some(own), ..rule(first, last) }]
            }
            // before tick 1 nothing has arrived, and what was combined before it is gathered counts as nothing
            Source::In { age, .. } if self.before(first) + age >= last => vec![idle(first, last)],
            Source::In { port, lane, age } => {
                let late = self.before(first) + age;
                let input = Some(self.aged(Channel { port, lane }, age));
                let mut rules = Vec::new();
                if late >= first {
                    rules.push(idle(first, late));
                }
                rules.push(ContentRule { input, ..rule(first.max(late + 1), last) });
                rules
            }
            Source::Sum { operands } if self.design.program.adder_ticks() > 0 => {
                let own = stream_of_output(self.design, output);
                self.packets.insert(own.clone());
                let adding = self.design.program.reduce_latency() - self.design.program.latency;
                let inputs = operands.iter().map(|operand| {
                    let Aged { port, age } = self.aged(Channel::first(operand.port), operand.age + adding);
                    format!("{port}_data_{age}")
                });
                let values = [format!("{own}_sent_{adding}")].into_iter().chain(inputs).collect();
                vec![ContentRule { sum: FormalTerm::pairwise(values), ..rule(first, last) }]
            }
            Source::Sum { operands } => {
                let own = stream_of_output(self.design, output);
                self.packets.insert(own.clone());
                let ages: BTreeSet<u32> = operands.iter().map(|operand| operand.age).collect();
                let mut begin = first;
                // because older arrivals occur as well
                let ends = ages.into_iter().filter(|&age| (first..last).contains(&age)).chain([last]);
                let mut rules = Vec::new();
                for end in ends {
                    let there = operands.iter().filter(|operand| operand.age < begin);
                    let inputs = there.map(|operand| {
                        let Aged { port, age } = self.aged(Channel::first(operand.port), operand.age);
                        format!("{port}_data_{age}")
                    });
                    let values = [format!("{own}_sent")].into_iter().chain(inputs).collect();
                    rules.push(ContentRule { sum: FormalTerm::in_a_row(values), ..rule(begin, end) });
                    begin = end + 1;
                }
                rules
            }
            // not asked for: see `unasserted`
            Source::Any { .. } => Vec::new(),
        }
    }
}
