//! Memories of a node for words of calls that follow one another.

use crate::netlist::{bits_for, digits};

/// Memory of one bank, or of several for calls that follow one another.
pub(in crate::emit) struct BankMemory {
    /// bits of a bank's number; 0 for one bank
    number: u32,
    /// bits that nodes are told of the number of a bank that is filled or given
    told: u32,
    /// bits of an address in a bank; 0 if there are several banks of one word
    pub bits: u32,
    pub last: u32,
}

impl BankMemory {
    /// One bank of so many words.
    pub fn single(depth: u32) -> Self {
        Self { number: 0, told: 0, bits: digits(depth - 1), last: depth - 1 }
    }

    /// Banks of so many words, by the bits of their number, of which nodes are told perhaps more.
    pub fn several(depth: u32, number: u32, told: u32) -> Self {
        let bits = bits_for(depth.into());
        Self { number, told, bits, last: (1 << (number + bits)) - 1 }
    }

    /// Address in the bank of a stage: that words come into (`in`), that plays (`play`), or from which words go out (`out`).
    pub fn at(&self, stage: &str, address: &str) -> String {
        let lowest = if stage != "play" && self.told > self.number { "[0]" } else { "" };
        match (self.number, self.bits) {
            (0, _) => address.to_owned(),
            (_, 0) => format!("{stage}_bank{lowest}"),
            (_, _) => format!("{{{stage}_bank{lowest}, {address}}}"),
        }
    }

    /// Address of a word that goes out; in a row the next one of its bank, whose name is said.
    pub fn gone(&self, bank: &str, in_rows: bool) -> String {
        let address = if in_rows { format!("{bank}_gone") } else { format!("out_address[{}:0]", self.bits.max(1) - 1) };
        self.at("out", &address)
    }
}
