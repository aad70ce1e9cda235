//! Thread blocks of a schedule: one for each output and input of a node, and one for what the node copies.
//!
//! The steps of a block are done in order, so that packets cross a link in the order of the schedule; what a step needs of
//! another block it names. Reductions are in place; all others take from the input buffer and fill the output buffer.

use std::collections::HashMap;

use super::messages::{self, LinkMessage};
use super::places::{Chunk, RankPlaces};
use crate::design::support::Unsupported;
use crate::net::NodeId;
use crate::program::Program;

/// A step by its block and its number there, both of one node.
pub(super) type BlockStepId = (usize, usize);

/// Action of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Send,
    Receive,
    /// Receives a chunk and combines it with the one that is there.
    Combine,
    Copy,
}

#[derive(Clone, Copy)]
pub(super) struct BlockStep {
    pub kind: StepKind,
    /// place that is read; of a step that receives, the place that is written
    pub from: Chunk,
    /// place that is written; of a step that sends, one of the receiver
    pub to: Chunk,
    pub count: u32,
    pub after: Option<BlockStepId>,
    pub is_awaited: bool,
}

/// The blocks of all ranks, and who wrote what last.
pub(super) struct RankBlocks<'p> {
    pub program: &'p Program,
    pub places: RankPlaces<'p>,
    /// by rank and block: what the outputs send, what the inputs receive, what the rank copies
    pub steps: Vec<Vec<Vec<BlockStep>>>,
    written: HashMap<(u32, u32), BlockStepId>,
    /// latest step of another block that a block has waited for, by rank and the two blocks
    waited: HashMap<(u32, usize, usize), usize>,
}

impl<'p> RankBlocks<'p> {
    /// Lays out a program; a step copies at most so many chunks.
    pub fn new(program: &'p Program, most_copied: u32) -> Result<Self, Unsupported> {
        let places = RankPlaces::new(program)?;
        let empty = || (0..=2 * program.outputs()).map(|_| Vec::new()).collect();
        let steps = places.nodes.iter().map(|_| empty()).collect();
        let mut blocks = Self { program, places, steps, written: HashMap::new(), waited: HashMap::new() };
        let messages = messages::of(program)?;
        blocks.copy_own(most_copied);
        for message in messages {
            blocks.add(message);
        }
        Ok(blocks)
    }

    /// Neighbour of a node at the other end of a block's link, as a rank.
    pub fn peer(&self, node: NodeId, block: usize) -> Option<u32> {
        let channel = self.program.output(block % self.program.outputs());
        self.program.topology.step(node, channel.port).map(|node| self.places.rank(node))
    }

    /// The sender's output of the link of a block that sends or receives.
    pub fn output_of(&self, block: usize) -> usize {
        let outputs = self.program.outputs();
        if block < outputs { block } else { self.program.output_index(self.program.output(block - outputs).opposite()) }
    }

    /// The block that receives at the far end of an output.
    pub fn input_of(&self, output: usize) -> usize {
        self.program.outputs() + self.program.output_index(self.program.output(output).opposite())
    }

    fn copy_own(&mut self, most: u32) {
        for rank in 0..self.steps.len() as u32 {
            let Some((from, to, count)) = self.places.copied(rank) else { continue };
            for done in (0..count).step_by(most as usize) {
                let (from, to) = (('i', from + done), ('o', to + done));
                let count = (count - done).min(most);
                let step = BlockStep { kind: StepKind::Copy, from, to, count, after: None, is_awaited: false };
                self.steps[rank as usize][2 * self.program.outputs()].push(step);
            }
        }
    }

    fn add(&mut self, LinkMessage { from, by, to, packet, adds }: LinkMessage) {
        let (from, to) = (self.places.rank(from), self.places.rank(to));
        let after = self.await_written(from, packet);
        // from the input: the copy in the output may not be there yet
        let source = self.places.own(from, packet).unwrap_or_else(|| self.places.kept(from, packet));
        let target = self.places.kept(to, packet);
        let output = self.program.output_index(by);
        self.push(
            from,
            output,
            BlockStep { kind: StepKind::Send, from: source, to: target, count: 1, after, is_awaited: false },
        );
        // sums of one chunk one after the other
        let after = if adds { self.await_written(to, packet) } else { None };
        let block = self.input_of(output);
        let kind = if adds { StepKind::Combine } else { StepKind::Receive };
        let received = BlockStep { kind, from: target, to: target, count: 1, after, is_awaited: false };
        let step = self.push(to, block, received);
        self.written.insert((to, packet), (block, step));
    }

    fn push(&mut self, rank: u32, block: usize, step: BlockStep) -> usize {
        // steps of a block end in order, so a wait for an earlier one says nothing new
        let after = step.after.filter(|&(other, at)| {
            other != block && self.waited.get(&(rank, block, other)).is_none_or(|&before| before < at)
        });
        if let Some((other, at)) = after {
            self.waited.insert((rank, block, other), at);
        }
        let steps = &mut self.steps[rank as usize][block];
        steps.push(BlockStep { after, ..step });
        steps.len() - 1
    }

    fn await_written(&mut self, rank: u32, packet: u32) -> Option<BlockStepId> {
        let (block, step) = *self.written.get(&(rank, packet))?;
        self.steps[rank as usize][block][step].is_awaited = true;
        Some((block, step))
    }
}
