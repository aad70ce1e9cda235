//! The cells of what a router keeps in memories: rings and stores.
//!
//! A block of iCE40 does not read before it writes. So what is to be written waits in registers for a tick, the word and its
//! slot; and if just that slot is read, what was waiting is taken in place of what the block gives: the word once more, a
//! bit that says so, a comparison of the slots, a multiplexer. Words that wait are those of the delay line of the same
//! input, if there is one, but for the valid bits: those of a line are cleared.

use std::collections::{BTreeMap, BTreeSet};

use super::Cells;
use super::lut;
use super::memory::{Blocks, Kind, Memory};
use crate::net::Channel;
use crate::netlist::{Ring, Router, Store, Value, bits_for, digits};

/// The blocks of a ring, if it is in blocks.
fn ring_blocks(ring: &Ring, width: u32) -> Option<Blocks> {
    Memory { first: 1, words: ring.words, width: width + 1, reads: 1, kind: Kind::Written }.blocks()
}

fn store_blocks(store: &Store, width: u32) -> Option<Blocks> {
    let reads = store.readers.len() as u32;
    Memory { first: 1, words: store.words, width: width + 1, reads, kind: Kind::Written }.blocks()
}

/// How many of an output's sources are rings in blocks: before each of them there is a multiplexer.
pub fn rings_in_blocks(router: &Router, sources: &BTreeSet<Value>, width: u32) -> u64 {
    let is_read = |ring: &&Ring| sources.contains(&Value::Ring { input: ring.input, age: ring.age });
    let read = router.rings.iter().filter(is_read);
    read.filter(|ring| ring_blocks(ring, width).is_some()).count() as u64
}

/// All rings and stores of a router.
pub fn cells(router: &Router, width: u32) -> Cells {
    let word = u64::from(width) + 1;
    let mut cells = Cells::default();
    let mut waiting: BTreeSet<Channel> = BTreeSet::new();
    for ring in &router.rings {
        let bits = digits(ring.words);
        // the slot, and two bits that say whether what is in the ring is of this run
        cells += Cells { flip_flops: u64::from(bits) + 2, luts: lut::stopping_counter(bits) + 2, blocks: 0 };
        if let Some(Blocks { count, rows }) = ring_blocks(ring, width) {
            cells += Cells { flip_flops: u64::from(bits) + 1, luts: lut::equality(bits) + 2, blocks: count };
            cells.luts += between_rows(rows, 1, word);
            waiting.insert(ring.input);
        } else {
            cells += in_logic(ring.words, 1, word);
        }
    }
    // the outputs that compare slots, each with the bits of its slot that choose between rows
    let mut comparing: BTreeMap<Channel, u32> = BTreeMap::new();
    for store in &router.stores {
        let reads = store.readers.len() as u64;
        if let Some(Blocks { count, rows }) = store_blocks(store, width) {
            cells += Cells { flip_flops: 0, luts: reads * word, blocks: count };
            cells.luts += between_rows(rows, reads, word);
            waiting.insert(store.input);
            for &reader in &store.readers {
                let bits = comparing.entry(reader).or_default();
                *bits = (*bits).max(bits_for(rows.into()));
            }
        } else {
            cells += in_logic(store.words, reads, word);
        }
    }
    if let Some(store) = router.stores.first().filter(|_| !comparing.is_empty()) {
        // all stores are written at one slot, and an output reads all of them at one
        let (bits, outputs) = (digits(store.words), comparing.len() as u64);
        cells += Cells { flip_flops: u64::from(bits) + outputs, luts: outputs * lut::equality(bits), blocks: 0 };
        // kept for the tick that a block takes to answer; a ring's slot of a tick ago is kept anyway
        cells.flip_flops += comparing.values().copied().map(u64::from).sum::<u64>();
    }
    for port in waiting {
        let kept = router.line(port).map_or(0, |line| line.stages.min(2));
        cells.flip_flops += 2 + u64::from(2 - kept) * u64::from(width);
    }
    cells
}

/// What chooses between rows of blocks.
fn between_rows(rows: u32, reads: u64, word: u64) -> u64 {
    reads * word * lut::multiplexer(rows as usize)
}

/// A memory in flip-flops: the words with a write enable each, and for each read a register and a multiplexer, which takes
/// three LUTs for four words a bit.
fn in_logic(words: u32, reads: u64, word: u64) -> Cells {
    let words = u64::from(words);
    Cells { flip_flops: (words + reads) * word, luts: words + reads * word * (3 * words).div_ceil(4), blocks: 0 }
}
