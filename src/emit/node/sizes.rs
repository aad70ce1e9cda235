//! Widths of a design's signals.

use crate::emit::node::bank_memory::BankMemory;
use crate::emit::node::width::WordWidth;
use crate::emit::node::{Bus, ListDesign, binary};
use crate::netlist::listed::{ControlWord, ListNetlist, RecordWords, StreamShape};
use crate::netlist::{BlockOrder, NodePorts, Results, bits_for, digits};

/// Time from which a bank of words that come in is filled again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BankRefill {
    /// Words of the call have been sent.
    Played,
    /// Words of the call have gone out.
    Given,
}

/// Bits of everything that is wired.
#[derive(Clone, Copy, Debug)]
pub struct WireSizes {
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
    /// Bits of the number of a bank of them.
    pub track_bits: u32,
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
    /// Place of a word in its block, at a read port.
    pub word_place: u32,
    /// Nodes have streams and count their words.
    pub has_streams: bool,
    /// Ports of the nodes, if they have streams.
    pub ports: NodePorts,
    /// Tables say where blocks end.
    pub tells_blocks: bool,
    /// Number of a message among those of its node, where streams tell it.
    pub message: u32,
    /// Bits of a word, and its name where it is a parameter.
    pub width: WordWidth,
    /// There is one program, whose collectives follow one another: each node counts its banks.
    pub is_one: bool,
    /// Bits of the number of a bank that is filled or given. Words that go out as they came in may lie in four: those of one collective
    /// go out while those of the next but one or two come in.
    pub bank_bits: u32,
    /// Time from which a bank of words that come in is filled again.
    refill: BankRefill,
}

impl WireSizes {
    /// Bits of the number of one of so many programs.
    fn of_program(programs: u32) -> u32 {
        digits(programs - 1)
    }

    /// Bits of the number of one of so many nodes.
    fn of_node(nodes: u32) -> u32 {
        digits(nodes - 1)
    }

    /// Bits of a call, of one of so many programs on so many nodes: program and root.
    pub fn of_call(programs: u32, nodes: u32) -> u32 {
        Self::of_program(programs) + Self::of_node(nodes)
    }

    /// Widths of a design.
    pub fn of(design: &ListDesign<'_>) -> Self {
        let netlist = design.netlist;
        let streams = netlist.records.iter().filter_map(|record| match record.words {
            RecordWords::Streams { takes, gives, .. } => Some((takes, gives)),
            RecordWords::Control { .. } => None,
        });
        let shapes: Vec<StreamShape> = streams.flat_map(|(takes, gives)| [takes, gives]).collect();
        let nodes = netlist.nodes();
        let most = |of: &dyn Fn(StreamShape) -> u32| shapes.iter().map(|&shape| of(shape)).max().unwrap_or(0);
        let controls = netlist.records.iter().filter_map(|record| match record.words {
            RecordWords::Control { number, .. } => Some(number + 1),
            RecordWords::Streams { .. } => None,
        });
        let tracks = controls.max().unwrap_or(0);
        let codes = netlist.union.router.word_bits();
        let word = codes + netlist.union.parts.keeps.len() as u32;
        let code = netlist.code_bits().iter().sum::<u32>();
        let tick = digits(netlist.programs.iter().map(|program| program.ticks).max().unwrap_or(1) + 1);
        let table = |entries: usize| digits(entries as u32).max(code + 1);
        let has_rows = design.ports.words > 1;
        let is_apart = netlist.has_banks_apart(design.ports.words);
        let given = table(if has_rows { netlist.rows.len() } else { netlist.given.len() });
        let word_place = bits_for(most(&|shape| shape.words).into());
        let has_read_port = design.ports.results == Results::Memory;
        let sizes = Self {
            program: Self::of_program(netlist.programs.len() as u32),
            node: Self::of_node(nodes),
            code,
            tick,
            at: digits(netlist.words.len() as u32 + 1),
            word,
            number: digits(tracks.max(1) - 1),
            tracks,
            track_bits: track_bits(netlist),
            record: digits(netlist.records.len() as u32),
            data: 0,
            total: digits(most(&|shape| shape.total(nodes))),
            flit: digits(most(&|shape| shape.words)),
            taken: table(netlist.taken.len()),
            given: if has_read_port { given.max(code + word_place + 1) } else { given },
            word_place,
            ports: design.ports,
            tells_blocks: netlist.tells_blocks,
            bank: digits(netlist.inputs() as u32),
            has_streams: design.bus == Bus::Streams,
            message: bits_for(netlist.messages.into()),
            width: WordWidth { bits: design.width, is_parameter: design.is_one() },
            is_one: design.is_one(),
            bank_bits: if design.bus == Bus::Streams && is_apart && netlist.passes() { 2 } else { 1 },
            refill: if is_apart { BankRefill::Played } else { BankRefill::Given },
            address: digits(netlist.given.iter().map(|given| given.address).max().unwrap_or(0)),
        };
        let header = header_bits(&sizes.header(netlist));
        let track = if tracks > 0 { tick + word } else { 0 };
        Self { data: header.max(track).max(1), ..sizes }
    }

    /// Returns true if nodes have several banks for control words of their own.
    pub fn has_track_banks(&self) -> bool {
        self.track_bits > 0
    }

    /// Returns true if control words of nodes' own are found again when another program was placed.
    pub fn has_recall(&self) -> bool {
        self.tracks > 0 && !self.is_one
    }

    /// Numbers of the banks of control words of nodes' own.
    pub fn track_banks(&self) -> std::ops::Range<u32> {
        0..1 << self.track_bits
    }

    /// Range of the number of such a bank, for its declaration.
    pub fn track_number(&self) -> &'static str {
        if self.track_bits > 1 { "[1:0] " } else { "" }
    }

    /// Returns true if banks of words that come in are filled again before the words of their calls have gone out.
    pub fn is_apart(&self) -> bool {
        self.refill == BankRefill::Played
    }

    /// Range of the number of a bank, for its declaration.
    pub fn bank_number(&self) -> &'static str {
        if self.bank_bits > 1 { "[1:0] " } else { "" }
    }

    /// Memory for words of a node: of as many banks as collectives have words there at once.
    pub(in crate::emit) fn banks(&self, depth: u32, passes: bool) -> BankMemory {
        match self.has_streams {
            false => BankMemory::single(depth),
            true if passes => BankMemory::several(depth, self.bank_bits, self.bank_bits),
            true => BankMemory::several(depth, 1, self.bank_bits),
        }
    }

    /// Returns true if nodes have streams for calls of programs.
    pub fn has_calls(&self) -> bool {
        self.has_streams && !self.is_one
    }

    /// Bits that tell whose a word is: the code of a node, and the number of its message.
    pub fn user(&self) -> u32 {
        self.code + self.message
    }

    /// Returns true if words are read at a port in place of a stream.
    pub fn has_read_port(&self) -> bool {
        self.ports.results == Results::Memory
    }

    /// Returns true if words that are read wait for a stream out.
    pub fn has_moves(&self) -> bool {
        self.has_streams && !self.has_read_port()
    }

    /// Returns true if the packets of streams are blocks, which tell their nodes.
    pub fn has_blocks(&self) -> bool {
        self.ports.order.is_some()
    }

    /// Returns true if blocks go out in the order of their arrival.
    pub fn is_by_arrival(&self) -> bool {
        self.ports.order == Some(BlockOrder::Arrival)
    }

    /// Returns true if entries of words that go out tell the node of the block.
    pub fn has_told(&self) -> bool {
        self.is_by_arrival() || self.tells_blocks
    }

    /// Signal that says whether entries tell the node of the block, or all are of one.
    pub fn told(&self) -> &'static str {
        if self.tells_blocks { "out_told" } else { "out_all" }
    }

    /// Returns true if entries of words that go out tell the end of the block; those of rows do in any case.
    pub fn has_out_ends(&self) -> bool {
        self.tells_blocks && self.lanes() == 1 && !self.has_read_port()
    }

    /// Words per clock of a stream out.
    pub fn lanes(&self) -> u32 {
        self.ports.words
    }

    /// Bits of an address at a read port: block and place.
    pub fn ram(&self) -> u32 {
        self.code + self.word_place
    }

    /// Fields of a record of streams, the highest first.
    pub(in crate::emit) fn header(&self, netlist: &ListNetlist) -> Vec<HeaderField> {
        let is_counted = !self.has_read_port() && self.lanes() == 1;
        let all = [
            ("is_tracked", 1, self.tracks > 0),
            ("in_base", self.taken, true),
            ("in_all", 1, true),
            ("in_last", self.flit, true),
            ("in_total", self.total, true),
            ("out_base", self.given, true),
            ("out_all", 1, true),
            ("out_last", self.flit, is_counted),
            ("out_is_own", 1, self.has_blocks()),
            ("out_told", 1, self.tells_blocks),
            ("out_total", self.total, self.has_streams),
        ];
        let field = |(name, bits, _): (&'static str, u32, bool)| {
            let mut values =
                netlist.records.iter().filter_map(|record| self.header_value(name, &record.words, netlist));
            let first = values.next();
            HeaderField { name, bits, constant: first.filter(|&first| values.all(|value| value == first)) }
        };
        all.into_iter().filter(|&(_, _, is_there)| is_there).map(field).collect()
    }

    /// Header of a record of streams.
    pub(in crate::emit) fn written_header(
        &self,
        header: &[HeaderField],
        words: &RecordWords,
        netlist: &ListNetlist,
    ) -> String {
        let said = header.iter().filter(|field| field.constant.is_none());
        said.filter_map(|field| Some(binary(self.header_value(field.name, words, netlist)?, field.bits))).collect()
    }

    /// Value of a field; none in a record of a control word.
    fn header_value(&self, name: &str, words: &RecordWords, netlist: &ListNetlist) -> Option<u32> {
        let RecordWords::Streams { is_tracked, taken, takes, given, gives, is_own, is_told, rows } = words else {
            return None;
        };
        let (nodes, in_rows) = (netlist.nodes(), self.lanes() > 1);
        let last = |shape: &StreamShape| shape.words.saturating_sub(1);
        Some(match name {
            "is_tracked" => (*is_tracked).into(),
            "in_base" => *taken,
            "in_all" => takes.is_of_all.into(),
            "in_last" => last(takes),
            "in_total" => takes.total(nodes),
            "out_base" if in_rows => rows.0,
            "out_base" => *given,
            "out_all" => gives.is_of_all.into(),
            "out_last" => last(gives),
            "out_is_own" => (*is_own).into(),
            "out_told" => (*is_told).into(),
            "out_total" if in_rows => rows.1,
            _ => gives.total(nodes),
        })
    }

    /// A control word, the highest bit first.
    pub(in crate::emit) fn written(netlist: &ListNetlist, word: &ControlWord) -> String {
        let codes = word.codes.iter().zip(&netlist.union.fields).rev();
        let codes = codes.map(|(&code, field)| binary(code, field.bits));
        let keeps = word.keeps.iter().rev().map(|&keeps| binary(keeps.into(), 1));
        codes.chain(keeps).collect()
    }
}

/// Field of a record of streams.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) struct HeaderField {
    pub name: &'static str,
    pub bits: u32,
    /// Value in all records, if it is the same.
    pub constant: Option<u32>,
}

impl HeaderField {
    /// Returns true if it is about words that come in.
    pub fn is_in(&self) -> bool {
        self.name.starts_with("in_")
    }

    /// Returns true if it is about words that go out.
    pub fn is_out(&self) -> bool {
        self.name.starts_with("out_")
    }
}

/// Bits of a header.
pub(in crate::emit) fn header_bits(fields: &[HeaderField]) -> u32 {
    fields.iter().filter(|field| field.constant.is_none()).map(|field| field.bits).sum()
}

/// Bits of the number of a bank of nodes' own control words: of up to four programs and roots that have some.
fn track_bits(netlist: &ListNetlist) -> u32 {
    let tracked = netlist.programs.iter().filter(|placed| placed.shared.is_none());
    let contents: u32 = tracked.map(|placed| if placed.is_moved { netlist.nodes() } else { 1 }).sum();
    match contents {
        0 | 1 => 0,
        2 => 1,
        _ => 2,
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
