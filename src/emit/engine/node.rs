//! Node of an engine and its place on the ring, for `templates/engine/node.v` and `ring.v`.

use askama::Template;

use super::router::{Router, name};
use super::sizes::{HeaderField, RelativeAxis, Sizes, bits_up_to};
use super::stores::{address_bits, depths, has_one_address};
use super::{EngineDesign, module};
use crate::emit::output::File;
use crate::emit::rtl;

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
    links: Vec<String>,
    units: Vec<String>,
    banks: Vec<Bank>,
    receives: Vec<Kept>,
}

/// Bank of words that come in.
struct Bank {
    name: String,
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
#[template(path = "engine/ring.v", escape = "none")]
struct Ring {
    module: String,
    notes: Vec<String>,
    width: u32,
}

pub(super) fn files<'d>(design: &'d EngineDesign<'d>, sizes: &Sizes) -> Vec<File<'d>> {
    let sizes = *sizes;
    let ring = move || Ring { module: design.module("ring"), notes: design.notes(), width: design.width };
    let unit = design
        .engine
        .unit
        .map(|unit| rtl::adder::file(unit, design.module("combine"), design.width, design.notes().concat()));
    unit.into_iter()
        .chain([
            module(design, "router", move || Router::new(design, &sizes)),
            module(design, "node", move || Node::new(design, sizes)),
            module(design, "ring", ring),
        ])
        .collect()
}

impl Node {
    fn new(design: &EngineDesign<'_>, sizes: Sizes) -> Self {
        let engine = design.engine;
        let inputs = engine.inputs();
        let header = sizes.header();
        let address = address_bits(engine);
        let (one, banks) = (has_one_address(engine), inputs as u32 + 1);
        let taken_bits = banks + address * if one { 1 } else { banks };
        let bank = |(number, depth): (usize, u32)| {
            let bits = bits_up_to(depth - 1);
            let low = if one { 0 } else { number as u32 * address };
            Bank {
                name: if number == inputs { "passed".to_owned() } else { name(engine, number) },
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
            let is_unit = number >= engine.outputs;
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
            links: (0..engine.outputs).map(|input| name(engine, input)).collect(),
            units: (engine.outputs..inputs).map(|unit| name(engine, unit)).collect(),
            banks: depths(engine).into_iter().enumerate().filter(|&(_, depth)| depth > 0).map(bank).collect(),
            receives: (0..inputs).filter_map(kept).collect(),
            sizes,
        }
    }
}
