//! Entries of the tables of a self-test through streams: what each word is, and what stands beside it.

use crate::emit::bench::nodes::BenchCall;
use crate::emit::node::{ListDesign, WireSizes};
use crate::emit::selftest::BistCommon;
use crate::emit::selftest::tables::{TableBits, WordsOfRun};
use crate::emit::shared::call_words::{self, CallWords, WordOut};
use crate::netlist::bits_for;
use crate::netlist::listed::ListNetlist;

/// Bits of a word's place in its row.
pub fn lane_bits(sizes: &WireSizes) -> u32 {
    bits_for(sizes.lanes().into())
}

/// Bits of an address at a read port, and of the end of a call.
pub fn asked_bits(sizes: &WireSizes) -> Option<u32> {
    sizes.has_read_port().then(|| sizes.ram() + 1)
}

/// Bits of the entries of tables, and of what stands beside a word.
pub struct Layout {
    pub sizes: WireSizes,
    pub tables: TableBits,
    /// Bits of a word's number among those of all nodes.
    id: u32,
    /// Bits of a word's node and message.
    user: u32,
    pub beside: u32,
}

impl Layout {
    pub fn of(design: &ListDesign<'_>, common: &BistCommon) -> Self {
        let sizes = WireSizes::of(design);
        let user = if sizes.has_blocks() { sizes.user() } else { 0 };
        let &BistCommon { id, tick: place, marks, .. } = common;
        let end = u32::from(!sizes.has_read_port());
        let (dest, beside) = (sizes.program, sizes.program + end + lane_bits(&sizes) + user);
        let (taken, given) = (id + dest + u32::from(sizes.has_blocks()), id + beside);
        let mark = marks.map_or(1, |marks| marks.bits);
        Self { sizes, tables: TableBits { place, taken, given, asked: asked_bits(&sizes), mark }, id, user, beside }
    }

    /// Entries of a node in a call. Of words that come in: end of block, program, and number of the word; of those that go out: node and
    /// message, place in the row, end of block, program, and number of the word.
    pub fn entries(
        &self,
        design: &ListDesign<'_>,
        call: BenchCall,
        words: &CallWords,
        rank: usize,
        before: u64,
    ) -> WordsOfRun {
        let first: u64 = words.taken[..rank].iter().sum();
        let entry = |beside: u64, number: u64| {
            (beside << self.sizes.program | u64::from(call.program)) << self.id | (before + number)
        };
        // the n-th words of all nodes are for one result
        let is_combined = design.schedules[call.program as usize].program.reduction.is_some();
        let taken = |place: u64| {
            let end = self.sizes.has_blocks() && words.ends[(first + place) as usize];
            entry(end.into(), if is_combined { place } else { first + place })
        };
        let given = |row: &[WordOut]| {
            // a row ends blocks if each of its words does
            let is_last = row.iter().all(|word| word.is_last);
            let given = move |word: &WordOut| {
                let of = || call_words::user_of(&design.netlist.topology, word, self.sizes.message);
                let from = if self.user > 0 { of() } else { 0 };
                let place = from << lane_bits(&self.sizes) | u64::from(word.lane);
                entry(if self.sizes.has_read_port() { place } else { place << 1 | u64::from(is_last) }, word.number)
            };
            row.iter().map(given).collect::<Vec<_>>()
        };
        // a row goes on up to a word whose place is not above that of the word before
        let all = &words.given[rank];
        let rows = all.chunk_by(|word, next| word.lane < next.lane);
        [(0..words.taken[rank]).map(taken).collect(), rows.flat_map(given).collect(), self.asked(design, all)]
    }

    /// Addresses of the words that go out of a node in a call, if they are read: the last one with the end of the call.
    fn asked(&self, design: &ListDesign<'_>, given: &[WordOut]) -> Vec<u64> {
        if self.tables.asked.is_none() {
            return Vec::new();
        }
        let ListNetlist { topology, reads_in_a_row, .. } = design.netlist;
        let place = self.sizes.word_place;
        let mut addresses = call_words::addresses(topology, given, design.ports.order, *reads_in_a_row, place);
        if let Some(last) = addresses.last_mut() {
            *last |= 1 << self.sizes.ram();
        }
        addresses
    }
}

/// Parts of a word with what stands beside it, the highest bits first.
pub fn order(sizes: &WireSizes) -> String {
    let parts = [
        ("tuser", sizes.has_blocks()),
        ("place in its row", sizes.lanes() > 1),
        ("tlast", !sizes.has_read_port()),
        ("tdest", true),
        ("tdata", true),
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.1).map(|part| part.0).collect();
    format!("{{{}}}", parts.join(", "))
}
