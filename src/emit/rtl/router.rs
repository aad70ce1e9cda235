//! The module of a router, named and numbered for `templates/rtl/router.v`.

use askama::Template;

use super::super::design::Design;
use super::super::{names, words};
use super::parts::{self, Bits, Range, TableWires, Words};
use super::rules;
use super::steering::{self, Steering};
use crate::net::{Channel, Ports};
use crate::netlist::{self, Clock, Drive, Field, Output, Own, Rom, Router, Value, digits};
use crate::program::{ClassId, count, joined};

#[derive(Template)]
#[template(path = "rtl/router.v", escape = "none")]
pub struct RouterModule {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    first: bool,
    /// the words that come from the fabric
    told: Option<TableWires>,
    packets: Vec<Packet>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    joins: Vec<Join>,
    window: Option<Window>,
    gaps: Gaps,
    table: Option<OwnTable>,
    fields: Vec<FieldWire>,
    stores: Vec<Store>,
    counters: Vec<Counter>,
    lines: Vec<Line>,
    rings: Vec<Ring>,
    steering: Steering,
}

/// One of the node's own packets.
struct Packet {
    name: String,
    /// the outputs it goes out at
    ports: String,
    gap: String,
    /// when it is sent, if it is taken flit by flit
    take: Option<Take>,
}

/// When a flit of the node's own is sent: while any of these is so.
struct Take {
    name: String,
    terms: Vec<Term>,
}

/// A time at which an output sends a packet of the node's own.
#[derive(Clone, PartialEq, Eq)]
enum Term {
    /// Always.
    Ever,
    /// While the node's window is open.
    Window,
    /// While the fabric's `first` is high.
    First,
    /// After that.
    NotFirst,
    /// While a count is at least `from`, if that is more than 0, and less than `until`, if there is an end.
    Count { counter: String, bits: u32, from: u32, until: Option<u32> },
    /// While the table chooses this.
    Chosen { port: String, bits: u32, number: usize },
}

/// What any of some inputs brings.
struct Join {
    name: String,
    label: String,
    inputs: Vec<String>,
}

/// When the node's window is open, by a count of the ticks played.
struct Window {
    bits: u32,
    counter: String,
    outputs: Vec<Injection>,
}

/// An output that sends the node's own packet while the window is open.
struct Injection {
    port: String,
    own: String,
}

/// Spaces between the ports and the comments on them, which begin below each other.
struct Gaps {
    run: String,
    first: String,
    slot: String,
    word: String,
}

/// The table, if each node has its own.
struct OwnTable {
    module: String,
    wires: TableWires,
}

/// A part of the table's word, by name.
struct FieldWire {
    range: Range,
    name: String,
    bits: Bits,
}

/// Every arrival at an input, by tick, and the outputs that read it.
struct Store {
    label: String,
    port: String,
    words: u32,
    reads: Vec<Read>,
}

struct Read {
    name: String,
    output: String,
}

struct Counter {
    name: String,
    range: Range,
    bits: u32,
    last: u32,
    restart: Option<u32>,
}

/// A delay line in shift registers.
struct Line {
    label: String,
    port: String,
    stages: u32,
    words: Words,
    kept_words: Words,
    range: Range,
    kept_bits: Bits,
}

/// A delay line in memory.
struct Ring {
    label: String,
    port: String,
    name: String,
    age: u32,
    words: u32,
    bits: u32,
    range: Range,
}

impl RouterModule {
    /// The module of a class that sends something.
    pub fn new(design: &Design, class: ClassId, router: &Router) -> Self {
        let program = design.program;
        let axes = program.topology.axes();
        let name = |channel: Channel| names::channel(axes, channel);
        let wires = router.table.as_ref().map(TableWires::of);
        let own_table = |wires| OwnTable { module: names::table(program, class), wires };
        let is_own = design.netlist.rom == Rom::PerNode;
        let widest = widest(axes, router);
        let gap = |name: &str| " ".repeat(widest.saturating_sub(name.len()));
        let packet = |&own: &Own| Packet {
            ports: joined(&senders(axes, router, own), "and"),
            gap: gap(&names::own(own)),
            take: design.netlist.streams.then(|| Take::of(axes, router, own)),
            name: names::own(own),
        };
        Self {
            module: names::router(program, class),
            headline: rules::headline(router, axes),
            notes: notes(design, class, router),
            width: design.options.width,
            first: router.uses_first(),
            told: wires.filter(|_| !is_own),
            packets: router.packets.iter().map(packet).collect(),
            inputs: router.inputs.iter().copied().map(name).collect(),
            outputs: router.outputs.iter().map(|output| name(output.channel)).collect(),
            joins: router.joins.iter().map(|&ports| Join::new(axes, ports)).collect(),
            window: Window::of(axes, router),
            gaps: Gaps { run: gap("run"), first: gap("first"), slot: gap("slot"), word: gap("word") },
            table: wires.filter(|_| is_own).map(own_table),
            fields: router.outputs.iter().flat_map(|output| fields(axes, output)).collect(),
            stores: router.stores.iter().map(|store| Store::new(axes, store)).collect(),
            counters: router.counters.iter().filter_map(|counter| Counter::new(router, counter)).collect(),
            lines: router.lines.iter().map(|line| Line::new(axes, *line)).collect(),
            rings: router.rings.iter().map(|ring| Ring::new(axes, ring)).collect(),
            steering: Steering::of(axes, router),
        }
    }
}

/// What stands above the module: the rules, who follows them, where it comes from.
fn notes(design: &Design, class: ClassId, router: &Router) -> Vec<String> {
    let program = design.program;
    let mut notes = rules::details(router, program.topology.axes());
    notes.push(words::sentence(&design.members(class)));
    notes.push(format!(
        "Scheme {}, {} on a {}, {}.",
        program.title.scheme,
        program.demand.collective(),
        program.topology.describe(),
        count(u64::from(program.ticks), "tick")
    ));
    notes.push(design.generated());
    words::wrap_all(&notes)
}

/// The outputs that a packet goes out at.
fn senders(axes: usize, router: &Router, own: Own) -> Vec<String> {
    let sends = |output: &&Output| output.drive.loads(Value::Own(own)) || output.inject == Some(own);
    router.outputs.iter().filter(sends).map(|output| output.channel.label(axes)).collect()
}

/// The length of the longest name of a port: an input's, an output's or a packet's.
fn widest(axes: usize, router: &Router) -> usize {
    let packets = router.packets.iter().map(|&own| names::own(own));
    let inputs = router.inputs.iter().map(|&input| format!("{}_in_valid", names::channel(axes, input)));
    let outputs = router.outputs.iter().map(|output| format!("{}_out_valid", names::channel(axes, output.channel)));
    packets.chain(inputs).chain(outputs).map(|name| name.len()).max().unwrap_or(0)
}

/// The parts of the table's word that concern an output.
fn fields(axes: usize, output: &Output) -> impl Iterator<Item = FieldWire> {
    let port = names::channel(axes, output.channel);
    let select = match output.drive {
        netlist::Drive::Chosen { select, .. } => Some((format!("{port}_select"), select)),
        _ => None,
    };
    let slot = output.slot.map(|slot| (format!("{port}_slot"), slot));
    let wire = |(name, field): (String, Field)| FieldWire { range: Range::of(field.bits), name, bits: Bits::of(field) };
    select.into_iter().chain(slot).map(wire)
}

impl Take {
    /// When a router sends these packets.
    fn of(axes: usize, router: &Router, own: Own) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        for output in &router.outputs {
            let injected = (output.inject == Some(own)).then_some(Term::Window);
            for term in injected.into_iter().chain(Self::terms(axes, router, output, own)) {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        Self { name: names::own(own), terms }
    }

    /// When an output sends these packets, windows left aside.
    fn terms(axes: usize, router: &Router, output: &Output, own: Own) -> Vec<Term> {
        let is_own = |value: Value| value == Value::Own(own);
        match &output.drive {
            Drive::Always(value) => is_own(*value).then_some(Term::Ever).into_iter().collect(),
            Drive::Injected { own: first, .. } => (*first == own).then_some(Term::First).into_iter().collect(),
            Drive::Timed { clock: Clock::First, stages, rest } => {
                let stages = stages.iter().filter(|stage| is_own(stage.value)).map(|_| Term::First);
                stages.chain(is_own(*rest).then_some(Term::NotFirst)).collect()
            }
            Drive::Timed { clock, stages, rest } => {
                let (counter, last) = steering::counted(router, *clock).expect("a clock that counts has a counter");
                let mut from = 0;
                let mut terms = Vec::new();
                let ends = stages.iter().map(|stage| (Some(stage.until), stage.value));
                for (until, value) in ends.chain([(None, *rest)]) {
                    if is_own(value) {
                        terms.push(Term::Count { counter: counter.clone(), bits: digits(last), from, until });
                    }
                    from = until.unwrap_or(from);
                }
                terms
            }
            Drive::Chosen { select, values } => {
                let number = values.iter().position(|&value| is_own(value));
                let port = names::channel(axes, output.channel);
                number.map(|number| Term::Chosen { port, bits: select.bits, number }).into_iter().collect()
            }
        }
    }
}

impl Join {
    fn new(axes: usize, ports: Ports) -> Self {
        let labels: Vec<String> = ports.iter().map(|port| port.label(axes)).collect();
        Self {
            name: parts::join(axes, ports),
            label: joined(&labels, "or"),
            inputs: ports.iter().map(|port| names::port(axes, port)).collect(),
        }
    }
}

impl Window {
    /// The window of a router, if it has one.
    fn of(axes: usize, router: &Router) -> Option<Self> {
        let injection = |output: &Output| {
            Some(Injection { port: names::channel(axes, output.channel), own: names::own(output.inject?) })
        };
        let outputs: Vec<Injection> = router.outputs.iter().filter_map(injection).collect();
        let (counter, last) = steering::counted(router, Clock::Tick).filter(|_| !outputs.is_empty())?;
        Some(Self { bits: digits(last), counter, outputs })
    }
}

impl Store {
    fn new(axes: usize, store: &netlist::Store) -> Self {
        let port = names::channel(axes, store.input);
        let read = |&output: &Channel| {
            let output = names::channel(axes, output);
            Read { name: parts::read(&output, &port), output }
        };
        Self {
            label: store.input.label(axes),
            words: store.words,
            reads: store.readers.iter().map(read).collect(),
            port,
        }
    }
}

impl Counter {
    fn new(router: &Router, counter: &netlist::Counter) -> Option<Self> {
        let (name, last) = steering::counted(router, counter.clock)?;
        Some(Self { name, range: Range::up_to(last), bits: digits(last), last, restart: counter.restart })
    }
}

impl Line {
    fn new(axes: usize, line: netlist::Line) -> Self {
        let kept = line.stages - 1;
        Self {
            label: line.input.label(axes),
            port: names::channel(axes, line.input),
            stages: line.stages,
            words: Words::new(0, line.stages),
            kept_words: Words::new(0, kept),
            range: Range::of(line.stages),
            kept_bits: Bits::new(0, kept),
        }
    }
}

impl Ring {
    fn new(axes: usize, ring: &netlist::Ring) -> Self {
        let port = names::channel(axes, ring.input);
        Self {
            label: ring.input.label(axes),
            name: parts::ring(&port, ring.age),
            age: ring.age,
            words: ring.words,
            bits: digits(ring.words),
            range: Range::up_to(ring.words),
            port,
        }
    }
}
