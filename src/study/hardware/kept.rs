//! The cells of what a router keeps in memories: rings and stores. Both are marked as never read where they are written.

use super::Cells;
use super::lut;
use super::memory::{Kind, Memory};
use crate::netlist::{Ring, Router, Value};

/// All rings and stores of a router.
pub fn cells(router: &Router, width: u32) -> Cells {
    let rings = router.rings.iter().map(|&Ring { input, age, words, .. }| (words, 1, Value::Ring { input, age }));
    let stores = router
        .stores
        .iter()
        .map(|store| (store.words, store.readers.len() as u32, Value::Store { input: store.input }));
    let mut cells = Cells::default();
    for (words, reads, value) in rings.chain(stores) {
        let width = width + u32::from(router.checks(value));
        let (word, count) = (u64::from(width), u64::from(reads));
        cells += match (Memory { first: 1, words, width, reads, kind: Kind::Written }).blocks() {
            Some(blocks) => Cells { flip_flops: 0, luts: between_rows(blocks.rows, count, word), blocks: blocks.count },
            None => in_logic(words, count, word),
        };
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
