//! The rules by which MSCCL++ reads an execution plan, and what it makes of it.

use super::dialect::SizeLimits;
use super::error::FileFault;
use super::fields::FileField;
use super::op_lines::OpLines;
use super::plan_ops::{self, BlockScope, MOST, Op, PlanRank};

/// Most operations of a thread block, `MAX_OPERATION`.
pub const MOST_OPS: usize = 64;

/// Most channels and remote buffers of a thread block, `MAX_CHANNEL`.
const MOST_CHANNELS: usize = 16;

/// Most thread blocks of a rank: all must run at once, and of 1024 threads an A100 runs one per multiprocessor.
pub const MOST_BLOCKS: usize = 108;

/// A plan that keeps the rules.
#[derive(Debug)]
pub(super) struct ExecutionPlan {
    pub collective: String,
    pub in_place: bool,
    pub ranks: Vec<PlanRank>,
    pub lines: OpLines,
}

impl ExecutionPlan {
    /// Chunks of a loop, as in XML: those that the collective's longer buffer has, and of a root's collective the shorter one.
    pub fn loop_chunks(&self) -> usize {
        let [inputs, outputs, _] = self.ranks[0].chunks;
        match self.collective.as_str() {
            "scatter" | "gather" => inputs.min(outputs),
            _ => inputs.max(outputs),
        }
    }
}

/// Reads a plan and applies the rules of its reader.
pub(super) fn read(text: &str, limits: SizeLimits) -> Result<ExecutionPlan, FileFault> {
    let value = serde_json::from_str(text)
        .map_err(|error| FileFault::Syntax { line: error.line(), what: error.to_string() })?;
    let top = FileField::top(&value);
    top.get("name")?.text()?;
    let collective = top.get("collective")?.text()?.to_owned();
    top.get("protocol")?.word(&["Simple"])?;
    let in_place = top.get("inplace")?.truth()?;
    for name in ["reuse_resources", "use_double_scratch_buffer"] {
        if let Some(field) = top.find(name)
            && field.truth()?
        {
            return Err(field.fault("must be false: other scratch memory is not judged"));
        }
    }
    if let Some(threads) = top.find("num_threads_per_block")
        && !threads.number(32, 1024)?.is_multiple_of(32)
    {
        return Err(threads.fault("must be a multiple of 32"));
    }
    if let Some(alignment) = top.find("buffer_alignment")
        && !alignment.number(16, MOST)?.is_multiple_of(16)
    {
        return Err(alignment.fault("must be a multiple of 16, the bytes of one load"));
    }
    let least = top.find("min_message_size").map_or(Ok(0), |field| field.number(0, u64::MAX))?;
    if let Some(most) = top.find("max_message_size") {
        most.number(least.max(1), u64::MAX)?;
    }
    let gpus = top.get("gpus")?.list()?;
    // remote buffers have the sizes of other ranks, so these come first
    let mut ranks =
        gpus.iter().enumerate().map(|(id, gpu)| header(gpu, id, gpus.len())).collect::<Result<Vec<_>, _>>()?;
    if ranks.is_empty() {
        return Err(top.get("gpus")?.fault("must have a rank"));
    }
    for (id, gpu) in gpus.iter().enumerate() {
        for (remote, &(rank, buffer)) in gpu.get("remote_buffers")?.list()?.iter().zip(&ranks[id].remotes) {
            if ranks[rank].chunks[buffer as usize] == 0 {
                return Err(remote.fault("must not be empty: no memory is registered for it"));
            }
        }
        (ranks[id].blocks, ranks[id].block_channels) = thread_blocks(gpu, id, &ranks, limits)?;
    }
    Ok(ExecutionPlan { collective, in_place, ranks, lines: OpLines::of(text) })
}

/// Reads what other ranks need to know of a rank.
fn header(gpu: &FileField, id: usize, ranks: usize) -> Result<PlanRank, FileFault> {
    gpu.get("id")?.number(id as u64, id as u64)?;
    let mut chunks = [0; 3];
    // the reader divides by the first two
    for (chunks, (name, least)) in
        chunks.iter_mut().zip([("input_chunks", 1), ("output_chunks", 1), ("scratch_chunks", 0)])
    {
        *chunks = gpu.get(name)?.number(least, MOST)? as usize;
    }
    let other = |field: &FileField| -> Result<usize, FileFault> {
        let rank = field.number(0, ranks as u64 - 1)? as usize;
        if rank == id { Err(field.fault("must be another rank")) } else { Ok(rank) }
    };
    let mut channels = Vec::new();
    for list in gpu.get("channels")?.list()? {
        list.get("channel_type")?.word(&["memory"])?;
        for peer in list.get("connected_to")?.list()? {
            channels.push(other(&peer)?);
        }
    }
    let mut remotes = Vec::new();
    for remote in gpu.get("remote_buffers")?.list()? {
        for kind in remote.get("access_channel_types")?.list()? {
            kind.word(&["memory"])?;
        }
        remotes.push((other(&remote.get("rank")?)?, remote.get("type")?.buffer()?));
    }
    let mut semaphores = Vec::new();
    for semaphore in gpu.find("semaphores").map_or(Ok(Vec::new()), |field| field.list())? {
        semaphores.push(semaphore.get("init_value")?.number(0, MOST)? as usize);
    }
    Ok(PlanRank { chunks, channels, semaphores, remotes, blocks: Vec::new(), block_channels: Vec::new() })
}

/// Operations of each thread block.
type BlockOps = Vec<Vec<Op>>;

/// Channels of each thread block, as numbers of its rank.
type BlockChannels = Vec<Vec<usize>>;

fn thread_blocks(
    gpu: &FileField,
    id: usize,
    ranks: &[PlanRank],
    limits: SizeLimits,
) -> Result<(BlockOps, BlockChannels), FileFault> {
    let list = gpu.get("threadblocks")?;
    let found = list.list()?;
    let (most_blocks, most_channels, most_ops) =
        (limits.of(MOST_BLOCKS), limits.of(MOST_CHANNELS), limits.of(MOST_OPS));
    if found.len() > most_blocks {
        return Err(list.fault(&format!("must have at most {most_blocks} thread blocks (has {})", found.len())));
    }
    let (mut blocks, mut channels) = (Vec::new(), Vec::new());
    for (number, block) in found.iter().enumerate() {
        block.get("id")?.number(number as u64, number as u64)?;
        let mut scope = BlockScope { id, limits, ranks, channels: Vec::new(), remotes: Vec::new() };
        for list in block.get("channels")?.list()? {
            list.get("channel_type")?.word(&["memory"])?;
            scope
                .channels
                .extend(list.get("channel_ids")?.numbers(ranks[id].channels.len(), "the channels of the rank")?);
        }
        for list in block.find("remote_buffer_refs").map_or(Ok(Vec::new()), |field| field.list())? {
            list.get("access_channel_type")?.word(&["memory"])?;
            let ids = list.get("remote_buffer_ids")?;
            scope.remotes.extend(ids.numbers(ranks[id].remotes.len(), "the remote buffers of the rank")?);
        }
        for (name, size) in [("channels", scope.channels.len()), ("remote buffers", scope.remotes.len())] {
            if size > most_channels {
                return Err(block.fault(&format!("must have at most {most_channels} {name} (has {size})")));
            }
        }
        let ops = block.get("ops")?.list()?;
        if ops.len() > most_ops {
            return Err(block.fault(&format!("must have at most {most_ops} operations (has {})", ops.len())));
        }
        blocks.push(ops.iter().map(|op| plan_ops::read(op, &scope)).collect::<Result<_, _>>()?);
        channels.push(scope.channels);
    }
    Ok((blocks, channels))
}
