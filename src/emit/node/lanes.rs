//! Lanes of a stream out with several words per clock: the banks of each, and entries of the table of rows.

use crate::emit::node::{ListDesign, binary};
use crate::netlist::bits_for;
use crate::netlist::listed::GivenRow;

/// Lanes of the streams of all nodes.
pub(in crate::emit) struct RowLanes {
    /// Lanes, the first in the lowest bits.
    pub all: Vec<RowLane>,
    /// Bits of the code of a block's node, and of the number of its message.
    code: u32,
    message: u32,
}

/// Lane of a stream.
pub(in crate::emit) struct RowLane {
    pub number: usize,
    /// Banks of its words.
    pub banks: Vec<usize>,
    /// Lowest bit in an entry.
    low: u32,
    /// Bits of the number among its banks.
    pub choice: u32,
    code: u32,
    message: u32,
}

impl RowLanes {
    /// Lanes of a design whose nodes hand out several words per clock.
    pub fn of(design: &ListDesign<'_>) -> Option<Self> {
        let lanes = design.ports.words as usize;
        if lanes == 1 {
            return None;
        }
        let code = design.netlist.code_bits().iter().sum();
        let message = bits_for(design.netlist.messages.into());
        let mut banks: Vec<usize> =
            design.netlist.rows.iter().flat_map(|row| &row.words).flatten().map(|word| word.bank as usize).collect();
        banks.sort_unstable();
        banks.dedup();
        let mut low = 0;
        let lane = |number: usize| {
            let banks: Vec<usize> = banks.iter().copied().filter(|bank| bank % lanes == number).collect();
            let choice = bits_for(banks.len() as u64);
            let lane = RowLane { number, banks, low, choice, code, message };
            low += lane.bits();
            lane
        };
        Some(Self { all: (0..lanes).map(lane).collect(), code, message })
    }

    /// Bits of an entry.
    pub fn entry_bits(&self) -> u32 {
        1 + self.all.iter().map(RowLane::bits).sum::<u32>()
    }

    /// Entry of a row, the highest bit first: the end of blocks, then the last lane.
    pub fn entry(&self, row: &GivenRow) -> String {
        let lane = |lane: &RowLane| match row.words[lane.number] {
            Some(word) => {
                let choice = lane.banks.iter().position(|&bank| bank == word.bank as usize);
                let choice = choice.expect("a word is of a bank of its lane") as u32;
                let told = binary(word.from, self.code) + &binary(word.message, self.message);
                "1".to_owned() + &binary(choice, lane.choice) + &told
            }
            None => binary(0, lane.bits()),
        };
        binary(row.ends.into(), 1) + &self.all.iter().rev().map(lane).collect::<String>()
    }
}

impl RowLane {
    fn bits(&self) -> u32 {
        1 + self.choice + self.user()
    }

    /// Bit of an entry that says that the lane has a word.
    pub fn keep(&self) -> u32 {
        self.low + self.bits() - 1
    }

    fn user(&self) -> u32 {
        self.code + self.message
    }

    /// Bits of an entry with the number among the lane's banks.
    pub fn chosen(&self) -> String {
        format!("[{}:{}]", self.low + self.user() + self.choice - 1, self.low + self.user())
    }

    /// Bits of an entry with the code of the block's node.
    pub fn from(&self) -> String {
        format!("[{}:{}]", self.low + self.user() - 1, self.low + self.message)
    }

    /// Bits of an entry with the number of the message, if there is one.
    pub fn message(&self) -> Option<String> {
        (self.message > 0).then(|| format!("[{}:{}]", self.low + self.message - 1, self.low))
    }

    /// Bits that tell whose the lane's word is, among those of all lanes.
    pub fn whose(&self) -> String {
        let low = self.number as u32 * self.user();
        format!("[{}:{}]", low + self.user() - 1, low)
    }
}
