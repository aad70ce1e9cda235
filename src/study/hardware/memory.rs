//! Placement of memories by yosys: in block memories, or in flip-flops and LUTs if that costs less by its own reckoning.

use std::ops::Range;

use super::lut;

/// A memory as `memory_libmap` sees it.
#[derive(Clone, Copy, Debug)]
pub struct MappedMemory {
    /// The first address in use: 0, or 1.
    pub first: u32,
    pub words: u32,
    /// Bits a word.
    pub width: u32,
    /// Words read a tick.
    pub reads: u32,
    pub kind: MemoryUse,
}

/// Use of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// One word is written a tick, another read, never the same.
    Written,
    /// Read-only memory: nothing is written.
    Constant,
}

/// Block memories, in rows that the upper bits of the address choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBlocks {
    pub count: u64,
    pub rows: u32,
    /// Bits of a word that a block holds.
    bits: u32,
}

/// Bits a block.
const BITS: u32 = 4096;
/// Bits a word of its widest shape.
const WIDEST: u32 = 16;
/// The shapes of a block, by bits per word.
const SHAPES: [u32; 4] = [2, 4, 8, WIDEST];

impl MappedMemory {
    /// The blocks it goes into, none if it goes into logic: the cheaper of the two as `memory_libmap` reckons. A block
    /// costs 64, a bit in flip-flops 1 and a constant one 1/16; what a block cannot do by itself 2 apiece (any read 1);
    /// choosing between rows half a bit that is chosen and half a row that is written.
    pub fn blocks(self) -> Option<MemoryBlocks> {
        let (reads, width) = (u64::from(self.reads), u64::from(self.width));
        let shape = |bits: u32| {
            let depth = BITS / bits;
            let rows = (self.first + self.words - 1) / depth + 1;
            let count = (u64::from(rows) * width).div_ceil(bits.into()) * reads;
            let selected = u64::from(rows - 1) * width * reads;
            let written = if rows > 1 && self.kind == MemoryUse::Written { rows } else { 0 };
            // in halves
            (2 * 64 * count + 4 * reads + selected + u64::from(written), MemoryBlocks { count, rows, bits })
        };
        let (cost, blocks) = SHAPES.into_iter().map(shape).min_by_key(|(cost, _)| *cost)?;
        let bits = u64::from(self.words) * width;
        // in sixteenths
        let logic = if self.kind == MemoryUse::Written { 16 * bits } else { bits };
        (8 * cost < logic).then_some(blocks)
    }
}

impl MemoryBlocks {
    /// The bits of an address of so many that choose between rows.
    pub fn upper(self, address: u32) -> Range<u32> {
        BITS.ilog2() - self.bits.ilog2()..address
    }

    /// The LUTs that choose between rows for a read of so many bits.
    pub fn read_luts(self, width: u32) -> u64 {
        u64::from(width) * lut::multiplexer(self.rows as usize)
    }

    /// The LUTs that say which blocks a word of so many bits is written to. Rows stand one after the other in the blocks, and
    /// one LUT tells all neighbours that hold parts of the same rows. Where one holds parts of two, it is written bit by bit,
    /// as the widest shape always is: that takes a mask for each row and each word that the widest shape has in place of one.
    pub fn write_luts(self, width: u32) -> u64 {
        if self.rows == 1 {
            return 0;
        }
        let [rows, bits, width] = [self.rows, self.bits, width].map(u64::from);
        let held = |block: u64| (block * bits / width, ((block + 1) * bits - 1).min(rows * width - 1) / width);
        let told =
            (1..(rows * width).div_ceil(bits)).filter(|&block| held(block) != held(block - 1)).count() as u64 + 1;
        let is_masked = self.bits == WIDEST || width % bits > 0;
        told + if is_masked { rows * u64::from(WIDEST) / bits } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_memories_and_those_of_many_readers_are_not_worth_a_block() {
        let store = |reads| MappedMemory { first: 1, words: 14, width: 9, reads, kind: MemoryUse::Written };
        assert_eq!(store(1).blocks(), Some(MemoryBlocks { count: 1, rows: 1, bits: 16 }));
        assert_eq!(store(2).blocks(), None);
        let rom = |words, width| MappedMemory { first: 0, words, width, reads: 1, kind: MemoryUse::Constant };
        assert_eq!(rom(32, 16).blocks(), None);
        assert_eq!(rom(128, 42).blocks(), Some(MemoryBlocks { count: 3, rows: 1, bits: 16 }));
    }

    /// By words: blocks, or none, of each width, read by one and by three. Those of 16, 64, 300, 1100, 2048 and 4000 words that are
    /// written and read by one are as many as yosys takes of 1, 7, 9 and 33 bits.
    #[test]
    fn memories_of_all_sizes_are_placed_as_listed() {
        let mut chosen = String::new();
        for kind in [MemoryUse::Written, MemoryUse::Constant] {
            for words in [8, 16, 20, 30, 40, 64, 100, 255, 256, 257, 300, 520, 1100, 2048, 4000] {
                chosen += &format!("{words}:");
                for (width, reads) in [1, 7, 9, 16, 33].into_iter().flat_map(|width| [(width, 1), (width, 3)]) {
                    let memory = MappedMemory { first: 1, words, width, reads, kind };
                    chosen +=
                        &memory.blocks().map_or(" -".to_owned(), |it| format!(" {}x{}/{}", it.count, it.bits, it.rows));
                }
                chosen += "\n";
            }
        }
        insta::assert_snapshot!(chosen);
    }

    fn ring(words: u32, width: u32) -> MemoryBlocks {
        MappedMemory { first: 1, words, width, reads: 1, kind: MemoryUse::Written }.blocks().unwrap()
    }

    #[test]
    fn deep_memories_take_rows_only_where_that_takes_fewer_blocks() {
        assert_eq!(ring(255, 33), MemoryBlocks { count: 3, rows: 1, bits: 16 });
        assert_eq!(ring(300, 33), MemoryBlocks { count: 5, rows: 1, bits: 8 });
        assert_eq!(ring(2048, 33), MemoryBlocks { count: 19, rows: 9, bits: 16 });
    }

    /// Compares with the cells that yosys builds, each memory in a module of its own.
    #[test]
    fn rows_take_the_upper_bits_of_the_read_and_luts_to_read_and_to_write() {
        let luts = |words, width| {
            let blocks = ring(words, width);
            (blocks.upper(words.ilog2() + 1).len(), blocks.read_luts(width), blocks.write_luts(width))
        };
        assert_eq!(luts(300, 33), (0, 0, 0), "one row");
        assert_eq!(luts(600, 9), (2, 18, 3 + 2), "three rows, of which each block holds parts of two");
        assert_eq!(luts(600, 32), (2, 64, 3 + 3), "two blocks a row");
        assert_eq!(luts(1500, 9), (2, 18, 6 + 4), "half of the widest word");
        assert_eq!(luts(1100, 24), (3, 72, 5 + 7));
        assert_eq!(luts(7000, 8), (3, 40, 7), "blocks that hold a row each are written whole");
    }
}
