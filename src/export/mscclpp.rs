//! The schedule as an execution plan of MSCCL++, in JSON: writes into a neighbour's memory, and signals that say so.
//!
//! A thread block of an output puts each packet where the neighbour keeps it, and signals; the block of the input there waits.
//! Partial sums are put into scratch, and added by the receiver. Before the first put, the receiver signals that it has begun,
//! so that no run overwrites data of the run before.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::blocks::{BlockStepId, RankBlocks, StepKind};
use super::places::Chunk;
use crate::algorithm::{Dialect, MOST_BLOCKS, MOST_OPS, MOST_SEMAPHORES};
use crate::design::support::{Unsupported, building};
use crate::net::NodeId;
use crate::program::{Operation, Program};

/// Operations that end a part of a thread block that is too long, and begin the next one.
const AT_ENDS: usize = 2;

/// The plan as JSON.
pub fn mscclpp(program: &Program) -> Result<String, Unsupported> {
    // the spellings of RCCL
    let Some(collective) = Dialect::Rccl.spelling(program.collective()) else {
        let what = format!("MSCCL++ has no collective {}", program.collective());
        return Err(building::EXPORT_COLLECTIVE.refusal(what));
    };
    if let Some(reduction) = program.reduction.as_ref().filter(|reduction| reduction.operation != Operation::Sum) {
        let what = format!("MSCCL++ adds, whatever a plan says (--operation {})", reduction.operation);
        return Err(building::EXPORT_OPERATION.refusal(what));
    }
    let blocks = RankBlocks::new(program, u32::MAX)?;
    let slots = (0..blocks.steps.len()).map(|rank| slots(&blocks, rank)).collect();
    let plan = MscclppPlan { blocks, slots };
    let gpus: Vec<String> =
        (0..plan.blocks.steps.len()).map(|rank| plan.gpu(rank, collective)).collect::<Result<_, _>>()?;
    Ok(format!(
        "{{\n\"name\": {}, \"collective\": \"{collective}\", \"protocol\": \"Simple\", \"inplace\": {},\n\
         \"num_threads_per_block\": 1024, \"reuse_resources\": false, \"use_double_scratch_buffer\": false,\n\
         \"buffer_alignment\": 16, \"min_message_size\": 0, \"max_message_size\": {},\n\"gpus\": [\n{}\n]\n}}\n",
        json!(program.title.name),
        plan.blocks.places.is_in_place(),
        u64::MAX,
        gpus.join(",\n")
    ))
}

/// Scratch chunks into which partial sums are put, by block and step.
fn slots(blocks: &RankBlocks, rank: usize) -> HashMap<BlockStepId, u32> {
    let mut next = blocks.places.sizes(rank as u32)[2];
    let mut slots = HashMap::new();
    for (block, steps) in blocks.steps[rank].iter().enumerate() {
        for (number, _) in steps.iter().enumerate().filter(|(_, step)| step.kind == StepKind::Combine) {
            slots.insert((block, number), next);
            next += 1;
        }
    }
    slots
}

fn local((buffer, at): Chunk, size: u32) -> Value {
    json!({ "type": buffer, "index": at, "size": size })
}

fn nop() -> Value {
    json!({ "name": "nop" })
}

/// A signal, or a wait for one; a thread block has one channel.
fn over_channel(name: &str) -> Value {
    json!({ "name": name, "channel_ids": [0], "channel_type": "memory" })
}

fn semaphores(name: &str, ids: &[usize]) -> Value {
    json!({ "name": name, "semaphore_ids": ids })
}

/// Semaphores of a rank: one for each block that waits for another one.
#[derive(Default)]
struct Semaphores {
    numbers: HashMap<(usize, usize), usize>,
    /// semaphores that are released when a step is over
    released: HashMap<BlockStepId, Vec<usize>>,
    count: usize,
}

impl Semaphores {
    fn of(steps: &[Vec<super::blocks::BlockStep>]) -> Self {
        let mut all = Self::default();
        for (block, steps) in steps.iter().enumerate() {
            for after in steps.iter().filter_map(|step| step.after) {
                let next = all.numbers.len();
                let id = *all.numbers.entry((after.0, block)).or_insert(next);
                all.released.entry(after).or_default().push(id);
            }
        }
        all.count = all.numbers.len();
        all
    }

    fn release(&self, step: BlockStepId) -> Vec<Value> {
        let Some(ids) = self.released.get(&step) else { return Vec::new() };
        std::iter::once(nop()).chain(ids.chunks(MOST_SEMAPHORES).map(|ids| semaphores("sem_release", ids))).collect()
    }
}

struct MscclppPlan<'p> {
    blocks: RankBlocks<'p>,
    /// scratch chunks of partial sums, by rank
    slots: Vec<HashMap<BlockStepId, u32>>,
}

impl MscclppPlan<'_> {
    /// Sizes of input, output and scratch. A reader divides by the first two, so that no rank may leave one out.
    fn sizes(&self, rank: usize, collective: &str) -> [u32; 3] {
        let (each, all) = (self.blocks.places.each, self.blocks.places.all);
        let scratch = self.blocks.places.sizes(rank as u32)[2] + self.slots[rank].len() as u32;
        match collective {
            "allgather" | "gather" => [each, all, scratch],
            "reducescatter" | "scatter" => [all, each, scratch],
            "broadcast" => [each, each, scratch],
            _ => [all, all, scratch],
        }
    }

    fn gpu(&self, rank: usize, collective: &str) -> Result<String, Unsupported> {
        let node = self.blocks.places.nodes[rank];
        let used: Vec<usize> =
            (0..self.blocks.steps[rank].len()).filter(|&b| !self.blocks.steps[rank][b].is_empty()).collect();
        let channels = self.channels(rank, node, &used);
        let mut remotes: Vec<(u32, char)> = Vec::new();
        let mut semaphores = Semaphores::of(&self.blocks.steps[rank]);
        let mut threadblocks = Vec::new();
        for &block in &used {
            let channel = channels.iter().position(|&(.., of)| of == block);
            let mut types = Vec::new();
            let parts = self.parts(rank, node, block, &mut types, &mut semaphores);
            let peer = self.blocks.peer(node, block).filter(|_| channel.is_some());
            let ids: Vec<usize> = types
                .iter()
                .filter_map(|&buffer| Some((peer?, buffer)))
                .map(|remote| {
                    remotes.iter().position(|&known| known == remote).unwrap_or_else(|| {
                        remotes.push(remote);
                        remotes.len() - 1
                    })
                })
                .collect();
            for ops in parts {
                threadblocks.push(thread_block(threadblocks.len(), channel, &ids, &ops));
            }
        }
        if threadblocks.len() > MOST_BLOCKS {
            let what = format!(
                "MSCCL++ takes at most {MOST_BLOCKS} thread blocks of {MOST_OPS} operations (the schedule has {})",
                threadblocks.len()
            );
            return Err(building::EXPORT_STEPS.refusal(what));
        }
        let [inputs, outputs, scratch] = self.sizes(rank, collective);
        let peers: Vec<u32> = channels.iter().map(|&(peer, ..)| peer).collect();
        let remotes: Vec<Value> = remotes
            .iter()
            .map(|(rank, buffer)| json!({ "rank": rank, "type": buffer, "access_channel_types": ["memory"] }))
            .collect();
        let initial = vec![json!({ "init_value": 0 }); semaphores.count];
        Ok(format!(
            "{{\"id\": {rank}, \"input_chunks\": {inputs}, \"output_chunks\": {outputs}, \"scratch_chunks\": {scratch},\n \
             \"channels\": {},\n \"remote_buffers\": {},\n \"semaphores\": {},\n \"threadblocks\": [\n{}\n ]}}",
            json!([{ "channel_type": "memory", "connected_to": peers }]),
            json!(remotes),
            json!(initial),
            threadblocks.join(",\n")
        ))
    }

    /// Channels of a rank as peer, key and block. Both ends list the channels between them in one order, by which they are
    /// connected.
    fn channels(&self, rank: usize, node: NodeId, used: &[usize]) -> Vec<(u32, (u32, usize), usize)> {
        let outputs = self.blocks.program.outputs();
        let of = |&block: &usize| {
            let peer = self.blocks.peer(node, block)?;
            let sender = if block < outputs { rank as u32 } else { peer };
            Some((peer, (sender, self.blocks.output_of(block)), block))
        };
        let mut channels: Vec<_> = used.iter().filter(|&&block| block < 2 * outputs).filter_map(of).collect();
        channels.sort_unstable();
        channels
    }

    /// Operations of a block, in parts that a thread block has room for; one goes on when the one before it is over.
    fn parts(
        &self,
        rank: usize,
        node: NodeId,
        block: usize,
        types: &mut Vec<char>,
        all: &mut Semaphores,
    ) -> Vec<Vec<Value>> {
        let steps = &self.blocks.steps[rank][block];
        let mut parts: Vec<Vec<Value>> = vec![Vec::new()];
        for number in 0..steps.len() {
            let ops = self.step(rank, node, (block, number), types, all);
            let room = MOST_OPS - AT_ENDS;
            let part = parts.last_mut().expect("there is one from the start");
            if part.len() + ops.len() > room {
                part.extend([nop(), semaphores("sem_release", &[all.count])]);
                parts.push(vec![semaphores("sem_acquire", &[all.count]), nop()]);
                all.count += 1;
            }
            parts.last_mut().expect("there is one from the start").extend(ops);
        }
        parts
    }

    /// Operations of a step.
    fn step(&self, rank: usize, node: NodeId, id: BlockStepId, types: &mut Vec<char>, all: &Semaphores) -> Vec<Value> {
        let (block, number) = id;
        let step = self.blocks.steps[rank][block][number];
        let acquired = step.after.map(|(other, _)| semaphores("sem_acquire", &[all.numbers[&(other, block)]]));
        let mut ops = Vec::new();
        match step.kind {
            StepKind::Copy => {
                ops.push(json!({ "name": "copy", "src_buff": [local(step.from, step.count)], "dst_buff": [local(step.to, step.count)] }));
            }
            StepKind::Send => {
                // the receiver has begun, so that its memory may be written
                ops.extend((number == 0).then(|| over_channel("wait")));
                ops.extend(acquired);
                if !ops.is_empty() {
                    ops.push(nop());
                }
                let peer = self.blocks.peer(node, block).expect("a packet leaves by a link");
                let slot = self.slots[peer as usize].get(&(self.blocks.input_of(block), number));
                let (buffer, at) = slot.map_or(step.to, |&slot| ('s', slot));
                let buffer_id = types.iter().position(|&known| known == buffer).unwrap_or_else(|| {
                    types.push(buffer);
                    types.len() - 1
                });
                let to = json!({ "buffer_id": buffer_id, "index": at, "size": step.count });
                ops.push(json!({ "name": "put", "src_buff": [local(step.from, step.count)], "dst_buff": [to], "channel_ids": [0], "channel_type": "memory" }));
                ops.extend([nop(), over_channel("signal")]);
            }
            StepKind::Receive | StepKind::Combine => {
                ops.extend((number == 0).then(|| over_channel("signal")));
                ops.push(over_channel("wait"));
                if step.kind == StepKind::Combine {
                    ops.extend(acquired);
                    let from = [local(step.from, step.count), local(('s', self.slots[rank][&id]), step.count)];
                    ops.push(nop());
                    ops.push(json!({ "name": "re", "src_buff": from, "dst_buff": [local(step.to, step.count)], "reduce_op": "sum" }));
                }
                ops.extend(all.release(id));
            }
        }
        ops
    }
}

fn thread_block(id: usize, channel: Option<usize>, remotes: &[usize], ops: &[Value]) -> String {
    let channels: Vec<Value> =
        channel.iter().map(|id| json!({ "channel_type": "memory", "channel_ids": [id] })).collect();
    let refs = json!({ "access_channel_type": "memory", "remote_buffer_ids": remotes });
    let refs: Vec<Value> = (!remotes.is_empty()).then_some(refs).into_iter().collect();
    let ops: Vec<String> = ops.iter().map(|op| format!("   {op}")).collect();
    format!(
        "  {{\"id\": {id}, \"channels\": {}, \"remote_buffer_refs\": {}, \"ops\": [\n{}]}}",
        json!(channels),
        json!(refs),
        ops.join(",\n")
    )
}
