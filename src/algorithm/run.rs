//! An interpreter of thread blocks: executes an algorithm, and finds deadlocks, races and wrong results.
//!
//! A connection holds one message, the least that any transport has. Each step knows which steps are certainly over before it
//! (vector clocks), so that a missing wait is found in one run, whatever the order.

use std::collections::HashMap;
use std::rc::Rc;

use super::error::FileFault;
use super::rules::{Buffer, ExportAlgorithm, RuleStep};
use crate::net::splitmix::mixed;

/// A place in the memory of a rank.
pub(super) type MemoryPlace = (u8, usize);

/// A step by its thread block, counted over all ranks, and its number there.
pub(super) type StepId = (usize, usize);

/// Steps that are over, by thread block.
type StepClock = Rc<Vec<u32>>;

/// Contents of a place, and the steps that use it.
#[derive(Default)]
pub(super) struct MemoryCell {
    pub value: Option<u64>,
    pub writer: Option<StepId>,
    pub readers: Vec<StepId>,
}

impl MemoryCell {
    /// Value that is there from the start.
    pub fn of(value: u64) -> Self {
        Self { value: Some(value), ..Self::default() }
    }
}

/// Place of a chunk; buffers that are one have their places in common.
pub(super) fn place(
    collective: &str,
    is_in_place: bool,
    share: usize,
    rank: usize,
    buffer: Buffer,
    at: usize,
) -> MemoryPlace {
    match (buffer, is_in_place, collective) {
        (Buffer::Input, true, "allgather") => (1, rank * share + at),
        (Buffer::Output, true, "reducescatter" | "reduce_scatter") => (0, rank * share + at),
        (Buffer::Output, true, "allreduce" | "broadcast") | (Buffer::Input, ..) => (0, at),
        (Buffer::Output, ..) => (1, at),
        (Buffer::Scratch, ..) => (2, at),
    }
}

struct SentMessage {
    values: Vec<u64>,
    clock: StepClock,
}

/// Value of a rank's chunk, so that no two sums are alike.
pub(super) fn value(rank: usize, chunk: usize) -> u64 {
    mixed((rank as u64) << 32 | chunk as u64)
}

/// State of all ranks.
pub(super) struct RankStates<'a> {
    algorithm: &'a ExportAlgorithm<'a>,
    /// true if input and output are one buffer
    is_in_place: bool,
    /// first thread block of each rank, in the count over all ranks
    first: Vec<usize>,
    memory: Vec<HashMap<MemoryPlace, MemoryCell>>,
    /// by sender, receiver and channel
    connections: HashMap<(usize, usize, usize), SentMessage>,
    done: Vec<usize>,
    clocks: Vec<StepClock>,
    /// clocks at the end of the steps that others wait for
    ends: HashMap<StepId, StepClock>,
}

impl<'a> RankStates<'a> {
    pub fn new(algorithm: &'a ExportAlgorithm<'a>, is_in_place: bool) -> Self {
        let mut first = Vec::new();
        let mut blocks = 0;
        for rank in &algorithm.ranks {
            first.push(blocks);
            blocks += rank.blocks.len();
        }
        let mut run = Self {
            algorithm,
            is_in_place,
            first,
            memory: algorithm.ranks.iter().map(|_| HashMap::new()).collect(),
            connections: HashMap::new(),
            done: vec![0; blocks],
            clocks: (0..blocks).map(|_| Rc::new(vec![0; blocks])).collect(),
            ends: HashMap::new(),
        };
        let count = algorithm.ranks.len();
        for (id, rank) in algorithm.ranks.iter().enumerate() {
            // an all-gather in place has its input in its output
            let inputs = if algorithm.collective == "allgather" { algorithm.chunks / count } else { rank.chunks[0] };
            for at in 0..inputs {
                let place = run.place(id, Buffer::Input, at);
                run.memory[id].insert(place, MemoryCell::of(value(id, at)));
            }
        }
        run
    }

    fn place(&self, rank: usize, buffer: Buffer, at: usize) -> MemoryPlace {
        let share = self.algorithm.chunks / self.algorithm.ranks.len();
        place(self.algorithm.collective, self.is_in_place, share, rank, buffer, at)
    }

    /// Final value of an output chunk.
    pub fn output(&self, rank: usize, at: usize) -> Option<u64> {
        self.memory[rank].get(&self.place(rank, Buffer::Output, at))?.value
    }

    /// Executes all steps; the order does not matter where there is no race.
    pub fn execute(&mut self) -> Result<(), FileFault> {
        let algorithm = self.algorithm;
        loop {
            let (mut has_moved, mut waiting) = (false, None);
            for (rank, blocks) in algorithm.ranks.iter().enumerate() {
                for block in 0..blocks.blocks.len() {
                    let global = self.first[rank] + block;
                    while let Some(step) = blocks.blocks[block].steps.get(self.done[global]) {
                        if let Some(what) = self.obstacle(rank, block, step) {
                            waiting.get_or_insert_with(|| (shown(rank, block, self.done[global]), what));
                            break;
                        }
                        self.step(rank, block, step)?;
                        has_moved = true;
                    }
                }
            }
            match waiting {
                None => break,
                Some((place, what)) if !has_moved => return Err(FileFault::Deadlock { place, what }),
                Some(_) => {}
            }
        }
        match self.connections.keys().min() {
            None => Ok(()),
            Some((from, to, channel)) => Err(FileFault::Step {
                place: format!("rank {to}"),
                what: format!("a message of rank {from} on channel {channel} is never received"),
            }),
        }
    }

    /// Reason why a step cannot be executed yet.
    fn obstacle(&self, rank: usize, block: usize, step: &RuleStep) -> Option<String> {
        let tb = &self.algorithm.ranks[rank].blocks[block];
        if let Some((other, at)) = step.after
            && self.done[self.first[rank] + other] <= at
        {
            return Some(format!("for step {at} of thread block {other}"));
        }
        if let (true, Some(from)) = (step.action.receives, tb.recv)
            && !self.connections.contains_key(&(from, rank, tb.channel))
        {
            return Some(format!("for a message of rank {from} on channel {}", tb.channel));
        }
        if let (true, Some(to)) = (step.action.sends, tb.send)
            && self.connections.contains_key(&(rank, to, tb.channel))
        {
            return Some(format!("until rank {to} receives on channel {}", tb.channel));
        }
        None
    }

    fn step(&mut self, rank: usize, block: usize, step: &RuleStep) -> Result<(), FileFault> {
        let tb = &self.algorithm.ranks[rank].blocks[block];
        let global = self.first[rank] + block;
        let number = self.done[global];
        let fault = |what: String| FileFault::Step { place: shown(rank, block, number), what };
        let mut clock = (*self.clocks[global]).clone();
        if let Some((other, at)) = step.after {
            join(&mut clock, &self.ends[&(self.first[rank] + other, at)]);
        }
        let mut values = vec![0; step.count];
        if let (true, Some(from)) = (step.action.receives, tb.recv) {
            let message =
                self.connections.remove(&(from, rank, tb.channel)).expect("a step runs when its message is there");
            if message.values.len() != step.count {
                return Err(fault(format!("receives {} chunks of {} that are sent", step.count, message.values.len())));
            }
            values = message.values;
            join(&mut clock, &message.clock);
        }
        if step.action.reads {
            for (index, value) in values.iter_mut().enumerate() {
                let place = self.place(rank, step.source.0, step.source.1 + index);
                let cell = self.memory[rank].entry(place).or_default();
                let Some(read) = cell.value else {
                    return Err(fault(format!("reads chunk {} before it is written", step.source.1 + index)));
                };
                if cell.writer.is_some_and(|writer| !is_over(&clock, writer)) {
                    return Err(fault(format!("does not wait for the write of chunk {}", step.source.1 + index)));
                }
                cell.readers.push((global, number));
                *value = value.wrapping_add(read);
            }
        }
        clock[global] = number as u32 + 1;
        if step.action.stores {
            for (index, &value) in values.iter().enumerate() {
                let place = self.place(rank, step.target.0, step.target.1 + index);
                let cell = self.memory[rank].entry(place).or_default();
                if cell.writer.iter().chain(&cell.readers).any(|&other| !is_over(&clock, other)) {
                    return Err(fault(format!("overwrites chunk {} while it is in use", step.target.1 + index)));
                }
                *cell = MemoryCell { value: Some(value), writer: Some((global, number)), readers: Vec::new() };
            }
        }
        let clock = Rc::new(clock);
        if let (true, Some(to)) = (step.action.sends, tb.send) {
            self.connections.insert((rank, to, tb.channel), SentMessage { values, clock: clock.clone() });
        }
        if step.is_awaited {
            self.ends.insert((global, number), clock.clone());
        }
        self.clocks[global] = clock;
        self.done[global] += 1;
        Ok(())
    }
}

pub(super) fn shown(rank: usize, block: usize, step: usize) -> String {
    format!("rank {rank}, thread block {block}, step {step}")
}

pub(super) fn is_over(clock: &[u32], (block, step): StepId) -> bool {
    clock[block] as usize > step
}

pub(super) fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, &other) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(other);
    }
}
