//! Kinds of nodes: those with the same banks and streams share a module.

use std::collections::{BTreeMap, BTreeSet};

use super::chunks::{self, ChunkEntry};
use super::fold::{self, ValueFold};
use super::local::BlockOrder;
use super::node::{AskedWord, BankPlace, MessageBlock, Node, NodeBank, NodeLowering};
use super::value::Own;
use crate::net::Topology;
use crate::program::Program;

/// Send bank of a kind of node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SendBank {
    /// Own input of the router.
    pub input: Own,
    /// Number of words.
    pub words: u32,
    /// Packet whose result is handed on after them, if one is.
    pub result: Option<u32>,
}

impl SendBank {
    /// Returns true if the router ever asks for a word there.
    pub fn is_used(&self) -> bool {
        self.words > 0 || self.result.is_some()
    }
}

/// Stream of a kind of node: the number of entries of its tables, and of words for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSize {
    /// Entries of a table, 0 if there is no stream.
    pub entries: u32,
    /// Words of an entry.
    pub words: u32,
    /// True if every entry is a block.
    pub is_of_blocks: bool,
}

/// Nodes that are built alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKind {
    /// Send banks, in the order of the router's own inputs.
    pub banks: Vec<SendBank>,
    /// Words of the node's own that go out again.
    pub own: u32,
    /// Inputs whose arrivals are kept.
    pub inputs: Vec<u32>,
    /// Results that the node combines.
    pub fold: Option<ValueFold>,
    /// Input stream of the node.
    pub taken: StreamSize,
    /// Output stream of the node.
    pub given: StreamSize,
    /// Tables of the stream in, by number.
    pub fills: Vec<u32>,
    /// Tables of the stream out, by number.
    pub tables: Vec<u32>,
}

impl NodeKind {
    /// Inputs whose arrivals are kept or combined, in order.
    pub fn arrivals(&self) -> Vec<u32> {
        let folded = self.fold.iter().flat_map(ValueFold::inputs);
        let all: BTreeSet<u32> = self.inputs.iter().copied().chain(folded).collect();
        all.into_iter().collect()
    }

    /// Returns true if nodes of this kind have an input stream.
    pub fn takes(&self) -> bool {
        self.taken.entries > 0
    }

    /// Returns true if nodes of this kind have an output stream.
    pub fn gives(&self) -> bool {
        self.given.entries > 0
    }

    /// Returns true if nodes of this kind have any stream.
    pub fn has_streams(&self) -> bool {
        self.takes() || self.gives()
    }
}

/// Nodes sorted by what they are built of.
#[derive(Default)]
pub struct NodeKinds {
    /// Kinds, in the order of their first nodes.
    pub all: Vec<NodeKind>,
    /// Kind of each node.
    pub of_node: Vec<u32>,
    /// Most blocks of one node in a stream out.
    pub most_blocks: u32,
    /// True if each input word has a bank of its own, in stream order, and is sent out again.
    pub is_direct: bool,
}

impl NodeKinds {
    /// Sorts the nodes of a lowering.
    pub fn of(program: &Program, lowering: &NodeLowering, order: BlockOrder) -> Self {
        let mut kinds = Self { is_direct: true, ..Self::default() };
        let mut numbers = BTreeMap::new();
        let whole = u32::from(lowering.flits_per_word() > 1);
        for id in program.topology.node_ids() {
            let node = lowering.node(id, order);
            let bank = |bank: &NodeBank| {
                let asked = fold::values(bank, program.flits);
                let (words, result) = asked.unwrap_or((bank.words.len() as u32, None));
                SendBank { input: bank.input, words, result }
            };
            let banks: Vec<SendBank> = node.banks.iter().map(bank).collect();
            let lengths = |blocks: &[MessageBlock]| blocks.iter().map(|block| block.words).collect::<Vec<_>>();
            let fold = ValueFold::of(program, &node);
            let key =
                (fold.clone(), banks.clone(), chunks::own(&node).len(), lengths(&node.takes), lengths(&node.gives));
            let number = *numbers.entry(key).or_insert(kinds.all.len() as u32);
            if number as usize == kinds.all.len() {
                kinds.all.push(NodeKind {
                    banks,
                    own: chunks::own(&node).len() as u32,
                    inputs: Vec::new(),
                    fold,
                    // words of several flits have an entry each
                    taken: StreamSize { words: whole, ..StreamSize::default() },
                    given: StreamSize { words: whole, ..StreamSize::default() },
                    fills: Vec::new(),
                    tables: Vec::new(),
                });
            }
            let kind = &mut kinds.all[number as usize];
            let (taken, given) = (chunks::entries_in(&node), chunks::entries_out(&node));
            kind.taken = stream(kind.taken, &taken, &node.takes);
            kind.given = stream(kind.given, &given, &node.gives);
            let input =
                |place: &BankPlace| if let BankPlace::Received { input, .. } = place { Some(*input) } else { None };
            kind.inputs.extend(node.kept.iter().filter_map(input));
            kind.inputs.sort_unstable();
            kind.inputs.dedup();
            kinds.most_blocks = node.gives.iter().map(|block| block.number + 1).fold(kinds.most_blocks, u32::max);
            kinds.is_direct &= is_direct(&node);
            kinds.of_node.push(number);
        }
        // memories of a word each are read by counters of coordinates
        kinds.is_direct &= program.topology.as_product().is_some();
        // the root of a broadcast receives nothing
        kinds.is_direct &= kinds.all.iter().all(|kind| !kind.inputs.is_empty());
        kinds
    }

    /// Returns true if every node sends out the same number of blocks from every node, one block per entry.
    pub fn is_all_of_all(&self, topology: &Topology) -> bool {
        let blocks = topology.nodes() * self.most_blocks;
        self.all.iter().all(|kind| kind.given.is_of_blocks && kind.given.entries == blocks)
    }
}

/// Stream of a kind of which so much is known, with the entries of another node.
fn stream<E: ChunkEntry>(known: StreamSize, words: &[E], blocks: &[MessageBlock]) -> StreamSize {
    let length = chunks::length(words, blocks, known.words);
    let entries = (words.len() as u32).checked_div(length).unwrap_or(0);
    StreamSize { entries, words: length, is_of_blocks: blocks.iter().all(|block| block.words == length) }
}

/// Returns true if each input word has a bank of its own, in stream order, and is sent out again.
fn is_direct(node: &Node) -> bool {
    let own = |place: u32| node.kept.contains(&BankPlace::Taken(place));
    node.takes.iter().map(|block| block.words).sum::<u32>() as usize == node.banks.len()
        && (0..).zip(&node.banks).all(|(place, bank)| bank.words == [AskedWord::Taken(place)] && own(place))
}
