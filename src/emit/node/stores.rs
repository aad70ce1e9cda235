//! Stores of a design, and what reads them in order: tables, records, control words, distances.

use askama::Template;

use crate::emit::node::lanes::RowLanes;
use crate::emit::node::sizes::{RelativeAxis, WireSizes};
use crate::emit::node::{ListDesign, ResidentFiles, binary, module};
use crate::emit::shared::output::OutputFile;
use crate::net::NodeId;
use crate::netlist::digits;
use crate::netlist::listed::{ListNetlist, RecordWords, WordPlaces};

#[derive(Template)]
#[template(path = "listed/table.v", escape = "none")]
struct StoreTable {
    module: String,
    about: &'static str,
    notes: Vec<String>,
    /// A read can wait.
    has_enable: bool,
    index: u32,
    width: u32,
    entries: Vec<(usize, String)>,
}

#[derive(Template)]
#[template(path = "listed/away.v", escape = "none")]
struct AwayTable {
    module: String,
    notes: Vec<String>,
    code: u32,
    axes: Vec<Apart>,
}

#[derive(Template)]
#[template(path = "listed/next.v", escape = "none")]
struct NextTable {
    module: String,
    notes: Vec<String>,
    code: u32,
    axes: Vec<RelativeAxis>,
    /// Codes of dead nodes, each with the next node that is alive.
    dead: Vec<(u32, u32)>,
}

impl NextTable {
    fn new(design: &ListDesign<'_>, code: u32) -> Self {
        let netlist = design.netlist;
        let topology = &netlist.topology;
        let next = |dead: NodeId| topology.live_ids().find(|&node| node > dead).unwrap_or(topology.first_live());
        let dead = topology.dead().map_or(&[][..], |dead| dead.nodes());
        Self {
            module: design.module("next"),
            notes: design.notes(),
            code: code - 1,
            axes: RelativeAxis::all(netlist),
            dead: dead.iter().map(|&dead| (netlist.code(dead), netlist.code(next(dead)))).collect(),
        }
    }
}

/// Distance along an axis.
struct Apart {
    name: String,
    side: u32,
    bits: u32,
    high: u32,
    low: u32,
    /// Axes before it that move this coordinate when they wrap, and by how much.
    moved: Vec<(String, u32)>,
    /// Bounds below which the axis wraps so many times.
    times: Vec<(i64, i64)>,
    last_times: i64,
}

impl Apart {
    fn bounds(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.times.iter().copied()
    }
}

#[derive(Template)]
#[template(path = "listed/place.v", escape = "none")]
struct StorePlace {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    records: String,
    codes: Vec<u32>,
    programs: Vec<StoreRange>,
}

struct StoreRange {
    name: String,
    first: u32,
    last: u32,
    last_header: u32,
    moved: u32,
    /// Code of the one root, where there is one.
    root: u32,
}

#[derive(Template)]
#[template(path = "listed/sequencer.v", escape = "none")]
struct Sequencer {
    module: String,
    notes: Vec<String>,
    sizes: WireSizes,
    words: String,
    /// latency of links, if there are boards
    latency: Option<u32>,
    programs: Vec<StoreSequence>,
}

struct StoreSequence {
    name: String,
    ticks: u32,
    base: u32,
    shared: u32,
}

/// Banks that words come into, with the most words of each: one of each output and unit, then that of words that pass.
pub(in crate::emit) fn depths(netlist: &ListNetlist) -> Vec<u32> {
    let depth = |bank: usize| {
        netlist.taken.iter().filter_map(|taken| taken.addresses[bank]).max().map_or(0, |address| address + 1)
    };
    (0..=netlist.inputs()).map(depth).collect()
}

/// Returns true if no word lies at different places of two banks.
pub(in crate::emit) fn has_one_address(netlist: &ListNetlist) -> bool {
    netlist.taken.iter().all(|taken| {
        let mut addresses = taken.addresses.iter().flatten();
        let first = addresses.next();
        addresses.all(|address| Some(address) == first)
    })
}

/// Bits of an address in a bank of words that come in.
pub(in crate::emit) fn address_bits(netlist: &ListNetlist) -> u32 {
    digits(depths(netlist).into_iter().max().unwrap_or(1).saturating_sub(1))
}

/// Entry of a word that comes in: for each bank from the last to the first whether it takes it, then one address, or one for each
/// bank in the same order.
fn taken(addresses: &[Option<u32>], bits: u32, is_one: bool) -> String {
    let mask = addresses.iter().rev().map(|address| binary(address.is_some().into(), 1));
    let first = addresses.iter().flatten().next().copied().unwrap_or(0);
    let each = || addresses.iter().rev().map(|address| binary(address.unwrap_or(0), bits)).collect();
    let address = if is_one { binary(first, bits) } else { each() };
    mask.chain([address]).collect()
}

/// Bits of the entry of a word that comes in.
pub(in crate::emit) fn taken_bits(netlist: &ListNetlist, sizes: &WireSizes) -> u32 {
    let banks = netlist.inputs() as u32 + 1;
    let addresses = if has_one_address(netlist) { 1 } else { banks };
    banks + address_bits(netlist) * addresses + u32::from(sizes.tells_blocks)
}

/// Bits of the entry of a word that goes out, or of a row.
pub(in crate::emit) fn given_bits(design: &ListDesign<'_>, sizes: &WireSizes) -> u32 {
    let from = if sizes.has_told() { sizes.user() } else { 0 };
    let entry = from + sizes.bank + sizes.address + u32::from(sizes.has_out_ends());
    RowLanes::of(design).map_or(entry, |lanes| lanes.entry_bits())
}

fn entries(values: impl Iterator<Item = String>) -> Vec<(usize, String)> {
    values.enumerate().filter(|(_, value)| value.contains('1')).collect()
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, sizes: &WireSizes) -> Vec<OutputFile<'d>> {
    let (netlist, sizes) = (design.netlist, *sizes);
    let table = move |part: &'static str,
                      about: &'static str,
                      index: u32,
                      width: u32,
                      values: fn(&ListDesign) -> Vec<String>| {
        module(design, part, move || StoreTable {
            module: design.module(part),
            about,
            notes: design.notes(),
            has_enable: match part {
                "words" => design.boards.is_some(),
                "given" => sizes.has_moves(),
                _ => false,
            },
            index,
            width,
            entries: entries(values(design).into_iter()),
        })
    };
    let taken_bits = taken_bits(netlist, &sizes);
    let given_bits = given_bits(design, &sizes);
    let mut files = vec![
        table("taken", "where each word of a node's own comes to lie", sizes.taken, taken_bits, |design| {
            let (bits, is_one) = (address_bits(design.netlist), has_one_address(design.netlist));
            let end = |entry: &WordPlaces| binary(entry.ends.into(), design.netlist.tells_blocks.into());
            let entries = design.netlist.taken.iter();
            entries.map(|entry| end(entry) + &taken(&entry.addresses, bits, is_one)).collect()
        }),
        table("given", "where each word lies that a node gives", sizes.given, given_bits, |design| {
            let sizes = WireSizes::of(design);
            if let Some(lanes) = RowLanes::of(design) {
                return design.netlist.rows.iter().map(|row| lanes.entry(row)).collect();
            }
            let entry = |given: &crate::netlist::listed::Given| {
                let end = binary(given.ends.into(), sizes.has_out_ends().into());
                let from = if sizes.has_told() { binary(given.from, sizes.code) } else { String::new() };
                let message = binary(given.message, sizes.message);
                end + &from + &message + &binary(given.bank, sizes.bank) + &binary(given.address, sizes.address)
            };
            design.netlist.given.iter().map(entry).collect()
        }),
        table("words", "control words of all programs", sizes.at, sizes.word, |design| {
            design.netlist.words.iter().map(|word| WireSizes::written(design.netlist, word)).collect()
        }),
        table("records", "records that place programs", sizes.record, record_bits(&sizes), |design| {
            records(design.netlist, &WireSizes::of(design))
        }),
    ];
    if netlist.is_relative() {
        files.push(module(design, "away", move || AwayTable {
            module: design.module("away"),
            notes: design.notes(),
            code: sizes.code - 1,
            axes: apart(netlist),
        }));
    }
    files.push(module(design, "next", move || NextTable::new(design, sizes.code)));
    files.push(module(design, "place", move || StorePlace {
        module: design.module("place"),
        notes: design.notes(),
        sizes,
        records: design.module("records"),
        codes: netlist.node_codes(),
        programs: programs(design, |number, placed| StoreRange {
            name: design.program_name(number),
            first: placed.records.0,
            last: placed.records.1 - 1,
            last_header: placed.headers - 1,
            moved: placed.is_moved.into(),
            // programs that are played at once have roots of their own
            root: design.residents.get(number).map_or(0, |resident| root(netlist, resident)),
        }),
    }));
    files.push(module(design, "sequencer", move || Sequencer {
        module: design.module("sequencer"),
        notes: design.notes(),
        sizes,
        words: design.module("words"),
        latency: design.boards.as_ref().map(|_| design.netlist.latency),
        programs: programs(design, |number, placed| StoreSequence {
            name: design.program_name(number),
            ticks: placed.ticks,
            base: placed.shared.unwrap_or(0),
            shared: placed.shared.is_some().into(),
        }),
    }));
    files
}

fn programs<T>(design: &ListDesign<'_>, view: impl Fn(usize, &crate::netlist::listed::PlacedProgram) -> T) -> Vec<T> {
    design.netlist.programs.iter().enumerate().map(|(number, placed)| view(number, placed)).collect()
}

/// Code of the one root of a program; 0 if there is none, or any.
fn root(netlist: &ListNetlist, resident: &ResidentFiles) -> u32 {
    let root = resident.root.as_ref().and_then(serde_json::Value::as_u64);
    root.map_or(0, |root| netlist.node_codes()[root as usize])
}

fn record_bits(sizes: &WireSizes) -> u32 {
    1 + sizes.code + 1 + sizes.number + sizes.data
}

fn records(netlist: &ListNetlist, sizes: &WireSizes) -> Vec<String> {
    let header = sizes.header(netlist);
    let record = |record: &crate::netlist::listed::Record| {
        let position = binary(record.position.is_none().into(), 1) + &binary(record.position.unwrap_or(0), sizes.code);
        let (number, contents) = match &record.words {
            RecordWords::Streams { .. } => {
                ("1".to_owned() + &binary(0, sizes.number), sizes.written_header(&header, &record.words, netlist))
            }
            RecordWords::Control { number, last, word } => (
                "0".to_owned() + &binary(*number, sizes.number),
                binary(*last, sizes.tick) + &WireSizes::written(netlist, word),
            ),
        };
        let fill = binary(0, sizes.data - contents.len() as u32);
        position + &number + &fill + &contents
    };
    netlist.records.iter().map(record).collect()
}

/// Distances along the axes, reduced row by row of the lattice's normal form.
fn apart(netlist: &ListNetlist) -> Vec<Apart> {
    let rows = netlist.topology.lattice().rows();
    let mut wraps: Vec<(i64, i64)> = vec![(0, 0); rows.len()];
    let mut all = Vec::new();
    for relative in RelativeAxis::all(netlist) {
        let axis = relative.number();
        let RelativeAxis { name, side, bits, high, low, .. } = relative;
        let (mut least, mut most) = (1 - i64::from(side), i64::from(side) - 1);
        let mut moved = Vec::new();
        // an axis of one node never wraps
        let moves = |&(before, row): &(usize, &Vec<u32>)| row[axis] > 0 && netlist.topology.side(before) > 1;
        for (before, row) in rows[..axis].iter().enumerate().filter(moves) {
            let by = i64::from(row[axis]);
            least -= wraps[before].1 * by;
            most -= wraps[before].0 * by;
            moved.push((format!("x{}", before + 1), row[axis]));
        }
        let side = i64::from(side);
        let (first, last) = (least.div_euclid(side), most.div_euclid(side));
        wraps[axis] = (first, last);
        let times = (first..last).map(|times| ((times + 1) * side, times)).collect();
        all.push(Apart { name, side: netlist.topology.side(axis), bits, high, low, moved, times, last_times: last });
    }
    all
}
