//! The cells of what a router keeps in memories: rings and stores. Both are marked as never read where they are written.

use std::collections::BTreeSet;

use super::ModuleCells;
use super::memory::{MappedMemory, MemoryUse};
use crate::net::Channel;
use crate::netlist::{DelayMemory, LoadedValue, Router, Store, WordField};

/// A ring or a store.
struct KeptArrivals {
    value: LoadedValue,
    words: u32,
    /// address that is written
    write: WordField,
    /// addresses that are read, one word each
    reads: Vec<WordField>,
}

impl KeptArrivals {
    fn ring(ring: &DelayMemory) -> Self {
        let DelayMemory { input, age, words, write, read } = *ring;
        Self { value: LoadedValue::Ring { input, age }, words, write, reads: vec![read] }
    }

    fn store(store: &Store, router: &Router) -> Self {
        let Store { input, words, write, .. } = *store;
        let slot = |reader: &Channel| router.outputs.iter().find(|output| output.channel == *reader)?.drive.slot;
        let reads = store.readers.iter().filter_map(slot).collect();
        Self { value: LoadedValue::Store { input }, words, write, reads }
    }
}

/// All rings and stores of a router.
pub fn cells(router: &Router, width: u32) -> ModuleCells {
    let rings = router.rings.iter().map(KeptArrivals::ring);
    let stores = router.stores.iter().map(|store| KeptArrivals::store(store, router));
    let mut cells = ModuleCells::default();
    // address bits that choose between rows of blocks: they are delayed with the read, by one tick
    let mut late = BTreeSet::new();
    // memories with the same writes share the decoder
    let mut told = BTreeSet::new();
    for KeptArrivals { value, words, write, reads } in rings.chain(stores) {
        let width = width + u32::from(router.checks(value));
        let count = reads.len() as u32;
        let Some(blocks) = (MappedMemory { first: 1, words, width, reads: count, kind: MemoryUse::Written }).blocks()
        else {
            cells += in_logic(words, count.into(), width.into());
            continue;
        };
        late.extend(reads.iter().flat_map(|read| blocks.upper(read.bits).map(|bit| (read.low, bit))));
        let write_luts = if told.insert((write.low, words, width)) { blocks.write_luts(width) } else { 0 };
        let luts = u64::from(count) * blocks.read_luts(width) + write_luts;
        cells += ModuleCells { flip_flops: 0, luts, blocks: blocks.count };
    }
    cells + ModuleCells { flip_flops: late.len() as u64, ..ModuleCells::default() }
}

/// A memory in flip-flops: the words with a write enable each, and for each read a register and a multiplexer, which takes
/// three LUTs for four words per bit.
fn in_logic(words: u32, reads: u64, word: u64) -> ModuleCells {
    let words = u64::from(words);
    ModuleCells { flip_flops: (words + reads) * word, luts: words + reads * word * (3 * words).div_ceil(4), blocks: 0 }
}
