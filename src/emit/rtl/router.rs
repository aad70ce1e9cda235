//! The module of a router, named and numbered for `templates/rtl/router.v`.

use askama::Template;

use super::super::design::Design;
use super::super::{names, words};
use super::parts::{self, Bits, Range, TableWires, Words};
use super::rules;
use super::steering::{self, Steering};
use crate::net::Port;
use crate::netlist::{self, Field, Output, Rom, Router, Value, digits};
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
    number: u32,
    /// the outputs it goes out at
    ports: String,
    gap: String,
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
        let port = |port: Port| names::port(axes, port);
        let wires = router.table.as_ref().map(TableWires::of);
        let own_table = |wires| OwnTable { module: names::table(program, class), wires };
        let is_own = design.netlist.rom == Rom::PerNode;
        let widest = widest(axes, router);
        let gap = |name: &str| " ".repeat(widest.saturating_sub(name.len()));
        let packet = |&number: &u32| Packet {
            number,
            ports: joined(&senders(axes, router, number), "and"),
            gap: gap(&format!("own_{number}")),
        };
        Self {
            module: names::router(program, class),
            headline: rules::headline(router, axes),
            notes: notes(design, class, router),
            width: design.options.width,
            first: router.uses_first(),
            told: wires.filter(|_| !is_own),
            packets: router.packets.iter().map(packet).collect(),
            inputs: router.inputs.iter().copied().map(port).collect(),
            outputs: router.outputs.iter().map(|output| port(output.port)).collect(),
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
fn senders(axes: usize, router: &Router, packet: u32) -> Vec<String> {
    let sends = |output: &&Output| output.drive.loads(Value::Own { packet });
    router.outputs.iter().filter(sends).map(|output| output.port.label(axes)).collect()
}

/// The length of the longest name of a port: an input's, an output's or a packet's.
fn widest(axes: usize, router: &Router) -> usize {
    let packets = router.packets.iter().map(|packet| format!("own_{packet}"));
    let inputs = router.inputs.iter().map(|&port| format!("{}_in_valid", names::port(axes, port)));
    let outputs = router.outputs.iter().map(|output| format!("{}_out_valid", names::port(axes, output.port)));
    packets.chain(inputs).chain(outputs).map(|name| name.len()).max().unwrap_or(0)
}

/// The parts of the table's word that concern an output.
fn fields(axes: usize, output: &Output) -> impl Iterator<Item = FieldWire> {
    let port = names::port(axes, output.port);
    let select = match output.drive {
        netlist::Drive::Chosen { select, .. } => Some((format!("{port}_select"), select)),
        _ => None,
    };
    let slot = output.slot.map(|slot| (format!("{port}_slot"), slot));
    let wire = |(name, field): (String, Field)| FieldWire { range: Range::of(field.bits), name, bits: Bits::of(field) };
    select.into_iter().chain(slot).map(wire)
}

impl Store {
    fn new(axes: usize, store: &netlist::Store) -> Self {
        let port = names::port(axes, store.port);
        let read = |&output: &Port| {
            let output = names::port(axes, output);
            Read { name: parts::read(&output, &port), output }
        };
        Self {
            label: store.port.label(axes),
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
            label: line.port.label(axes),
            port: names::port(axes, line.port),
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
        let port = names::port(axes, ring.port);
        Self {
            label: ring.port.label(axes),
            name: parts::ring(&port, ring.age),
            age: ring.age,
            words: ring.words,
            bits: digits(ring.words),
            range: Range::up_to(ring.words),
            port,
        }
    }
}
