//! The rules of MSCCL++ for one operation.

use super::dialect::SizeLimits;
use super::error::FileFault;
use super::fields::FileField;
use super::rules::Buffer;

/// Most channels of an operation, `MAX_CHANNEL_PER_OPERATION`.
const MOST_CHANNELS: usize = 8;

/// Most chunks of an operation, with `MAX_LOCAL_BUFFER_PER_OPERATION`.
const MOST_CHUNKS: usize = MOST_CHANNELS + 2;

/// Most barriers of a rank, `MAX_DEVICE_SYNCERS`.
const MOST_BARRIERS: u64 = 16;

/// Most semaphores of an operation, `MAX_DEVICE_SEMAPHORES`.
pub const MOST_SEMAPHORES: usize = 16;

/// Most ranks, chunks and semaphores that are read.
pub(super) const MOST: u64 = 1 << 20;

/// Chunks of one buffer of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSpan {
    pub rank: usize,
    pub buffer: Buffer,
    pub at: usize,
}

/// Chunks that are added, and the places that get the sum.
#[derive(Clone, Debug)]
pub(super) struct ChunkSum {
    pub sources: Vec<ChunkSpan>,
    pub targets: Vec<ChunkSpan>,
    pub size: usize,
}

/// One operation of a thread block. Channels are numbers of the rank.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Nop,
    Barrier { id: usize, blocks: usize },
    Signal(Vec<usize>),
    Wait(Vec<usize>),
    Release(Vec<usize>),
    Acquire(Vec<usize>),
    Move(Vec<ChunkSum>),
}

#[derive(Debug)]
pub(super) struct PlanRank {
    /// Chunks of input, output and scratch.
    pub chunks: [usize; 3],
    /// Peer of each channel.
    pub channels: Vec<usize>,
    /// Initial values of the semaphores.
    pub semaphores: Vec<usize>,
    /// Rank and buffer that a remote buffer is.
    pub remotes: Vec<(usize, Buffer)>,
    pub blocks: Vec<Vec<Op>>,
    /// Channels of each thread block.
    pub block_channels: Vec<Vec<usize>>,
}

/// Channels and remote buffers that a thread block may use, as numbers of its rank.
pub(super) struct BlockScope<'r> {
    pub id: usize,
    pub limits: SizeLimits,
    pub ranks: &'r [PlanRank],
    pub channels: Vec<usize>,
    pub remotes: Vec<usize>,
}

/// Sides of a chunk: in the rank's own memory, or in that of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkSide {
    Own,
    Remote,
}
use ChunkSide::{Own, Remote};

/// Reads an operation.
pub(super) fn read(op: &FileField, scope: &BlockScope) -> Result<Op, FileFault> {
    if let Some(field) = op.find("tbg_info") {
        return Err(field.fault("is not judged: thread blocks that share an operation"));
    }
    let name = op.get("name")?;
    Ok(match name.text()? {
        "nop" => Op::Nop,
        "barrier" => {
            let id = op.get("barrier_id")?.number(0, MOST_BARRIERS - 1)? as usize;
            Op::Barrier { id, blocks: op.get("num_threadblocks")?.number(1, MOST)? as usize }
        }
        // in a network data comes with its message: no memory has to be ordered
        "rlxsignal" if scope.limits == SizeLimits::Lifted => Op::Signal(channels(op, scope)?),
        "rlxwait" if scope.limits == SizeLimits::Lifted => Op::Wait(channels(op, scope)?),
        "signal" => Op::Signal(channels(op, scope)?),
        "wait" => Op::Wait(channels(op, scope)?),
        "sem_release" => Op::Release(semaphores(op, scope)?),
        "sem_acquire" => Op::Acquire(semaphores(op, scope)?),
        "copy" => sum(op, scope, [Own, Own], [Own, Own], [1, 1])?,
        "re" => sum(op, scope, [Own, Own], [Own, Own], [MOST_CHUNKS, 1])?,
        "rre" => sum(op, scope, [Own, Remote], [Own, Own], [MOST_CHUNKS, 1])?,
        "res" => sum(op, scope, [Own, Own], [Own, Remote], [MOST_CHUNKS; 2])?,
        "rres" => sum(op, scope, [Own, Remote], [Own, Remote], [MOST_CHUNKS; 2])?,
        "put" => moves(op, scope, Own, Remote)?,
        "get" => moves(op, scope, Remote, Own)?,
        other => return Err(name.fault(&format!("is not an operation that is judged (`{other}`)"))),
    })
}

fn channels(op: &FileField, scope: &BlockScope) -> Result<Vec<usize>, FileFault> {
    op.get("channel_type")?.word(&["memory"])?;
    let field = op.get("channel_ids")?;
    let ids = field.numbers(scope.channels.len(), "the thread block's channels")?;
    if ids.is_empty() || ids.len() > MOST_CHANNELS {
        return Err(field.fault(&format!("must have 1 to {MOST_CHANNELS} channels (has {})", ids.len())));
    }
    Ok(ids.iter().map(|&id| scope.channels[id]).collect())
}

fn semaphores(op: &FileField, scope: &BlockScope) -> Result<Vec<usize>, FileFault> {
    let field = op.get("semaphore_ids")?;
    let ids = field.numbers(scope.ranks[scope.id].semaphores.len(), "the semaphores of the rank")?;
    if ids.is_empty() || ids.len() > MOST_SEMAPHORES {
        return Err(field.fault(&format!("must have 1 to {MOST_SEMAPHORES} semaphores (has {})", ids.len())));
    }
    Ok(ids)
}

/// Chunks of a list: the first on one side, the others on another.
fn spans(
    field: &FileField,
    scope: &BlockScope,
    [first, others]: [ChunkSide; 2],
    most: usize,
) -> Result<Vec<(ChunkSpan, usize)>, FileFault> {
    let list = field.list()?;
    if list.is_empty() || list.len() > most {
        return Err(field.fault(&format!("must have 1 to {most} chunks (has {})", list.len())));
    }
    list.iter().enumerate().map(|(at, chunk)| span(chunk, scope, if at == 0 { first } else { others })).collect()
}

fn span(chunk: &FileField, scope: &BlockScope, side: ChunkSide) -> Result<(ChunkSpan, usize), FileFault> {
    let (rank, buffer) = match side {
        Own => (scope.id, chunk.get("type")?.buffer()?),
        Remote => {
            let id = chunk.get("buffer_id")?;
            let count = scope.remotes.len() as u64;
            let id = if count == 0 {
                Err(id.fault("must be a remote buffer of the thread block, which has none"))
            } else {
                id.number(0, count - 1)
            };
            scope.ranks[scope.id].remotes[scope.remotes[id? as usize]]
        }
    };
    let (index, size) = (chunk.get("index")?, chunk.get("size")?.number(1, MOST)?);
    let at = index.number(0, MOST)?;
    let room = scope.ranks[rank].chunks[buffer as usize] as u64;
    if at + size > room {
        let name = match buffer {
            Buffer::Input => "i",
            Buffer::Output => "o",
            Buffer::Scratch => "s",
        };
        return Err(index.fault(&format!(
            "must lie within the {room} chunks of buffer {name} of rank {rank} (is {at}, size {size})"
        )));
    }
    Ok((ChunkSpan { rank, buffer, at: at as usize }, size as usize))
}

/// An operation that adds all its sources, and writes the sum to all its targets.
fn sum(
    op: &FileField,
    scope: &BlockScope,
    from: [ChunkSide; 2],
    to: [ChunkSide; 2],
    [most, most_out]: [usize; 2],
) -> Result<Op, FileFault> {
    if from[1] == Remote || to[1] == Remote {
        op.get("channel_type")?.word(&["memory"])?;
    }
    if let Some(reduce) = op.find("reduce_op")
        && reduce.text()? != "sum"
    {
        return Err(reduce.fault("must be sum: the reader adds, whatever it says"));
    }
    let sources = spans(&op.get("src_buff")?, scope, from, most)?;
    let targets = spans(&op.get("dst_buff")?, scope, to, most_out)?;
    let size = sources[0].1;
    if sources.iter().chain(&targets).any(|&(_, other)| other != size) {
        return Err(op.fault("must have chunks of one size"));
    }
    let only = |spans: Vec<(ChunkSpan, usize)>| spans.into_iter().map(|(span, _)| span).collect();
    Ok(Op::Move(vec![ChunkSum { sources: only(sources), targets: only(targets), size }]))
}

/// An operation that copies each of its sources to the target beside it.
fn moves(op: &FileField, scope: &BlockScope, from: ChunkSide, to: ChunkSide) -> Result<Op, FileFault> {
    op.get("channel_type")?.word(&["memory"])?;
    let sources = spans(&op.get("src_buff")?, scope, [from; 2], MOST_CHUNKS)?;
    let targets = spans(&op.get("dst_buff")?, scope, [to; 2], MOST_CHUNKS)?;
    if sources.len() != targets.len() || sources.iter().zip(&targets).any(|(from, to)| from.1 != to.1) {
        return Err(op.fault("must have as many sources as targets, of the same sizes"));
    }
    let (one, other) = (sources[0].0.buffer, targets[0].0.buffer);
    if from == Own && sources.iter().any(|(span, _)| span.buffer != one) {
        return Err(op.fault("must have all sources in one buffer: the reader takes the first one's"));
    }
    if from == Remote && sources.iter().zip(&targets).any(|(from, to)| from.0.at != to.0.at) {
        let what = format!("must get chunks to the index that they have (into {other:?}): the reader mixes the two up");
        return Err(op.fault(&what));
    }
    let sums = sources.iter().zip(&targets);
    let sum = |(from, to): (&(ChunkSpan, usize), &(ChunkSpan, usize))| ChunkSum {
        sources: vec![from.0],
        targets: vec![to.0],
        size: from.1,
    };
    Ok(Op::Move(sums.map(sum).collect()))
}
