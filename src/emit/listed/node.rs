//! Node of a design and its place on the ring, for `templates/listed/node.v` and `ring.v`.

use askama::Template;

use super::sizes::{HeaderField, RelativeAxis, Sizes};
use super::stores::{address_bits, depths, has_one_address};
use super::{Bus, ListDesign, module};
use crate::emit::output::File;
use crate::emit::{names, rtl, words};
use crate::net::Channel;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{Own, bits_for, digits};
use crate::program::count;

#[derive(Template)]
#[template(path = "listed/node.v", escape = "none")]
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
    /// Words of one call go in and out while another plays.
    is_double: bool,
    tracks: u32,
    /// Store of the node's own control words.
    track: Memory,
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
    memory: Memory,
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
    memory: Memory,
}

/// Memory of one bank, or of two for calls that follow one another.
struct Memory {
    is_double: bool,
    /// bits of an address in a bank; 0 if there are two banks of one word
    bits: u32,
    last: u32,
}

impl Memory {
    fn new(depth: u32, is_double: bool) -> Self {
        let bits = if is_double { bits_for(depth.into()) } else { digits(depth - 1) };
        Self { is_double, bits, last: if is_double { (2 << bits) - 1 } else { depth - 1 } }
    }

    /// Address in the bank of a stage: that words come into (`in`), that plays (`play`), or from which words go out (`out`).
    fn at(&self, stage: &str, address: &str) -> String {
        match (self.is_double, self.bits) {
            (false, _) => address.to_owned(),
            (true, 0) => format!("{stage}_bank"),
            (true, _) => format!("{{{stage}_bank, {address}}}"),
        }
    }

    /// Address of a word that goes out.
    fn gone(&self) -> String {
        self.at("out", &format!("out_address[{}:0]", self.bits.max(1) - 1))
    }
}

impl Bank {
    /// Address of a word that comes in.
    fn put(&self) -> String {
        self.memory.at("in", &format!("in_entry[{}:{}]", self.high, self.low))
    }

    /// Address of the word that is sent next.
    fn next(&self) -> String {
        self.memory.at("play", &format!("{}_next", self.name))
    }
}

impl Kept {
    /// Address of the word that is kept next.
    fn count(&self) -> String {
        self.memory.at("play", &format!("{}_count", self.name))
    }
}

#[derive(Template)]
#[template(path = "listed/stream.v", escape = "none")]
struct Stream {
    module: String,
    notes: Vec<String>,
    sizes: Sizes,
    width: u32,
}

#[derive(Template)]
#[template(path = "listed/ring.v", escape = "none")]
struct Ring {
    module: String,
    notes: Vec<String>,
    width: u32,
}

pub(super) fn files<'d>(design: &'d ListDesign<'d>, sizes: &Sizes) -> Vec<File<'d>> {
    let sizes = *sizes;
    let ring = move || Ring { module: design.module("ring"), notes: design.notes(), width: design.width };
    let stream = move || Stream { module: design.module("stream"), notes: design.notes(), sizes, width: design.width };
    let unit = design
        .netlist
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
pub(super) fn name(netlist: &ListNetlist, number: usize) -> String {
    names::channel(netlist.topology.axes(), netlist.union.parts.channel(number))
}

/// Module of the router.
fn router(design: &ListDesign<'_>) -> rtl::router::RouterModule {
    let netlist = design.netlist;
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
        axes: netlist.topology.axes(),
        takes: true,
        ticks: 0,
        settings: 0,
    };
    rtl::router::RouterModule::new(facts, &netlist.union.router)
}

impl Node {
    fn new(design: &ListDesign<'_>, sizes: Sizes) -> Self {
        let netlist = design.netlist;
        let inputs = netlist.inputs();
        let header = sizes.header();
        let is_double = sizes.has_streams;
        let address = address_bits(netlist);
        let (one, banks) = (has_one_address(netlist), inputs as u32 + 1);
        let taken_bits = banks + address * if one { 1 } else { banks };
        let own = |number: usize| Own { packet: number as u32, through: number as u32 };
        let channeled = |number: usize| {
            let channel: Channel = netlist.union.parts.channel(number);
            Channeled {
                name: name(netlist, number),
                is_read: netlist.union.router.inputs.contains(&channel),
                sends: netlist.union.router.output(channel).is_some(),
            }
        };
        let bank = |(number, depth): (usize, u32)| {
            let memory = Memory::new(depth, is_double);
            let low = if one { 0 } else { number as u32 * address };
            Bank {
                name: if number == inputs { "passed".to_owned() } else { name(netlist, number) },
                own: names::own(own(number)),
                is_taken: netlist.union.router.packets.contains(&own(number)),
                passes: number == inputs,
                number,
                mask: taken_bits - banks + number as u32,
                high: low + memory.bits.max(1) - 1,
                low,
                memory,
            }
        };
        let kept = |number: usize| {
            let given = netlist.given.iter().filter(|given| given.bank as usize == number);
            let is_kept = netlist.words.iter().any(|word| word.keeps[number])
                || netlist.records.iter().any(|record| match &record.words {
                    crate::netlist::listed::Words::Control { word, .. } => word.keeps[number],
                    crate::netlist::listed::Words::Streams { .. } => false,
                });
            let depth = given.map(|given| given.address + 1).max().filter(|_| is_kept)?;
            let is_unit = number >= netlist.union.parts.outputs;
            Some(Kept {
                name: name(netlist, number),
                is_unit,
                number,
                keep: number,
                memory: Memory::new(depth, is_double),
            })
        };
        Self {
            module: design.module("node"),
            notes: design.notes(),
            width: design.width,
            stops: design.boards.is_some(),
            is_relative: netlist.is_relative(),
            away: design.module("away"),
            taken: design.module("taken"),
            given: design.module("given"),
            router: design.module("router"),
            header_bits: header.iter().map(|field| field.bits).sum(),
            header,
            is_double,
            tracks: sizes.tracks,
            track: Memory::new(sizes.tracks.max(1), is_double),
            codes: netlist.codes(),
            taken_bits,
            keeps: inputs as u32,
            axes: RelativeAxis::all(netlist),
            links: (0..netlist.union.parts.outputs).map(channeled).collect(),
            units: (netlist.union.parts.outputs..inputs).map(channeled).collect(),
            banks: depths(netlist).into_iter().enumerate().filter(|&(_, depth)| depth > 0).map(bank).collect(),
            receives: (0..inputs).filter_map(kept).collect(),
            sizes,
        }
    }
}
