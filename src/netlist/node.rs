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

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::local::BlockOrder;
use super::own_inputs::{self, OwnInputs};
use super::value::Own;
use crate::net::NodeId;
use crate::program::{FlitId, Operands, Program, ResultPlace, Source};
use trace::FlitTrace;

pub use acts::{Act, Acts, FoundPlace, Tick};
pub use block::MessageBlock;
pub use streams::StreamWord;

/// Word that a router asks its node for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AskedWord {
    /// Word of the stream in, by its place there.
    Taken(u32),
    /// Word that the node has combined, by its place in [`Node::results`].
    Result(u32),
    /// No word: an output that combines has nothing to send in this tick.
    Nothing,
}

/// Send bank: all words that the router asks for at one of its own inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBank {
    /// Own input of the router.
    pub input: Own,
    /// Words in the order in which they are asked for.
    pub words: Vec<AskedWord>,
}

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
    /// Send banks, one for each own input of the router, in its order.
    pub banks: Vec<NodeBank>,
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
    program: Cow<'p, Program>,
    trace: FlitTrace,
    words: u32,
    streamed: bool,
    own: OwnInputs,
    /// Ticks of an adder and the rows that partials pass; no ticks if values are combined at once.
    adder: u32,
    rows: u32,
    /// Only node with a block for itself, if that is known.
    root: Option<NodeId>,
}

impl<'p> NodeLowering<'p> {
    /// Lowers a program. Packets that move as wholes are lowered as words of a program of single flits.
    pub fn of(program: &'p Program, own: OwnInputs) -> Self {
        let streamed = super::is_streamed(program, own);
        let whole = program.unstretched().filter(|_| program.flits > 1 && program.latency == 1 && !streamed);
        let words = if whole.is_some() { program.flits } else { 1 };
        let program = whole.map_or(Cow::Borrowed(program), Cow::Owned);
        Self { words, streamed, own, ..Self::by_flits(program, None) }
    }

    fn by_flits(program: Cow<'p, Program>, root: Option<NodeId>) -> Self {
        let (adder, rows) = (program.adder_ticks(), program.adder_rows());
        Self {
            trace: FlitTrace::of(&program),
            program,
            words: 1,
            streamed: true,
            own: OwnInputs::Packets,
            adder,
            rows,
            root,
        }
    }

    /// Flits of the program that a word of the lowering stands for.
    pub fn flits_per_word(&self) -> u32 {
        self.words
    }

    /// Number of steps in which something may arrive.
    pub fn steps(&self) -> u32 {
        self.program.ticks
    }

    /// Lowers one node.
    pub fn node(&self, node: NodeId, order: BlockOrder) -> Node {
        let program = &*self.program;
        if !program.topology.is_live(node) {
            return Node::default();
        }
        let taken = streams::StreamIn::of(program, node, self.root);
        let given = streams::given(program, node, &taken);
        let results = self.results(node, &taken);
        let place = |flit: FlitId| taken.place(program, node, flit);
        let banks = match &program.reduction {
            Some(_) => self.combining_banks(node),
            None => self.moving_banks(node, &place),
        };
        let arrivals = self.first_arrivals(node);
        let kept = |word: streams::StreamOutput| match word {
            streams::StreamOutput::Own(flit) if program.reduction.is_some() => {
                BankPlace::Result(flit.0 - program.demand.flits_of(node).start as u32)
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
        Node { takes: taken.blocks, banks, results, gives, kept }
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
        let lowering = Self::of_flits(program, None);
        let taken = |node| streams::StreamIn::of(&lowering.program, node, None).blocks;
        let mut words = program.topology.live_ids().flat_map(taken).map(|block| block.words);
        let first = words.next()?;
        words.all(|words| words == first).then_some(first)
    }

    /// Words of the streams of a node, in and out, with blocks in the order of the nodes.
    pub fn stream_words(&self, node: NodeId) -> [Vec<StreamWord>; 2] {
        let taken = streams::StreamIn::of(&self.program, node, self.root);
        let given = streams::given(&self.program, node, &taken).into_iter().flat_map(|(_, words)| words);
        [taken.words(&self.program, node), given.map(streams::StreamOutput::named).collect()]
    }

    /// Words that complete the node's own values.
    fn results(&self, node: NodeId, taken: &streams::StreamIn) -> Vec<Completed> {
        let program = &*self.program;
        let Some(reduction) = &program.reduction else { return Vec::new() };
        let class = program.class_of[node.index()];
        let places = program.result_places(class);
        let of_packet = |(packet, (&operands, place)): (u32, (&Operands, ResultPlace))| {
            let flits = program.demand.flits_of_packet(node, packet).zip(1..);
            flits.map(move |(flit, after)| {
                let own = taken.place(program, node, FlitId(flit as u32));
                Completed { own, tick: reduction.ticks + after, operands, place }
            })
        };
        (0..).zip(reduction.results[class.index()].iter().zip(places)).flat_map(of_packet).collect()
    }

    /// Banks of a router whose outputs combine: one for each output.
    fn combining_banks(&self, node: NodeId) -> Vec<NodeBank> {
        let program = &*self.program;
        let first = program.demand.flits_of(node).start as u32;
        let bank = |index: usize| {
            let words = self.trace.asked[node.index() * program.outputs() + index].iter();
            let asked = |&(flit, is_result): &(Option<FlitId>, bool)| match flit {
                None => AskedWord::Nothing,
                Some(flit) if is_result => AskedWord::Result(flit.0 - first),
                // values come in by the node and packet that they are for, as flits are numbered
                Some(flit) => AskedWord::Taken(flit.0),
            };
            let input = Own { packet: index as u32, through: index as u32 };
            NodeBank { input, words: words.map(asked).collect() }
        };
        let tracks = program.class(node).outputs.iter().enumerate();
        tracks.filter(|(_, track)| !track.is_idle()).map(|(index, _)| bank(index)).collect()
    }

    /// Banks of a router that moves packets.
    fn moving_banks(&self, node: NodeId, place: &impl Fn(FlitId) -> u32) -> Vec<NodeBank> {
        let program = &*self.program;
        if self.own == OwnInputs::Streams {
            return self.streams(node, place);
        }
        let class = program.class(node);
        let own =
            |source| if let Source::Own { packet, through } = source { Some(Own { packet, through }) } else { None };
        let injected = class.outputs.iter().filter_map(|track| track.inject);
        let inputs: BTreeSet<Own> = (class.sources().into_iter().filter_map(own))
            .chain(injected.map(|packet| Own { packet, through: packet }))
            .collect();
        let bank = |input: Own| {
            let words = if self.streamed { self.streamed_words(node, input) } else { self.held_words(node, input) };
            NodeBank { input, words: words.into_iter().map(|flit| AskedWord::Taken(place(flit))).collect() }
        };
        inputs.into_iter().map(bank).collect()
    }

    /// Banks of a router whose outputs send from streams: the packets of each stream, in their order.
    fn streams(&self, node: NodeId, place: &impl Fn(FlitId) -> u32) -> Vec<NodeBank> {
        let demand = &self.program.demand;
        let bank = |input: Own| {
            let first = demand.flits_of_packet(node, input.packet).start;
            let words = first..demand.flits_of_packet(node, input.through).end;
            NodeBank { input, words: words.map(|flit| AskedWord::Taken(place(FlitId(flit as u32)))).collect() }
        };
        own_inputs::of_class(&self.program, self.program.class_of[node.index()]).into_iter().map(bank).collect()
    }

    /// Words of an own input that holds each flit of its packet as the fabric asks for it.
    fn held_words(&self, node: NodeId, input: Own) -> Vec<FlitId> {
        self.program.demand.flits_of_packet(node, input.packet).map(|flit| FlitId(flit as u32)).collect()
    }

    /// Words of an own input that is a stream: a word for each tick in which some output takes one.
    fn streamed_words(&self, node: NodeId, input: Own) -> Vec<FlitId> {
        let program = &*self.program;
        let Own { packet, through } = input;
        let mut taken = BTreeMap::new();
        let mut take = |first: u32, last: u32| {
            for (place, tick) in (0..).zip(first..=last) {
                if let Some(flit) = program.demand.flit(node, packet, through, place) {
                    taken.insert(tick, flit);
                }
            }
        };
        let window = program.window(node);
        for track in &program.class(node).outputs {
            let spans = track.spans(program.ticks).filter(|span| span.source == Source::Own { packet, through });
            spans.for_each(|span| take(span.first, span.last));
            if track.inject == Some(packet) && packet == through && window.ticks > 0 {
                take(window.first, window.first + window.ticks - 1);
            }
        }
        taken.into_values().collect()
    }

    /// Step and input by which each flit of others comes in first; in the gather part, if there is one.
    fn first_arrivals(&self, node: NodeId) -> HashMap<FlitId, BankPlace> {
        let program = &*self.program;
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
