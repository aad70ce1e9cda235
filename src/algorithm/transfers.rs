//! Chunks that ranks send to each other while an algorithm is executed, and what each holds.

use std::collections::HashMap;
use std::fmt;

/// Place of a step in a file; of a plan, its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPlace {
    /// Rank of the thread block.
    pub rank: usize,
    /// Thread block, counted in its rank.
    pub block: usize,
    /// Number of the step in its thread block.
    pub step: usize,
    /// Line of the file, from 1; 0 if it is not known.
    pub line: u32,
}

impl fmt::Display for StepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}, thread block {}, step {}", self.rank, self.block, self.step)
    }
}

/// One chunk that a rank sends to another.
#[derive(Clone, Copy, Debug)]
pub struct ChunkTransfer {
    /// Rank that has the chunk.
    pub from: usize,
    /// Rank that gets it.
    pub to: usize,
    /// Channel between the two.
    pub channel: usize,
    /// Value of the chunk.
    pub value: u64,
    /// Step that sends it, or gets it from the other rank's memory.
    pub step: StepPlace,
}

/// Contents of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkContents {
    /// Rank whose input it is; none for a sum.
    pub rank: Option<usize>,
    /// Index in the input of the rank, or of all ranks that are added.
    pub chunk: usize,
}

/// Transfers of an algorithm, in an order in which they may be executed, and the contents of all values.
#[derive(Debug, Default)]
pub struct TransferRecord {
    /// Transfers; those of one channel in its order.
    pub transfers: Vec<ChunkTransfer>,
    /// by value; no contents for a sum of chunks at different indices
    contents: HashMap<u64, Option<ChunkContents>>,
}

impl TransferRecord {
    /// Contents of a value; none if chunks at different indices were added.
    pub fn contents(&self, value: u64) -> Option<ChunkContents> {
        self.contents.get(&value).copied().flatten()
    }

    /// Notes a chunk that a rank has from the start.
    pub(super) fn input(&mut self, value: u64, rank: usize, chunk: usize) {
        self.contents.insert(value, Some(ChunkContents { rank: Some(rank), chunk }));
    }

    /// Notes a sum.
    pub(super) fn sum(&mut self, values: &[u64], sum: u64) {
        if let [first, _, ..] = values {
            let chunk = |value: &u64| self.contents(*value).map(|contents| contents.chunk);
            let common = chunk(first).filter(|_| values.iter().all(|value| chunk(value) == chunk(first)));
            self.contents.insert(sum, common.map(|chunk| ChunkContents { rank: None, chunk }));
        }
    }
}
