//! Calls that are being played: the models of their programs, the words that nodes take, and those that they give.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::super::super::model::ReferenceModel;
use super::super::arrays::{Arrays, WordBits};
use super::super::events::{BlockName, LoadedCall};
use super::super::{Call, CallPart, CallProgram};
use crate::net::{Channel, NodeId};
use crate::play::Payloads;

/// Values that registers have after a tick, by node: of outputs, and of arrivals at inputs.
pub(super) type ExpectedRegisters = Vec<[Vec<Option<WordBits>>; 2]>;

/// Call that is being played, or is to be.
pub(super) struct PlayedCall<'p> {
    pub call: Call,
    pub listed: &'p CallProgram<'p>,
    /// Programs of the call: one, or several at once.
    pub parts: Vec<PlayedPart<'p>>,
    /// Ticks that the model has played, with those after the programs.
    pub ticks: u32,
    /// Values after the last of these ticks, which some device has not played.
    pub expected: VecDeque<ExpectedRegisters>,
}

/// Program of a call that is being played.
pub(super) struct PlayedPart<'p> {
    pub part: &'p CallPart<'p>,
    pub arrays: Arrays<'p>,
    pub model: ReferenceModel<'p>,
    /// Node of the program by node of the network.
    pub positions: Vec<NodeId>,
}

impl<'p> PlayedCall<'p> {
    /// A call before its first tick: every program has words of its own.
    pub fn of(call: Call, listed: &'p CallProgram<'p>, payloads: Payloads, nodes: &[NodeId]) -> Self {
        let part = |(number, part): (u64, &'p CallPart<'p>)| {
            let payloads = Payloads { seed: payloads.seed ^ number << 48, ..payloads };
            let arrays = Arrays::of(part, call, payloads);
            let positions = nodes.iter().map(|&node| arrays.position(node)).collect();
            PlayedPart { part, model: ReferenceModel::of(part.program, payloads), arrays, positions }
        };
        let parts = (0..).zip(&listed.parts).map(part).collect();
        Self { call, listed, parts, ticks: 0, expected: VecDeque::new() }
    }

    /// Words that nodes take, and blocks that they give.
    pub fn loaded(&self, nodes: &[NodeId]) -> LoadedCall {
        let taken = |&node: &NodeId| {
            let of_part = |(part, played): (usize, &PlayedPart<'_>)| {
                let words = played.arrays.taken(node).into_iter();
                words.map(move |(word, node)| (word, BlockName { part, node })).collect::<Vec<_>>()
            };
            self.parts.iter().enumerate().flat_map(of_part).collect()
        };
        let given = |&node: &NodeId| self.parts.iter().flat_map(|played| played.arrays.blocks(node)).collect();
        LoadedCall {
            call: self.call,
            taken: nodes.iter().map(taken).collect(),
            given: nodes.iter().map(given).collect(),
        }
    }

    /// Plays the tick in all models that have begun, and returns the values that registers have after it; none where the ticks of all
    /// are over.
    pub fn step(&mut self, channels: &[Channel]) -> ExpectedRegisters {
        let mut all = ExpectedRegisters::new();
        for part in &mut self.parts {
            if self.ticks <= part.part.after || self.ticks > part.part.after + part.part.program.ticks {
                continue;
            }
            part.model.step();
            let expected = part.expected(channels);
            if all.is_empty() {
                all = expected;
                continue;
            }
            // no output is wanted by two
            for (all, own) in all.iter_mut().flatten().flatten().zip(expected.into_iter().flatten().flatten()) {
                if own.is_some() {
                    *all = own;
                }
            }
        }
        all
    }

    /// Words that a node gives, each with its block, in the end.
    pub fn given(&self, node: NodeId) -> Vec<(WordBits, BlockName)> {
        let of_part = |(part, played): (usize, &PlayedPart<'_>)| {
            let results = match &played.model {
                ReferenceModel::Combines(combiner) => Some(combiner),
                ReferenceModel::Moves(_) => None,
            };
            let words = played.arrays.given(node, results).into_iter();
            words.map(move |(word, node)| (word, BlockName { part, node })).collect::<Vec<_>>()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }
}

impl PlayedPart<'_> {
    /// Values that the model has now.
    fn expected(&self, channels: &[Channel]) -> ExpectedRegisters {
        let (program, words) = (self.part.program, self.arrays.words());
        let of_node = |&position: &NodeId| {
            let held = |&channel: &Channel| self.model.held(program.register(position, channel), words);
            let arrived = |&channel: &Channel| self.model.register(program.arriving(position, channel)?, words);
            let owned = |value: Option<Cow<'_, [u8]>>| value.map(Cow::into_owned);
            [
                channels.iter().map(|channel| owned(held(channel))).collect(),
                channels.iter().map(|channel| owned(arrived(channel))).collect(),
            ]
        };
        self.positions.iter().map(of_node).collect()
    }
}
