//! Tables of a node's streams: where each word comes to lie, and where each that goes out lies.

use super::super::node::{Acts, Block, Found};
use super::{NotLowered, code};
use crate::net::{NodeId, Topology};

/// Places of a word that comes in, by bank: one of each output and unit, then that of words that go out as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
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
}

/// Blocks of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// True if there is a block for each node, in their order; else there is one.
    pub is_of_all: bool,
    /// Words of a block; 0 if there is no stream.
    pub words: u32,
}

impl Shape {
    /// Words of the stream.
    pub fn total(self, nodes: u32) -> u32 {
        if self.is_of_all { self.words * nodes } else { self.words }
    }

    fn of(nodes: u32, blocks: &[Block], program: usize) -> Result<Self, NotLowered> {
        let mut lengths: Vec<(NodeId, u32)> = Vec::new();
        for block in blocks {
            match lengths.last_mut().filter(|(node, _)| *node == block.node) {
                Some((_, words)) => *words += block.words,
                None => lengths.push((block.node, block.words)),
            }
        }
        let words = lengths.first().map_or(0, |&(_, words)| words);
        let are_all = lengths.len() as u32 == nodes;
        match lengths.len() {
            0 | 1 => Ok(Self { is_of_all: false, words }),
            _ if are_all && lengths.iter().all(|&(_, other)| other == words) => Ok(Self { is_of_all: true, words }),
            _ => Err(NotLowered::Lengths { program }),
        }
    }
}

/// Streams of one node, with their tables.
///
/// The entry of a word is its place in its block, times the number of codes, plus the code of the block's node as seen from this
/// one. A stream of one block has an entry for each word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Blocks that come in.
    pub takes: Shape,
    /// Blocks that go out.
    pub gives: Shape,
    /// Table of the words that come in.
    pub taken: Vec<Taken>,
    /// Table of the words that go out.
    pub given: Vec<Given>,
}

impl Streams {
    /// Streams of a node with so many outputs and units.
    pub fn of(
        topology: &Topology,
        node: NodeId,
        acts: &Acts,
        banks: usize,
        program: usize,
    ) -> Result<Self, NotLowered> {
        let takes = Shape::of(topology.nodes(), &acts.takes, program)?;
        let gives = Shape::of(topology.nodes(), &acts.gives, program)?;
        let mut taken = vec![Taken { addresses: vec![None; banks + 1] }; takes.total(topology.nodes()) as usize];
        let mut sent = vec![0; banks];
        for (bank, act) in acts.ticks.iter().flat_map(|tick| tick.acts.iter().enumerate()) {
            let Some(word) = act.as_ref().and_then(|act| act.own) else { continue };
            let address = &mut taken[word as usize].addresses[bank];
            if address.replace(sent[bank]).is_some() {
                return Err(NotLowered::Repeated { program });
            }
            sent[bank] += 1;
        }
        for (address, &word) in (0..).zip(&acts.passed) {
            taken[word as usize].addresses[banks] = Some(address);
        }
        let given = acts.words.iter().map(|&found| match found {
            Found::Passed(address) => Given { bank: banks as u32, address },
            Found::Kept(bank, address) => Given { bank, address },
        });
        let given: Vec<Given> = given.collect();
        let nothing = Taken { addresses: vec![None; banks + 1] };
        Ok(Self {
            takes,
            gives,
            taken: by_code(topology, node, takes, &taken, &nothing),
            given: by_code(topology, node, gives, &given, &Given::default()),
        })
    }
}

/// Entries of a stream's words, by their place in the block and the code of its node.
fn by_code<T: Clone>(topology: &Topology, node: NodeId, shape: Shape, words: &[T], nothing: &T) -> Vec<T> {
    if !shape.is_of_all {
        return words.to_vec();
    }
    let codes = 1 << super::code_bits(topology).iter().sum::<u32>();
    let mut entries = vec![nothing.clone(); codes * shape.words as usize];
    for (block, words) in topology.node_ids().zip(words.chunks(shape.words as usize)) {
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
