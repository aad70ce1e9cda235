//! Banks of a node: words that it sends, words that are kept as they arrive, and the addresses in them.

use crate::emit::node::ListDesign;
use crate::emit::node::bank_memory::BankMemory;
use crate::emit::node::sizes::WireSizes;
use crate::emit::shared::names;
use crate::netlist::listed::ListNetlist;
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
            memory: sizes.banks(given.map(|given| given.address + 1).max().unwrap_or(1), false),
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
