//! Tables of a node's streams: where each word comes to lie, and where each that goes out lies.

mod rows;

use super::super::local::NodePorts;
use super::super::node::{Acts, FoundPlace, MessageBlock};
use super::{NotLowered, code};
use crate::net::{NodeId, Topology};

/// Places of a word that comes in, by bank: one of each output and unit, then that of words that go out as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordPlaces {
    /// Address in each bank that holds the word.
    pub addresses: Vec<Option<u32>>,
}

/// Place of a word that goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Bank: one of each input and unit, then that of words that go out as they are.
    pub bank: u32,
    /// Address in the bank.
    pub address: u32,
    /// Code of the block's node, where blocks go out in the order of their arrival: where all nodes look alike, of this node as
    /// seen from the block's.
    pub from: u32,
}

/// Words that go out in one clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenRow {
    /// Word of each lane, if there is one.
    pub words: Vec<Option<RowWord>>,
    /// True if every word is the last of its block.
    pub ends: bool,
}

/// Word of a row: the next of its bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowWord {
    /// Bank of the word.
    pub bank: u32,
    /// Code of the block's node, as in [`Given`].
    pub from: u32,
}

/// Blocks of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamShape {
    /// True if there is a block for each node, in their order; else there is one.
    pub is_of_all: bool,
    /// Words of a block; 0 if there is no stream.
    pub words: u32,
}

impl StreamShape {
    /// Words of the stream.
    pub fn total(self, nodes: u32) -> u32 {
        if self.is_of_all { self.words * nodes } else { self.words }
    }

    /// Blocks of one length, one for each node; or all words as one block.
    fn of(nodes: u32, blocks: &[MessageBlock]) -> Self {
        let mut lengths: Vec<(NodeId, u32)> = Vec::new();
        for block in blocks {
            match lengths.last_mut().filter(|(node, _)| *node == block.node) {
                Some((_, words)) => *words += block.words,
                None => lengths.push((block.node, block.words)),
            }
        }
        let first = lengths.first().map_or(0, |&(_, words)| words);
        let is_of_all = nodes > 1 && lengths.len() as u32 == nodes && lengths.iter().all(|&(_, words)| words == first);
        let words = if is_of_all { first } else { lengths.iter().map(|&(_, words)| words).sum() };
        Self { is_of_all, words }
    }
}

/// Streams of one node, with their tables.
///
/// The entry of a word is its place in its block, times the number of codes, plus the code of the block's node as seen from this
/// one, or the number of the block in the order of arrival. A stream of one block has an entry for each word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamTables {
    /// Blocks that come in.
    pub takes: StreamShape,
    /// Blocks that go out.
    pub gives: StreamShape,
    /// True if the one block that goes out is of the node itself.
    pub is_own: bool,
    /// Table of the words that come in.
    pub taken: Vec<WordPlaces>,
    /// Table of the words that go out.
    pub given: Vec<Given>,
    /// Rows of the words that go out, if a stream has several per clock.
    pub rows: Vec<GivenRow>,
}

/// A node that plays a program of a list.
#[derive(Clone, Copy)]
pub(super) struct ListedNode<'a> {
    pub topology: &'a Topology,
    pub node: NodeId,
    pub acts: &'a Acts,
    /// Number of outputs and units.
    pub banks: usize,
    /// Outputs and units whose words lie in one bank, which has the number of the first.
    pub sends: &'a [Vec<usize>],
    /// Number of the program.
    pub program: usize,
}

impl StreamTables {
    /// Streams of a node; blocks go out in an order of their nodes, or in the order of all nodes if there is none.
    pub(super) fn of(listed: ListedNode<'_>, order: &[NodeId], ports: NodePorts) -> Result<Self, NotLowered> {
        let ListedNode { topology, node, acts, banks, sends, program } = listed;
        let takes = StreamShape::of(topology.live_nodes(), &acts.takes);
        let gives = StreamShape::of(topology.live_nodes(), &acts.gives);
        let mut taken =
            vec![WordPlaces { addresses: vec![None; banks + 1] }; takes.total(topology.live_nodes()) as usize];
        for group in sends {
            let own = acts.ticks.iter().filter_map(|tick| group.iter().find_map(|&bank| tick.acts[bank].as_ref()?.own));
            for (place, word) in (0..).zip(own) {
                if taken[word as usize].addresses[group[0]].replace(place).is_some() {
                    return Err(NotLowered::Repeated { program });
                }
            }
        }
        for (address, &word) in (0..).zip(&acts.passed) {
            taken[word as usize].addresses[banks] = Some(address);
        }
        let nothing = WordPlaces { addresses: vec![None; banks + 1] };
        let given = listed.given();
        let tells = ports.order.is_some() && !gives.is_of_all;
        Ok(Self {
            takes,
            gives,
            is_own: tells && acts.gives.first().is_some_and(|block| block.node == node),
            taken: by_code(topology, node, takes, &taken, &nothing),
            rows: if ports.words > 1 { rows::of(listed, gives, order, ports.words)? } else { Vec::new() },
            given: if gives.is_of_all && !order.is_empty() {
                listed.by_arrival(gives, order, &given)
            } else {
                by_code(topology, node, gives, &given, &Given::default())
            },
        })
    }
}

impl ListedNode<'_> {
    /// Places of the words that go out, in the order of the blocks' nodes.
    fn given(&self) -> Vec<Given> {
        let given = self.acts.words.iter().map(|&found| match found {
            FoundPlace::Passed(address) => Given { bank: self.banks as u32, address, from: 0 },
            FoundPlace::Kept(bank, address) => Given { bank, address, from: 0 },
        });
        given.collect()
    }

    /// Code that tells the node of a block: where all nodes look alike, of this node as seen from there.
    fn from(&self, block: NodeId) -> u32 {
        code(
            self.topology,
            seen_from(self.topology, block, if self.topology.is_homogeneous() { self.node } else { block }),
        )
    }

    /// Entries of the words that go out, by their place in the block and the number of the block in an order.
    fn by_arrival(&self, shape: StreamShape, order: &[NodeId], words: &[Given]) -> Vec<Given> {
        let codes = codes(self.topology);
        let mut entries = vec![Given::default(); codes * shape.words as usize];
        for (number, &block) in order.iter().enumerate() {
            let first = self.topology.rank(block) * shape.words as usize;
            for place in 0..shape.words as usize {
                entries[place * codes + number] = Given { from: self.from(block), ..words[first + place] };
            }
        }
        entries
    }
}

fn codes(topology: &Topology) -> usize {
    1 << super::code_bits(topology).iter().sum::<u32>()
}

/// Entries of a stream's words, by their place in the block and the code of its node.
fn by_code<T: Clone>(topology: &Topology, node: NodeId, shape: StreamShape, words: &[T], nothing: &T) -> Vec<T> {
    if !shape.is_of_all {
        return words.to_vec();
    }
    let codes = codes(topology);
    let mut entries = vec![nothing.clone(); codes * shape.words as usize];
    for (block, words) in topology.live_ids().zip(words.chunks(shape.words as usize)) {
        let seen = seen_from(topology, node, block);
        for (place, word) in words.iter().enumerate() {
            entries[place * codes + code(topology, seen) as usize] = word.clone();
        }
    }
    entries
}

/// A node as seen from another: the one that is as far from the first node, where all look alike, else itself.
pub(super) fn seen_from(topology: &Topology, node: NodeId, other: NodeId) -> NodeId {
    if topology.is_homogeneous() { topology.node(&topology.offset(node, other)) } else { other }
}
