//! Tables of a node's streams: where each word comes to lie, and where each that goes out lies.

mod rows;

use std::collections::HashMap;

use super::super::local::{NodePorts, Results};
use super::super::node::{Acts, FoundPlace, MessageBlock};
use super::{NotLowered, Resident, code};
use crate::net::{NodeId, Topology};
use crate::program::To;

/// Places of a word that comes in, by bank: one of each output and unit, then that of words that go out as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordPlaces {
    /// Address in each bank that holds the word.
    pub addresses: Vec<Option<u32>>,
    /// Last word of its block, where a table says so.
    pub ends: bool,
}

/// Place of a word that goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Bank: one of each input and unit, then that of words that go out as they are.
    pub bank: u32,
    /// Address in the bank.
    pub address: u32,
    /// Code of the block's node, where a table says so: where all nodes look alike, of this node as seen from the block's.
    pub from: u32,
    /// Number of the message among those of the block's node, where a table says so.
    pub message: u32,
    /// Last word of its block, where a table says so.
    pub ends: bool,
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
    /// Number of the message, as in [`Given`].
    pub message: u32,
}

/// Blocks of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    fn of(nodes: u32, lengths: &[(NodeId, u32)]) -> Self {
        let first = lengths.first().map_or(0, |&(_, words)| words);
        let is_of_all = nodes > 1 && lengths.len() as u32 == nodes && lengths.iter().all(|&(_, words)| words == first);
        let words = if is_of_all { first } else { lengths.iter().map(|&(_, words)| words).sum() };
        Self { is_of_all, words }
    }
}

/// Most messages that a node gives of one node.
pub(super) fn most_messages(all: &[Vec<Acts>]) -> u32 {
    let gives = all.iter().flatten().flat_map(|acts| &acts.gives);
    gives.map(|message| message.number + 1).max().unwrap_or(1)
}

/// Words that a node has for each node, or from each: its messages of one node are one block.
fn joined(messages: &[MessageBlock]) -> Vec<(NodeId, u32)> {
    let mut blocks: Vec<(NodeId, u32)> = Vec::new();
    for message in messages {
        match blocks.last_mut().filter(|(node, _)| *node == message.node) {
            Some((_, words)) => *words += message.words,
            None => blocks.push((message.node, message.words)),
        }
    }
    blocks
}

/// Words for each node, or from each, of every program of some that are played at once.
fn joined_parts(messages: &[MessageBlock], counts: impl Iterator<Item = usize>) -> Vec<Vec<(NodeId, u32)>> {
    let mut messages = messages;
    let of_part = |count: usize| {
        let (own, others) = messages.split_at(count);
        messages = others;
        joined(own)
    };
    counts.map(of_part).collect()
}

/// Words that each live node has for each, where blocks have different lengths: of a node, or of one with the root.
pub(super) fn block_lengths(resident: &Resident, ids: &[NodeId], all: &[Acts]) -> Option<Vec<Vec<u32>>> {
    let Resident { program, roots, .. } = resident;
    let (topology, demand) = (&program.topology, &program.demand);
    if program.reduction.is_some() || demand.messages().iter().all(|message| message.to == To::All) {
        return None;
    }
    let row = |(_, acts): (&NodeId, &Acts)| {
        let mut row = vec![0; topology.live_nodes() as usize];
        for (node, words) in joined(&acts.takes) {
            row[topology.rank(node)] = words;
        }
        row
    };
    let rows: Vec<Vec<u32>> = ids.iter().zip(all).filter(|&(&node, _)| topology.is_live(node)).map(row).collect();
    let is_even = |mut lengths: Vec<u32>| {
        lengths.dedup();
        lengths.len() == 1 && lengths[0] > 0
    };
    let roots = if roots.is_empty() { demand.roots() } else { roots.clone() };
    // words from one node for another, or from all nodes, of each pair of a group
    let between = |from: Option<NodeId>, to: Option<NodeId>| {
        let pairs = topology.live_ids().filter(|&node| from.is_none_or(|from| from == node)).flat_map(|one| {
            let others = demand.group_of(topology, one).filter(|&node| to.is_none_or(|to| to == node));
            others.map(move |other| (one, other)).collect::<Vec<_>>()
        });
        pairs.map(|(one, other)| rows[topology.rank(one)][topology.rank(other)]).collect::<Vec<u32>>()
    };
    let of_roots = |of: &dyn Fn(NodeId) -> Vec<u32>| roots.iter().flat_map(|&root| of(root)).collect::<Vec<u32>>();
    let are_even = if roots.is_empty() {
        is_even(between(None, None))
    } else {
        // a scatter has the row of its root, a gather the column
        is_even(of_roots(&|root| between(Some(root), None))) || is_even(of_roots(&|root| between(None, Some(root))))
    };
    (!are_even).then_some(rows)
}

/// Streams of one node, with their tables.
///
/// The entry of a word is its place in its block, times the number of codes, plus the code of the block's node as seen from this
/// one, or the number of the block in the order of arrival. A stream of one block, or of blocks of different lengths, has an entry
/// for each word, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamTables {
    /// Blocks that come in.
    pub takes: StreamShape,
    /// Blocks that go out.
    pub gives: StreamShape,
    /// True if the one block that goes out is of the node itself.
    pub is_own: bool,
    /// True if the table says of which node each word is.
    pub is_told: bool,
    /// Table of the words that come in.
    pub taken: Vec<WordPlaces>,
    /// Table of the words that go out.
    pub given: Vec<Given>,
    /// Rows of the words that go out, if a stream has several per clock.
    pub rows: Vec<GivenRow>,
    /// Words that come in and go out.
    pub words: (u32, u32),
}

/// Block that goes out.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenBlock {
    /// First of its words, in the order of the blocks' nodes.
    pub first: usize,
    /// Number of its words.
    pub words: usize,
    /// Code that tells its node.
    pub from: u32,
    /// Number of the message among those of the node, if each is a block.
    pub message: u32,
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
    /// Blocks of the program have different lengths, or are not of all nodes.
    pub is_uneven: bool,
    /// Blocks in the order of arrival have different lengths, or several are of one node: words are read by their numbers.
    pub reads_in_a_row: bool,
    /// Tables say where blocks end: those of some program are uneven.
    pub tells: bool,
}

/// Blocks of one program in the streams of a node: those of programs that are played at once follow each other.
pub(super) struct StreamPart {
    /// Blocks that come in.
    pub takes: usize,
    /// Blocks that go out.
    pub gives: usize,
    /// Order in which they go out, by node and message; that of all nodes if there is none.
    pub order: Vec<(NodeId, u32)>,
}

impl StreamTables {
    /// Streams of a node in a program, or in some that are played at once.
    pub(super) fn of(listed: ListedNode<'_>, parts: &[StreamPart], ports: NodePorts) -> Result<Self, NotLowered> {
        let ListedNode { topology, node, acts, banks, sends, program, is_uneven, reads_in_a_row, tells } = listed;
        let taken_blocks = joined_parts(&acts.takes, parts.iter().map(|part| part.takes)).concat();
        let given_parts = joined_parts(&acts.gives, parts.iter().map(|part| part.gives));
        let given_blocks = given_parts.concat();
        // blocks of several programs are not one for each node
        let nodes = if parts.len() > 1 { 0 } else { topology.live_nodes() };
        let takes = StreamShape::of(nodes, &taken_blocks);
        let mut gives = StreamShape::of(nodes, &given_blocks);
        let total = |blocks: &[(NodeId, u32)]| blocks.iter().map(|&(_, words)| words).sum();
        let words = (total(&taken_blocks), total(&given_blocks));
        let has_order = parts.iter().any(|part| !part.order.is_empty());
        // messages that arrive in any order are read one after the other
        if reads_in_a_row && has_order {
            gives = StreamShape { is_of_all: false, words: words.1 };
        } else if is_uneven && ports.results == Results::Memory {
            // words are read by the node of their block: shorter blocks have places without a word
            let longest = given_blocks.iter().map(|&(_, words)| words).max().unwrap_or(0);
            gives = StreamShape { is_of_all: longest > 0, words: longest };
        }
        let nothing = WordPlaces { addresses: vec![None; banks + 1], ends: false };
        let mut taken = vec![nothing.clone(); takes.total(topology.live_nodes()) as usize];
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
        let mut end = 0;
        let ends: Vec<u32> = if ports.by_message {
            acts.takes.iter().map(|message| message.words).collect()
        } else {
            taken_blocks.iter().map(|&(_, words)| words).collect()
        };
        for words in ends.into_iter().filter(|&words| words > 0) {
            end += words as usize;
            taken[end - 1].ends = tells;
        }
        let mut given = listed.given();
        let mut blocks = Vec::new();
        let mut messages = acts.gives.iter();
        for (part, given) in parts.iter().zip(&given_parts) {
            let one_by_one =
                messages.by_ref().take(part.gives).map(|message| (message.node, message.number, message.words));
            let together = given.iter().map(|&(node, words)| (node, 0, words));
            let told = if ports.by_message { one_by_one.collect() } else { together.collect() };
            let begun = blocks.iter().map(|block: &GivenBlock| block.words).sum();
            blocks.extend(listed.ordered(told, &part.order, begun));
        }
        for &GivenBlock { first, words, from, message } in blocks.iter().filter(|block| tells && block.words > 0) {
            for given in &mut given[first..first + words] {
                (given.from, given.message) = (from, message);
            }
            given[first + words - 1].ends = true;
        }
        let is_told = tells && (gives.is_of_all || is_uneven || ports.by_message);
        let is_one = ports.order.is_some() && !gives.is_of_all && !is_told;
        Ok(Self {
            takes,
            gives,
            is_own: is_one && given_blocks.first().is_some_and(|&(block, _)| block == node),
            is_told,
            taken: by_code(topology, node, (takes, &taken_blocks), &taken, &nothing),
            rows: if ports.words > 1 {
                if !(gives.is_of_all || is_told) {
                    // the one block of a call is told by its root, or by the node
                    for block in &mut blocks {
                        block.from = 0;
                    }
                }
                rows::of(listed, &given, &blocks, ports.words)?
            } else {
                Vec::new()
            },
            given: if !gives.is_of_all {
                let words = blocks.iter().flat_map(|block| &given[block.first..block.first + block.words]);
                words.copied().collect()
            } else if !has_order {
                by_code(topology, node, (gives, &given_blocks), &given, &Given::default())
            } else {
                listed.by_number(&blocks, &given)
            },
            words,
        })
    }
}

impl ListedNode<'_> {
    /// Places of the words that go out, in the order of the blocks' nodes.
    fn given(&self) -> Vec<Given> {
        let given = self.acts.words.iter().map(|&found| match found {
            FoundPlace::Passed(address) => Given { bank: self.banks as u32, address, ..Given::default() },
            FoundPlace::Kept(bank, address) => Given { bank, address, ..Given::default() },
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

    /// Blocks that go out, which lie from a word on in the order of their nodes and messages, in such an order, or in their own if there
    /// is none.
    fn ordered(&self, blocks: Vec<(NodeId, u32, u32)>, order: &[(NodeId, u32)], mut first: usize) -> Vec<GivenBlock> {
        let places: HashMap<(NodeId, u32), usize> = order.iter().copied().zip(0..).collect();
        let mut all: Vec<(Option<usize>, GivenBlock)> = Vec::new();
        for (node, message, words) in blocks {
            let block = GivenBlock { first, words: words as usize, from: self.from(node), message };
            all.push((places.get(&(node, message)).copied(), block));
            first += words as usize;
        }
        all.sort_by_key(|&(place, _)| place);
        all.into_iter().map(|(_, block)| block).collect()
    }

    /// Entries of the words that go out, by their place in the block and the number of the block.
    fn by_number(&self, blocks: &[GivenBlock], words: &[Given]) -> Vec<Given> {
        let codes = codes(self.topology);
        let mut entries = vec![Given::default(); codes * blocks[0].words];
        for (number, block) in blocks.iter().enumerate() {
            for place in 0..block.words {
                entries[place * codes + number] = Given { from: block.from, ..words[block.first + place] };
            }
        }
        entries
    }
}

fn codes(topology: &Topology) -> usize {
    1 << super::code_bits(topology).iter().sum::<u32>()
}

/// Entries of a stream's words, by their place in the block and the code of its node.
fn by_code<T: Clone>(
    topology: &Topology,
    node: NodeId,
    (shape, blocks): (StreamShape, &[(NodeId, u32)]),
    words: &[T],
    nothing: &T,
) -> Vec<T> {
    if !shape.is_of_all {
        return words.to_vec();
    }
    let codes = codes(topology);
    let mut entries = vec![nothing.clone(); codes * shape.words as usize];
    let mut words = words.iter();
    for &(block, length) in blocks {
        let seen = seen_from(topology, node, block);
        for (place, word) in words.by_ref().take(length as usize).enumerate() {
            entries[place * codes + code(topology, seen) as usize] = word.clone();
        }
    }
    entries
}

/// A node as seen from another: the one that is as far from the first node, where all look alike, else itself.
pub(super) fn seen_from(topology: &Topology, node: NodeId, other: NodeId) -> NodeId {
    if topology.is_homogeneous() { topology.node(&topology.offset(node, other)) } else { other }
}
