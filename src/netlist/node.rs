//! Lowering of a demand to nodes: which words go into which send bank, which arrivals are kept, where results form, and in
//! which order words leave.
//!
//! Every collective is lowered by the same rules, read off the demand and the program. A node has a stream of blocks in and
//! one of blocks out. In an all-to-all, for example, it takes a block for every node, by destination, hands each word to the
//! output that sends it, keeps the first arrival of every word it wants, and gives a block of every node, by origin.

mod acts;
mod block;
mod streams;
mod trace;

use std::collections::HashMap;

use super::local::BlockOrder;
use crate::net::NodeId;
use crate::program::{FlitId, Operands, Program, ResultPlace};
use trace::FlitTrace;

pub use acts::{Act, Acts, FoundPlace, Tick};
pub use block::MessageBlock;
pub use streams::StreamWord;

/// Place of a word that goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BankPlace {
    /// Word of the node's own, by its place in the stream in.
    Taken(u32),
    /// Word that the node has combined, by its place in [`Node::results`].
    Result(u32),
    /// Word that came in first in this step, counted from 0, by this input, as `Program::channels` counts them.
    Received {
        /// Step of the arrival.
        step: u32,
        /// Input of the arrival.
        input: u32,
    },
}

/// Word that a node combines by itself, once the reduce part is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Place of the own value in the input stream.
    pub own: u32,
    /// Tick in which it is combined.
    pub tick: u32,
    /// Arrivals that it is combined with, by their age in that tick.
    pub operands: Operands,
    /// Unit that combines it, and how much earlier.
    pub place: ResultPlace,
}

/// Everything that stands beside the router of one node; nothing beside a dead one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Blocks of the stream in, in their order.
    pub takes: Vec<MessageBlock>,
    /// Words that are combined.
    pub results: Vec<Completed>,
    /// Blocks of the stream out, in their order.
    pub gives: Vec<MessageBlock>,
    /// Place of each of their words.
    pub kept: Vec<BankPlace>,
}

/// Lowering of a program's demand, asked for node by node.
#[derive(Clone, Debug)]
pub struct NodeLowering<'p> {
    program: &'p Program,
    trace: FlitTrace,
    /// Ticks of an adder and the rows that partials pass; no ticks if values are combined at once.
    adder: u32,
    rows: u32,
    /// Only nodes with a block for themselves, if that is known.
    roots: Vec<NodeId>,
}

impl<'p> NodeLowering<'p> {
    /// Lowers one node.
    pub fn node(&self, node: NodeId, order: BlockOrder) -> Node {
        let program = self.program;
        if !program.topology.is_live(node) {
            return Node::default();
        }
        let taken = streams::StreamIn::of(program, node, &self.roots);
        let given = streams::given(program, node, &taken);
        let results = self.results(node, &taken);
        let place = |flit: FlitId| taken.place(program, node, flit);
        let arrivals = self.first_arrivals(node);
        let kept = |word: streams::StreamOutput| match word {
            streams::StreamOutput::Own(flit) if program.reduction.is_some() => {
                BankPlace::Result(flit.0 - program.results_of(node).start as u32)
            }
            streams::StreamOutput::Own(flit) => BankPlace::Taken(place(flit)),
            streams::StreamOutput::OfItself(index) => BankPlace::Taken(taken.of_itself() + index),
            streams::StreamOutput::Foreign(flit) => {
                arrivals.get(&flit).copied().expect("a program brings what is wanted")
            }
        };
        let mut blocks: Vec<(MessageBlock, Vec<BankPlace>)> =
            given.into_iter().map(|(block, words)| (block, words.into_iter().map(kept).collect())).collect();
        if order == BlockOrder::Arrival {
            // the node's own come first, then each by its first word
            blocks.sort_by_key(|(_, kept)| match kept[0] {
                BankPlace::Taken(_) | BankPlace::Result(_) => None,
                BankPlace::Received { step, input } => Some((step, input)),
            });
        }
        let gives = blocks.iter().map(|&(block, _)| block).collect();
        let kept = blocks.into_iter().flat_map(|(_, kept)| kept).collect();
        Node { takes: taken.blocks, results, gives, kept }
    }

    /// Nodes of the blocks that a node gives, with their messages by number, in the order of arrival: each message, or the first
    /// one of each node.
    pub fn order_of_arrival(&self, node: NodeId, by_message: bool) -> Vec<(NodeId, u32)> {
        let mut is_there = vec![false; self.program.topology.nodes() as usize];
        let blocks = self.node(node, BlockOrder::Arrival).gives.into_iter();
        let is_next = |block: &MessageBlock| by_message || !std::mem::replace(&mut is_there[block.node.index()], true);
        blocks.filter(is_next).map(|block| (block.node, if by_message { block.number } else { 0 })).collect()
    }

    /// Words of a block that comes in, the same at all nodes; none if they differ.
    pub fn words_of_a_block(program: &'p Program) -> Option<u32> {
        let taken = |node| streams::StreamIn::of(program, node, &[]).blocks;
        let mut words = program.topology.live_ids().flat_map(taken).map(|block| block.words);
        let first = words.next()?;
        words.all(|words| words == first).then_some(first)
    }

    /// Words of the streams of a node, in and out, with blocks in the order of the nodes.
    pub fn stream_words(&self, node: NodeId) -> [Vec<StreamWord>; 2] {
        let taken = streams::StreamIn::of(self.program, node, &self.roots);
        let given = streams::given(self.program, node, &taken).into_iter().flat_map(|(_, words)| words);
        [taken.words(self.program, node), given.map(streams::StreamOutput::named).collect()]
    }

    /// Words that complete the node's own values.
    fn results(&self, node: NodeId, taken: &streams::StreamIn) -> Vec<Completed> {
        let program = self.program;
        let Some(reduction) = &program.reduction else { return Vec::new() };
        let class = program.class_of[node.index()];
        let places = program.result_places(class);
        let of_packet = |(packet, (&operands, place)): (u32, (&Operands, ResultPlace))| {
            (0..program.flits).map(move |flit| {
                let own = taken.place(program, node, FlitId(program.result_flit(node, packet, flit) as u32));
                Completed { own, tick: reduction.ticks + 1 + flit, operands, place }
            })
        };
        (0..).zip(reduction.results[class.index()].iter().zip(places)).flat_map(of_packet).collect()
    }

    /// Step and input by which each flit of others comes in first; in the gather part, if there is one.
    fn first_arrivals(&self, node: NodeId) -> HashMap<FlitId, BankPlace> {
        let program = self.program;
        let begins = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        let mut arrivals = HashMap::new();
        for step in begins..program.ticks {
            for (input, channel) in (0..).zip(program.channels()) {
                if let Some(flit) = self.trace.arrived(program, node, channel, step) {
                    arrivals.entry(flit).or_insert(BankPlace::Received { step, input });
                }
            }
        }
        arrivals
    }
}
