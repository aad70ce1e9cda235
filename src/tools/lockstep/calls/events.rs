//! Words that nodes take and give, and what moves in one clock.

use std::fmt;

use super::super::dut::DutWires;
use super::Call;
use super::arrays::WordBits;
use crate::net::NodeId;

/// Block of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockName {
    /// Program of the block, among those of the call.
    pub part: usize,
    pub node: NodeId,
}

/// Call with the words that nodes take for it, by node, each with its block.
pub(super) struct LoadedCall {
    pub call: Call,
    pub taken: Vec<Vec<(WordBits, BlockName)>>,
    /// Blocks that each node gives: of which node, and how many words.
    pub given: Vec<Vec<(NodeId, usize)>>,
}

/// Word that a node has given.
pub(super) struct GivenWord {
    pub node: usize,
    pub word: WordBits,
    /// Marks beside it, where there are streams.
    pub marks: Option<WordMarks>,
}

/// Marks of a word that a node has given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct WordMarks {
    /// Number of its program.
    pub program: usize,
    /// Code of the node of its block, where it is told.
    pub from: Option<u32>,
    /// Last signal of the clock, with the last word of the clock.
    pub is_last: Option<bool>,
}

impl fmt::Display for WordMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, from, is_last } = self;
        if *is_last == Some(true) {
            f.write_str("last ")?;
        }
        write!(f, "of program {program}")?;
        from.map_or(Ok(()), |from| write!(f, ", block {from}"))
    }
}

/// Progress in one clock.
#[derive(Default)]
pub(super) struct Events {
    /// A call was taken.
    pub taken: bool,
    /// A word or a header moved, or a state was left.
    pub moved: bool,
    pub given: Vec<GivenWord>,
    /// Name of an error that must stay low.
    pub error: Option<&'static str>,
}

pub(super) fn is_high(wires: &DutWires, index: usize) -> bool {
    wires.get(index).iter().any(|&byte| byte != 0)
}

pub(super) fn number(wires: &DutWires, index: usize) -> u64 {
    wires.get(index).iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The bytes that hold a small number; the rest of its variable is 0.
pub(super) fn small(value: usize) -> [u8; 1] {
    [value as u8]
}
