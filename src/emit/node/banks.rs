//! Banks of a node: words that it sends, words that are kept as they arrive, and the addresses in them.

use crate::emit::node::sizes::WireSizes;
use crate::emit::node::{Bus, ListDesign};
use crate::emit::shared::names;
use crate::netlist::listed::ListNetlist;
use crate::netlist::{bits_for, digits};
use crate::program::joined;

/// Name of an input or an output that leads to a link, or of a unit.
pub(in crate::emit) fn name(netlist: &ListNetlist, number: usize) -> String {
    names::channel(netlist.topology.axes(), netlist.union.parts.channel(number))
}

/// Bank of words that come in.
pub(in crate::emit) struct WordBank {
    pub name: String,
    /// Use of its words.
    pub about: String,
    /// Input of the router for these words.
    pub own: String,
    /// The router takes them.
    pub is_taken: bool,
    pub passes: bool,
    pub number: usize,
    pub memory: BankMemory,
    pub mask: u32,
    pub high: u32,
    pub low: u32,
    /// Lane by which words go out that pass.
    pub goes: Option<LaneChoice>,
}

/// Lane of a bank, and its number among the lane's banks.
pub(in crate::emit) struct LaneChoice {
    pub lane: usize,
    pub choice: u32,
    pub bits: u32,
}

/// Bank of words that are kept, of several inputs side by side.
pub(in crate::emit) struct KeptBank {
    pub name: String,
    /// Inputs and units in words.
    pub whence: String,
    pub arrivals: Vec<KeptArrival>,
    /// Bit of the control word that says whether they are kept.
    pub keep: usize,
    pub memory: BankMemory,
    /// Lane by which its words go out, in rows.
    pub goes: Option<LaneChoice>,
}

/// Input or unit of which words are kept.
pub(in crate::emit) struct KeptArrival {
    pub number: usize,
    pub signal: String,
    /// Bits of its word in the bank, if it is not alone there.
    pub bits: String,
}

/// Memory of one bank, or of two for calls that follow one another.
pub(in crate::emit) struct BankMemory {
    pub is_double: bool,
    /// bits of an address in a bank; 0 if there are two banks of one word
    pub bits: u32,
    pub last: u32,
}

impl BankMemory {
    pub fn new(depth: u32, is_double: bool) -> Self {
        let bits = if is_double { bits_for(depth.into()) } else { digits(depth - 1) };
        Self { is_double, bits, last: if is_double { (2 << bits) - 1 } else { depth - 1 } }
    }

    /// Address in the bank of a stage: that words come into (`in`), that plays (`play`), or from which words go out (`out`).
    pub fn at(&self, stage: &str, address: &str) -> String {
        match (self.is_double, self.bits) {
            (false, _) => address.to_owned(),
            (true, 0) => format!("{stage}_bank"),
            (true, _) => format!("{{{stage}_bank, {address}}}"),
        }
    }

    /// Address of a word that goes out; in a row the next one of its bank, whose name is said.
    pub fn gone(&self, bank: &str, in_rows: bool) -> String {
        let address = if in_rows { format!("{bank}_gone") } else { format!("out_address[{}:0]", self.bits.max(1) - 1) };
        self.at("out", &address)
    }
}

impl WordBank {
    /// Use of the words of a bank, of outputs and units or of words that pass.
    pub fn about(netlist: &ListNetlist, number: usize) -> String {
        let senders: Vec<String> =
            netlist.union.parts.senders(number).iter().map(|&sender| name(netlist, sender)).collect();
        match senders.len() {
            0 => "go out as they came in".to_owned(),
            1 => format!("{} sends or combines", senders[0]),
            _ => format!("{} send or combine", joined(&senders, "and")),
        }
    }

    /// Address of a word that comes in.
    pub fn put(&self) -> String {
        self.memory.at("in", &format!("in_entry[{}:{}]", self.high, self.low))
    }

    /// Address of a word that goes out as it came in.
    pub fn gone(&self, in_rows: bool) -> String {
        self.memory.gone(&self.name, in_rows)
    }

    /// Address of the word that is sent next.
    pub fn next(&self) -> String {
        self.memory.at("play", &format!("{}_next", self.name))
    }
}

impl KeptBank {
    /// Bank of a group of inputs and units, with the number of its bit in a control word.
    pub fn of(
        design: &ListDesign<'_>,
        sizes: &WireSizes,
        keep: usize,
        group: &[usize],
        goes: Option<LaneChoice>,
    ) -> Self {
        let netlist = design.netlist;
        let (first, last) = (name(netlist, group[0]), name(netlist, group[group.len() - 1]));
        let given = netlist.given.iter().filter(|given| group.contains(&(given.bank as usize)));
        let arrival = |(place, &number): (usize, &usize)| {
            let is_unit = number >= netlist.union.parts.outputs;
            KeptArrival {
                number,
                signal: format!("{}{}", name(netlist, number), if is_unit { "" } else { "_in" }),
                bits: if group.len() > 1 { sizes.width.slice(place as u32) } else { String::new() },
            }
        };
        let is_of_units = group[0] >= netlist.union.parts.outputs;
        let names: Vec<String> = group.iter().map(|&number| name(netlist, number)).collect();
        Self {
            whence: format!("{} {}", if is_of_units { "in" } else { "at" }, joined(&names, "and")),
            name: if group.len() > 1 { format!("{first}_to_{last}") } else { first },
            arrivals: group.iter().enumerate().map(arrival).collect(),
            keep,
            memory: BankMemory::new(
                given.map(|given| given.address + 1).max().unwrap_or(1),
                design.bus == Bus::Streams,
            ),
            goes,
        }
    }

    /// Name in constants, where `_` stands before a number alone.
    pub fn constant(&self) -> String {
        let name = self.name.to_uppercase();
        if self.arrivals.len() > 1 { name.replace('_', "") } else { name }
    }

    /// Words side by side.
    pub fn words(&self) -> u32 {
        self.arrivals.len() as u32
    }

    /// Address of a word that goes out.
    pub fn gone(&self, in_rows: bool) -> String {
        self.memory.gone(&self.name, in_rows)
    }

    /// Address of the word that is kept next.
    pub fn count(&self) -> String {
        self.memory.at("play", &format!("{}_count", self.name))
    }
}
