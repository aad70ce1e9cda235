//! Chunks of an algorithm as messages of a collective, or pieces of one.

use super::sums::ChunkSums;
use super::{AlgorithmReader, refused};
use crate::algorithm::ChunkTransfer;
use crate::schedule::error::ScheduleError;
use crate::schedule::messages::MessageName;
use crate::task::{Collective, CombinePlace};

/// Chunk as a piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageChunk {
    pub name: MessageName,
    /// number of the chunk in the message
    pub at: usize,
    /// chunks of the message
    pub of: usize,
}

impl AlgorithmReader<'_> {
    /// Message of the chunk of each transfer.
    pub(super) fn pieces(&self) -> Result<Vec<MessageChunk>, ScheduleError> {
        let transfers = &self.judged.record.transfers;
        let Some(sums) = &self.sums else { return transfers.iter().map(|transfer| self.moved(transfer)).collect() };
        let blocks = self.blocks(sums)?;
        Ok(sums.sums.iter().map(|sum| blocks[sum.chunk]).collect())
    }

    /// Message of a chunk that moves unchanged.
    fn moved(&self, transfer: &ChunkTransfer) -> Result<MessageChunk, ScheduleError> {
        let (traffic, chunks) = (self.task.traffic, self.judged.chunks);
        let contents = self.judged.record.contents(transfer.value);
        let Some((rank, at)) = contents.and_then(|contents| Some((contents.rank?, contents.chunk))) else {
            let problem = format!("it sends a sum, and a {} moves what ranks have", traffic.collective);
            return Err(refused(transfer.step, problem, "send a chunk of the input of a rank"));
        };
        let node = |rank: usize| self.nodes[rank].0;
        let share = chunks / self.nodes.len();
        let named = |first: u32, second: u32, at: usize, of: usize| MessageChunk {
            name: MessageName { first, second },
            at,
            of,
        };
        let root = traffic.root(self.task.topology);
        Ok(match traffic.collective {
            Collective::Gossip => named(node(rank), at as u32, 0, 1),
            Collective::Exchange => named(node(rank), node(at / share), at % share, share),
            Collective::Gather => named(node(rank), 0, at, chunks),
            _ if self.nodes[rank] != root => {
                let problem = format!("it sends a chunk of rank {rank}, and only the root (node {}) has data", root.0);
                return Err(refused(transfer.step, problem, "send chunks of the root"));
            }
            Collective::Scatter => named(node(at / chunks), 0, at % chunks, chunks),
            _ => named(root.0, 0, at, chunks),
        })
    }

    /// Block of each chunk of a vector that is added up: the node that completes it, and which of its blocks.
    fn blocks(&self, sums: &ChunkSums) -> Result<Vec<MessageChunk>, ScheduleError> {
        let (traffic, chunks) = (self.task.traffic, self.judged.chunks);
        let each = chunks / self.nodes.len();
        let is_at_root = traffic.combined == CombinePlace::Root;
        let mut counts = vec![0; self.nodes.len()];
        let mut blocks = Vec::with_capacity(chunks);
        for (chunk, &owner) in sums.owners.iter().enumerate() {
            let node = self.nodes[owner].0;
            let (second, at, of) = if is_at_root { (0, chunk, chunks) } else { (counts[owner], 0, 1) };
            counts[owner] += 1;
            blocks.push(MessageChunk { name: MessageName { first: node, second }, at, of });
        }
        if traffic.collective == Collective::ReduceScatter {
            return self.refuse_moved(sums, each).map(|()| blocks);
        }
        let uneven = counts.iter().position(|&count| count as usize != each || !chunks.is_multiple_of(counts.len()));
        match uneven.filter(|_| !is_at_root) {
            None => Ok(blocks),
            Some(rank) => {
                let problem = format!(
                    "rank {rank} completes {} of {chunks} chunks, and each of the {} ranks must complete as many",
                    counts[rank],
                    counts.len()
                );
                let help =
                    "let each rank complete as many chunks, or one rank all of them, with `count: WORDS` in the config";
                Err(ScheduleError::whole(problem, help))
            }
        }
    }

    /// Fails if a block of a reduce-scatter is not completed where it is wanted.
    fn refuse_moved(&self, sums: &ChunkSums, each: usize) -> Result<(), ScheduleError> {
        let is_away = |sum: &super::sums::SumTransfer| sum.is_complete || sums.owners[sum.chunk] != sum.chunk / each;
        let Some(at) = sums.sums.iter().position(is_away) else { return Ok(()) };
        let (transfer, chunk) = (&self.judged.record.transfers[at], sums.sums[at].chunk);
        let problem =
            format!("chunk {chunk} is complete at rank {}, and wanted at rank {}", sums.owners[chunk], chunk / each);
        Err(refused(transfer.step, problem, "let the rank that wants a chunk add to it last"))
    }
}
