//! Widths of a design's signals.

use super::{Bus, ListDesign};
use crate::netlist::digits;
use crate::netlist::listed::{ListNetlist, Shape, Word, Words};

/// Bits of everything that is wired.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Number of a program.
    pub program: u32,
    /// Number of a node.
    pub node: u32,
    /// Code of a node: its coordinates side by side.
    pub code: u32,
    /// Tick of the violation.
    pub tick: u32,
    /// Place in the store of control words.
    pub at: u32,
    /// Bits of a control word.
    pub word: u32,
    /// Number of a node's own control word.
    pub number: u32,
    /// Most control words of a node's own.
    pub tracks: u32,
    /// Place in the store of records.
    pub record: u32,
    /// Contents of a record.
    pub data: u32,
    /// Count of a stream's words.
    pub total: u32,
    /// Place in a block.
    pub flit: u32,
    /// Place in the table of words that come in.
    pub taken: u32,
    /// Place in the table of words that go out.
    pub given: u32,
    /// Bits of a receive bank's number.
    pub bank: u32,
    /// Address in a receive bank.
    pub address: u32,
    /// Nodes have streams and count their words.
    pub has_streams: bool,
}

impl Sizes {
    /// Widths of a design.
    pub fn of(design: &ListDesign<'_>) -> Self {
        let netlist = design.netlist;
        let streams = netlist.records.iter().filter_map(|record| match record.words {
            Words::Streams { takes, gives, .. } => Some((takes, gives)),
            Words::Control { .. } => None,
        });
        let shapes: Vec<Shape> = streams.flat_map(|(takes, gives)| [takes, gives]).collect();
        let nodes = netlist.topology.nodes();
        let most = |of: &dyn Fn(Shape) -> u32| shapes.iter().map(|&shape| of(shape)).max().unwrap_or(0);
        let controls = netlist.records.iter().filter_map(|record| match record.words {
            Words::Control { number, .. } => Some(number + 1),
            Words::Streams { .. } => None,
        });
        let tracks = controls.max().unwrap_or(0);
        let codes = netlist.union.router.word_bits();
        let word = codes + netlist.inputs() as u32;
        let code = netlist.code_bits().iter().sum::<u32>();
        let tick = digits(netlist.programs.iter().map(|program| program.ticks).max().unwrap_or(1) + 1);
        let table = |entries: usize| digits(entries as u32).max(code + 1);
        let sizes = Self {
            program: digits(netlist.programs.len() as u32 - 1),
            node: digits(nodes - 1),
            code,
            tick,
            at: digits(netlist.words.len() as u32 + 1),
            word,
            number: digits(tracks.max(1) - 1),
            tracks,
            record: digits(netlist.records.len() as u32),
            data: 0,
            total: digits(most(&|shape| shape.total(nodes))),
            flit: digits(most(&|shape| shape.words)),
            taken: table(netlist.taken.len()),
            given: table(netlist.given.len()),
            bank: digits(netlist.inputs() as u32),
            has_streams: design.bus == Bus::Streams,
            address: digits(netlist.given.iter().map(|given| given.address).max().unwrap_or(0)),
        };
        let header: u32 = sizes.header().iter().map(|field| field.bits).sum();
        let track = if tracks > 0 { tick + word } else { 0 };
        Self { data: header.max(track), ..sizes }
    }

    /// Returns true if nodes have two banks for control words of their own.
    pub fn has_track_banks(&self) -> bool {
        self.has_streams && self.tracks > 0
    }

    /// Fields of a record of streams, the highest first.
    pub(super) fn header(&self) -> Vec<HeaderField> {
        let field = |name, bits| HeaderField { name, bits };
        let tracked = (self.tracks > 0).then(|| field("is_tracked", 1));
        let rest = [
            field("in_base", self.taken),
            field("in_all", 1),
            field("in_last", self.flit),
            field("in_total", self.total),
            field("out_base", self.given),
            field("out_all", 1),
            field("out_last", self.flit),
        ];
        let total = self.has_streams.then(|| field("out_total", self.total));
        tracked.into_iter().chain(rest).chain(total).collect()
    }

    /// A control word, the highest bit first.
    pub(super) fn written(netlist: &ListNetlist, word: &Word) -> String {
        let codes = word.codes.iter().zip(&netlist.union.fields).rev();
        let codes = codes.map(|(&code, field)| super::binary(code, field.bits));
        let keeps = word.keeps.iter().rev().map(|&keeps| super::binary(keeps.into(), 1));
        codes.chain(keeps).collect()
    }
}

/// Field of a record of streams.
#[derive(Clone, Copy, Debug)]
pub struct HeaderField {
    pub name: &'static str,
    pub bits: u32,
}

impl HeaderField {
    /// Returns true if it is about words that come in.
    pub fn is_in(self) -> bool {
        self.name.starts_with("in_")
    }

    /// Returns true if it is about words that go out.
    pub fn is_out(self) -> bool {
        self.name.starts_with("out_")
    }
}

/// Coordinate of a node in its code.
#[derive(Clone, Debug)]
pub struct RelativeAxis {
    pub name: String,
    pub side: u32,
    pub bits: u32,
    pub high: u32,
    pub low: u32,
    /// Axes after it.
    pub later: Vec<String>,
}

impl RelativeAxis {
    /// Number of the axis, from 0.
    pub fn number(&self) -> usize {
        self.name[1..].parse::<usize>().expect("axes are numbered") - 1
    }

    /// Axes that have more than one node.
    pub fn all(netlist: &ListNetlist) -> Vec<Self> {
        let bits = netlist.code_bits();
        let axes = netlist.topology.dims().iter().zip(&bits).enumerate();
        let axis = |(axis, (&side, &own)): (usize, (&u32, &u32))| {
            let low = bits[axis + 1..].iter().sum();
            let later = (axis + 1..bits.len()).filter(|&axis| bits[axis] > 0).map(|axis| format!("x{}", axis + 1));
            Self {
                name: format!("x{}", axis + 1),
                side,
                bits: own,
                high: low + own.max(1) - 1,
                low,
                later: later.collect(),
            }
        };
        axes.map(axis).filter(|axis| axis.bits > 0).collect()
    }
}
