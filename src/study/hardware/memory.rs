//! Where yosys puts a memory: in block memories, or in flip-flops and LUTs if that costs less by its own reckoning.

/// A memory as `memory_libmap` sees it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The first address in use.
    pub first: u32,
    pub words: u32,
    /// Bits a word.
    pub width: u32,
    /// Words read a tick.
    pub reads: u32,
    pub kind: Kind,
}

/// What is done to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One word is written a tick, another read, never the same.
    Written,
    /// Nothing is written.
    Constant,
}

/// Block memories, and how many of them are chosen from by the upper bits of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    pub count: u64,
    pub rows: u32,
}

/// The shapes of a block: bits a word, words.
const SHAPES: [(u32, u32); 4] = [(2, 2048), (4, 1024), (8, 512), (16, 256)];

impl Memory {
    /// The blocks it goes into, none if it goes into logic: the cheaper of the two as `memory_libmap` reckons. A block
    /// costs 64, a bit in flip-flops 1 and a constant one 1/16; what a block cannot do by itself 2 apiece (any read 1);
    /// choosing between rows half a bit that is chosen and half a row that is written.
    pub fn blocks(self) -> Option<Blocks> {
        let (reads, width) = (u64::from(self.reads), u64::from(self.width));
        let shape = |(bits, depth): (u32, u32)| {
            let rows = (self.first + self.words - 1) / depth - self.first / depth + 1;
            let count = (u64::from(rows) * width).div_ceil(bits.into()) * reads;
            let selected = u64::from(rows - 1) * width * reads;
            let written = if rows > 1 && self.kind == Kind::Written { rows } else { 0 };
            // in halves
            (2 * 64 * count + 4 * reads + selected + u64::from(written), Blocks { count, rows })
        };
        let (cost, blocks) = SHAPES.into_iter().map(shape).min_by_key(|(cost, _)| *cost)?;
        let bits = u64::from(self.words) * width;
        // in sixteenths
        let logic = if self.kind == Kind::Written { 16 * bits } else { bits };
        (8 * cost < logic).then_some(blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_memories_and_those_of_many_readers_are_not_worth_a_block() {
        let store = |reads| Memory { first: 1, words: 14, width: 9, reads, kind: Kind::Written };
        assert_eq!(store(1).blocks(), Some(Blocks { count: 1, rows: 1 }));
        assert_eq!(store(2).blocks(), None);
        let rom = |words, width| Memory { first: 0, words, width, reads: 1, kind: Kind::Constant };
        assert_eq!(rom(32, 16).blocks(), None);
        assert_eq!(rom(128, 42).blocks(), Some(Blocks { count: 3, rows: 1 }));
    }

    #[test]
    fn deep_memories_take_rows_only_where_that_takes_fewer_blocks() {
        let ring = |words| Memory { first: 1, words, width: 33, reads: 1, kind: Kind::Written };
        assert_eq!(ring(255).blocks(), Some(Blocks { count: 3, rows: 1 }));
        assert_eq!(ring(300).blocks(), Some(Blocks { count: 5, rows: 1 }));
        assert_eq!(ring(2048).blocks(), Some(Blocks { count: 19, rows: 9 }));
    }
}
