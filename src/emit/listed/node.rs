//! Node of a design and its place on the ring, for `templates/listed/node.v` and `ring.v`.

use askama::Template;

use super::lanes::{RowLane, RowLanes};
use super::sizes::{HeaderField, RelativeAxis, Sizes, header_bits};
use super::stores::{address_bits, depths, has_one_address};
use super::{Bus, ListDesign, module};
use crate::emit::output::File;
use crate::emit::{names, rtl, words};
use crate::net::Channel;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{Own, bits_for, digits};
use crate::program::{count, joined};

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
    /// Some records are for one position.
    has_positions: bool,
    header: Vec<HeaderField>,
    header_bits: u32,
    /// Words of one call go in and out while another plays.
    is_double: bool,
    tracks: u32,
    /// Store of the node's own control words.
    track: Memory,
    codes: u32,
    taken_bits: u32,
    /// Lowest bits of a control word, which say what is kept.
    keeps: u32,
    axes: Vec<RelativeAxis>,
    links: Vec<Channeled>,
    units: Vec<Channeled>,
    banks: Vec<Bank>,
    receives: Vec<Kept>,
    /// Bits of an entry of the table of words that go out.
    given_bits: u32,
    /// Lanes of the stream out, if it has several words per clock.
    lanes: Vec<Lane>,
}

/// Lane of the stream out.
struct Lane {
    number: usize,
    keep: u32,
    /// Bits of the number among the lane's banks, if there are several.
    chosen: Option<String>,
    choice: u32,
    from: String,
    user: String,
    /// Bits of the lane's word among those of all lanes.
    data: String,
    /// Registers with the words of its banks.
    words: Vec<String>,
}

impl Lane {
    /// Lane of words of so many bits, of which some are kept as they arrive.
    fn of(lane: &RowLane, width: u32, receives: &[Kept]) -> Self {
        let word = |number: usize| {
            let kept = receives.iter().find(|kept| kept.arrivals[0].number == number);
            let kept = kept.map(|kept| format!("{}_got", kept.name));
            kept.unwrap_or_else(|| "passed_own".to_owned())
        };
        Self {
            number: lane.number,
            keep: lane.keep(),
            chosen: (lane.choice > 0).then(|| lane.chosen()),
            choice: lane.choice,
            from: lane.from(),
            user: lane.user(),
            data: lane.data(width),
            words: lane.banks.iter().map(|&bank| word(bank)).collect(),
        }
    }
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
    /// Lane by which words go out that pass.
    goes: Option<LaneChoice>,
}

/// Lane of a bank, and its number among the lane's banks.
struct LaneChoice {
    lane: usize,
    choice: u32,
    bits: u32,
}

/// Bank of words that are kept, of several inputs side by side.
struct Kept {
    name: String,
    /// Inputs and units in words.
    whence: String,
    arrivals: Vec<KeptArrival>,
    /// Bit of the control word that says whether they are kept.
    keep: usize,
    memory: Memory,
    /// Lane by which its words go out, in rows.
    goes: Option<LaneChoice>,
}

/// Input or unit of which words are kept.
struct KeptArrival {
    number: usize,
    signal: String,
    /// Bits of its word in the bank, if it is not alone there.
    bits: String,
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

    /// Address of a word that goes out; in a row the next one of its bank, whose name is said.
    fn gone(&self, bank: &str, in_rows: bool) -> String {
        let address = if in_rows { format!("{bank}_gone") } else { format!("out_address[{}:0]", self.bits.max(1) - 1) };
        self.at("out", &address)
    }
}

impl Bank {
    /// Address of a word that comes in.
    fn put(&self) -> String {
        self.memory.at("in", &format!("in_entry[{}:{}]", self.high, self.low))
    }

    /// Address of a word that goes out as it came in.
    fn gone(&self, in_rows: bool) -> String {
        self.memory.gone(&self.name, in_rows)
    }

    /// Address of the word that is sent next.
    fn next(&self) -> String {
        self.memory.at("play", &format!("{}_next", self.name))
    }
}

impl Kept {
    /// Bank of a group of inputs and units, with the number of its bit in a control word.
    fn of(design: &ListDesign<'_>, keep: usize, group: &[usize]) -> Self {
        let netlist = design.netlist;
        let (first, last) = (name(netlist, group[0]), name(netlist, group[group.len() - 1]));
        let given = netlist.given.iter().filter(|given| group.contains(&(given.bank as usize)));
        let arrival = |(place, &number): (usize, &usize)| {
            let low = place as u32 * design.width;
            let is_unit = number >= netlist.union.parts.outputs;
            KeptArrival {
                number,
                signal: format!("{}{}", name(netlist, number), if is_unit { "" } else { "_in" }),
                bits: if group.len() > 1 { format!("[{}:{}]", low + design.width - 1, low) } else { String::new() },
            }
        };
        let is_of_units = group[0] >= netlist.union.parts.outputs;
        let names: Vec<String> = group.iter().map(|&number| name(netlist, number)).collect();
        Self {
            whence: format!("{} {}", if is_of_units { "in" } else { "at" }, joined(&names, "and")),
            name: if group.len() > 1 { format!("{first}_to_{last}") } else { first },
            arrivals: group.iter().enumerate().map(arrival).collect(),
            keep,
            memory: Memory::new(given.map(|given| given.address + 1).max().unwrap_or(1), design.bus == Bus::Streams),
            goes: None,
        }
    }

    /// Name in constants, where `_` stands before a number alone.
    fn constant(&self) -> String {
        let name = self.name.to_uppercase();
        if self.arrivals.len() > 1 { name.replace('_', "") } else { name }
    }

    /// Bits of a word of the bank.
    fn bits(&self, width: u32) -> u32 {
        width * self.arrivals.len() as u32
    }

    /// Address of a word that goes out.
    fn gone(&self, in_rows: bool) -> String {
        self.memory.gone(&self.name, in_rows)
    }

    /// Address of the word that is kept next.
    fn count(&self) -> String {
        self.memory.at("play", &format!("{}_count", self.name))
    }
}

impl Node {
    /// Fields of the header that records say.
    fn said(&self) -> impl Iterator<Item = &HeaderField> {
        self.header.iter().filter(|field| field.constant.is_none())
    }

    /// Fields that wait until their call's words go out.
    fn said_of_out(&self) -> impl Iterator<Item = &HeaderField> {
        self.said().filter(|field| field.is_out())
    }

    /// Returns true if some nodes of a program have control words of their own, and some programs have none.
    fn says_tracked(&self) -> bool {
        self.said().any(|field| field.name == "is_tracked")
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
        let header = sizes.header(netlist);
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
        let rows = RowLanes::of(design);
        let lane_of = |number: usize| {
            let lane = rows.as_ref()?.all.iter().find(|lane| lane.banks.contains(&number))?;
            let choice = lane.banks.iter().position(|&bank| bank == number)?;
            Some(LaneChoice { lane: lane.number, choice: choice as u32, bits: lane.choice })
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
                goes: if number == inputs { lane_of(number) } else { None },
            }
        };
        let receives: Vec<Kept> =
            netlist.union.parts.keeps.iter().enumerate().map(|(keep, group)| Kept::of(design, keep, group)).collect();
        let receives = receives
            .into_iter()
            .map(|kept| Kept { goes: lane_of(kept.arrivals[0].number), ..kept })
            .collect::<Vec<_>>();
        let banks: Vec<Bank> =
            depths(netlist).into_iter().enumerate().filter(|&(_, depth)| depth > 0).map(bank).collect();
        let from_bits = if sizes.is_by_arrival() { sizes.code } else { 0 };
        Self {
            given_bits: rows.as_ref().map_or(from_bits + sizes.bank + sizes.address, RowLanes::entry_bits),
            lanes: rows.iter().flat_map(|rows| &rows.all).map(|lane| Lane::of(lane, design.width, &receives)).collect(),
            module: design.module("node"),
            notes: design.notes(),
            width: design.width,
            stops: design.boards.is_some(),
            is_relative: netlist.is_relative(),
            away: design.module("away"),
            taken: design.module("taken"),
            given: design.module("given"),
            router: design.module("router"),
            header_bits: header_bits(&header),
            has_positions: netlist.records.iter().any(|record| record.position.is_some()),
            header,
            is_double,
            tracks: sizes.tracks,
            track: Memory::new(sizes.tracks.max(1), is_double),
            codes: netlist.codes(),
            taken_bits,
            keeps: netlist.union.parts.keeps.len() as u32,
            axes: RelativeAxis::all(netlist),
            links: (0..netlist.union.parts.outputs).map(channeled).collect(),
            units: (netlist.union.parts.outputs..inputs).map(channeled).collect(),
            banks,
            receives,
            sizes,
        }
    }
}
