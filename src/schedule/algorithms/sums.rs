//! Partial sums of an algorithm: a rank sends its own value of a chunk once, with all that comes for it.

use std::collections::HashMap;

use super::refused;
use crate::algorithm::{ChunkTransfer, JudgedAlgorithm, value};
use crate::schedule::error::ScheduleError;

const ONCE: &str = "a rank sends its value of a chunk once, added to all that other ranks send it for the chunk";

/// Rank and chunk.
pub(super) type RankChunk = (usize, usize);

/// Chunk of a transfer in a reduction.
#[derive(Clone, Copy)]
pub(super) struct SumTransfer {
    pub chunk: usize,
    /// true for a sum of the values of all ranks
    pub is_complete: bool,
}

/// Sums that ranks send, and where they are completed.
pub(super) struct ChunkSums {
    /// sums by the number of their transfer
    pub sums: Vec<SumTransfer>,
    /// by chunk, the only rank that does not send a value of its own
    pub owners: Vec<usize>,
    /// number of partial sums that come
    pub arrivals: HashMap<RankChunk, u32>,
}

/// Partial sums that come for a chunk of a rank.
#[derive(Default)]
struct ArrivedSums {
    sum: u64,
    /// numbers of the transfers
    from: Vec<usize>,
}

impl ChunkSums {
    pub fn of(judged: &JudgedAlgorithm) -> Result<Self, ScheduleError> {
        let (ranks, transfers) = (judged.verdict.ranks, &judged.record.transfers);
        let total = |chunk| (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(value(rank, chunk)));
        let totals: Vec<u64> = (0..judged.chunks).map(total).collect();
        let mut sums = Vec::with_capacity(transfers.len());
        let (mut sent, mut came) = (HashMap::<RankChunk, usize>::new(), HashMap::<RankChunk, ArrivedSums>::new());
        let mut twice = None;
        for (at, transfer) in transfers.iter().enumerate() {
            let Some(contents) = judged.record.contents(transfer.value) else {
                return Err(refused(transfer.step, "it adds chunks at different places of the vector", ONCE));
            };
            let chunk = contents.chunk;
            let is_complete = transfer.value == totals[chunk];
            sums.push(SumTransfer { chunk, is_complete });
            if is_complete {
                continue;
            }
            let before = *sent.entry((transfer.from, chunk)).or_insert(at);
            if before != at && twice.is_none() {
                twice = Some((at, before));
            }
            let arrived = came.entry((transfer.to, chunk)).or_default();
            arrived.sum = arrived.sum.wrapping_add(transfer.value);
            arrived.from.push(at);
        }
        let mut partials = (0..sums.len()).filter(|&at| !sums[at].is_complete);
        let is_wrong = |&at: &usize| {
            let ChunkTransfer { from, value: sum, .. } = transfers[at];
            let come = came.get(&(from, sums[at].chunk)).map_or(0, |arrived| arrived.sum);
            sum != value(from, sums[at].chunk).wrapping_add(come)
        };
        match (partials.clone().find(is_wrong), twice) {
            (Some(wrong), twice) if twice.is_none_or(|(at, _)| wrong < at) => {
                let key = (transfers[wrong].from, sums[wrong].chunk);
                return Err(wrong_sum(transfers, wrong, key.1, came.get(&key)));
            }
            (_, Some((at, before))) => {
                let ChunkTransfer { from, step, .. } = transfers[at];
                let problem = format!(
                    "rank {from} sends its value of chunk {} twice, before in line {} ({})",
                    sums[at].chunk, transfers[before].step.line, transfers[before].step
                );
                return Err(refused(step, problem, ONCE));
            }
            _ => {}
        }
        let owner = |chunk| (0..ranks).find(|&rank| !sent.contains_key(&(rank, chunk)));
        let owners: Vec<Option<usize>> = (0..judged.chunks).map(owner).collect();
        if let Some(chunk) = owners.iter().position(Option::is_none) {
            let last = partials.rfind(|&at| sums[at].chunk == chunk).unwrap_or_default();
            let problem = format!("every rank sends its value of chunk {chunk}, so that the sum is completed twice");
            let help = "let one rank complete each chunk, which does not send its own value, and then send the sum";
            return Err(refused(transfers[last].step, problem, help));
        }
        let arrivals = came.into_iter().map(|(key, arrived)| (key, arrived.from.len() as u32)).collect();
        Ok(Self { sums, owners: owners.into_iter().flatten().collect(), arrivals })
    }
}

/// Refuses a transfer whose sum has not all that it must have.
fn wrong_sum(transfers: &[ChunkTransfer], wrong: usize, chunk: usize, came: Option<&ArrivedSums>) -> ScheduleError {
    let ChunkTransfer { from, value: sum, step, .. } = transfers[wrong];
    let (come, others) = came.map_or((0, &[][..]), |arrived| (arrived.sum, &arrived.from[..]));
    let own = value(from, chunk);
    let missing = own.wrapping_add(come).wrapping_sub(sum);
    let left_out = others.iter().map(|&at| &transfers[at]).find(|other| other.value == missing);
    let problem = match left_out {
        _ if missing == own => format!("the sum of chunk {chunk} leaves out the value of rank {from} itself"),
        Some(other) => format!(
            "the sum of chunk {chunk} leaves out what rank {} sends to rank {from} (line {}, {})",
            other.from, other.step.line, other.step
        ),
        None => format!(
            "the sum of chunk {chunk} is not the value of rank {from} added to the {} partial sums that come for it",
            others.len()
        ),
    };
    refused(step, problem, ONCE)
}
