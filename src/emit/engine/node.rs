//! Node of an engine and its place on the ring, for `templates/engine/node.v` and `ring.v`.

use askama::Template;

use super::sizes::{HeaderField, RelativeAxis, Sizes, bits_up_to};
use super::stores::{address_bits, depths, has_one_address};
use super::{Bus, EngineDesign, module};
use crate::emit::output::File;
use crate::emit::{names, rtl, words};
use crate::net::Channel;
use crate::netlist::Own;
use crate::netlist::engine::Engine;
use crate::program::count;

#[derive(Template)]
#[template(path = "engine/node.v", escape = "none")]
struct Node {
    module: String,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
    /// A tick can wait for other boards.
    stops: bool,
    is_relative: bool,
    away: String,
    taken: String,
    given: String,
    router: String,
    header: Vec<HeaderField>,
    header_bits: u32,
    tracks: u32,
    codes: u32,
    taken_bits: u32,
    /// Inputs and units: the lowest bits of a control word say whether they are kept.
    keeps: u32,
    axes: Vec<RelativeAxis>,
    links: Vec<Channeled>,
    units: Vec<Channeled>,
    banks: Vec<Bank>,
    receives: Vec<Kept>,
}

/// Input and output of a node, or a unit, as its router knows it.
struct Channeled {
    name: String,
    is_read: bool,
    sends: bool,
}

/// Bank of words that come in.
struct Bank {
    name: String,
    /// Input of the router for these words.
    own: String,
    /// The router takes them.
    is_taken: bool,
    passes: bool,
    number: usize,
    depth: u32,
    bits: u32,
    mask: u32,
    high: u32,
    low: u32,
}

/// Bank of words that are kept.
struct Kept {
    name: String,
    is_unit: bool,
    number: usize,
    keep: usize,
    depth: u32,
    bits: u32,
}

#[derive(Template)]
#[template(path = "engine/stream.v", escape = "none")]
struct Stream {
    module: String,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
}

#[derive(Template)]
#[template(path = "engine/ring.v", escape = "none")]
struct Ring {
    module: String,
    notes: Vec<String>,
    width: u32,
}

pub(super) fn files<'d>(design: &'d EngineDesign<'d>, sizes: &Sizes) -> Vec<File<'d>> {
    let sizes = *sizes;
    let ring = move || Ring { module: design.module("ring"), notes: design.notes(), width: design.width };
    let stream = move || Stream { module: design.module("stream"), notes: design.notes(), sizes, width: design.width };
    let unit = design
        .engine
        .union
        .parts
        .unit
        .map(|unit| rtl::adder::file(unit, design.module("combine"), design.width, design.notes().concat()));
    unit.into_iter()
        .chain([
            module(design, "router", move || router(design)),
            module(design, "node", move || Node::new(design, sizes)),
            if design.bus == Bus::Streams { module(design, "stream", stream) } else { module(design, "ring", ring) },
        ])
        .collect()
}

/// Name of an input or an output that leads to a link, or of a unit.
pub(super) fn name(engine: &Engine, number: usize) -> String {
    names::channel(engine.topology.axes(), engine.union.parts.channel(number))
}

/// Module of the router.
fn router(design: &EngineDesign<'_>) -> rtl::router::RouterModule {
    let engine = design.engine;
    let programs = count(design.residents.len() as u64, "program");
    let about = format!(
        "Each output selects, in every tick, among all that {programs} need there. Units combine words of the node's own: they are \
         outputs that lead back to it."
    );
    let facts = rtl::router::RouterFacts {
        module: design.module("router"),
        headline: "the router of every node".to_owned(),
        notes: words::wrap_all(&[vec![about], design.notes()].concat()),
        width: design.width,
        has_enable: design.boards.is_some(),
        unit: design.module("combine"),
        axes: engine.topology.axes(),
        takes: true,
        ticks: 0,
        settings: 0,
    };
    rtl::router::RouterModule::new(facts, &engine.union.router)
}

impl Node {
    fn new(design: &EngineDesign<'_>, sizes: Sizes) -> Self {
        let engine = design.engine;
        let inputs = engine.inputs();
        let header = sizes.header();
        let address = address_bits(engine);
        let (one, banks) = (has_one_address(engine), inputs as u32 + 1);
        let taken_bits = banks + address * if one { 1 } else { banks };
        let own = |number: usize| Own { packet: number as u32, through: number as u32 };
        let channeled = |number: usize| {
            let channel: Channel = engine.union.parts.channel(number);
            Channeled {
                name: name(engine, number),
                is_read: engine.union.router.inputs.contains(&channel),
                sends: engine.union.router.output(channel).is_some(),
            }
        };
        let bank = |(number, depth): (usize, u32)| {
            let bits = bits_up_to(depth - 1);
            let low = if one { 0 } else { number as u32 * address };
            Bank {
                name: if number == inputs { "passed".to_owned() } else { name(engine, number) },
                own: names::own(own(number)),
                is_taken: engine.union.router.packets.contains(&own(number)),
                passes: number == inputs,
                number,
                depth,
                bits,
                mask: taken_bits - banks + number as u32,
                high: low + bits - 1,
                low,
            }
        };
        let kept = |number: usize| {
            let given = engine.given.iter().filter(|given| given.bank as usize == number);
            let is_kept = engine.words.iter().any(|word| word.keeps[number])
                || engine.records.iter().any(|record| match &record.words {
                    crate::netlist::engine::Words::Control { word, .. } => word.keeps[number],
                    crate::netlist::engine::Words::Streams { .. } => false,
                });
            let depth = given.map(|given| given.address + 1).max().filter(|_| is_kept)?;
            let bits = bits_up_to(depth - 1);
            let is_unit = number >= engine.union.parts.outputs;
            Some(Kept { name: name(engine, number), is_unit, number, keep: number, depth, bits })
        };
        Self {
            module: design.module("node"),
            notes: design.notes(),
            width: design.width,
            stops: design.boards.is_some(),
            is_relative: engine.is_relative(),
            away: design.module("away"),
            taken: design.module("taken"),
            given: design.module("given"),
            router: design.module("router"),
            header_bits: header.iter().map(|field| field.bits).sum(),
            header,
            tracks: sizes.tracks,
            codes: engine.codes(),
            taken_bits,
            keeps: inputs as u32,
            axes: RelativeAxis::all(engine),
            links: (0..engine.union.parts.outputs).map(channeled).collect(),
            units: (engine.union.parts.outputs..inputs).map(channeled).collect(),
            banks: depths(engine).into_iter().enumerate().filter(|&(_, depth)| depth > 0).map(bank).collect(),
            receives: (0..inputs).filter_map(kept).collect(),
            sizes,
        }
    }
}
