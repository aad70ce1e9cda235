//! The module of a router, named and numbered for `templates/rtl/router.v`.

use askama::Template;

use crate::emit::fabric::combine::CombineView;
use crate::emit::fabric::crossbar::{self, NamedSelection, SelectionList};
use crate::emit::fabric::fields::{FieldWire, fields};
use crate::emit::fabric::neutral::Neutral;
use crate::emit::fabric::slots::{Arrived, OperandSlots};
use crate::emit::fabric::take::{Take, TakeTime};
use crate::emit::fabric::{loaded, rules};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{self, BitRange, BitSlice, KeptRange, KeptValue, RegisterPlace, WordSlice};
use crate::emit::shared::{names, words};
use crate::net::{Channel, Ports};
use crate::netlist::{self, LoadedValue, Output, Own, Router, digits};
use crate::program::{ClassId, count, joined};

#[derive(Template)]
#[template(path = "rtl/router.v", escape = "none")]
pub struct RouterModule {
    module: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    /// true if a clock enable can halt it, and padding up to its comment
    ce: bool,
    ce_gap: String,
    /// true if outputs have valid bits
    is_marked: bool,
    word: BitRange,
    /// spaces up to the comment on it
    word_gap: String,
    /// range of the configuration, if there is one, and padding up to its comment
    configuration: Option<BitRange>,
    configuration_gap: String,
    /// spaces up to the comment on what sets outputs back, if they are
    clear_gap: Option<String>,
    packets: Vec<PacketInput>,
    inputs: Vec<ReadInput>,
    fields: Vec<FieldWire>,
    /// neutral values by operation, if operations differ in it, and the bits that name one
    neutrals: Vec<Neutral>,
    operation_bits: u32,
    lists: Vec<SelectionList>,
    joins: Vec<Join>,
    window: Option<WindowView>,
    stores: Vec<StoreView>,
    lines: Vec<DelayLineView>,
    rings: Vec<RingView>,
    /// packets that are joined to what outputs load in the first tick
    firsts: Vec<String>,
    outputs: Vec<RegisterView>,
}

/// One of the node's own packets.
struct PacketInput {
    name: String,
    /// the outputs it goes out at
    ports: String,
    gap: String,
    /// when it is sent, if it is taken flit by flit
    take: Option<Take>,
}

/// An input, and whether its valid bit is read.
struct ReadInput {
    port: String,
    is_heard: bool,
}

/// OR of the arrivals at some inputs.
struct Join {
    name: String,
    label: String,
    inputs: Vec<String>,
}

/// When the node's window is open, by a count of the ticks played.
struct WindowView {
    bits: u32,
    range: BitRange,
}

/// Every arrival at an input, by tick, and the outputs that read it.
struct StoreView {
    label: String,
    port: String,
    arrival: KeptValue,
    words: u32,
    reads: Vec<StoreRead>,
}

struct StoreRead {
    name: String,
    output: String,
    range: KeptRange,
    /// true if the stored word has a valid bit that this output does not read
    is_cut: bool,
}

/// A delay line in shift registers.
struct DelayLineView {
    label: String,
    port: String,
    stages: u32,
    words: WordSlice,
    kept_words: WordSlice,
    /// stages with valid bits, which may be read at smaller ages or never
    valid_stages: u32,
    valid_range: BitRange,
    kept_bits: BitSlice,
}

/// A delay line in memory.
struct RingView {
    label: String,
    arrival: KeptValue,
    name: String,
    age: u32,
    words: u32,
}

/// An output's register.
struct RegisterView {
    port: String,
    is_certain: bool,
    /// value that is OR-ed into the data
    first: Option<String>,
    rule: String,
    early: Option<PrefetchView>,
    /// selections by the configuration
    named: Vec<NamedSelection>,
    /// bits of what selects, if there is a choice
    select: Option<u32>,
    arms: Vec<LoadArm>,
    /// own packet that is sent while the window is open
    inject: Option<String>,
    /// combination of the arms, for reductions
    combine: Option<CombineView>,
    /// combination of operands in places
    slots: Option<OperandSlots>,
}

/// Prefetch register of an output, loaded one tick ahead.
struct PrefetchView {
    select: Option<u32>,
    arms: Vec<KeptValue>,
}

/// A value that can be loaded.
struct LoadArm {
    what: String,
    place: RegisterPlace,
}

/// Facts about a router's module that its registers do not say.
pub struct RouterFacts {
    /// Name of the module.
    pub module: String,
    /// Description in a few words.
    pub headline: String,
    /// Comments above the module.
    pub notes: Vec<String>,
    /// Bits of a flit.
    pub width: u32,
    /// True if a clock enable can halt it.
    pub has_enable: bool,
    /// Name of the module that combines two values in some ticks.
    pub unit: String,
    /// Axes of the network.
    pub axes: usize,
    /// True if packets of the node's own are taken flit by flit.
    pub takes: bool,
    /// Ticks of the program.
    pub ticks: u32,
    /// Bits of the configuration.
    pub settings: u32,
}

impl RouterModule {
    /// The module of a class that sends something.
    pub fn of_class(design: &EmitDesign, class: ClassId, router: &Router) -> Self {
        let program = design.program;
        let facts = RouterFacts {
            module: names::router(program, class),
            headline: match &design.netlist.loadable {
                Some(_) => loaded::RULE.to_owned(),
                None => rules::headline(router, program.topology.axes()),
            },
            notes: notes(design, class, router),
            width: design.options.width,
            has_enable: design.options.elastic,
            unit: names::unit(program),
            axes: program.topology.axes(),
            takes: design.netlist.streams,
            ticks: program.ticks,
            settings: design.netlist.settings(class).len() as u32,
        };
        Self::new(facts, router)
    }

    /// The module of a router.
    pub fn new(facts: RouterFacts, router: &Router) -> Self {
        let RouterFacts { module, headline, notes, width, has_enable, unit, axes, takes, ticks, settings } = facts;
        let name = |channel: Channel| names::channel(axes, channel);
        let widest = widest(axes, router);
        let gap = |name: &str| " ".repeat(widest.saturating_sub(name.len()));
        // frames between boards cover words that are for nobody, and would be unknown if they came from what was never sent
        let clears = router.begins.is_some() || has_enable && !router.is_marked;
        let packet = |&own: &Own| PacketInput {
            ports: joined(&senders(axes, router, own), "and"),
            gap: gap(&names::own(own)),
            take: takes.then(|| Take::of(axes, router, own)),
            name: names::own(own),
        };
        Self {
            module,
            headline,
            notes,
            width,
            ce: has_enable,
            ce_gap: gap("ce"),
            is_marked: router.is_marked,
            word: BitRange::vector(router.word_bits()),
            word_gap: gap("word"),
            configuration: (settings > 0).then(|| BitRange::vector(settings)),
            configuration_gap: gap("configuration"),
            clear_gap: clears.then(|| gap("clear")),
            packets: router.packets.iter().map(packet).collect(),
            inputs: router
                .inputs
                .iter()
                .map(|&input| ReadInput { port: name(input), is_heard: router.hears(input) })
                .collect(),
            fields: fields(axes, router),
            neutrals: neutrals(router),
            operation_bits: router.operation.map_or(0, |operation| operation.bits),
            lists: crossbar::lists(axes, router),
            joins: router.joins.iter().map(|&ports| Join::new(axes, ports)).collect(),
            window: router.has_window().then(|| WindowView { bits: digits(ticks), range: BitRange::up_to(ticks) }),
            stores: router.stores.iter().map(|store| StoreView::new(axes, router, store)).collect(),
            lines: router.lines.iter().map(|line| DelayLineView::new(axes, router, *line)).collect(),
            rings: router.rings.iter().map(|ring| RingView::new(axes, router, ring)).collect(),
            firsts: router.firsts().into_iter().map(names::own).collect(),
            outputs: router.outputs.iter().map(|output| RegisterView::new(axes, router, output, &unit)).collect(),
        }
    }
}

/// Neutral values by operation, if a router needs them and operations differ in them.
fn neutrals(router: &Router) -> Vec<Neutral> {
    let combines = router.outputs.iter().filter_map(|output| output.drive.combine.as_ref());
    let is_empty = |combine: &&netlist::Combine| {
        combine.adders.iter().any(|adders| adders.slots.iter().any(|slot| slot.is_taken.is_some()))
    };
    let chosen = combines.filter(is_empty).find(|combine| Neutral::of_any(combine) == Neutral::Chosen);
    chosen.map_or_else(Vec::new, Neutral::all)
}

/// Comments above the module: the rules, the nodes that follow them, and the origin.
fn notes(design: &EmitDesign, class: ClassId, router: &Router) -> Vec<String> {
    let program = design.program;
    if design.netlist.loadable.is_some() {
        return words::wrap_all(&[
            "Every node has it. What is sent when, its control reads from memories.".to_owned(),
            design.generated(),
        ]);
    }
    let mut notes = rules::details(router, program.topology.axes());
    notes.extend(router.is_spread().then(|| rules::APART.to_owned()));
    let built_so = design.netlist.driven().map(|(class, _)| class);
    let built_so: Vec<ClassId> = built_so.filter(|&it| design.netlist.module_of(it) == class).collect();
    match built_so.as_slice() {
        [class] => notes.push(words::sentence(&design.members(*class))),
        several => notes.extend(
            several.iter().map(|&class| format!("Class {}: {}.", program.class_name(class), design.members(class))),
        ),
    }
    notes.push(format!(
        "Scheme {}, {} on a {}, {}.",
        program.title.scheme,
        program.collective(),
        program.topology.describe(),
        count(u64::from(program.ticks), "tick")
    ));
    notes.push(design.generated());
    words::wrap_all(&notes)
}

/// The outputs that a packet goes out at.
fn senders(axes: usize, router: &Router, own: Own) -> Vec<String> {
    let sends = |output: &&Output| output.drive.loads(LoadedValue::Own(own)) || output.inject == Some(own);
    router.outputs.iter().filter(sends).map(|output| output.channel.label(axes)).collect()
}

/// The length of the longest name of a port: an input's, an output's or a packet's.
fn widest(axes: usize, router: &Router) -> usize {
    let packets = router.packets.iter().map(|&own| names::own(own));
    let inputs = router.inputs.iter().map(|&input| format!("{}_in_valid", names::channel(axes, input)));
    let outputs = router.outputs.iter().map(|output| format!("{}_out_valid", names::channel(axes, output.channel)));
    let configuration = router.is_configured().then(|| "configuration".to_owned());
    packets.chain(inputs).chain(outputs).chain(configuration).map(|name| name.len()).max().unwrap_or(0)
}

impl RegisterView {
    fn new(axes: usize, router: &Router, output: &Output, unit: &str) -> Self {
        let combine = output.drive.combine.as_ref().filter(|combine| combine.adders.is_none());
        let place = |&value: &LoadedValue| RegisterPlace::of(axes, router, output.channel, value);
        let arm = |value: &LoadedValue| LoadArm { what: rules::describe(*value, axes), place: place(value) };
        let is_certain = output.drive.is_certain;
        let early = |early: &netlist::PrefetchRegister| PrefetchView {
            select: early.select.map(|select| select.bits),
            arms: early.values.iter().map(|value| KeptValue { place: place(value), is_checked: !is_certain }).collect(),
        };
        Self {
            named: crossbar::named(axes, router, output).collect(),
            port: names::channel(axes, output.channel),
            is_certain,
            first: output.drive.first.map(names::own),
            rule: rules::brief(output, axes, router.flits),
            early: output.drive.early.as_ref().map(early),
            select: output.drive.select.map(|select| select.bits),
            arms: output.drive.values.iter().map(arm).collect(),
            inject: output.inject.map(names::own),
            combine: combine.map(|combine| CombineView::new(axes, router, output, combine)),
            slots: OperandSlots::new(axes, router, output, unit.to_owned()),
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

impl StoreView {
    fn new(axes: usize, router: &Router, store: &netlist::Store) -> Self {
        let port = names::channel(axes, store.input);
        let is_checked = router.checks(LoadedValue::Store { input: store.input });
        let read = |&channel: &Channel| {
            let output = names::channel(axes, channel);
            let is_read = router.output(channel).is_some_and(|output| !output.drive.is_certain);
            StoreRead {
                name: parts::read(&output, &port),
                output,
                range: KeptRange { is_checked: is_read },
                is_cut: is_checked && !is_read,
            }
        };
        Self {
            label: store.input.label(axes),
            arrival: KeptValue::arrival(axes, store.input, is_checked),
            words: store.words,
            reads: store.readers.iter().map(read).collect(),
            port,
        }
    }
}

impl DelayLineView {
    fn new(axes: usize, router: &Router, line: netlist::DelayLine) -> Self {
        let (kept, valid_stages) = (line.stages - 1, router.valid_stages(line));
        Self {
            label: line.input.label(axes),
            port: names::channel(axes, line.input),
            stages: line.stages,
            words: WordSlice::new(0, line.stages),
            kept_words: WordSlice::new(0, kept),
            valid_stages,
            valid_range: BitRange::of(valid_stages),
            kept_bits: BitSlice::new(0, valid_stages.saturating_sub(1)),
        }
    }
}

impl RingView {
    fn new(axes: usize, router: &Router, ring: &netlist::DelayMemory) -> Self {
        let port = names::channel(axes, ring.input);
        Self {
            label: ring.input.label(axes),
            name: parts::ring(&port, ring.age),
            age: ring.age,
            words: ring.words,
            arrival: KeptValue::arrival(
                axes,
                ring.input,
                router.checks(LoadedValue::Ring { input: ring.input, age: ring.age }),
            ),
        }
    }
}
