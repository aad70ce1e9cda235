//! Node of a design and its place on the ring, for `templates/listed/node.v` and `ring.v`.

use askama::Template;

use crate::emit::fabric;
use crate::emit::node::bank_memory::BankMemory;
use crate::emit::node::banks::{KeptBank, LaneChoice, WordBank, name};
use crate::emit::node::lanes::{RowLane, RowLanes};
use crate::emit::node::ports::InnerSignal;
use crate::emit::node::sizes::{HeaderField, WireSizes, header_bits};
use crate::emit::node::stores::{address_bits, depths, given_bits, has_one_address, taken_bits};
use crate::emit::node::width::WordWidth;
use crate::emit::node::{Bus, ListDesign, module};
use crate::emit::shared::output::OutputFile;
use crate::emit::shared::{names, words};
use crate::net::Channel;
use crate::netlist::Own;
use crate::program::count;

#[derive(Template)]
#[template(path = "listed/node.v", escape = "none")]
struct NodeModule {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
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
    tracks: u32,
    /// Store of the node's own control words.
    track: BankMemory,
    codes: u32,
    taken_bits: u32,
    /// Lowest bits of a control word, which say what is kept.
    keeps: u32,
    /// Module that says which node comes after another.
    next: String,
    /// Code of the first node.
    first: u32,
    links: Vec<Channeled>,
    units: Vec<Channeled>,
    banks: Vec<WordBank>,
    receives: Vec<KeptBank>,
    /// Bits of an entry of the table of words that go out.
    given_bits: u32,
    /// Lanes of the stream out, if it has several words per clock.
    lanes: Vec<StreamLane>,
}

/// Lane of the stream out.
struct StreamLane {
    number: usize,
    keep: u32,
    /// Bits of the number among the lane's banks, if there are several.
    chosen: Option<String>,
    choice: u32,
    from: String,
    /// Bits of an entry with the number of the message, if streams tell it.
    message: Option<String>,
    user: String,
    /// Bits of the lane's word among those of all lanes.
    data: String,
    /// Registers with the words of its banks.
    words: Vec<String>,
}

impl StreamLane {
    /// Lane of words of so many bits, of which some are kept as they arrive.
    fn of(lane: &RowLane, width: WordWidth, receives: &[KeptBank]) -> Self {
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
            message: lane.message(),
            user: lane.whose(),
            data: width.slice(lane.number as u32),
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

impl NodeModule {
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
struct StreamModule {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
}

#[derive(Template)]
#[template(path = "listed/ring.v", escape = "none")]
struct RingModule {
    module: String,
    notes: Vec<String>,
    width: u32,
}

/// A node with what gives it its words.
#[derive(Template)]
#[template(path = "listed/tile.v", escape = "none")]
struct TileModule {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    stops: bool,
    node: String,
    /// Module of the streams, or of the place on the ring.
    before: String,
    links: Vec<String>,
    inner: Vec<InnerSignal>,
}

impl TileModule {
    fn new(design: &ListDesign<'_>, sizes: WireSizes) -> Self {
        let netlist = design.netlist;
        Self {
            module: design.module("tile"),
            notes: design.notes(),
            sizes,
            stops: design.boards.is_some(),
            node: design.module("node"),
            before: design.module(if sizes.has_streams { "stream" } else { "ring" }),
            links: (0..netlist.union.parts.outputs).map(|number| name(netlist, number)).collect(),
            inner: sizes.inner_signals(),
        }
    }
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, sizes: &WireSizes) -> Vec<OutputFile<'d>> {
    let sizes = *sizes;
    let ring = move || RingModule { module: design.module("ring"), notes: design.notes(), width: design.width };
    let stream = move || StreamModule { module: design.module("stream"), notes: design.notes(), sizes };
    // nodes of one collective have that of the fabric
    let unit = design
        .netlist
        .union
        .parts
        .unit
        .filter(|_| !design.is_one())
        .map(|unit| fabric::adder::file(unit, design.module("combine"), design.width, design.notes().concat()));
    unit.into_iter()
        .chain([
            module(design, "router", move || router(design)),
            module(design, "node", move || NodeModule::new(design, sizes)),
            if design.bus == Bus::Streams { module(design, "stream", stream) } else { module(design, "ring", ring) },
            module(design, "tile", move || TileModule::new(design, sizes)),
        ])
        .collect()
}

/// Module of the router.
fn router(design: &ListDesign<'_>) -> fabric::router::RouterModule {
    let netlist = design.netlist;
    let programs = count(design.residents.len() as u64, "program");
    let about = format!(
        "Each output selects, in every tick, among all that {programs} need there. Units combine words of the node's own: they are \
         outputs that lead back to it."
    );
    let facts = fabric::router::RouterFacts {
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
    fabric::router::RouterModule::new(facts, &netlist.union.router)
}

impl NodeModule {
    /// Lowest bit of the code of a block's node in the entry of a word that goes out.
    fn out_code(&self) -> u32 {
        self.sizes.bank + self.sizes.address + self.sizes.message
    }

    fn new(design: &ListDesign<'_>, sizes: WireSizes) -> Self {
        let netlist = design.netlist;
        let inputs = netlist.inputs();
        let header = sizes.header(netlist);
        let address = address_bits(netlist);
        let (one, banks) = (has_one_address(netlist), inputs as u32 + 1);
        // the masks lie above the addresses, and below the end of a block
        let masks = taken_bits(netlist, &sizes) - banks - u32::from(sizes.tells_blocks);
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
            let memory = sizes.banks(depth, number == inputs);
            let low = if one { 0 } else { number as u32 * address };
            WordBank {
                name: if number == inputs { "passed".to_owned() } else { name(netlist, number) },
                about: WordBank::about(netlist, number),
                own: names::own(own(number)),
                is_taken: netlist.union.router.packets.contains(&own(number)),
                passes: number == inputs,
                number,
                mask: masks + number as u32,
                high: low + memory.bits.max(1) - 1,
                low,
                memory,
                goes: if number == inputs { lane_of(number) } else { None },
            }
        };
        let kept = |(keep, group): (usize, &Vec<usize>)| KeptBank::of(design, &sizes, keep, group, lane_of(group[0]));
        let receives: Vec<KeptBank> = netlist.union.parts.keeps.iter().enumerate().map(kept).collect();
        let banks: Vec<WordBank> =
            depths(netlist).into_iter().enumerate().filter(|&(_, depth)| depth > 0).map(bank).collect();
        Self {
            given_bits: given_bits(design, &sizes),
            lanes: rows
                .iter()
                .flat_map(|rows| &rows.all)
                .map(|lane| StreamLane::of(lane, sizes.width, &receives))
                .collect(),
            module: design.module("node"),
            notes: design.notes(),
            stops: design.boards.is_some(),
            is_relative: netlist.is_relative(),
            away: design.module("away"),
            taken: design.module("taken"),
            given: design.module("given"),
            router: design.module("router"),
            header_bits: header_bits(&header),
            has_positions: netlist.records.iter().any(|record| record.position.is_some()),
            header,
            tracks: sizes.tracks,
            track: if sizes.has_track_banks() {
                BankMemory::several(sizes.tracks, sizes.track_bits, sizes.track_bits)
            } else {
                BankMemory::single(sizes.tracks.max(1))
            },
            codes: netlist.codes(),
            taken_bits: taken_bits(netlist, &sizes),
            keeps: netlist.union.parts.keeps.len() as u32,
            next: design.module("next"),
            first: netlist.code(netlist.topology.first_live()),
            links: (0..netlist.union.parts.outputs).map(channeled).collect(),
            units: (netlist.union.parts.outputs..inputs).map(channeled).collect(),
            banks,
            receives,
            sizes,
        }
    }
}
