//! An interpreter of thread blocks: executes an algorithm, and finds deadlocks, races and wrong results.
//!
//! A step of many chunks moves them in messages, and a connection holds few of these, unless limits are lifted. Each step knows
//! which steps are certainly over before it (vector clocks), so that a missing wait is found in one run, whatever the order.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use super::dialect::ConnectionRoom;
use super::error::{FaultPlace, FileFault};
use super::rules::{Buffer, RankAlgorithm, RuleStep};
use super::transfers::{ChunkTransfer, StepPlace, TransferRecord};
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
    /// chunks of the step that sends it
    count: usize,
    clock: StepClock,
}

/// Value of a rank's chunk, so that no two sums are alike.
pub fn value(rank: usize, chunk: usize) -> u64 {
    mixed((rank as u64) << 32 | chunk as u64)
}

/// State of all ranks.
pub(super) struct RankStates<'a> {
    algorithm: &'a RankAlgorithm<'a>,
    /// true if input and output are one buffer
    is_in_place: bool,
    /// first thread block of each rank, in the count over all ranks
    first: Vec<usize>,
    memory: Vec<HashMap<MemoryPlace, MemoryCell>>,
    /// by sender, receiver and channel
    connections: HashMap<(usize, usize, usize), VecDeque<SentMessage>>,
    /// by thread block, the steps that are over
    done: Vec<usize>,
    /// by thread block, the chunks of its step that are over
    moved: Vec<usize>,
    clocks: Vec<StepClock>,
    /// clocks at the end of the steps that others wait for
    ends: HashMap<StepId, StepClock>,
    pub record: TransferRecord,
}

impl<'a> RankStates<'a> {
    pub fn new(algorithm: &'a RankAlgorithm<'a>, is_in_place: bool) -> Self {
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
            moved: vec![0; blocks],
            clocks: (0..blocks).map(|_| Rc::new(vec![0; blocks])).collect(),
            ends: HashMap::new(),
            record: TransferRecord::default(),
        };
        let count = algorithm.ranks.len();
        for (id, rank) in algorithm.ranks.iter().enumerate() {
            // an all-gather in place has its input in its output
            let inputs = if algorithm.collective == "allgather" { algorithm.chunks / count } else { rank.chunks[0] };
            for at in 0..inputs {
                let place = run.place(id, Buffer::Input, at);
                run.memory[id].insert(place, MemoryCell::of(value(id, at)));
                run.record.input(value(id, at), id, at);
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
                            waiting.get_or_insert_with(|| (shown(step.line, rank, block, self.done[global]), what));
                            break;
                        }
                        self.next_message(rank, block, step)?;
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
        let left = self.connections.iter().filter(|(_, messages)| !messages.is_empty());
        match left.map(|(connection, _)| connection).min() {
            None => Ok(()),
            Some((from, to, channel)) => Err(FileFault::Step {
                place: format!("rank {to}").into(),
                what: format!("a message of rank {from} on channel {channel} is never received"),
            }),
        }
    }

    /// Reason why a step cannot move its next chunks yet.
    fn obstacle(&self, rank: usize, block: usize, step: &RuleStep) -> Option<String> {
        let tb = &self.algorithm.ranks[rank].blocks[block];
        if let Some((other, at)) = step.after
            && self.done[self.first[rank] + other] <= at
        {
            return Some(format!("for step {at} of thread block {other}"));
        }
        if let (true, Some(from)) = (step.action.receives, tb.recv)
            && self.held(from, rank, tb.channel) == 0
        {
            return Some(format!("for a message of rank {from} on channel {}", tb.channel));
        }
        if let (true, Some(to)) = (step.action.sends, tb.send)
            && self.held(rank, to, tb.channel) >= self.algorithm.room.messages
        {
            let ConnectionRoom { chunks, messages } = self.algorithm.room;
            let room = format!("{messages} messages of {chunks} chunks");
            return Some(format!("until rank {to} receives on channel {}, which holds {room}", tb.channel));
        }
        None
    }

    /// Number of messages on a connection.
    fn held(&self, from: usize, to: usize, channel: usize) -> usize {
        self.connections.get(&(from, to, channel)).map_or(0, VecDeque::len)
    }

    /// Moves the next chunks of a step, as many as one message has.
    fn next_message(&mut self, rank: usize, block: usize, step: &RuleStep) -> Result<(), FileFault> {
        let tb = &self.algorithm.ranks[rank].blocks[block];
        let global = self.first[rank] + block;
        let (number, first) = (self.done[global], self.moved[global]);
        let id = (global, number);
        let mut clock = self.clocks[global].clone();
        if let Some((other, at)) = step.after {
            learn(&mut clock, &self.ends[&(self.first[rank] + other, at)]);
        }
        let end = step.count.min(first.saturating_add(self.algorithm.room.chunks));
        let mut values = vec![0; end - first];
        if let (true, Some(from)) = (step.action.receives, tb.recv) {
            let messages = self.connections.get_mut(&(from, rank, tb.channel));
            let sent = messages.and_then(VecDeque::pop_front).expect("a step moves on when its message is there");
            if sent.count != step.count {
                let what = format!("receives {} chunks of {} that are sent", step.count, sent.count);
                return Err(FileFault::Step { place: shown(step.line, rank, block, number), what });
            }
            values = sent.values;
            learn(&mut clock, &sent.clock);
        }
        for (value, index) in values.iter_mut().zip(first..) {
            *value = self.chunk((rank, id), step, index, *value, &clock).map_err(|what| {
                let place = shown(step.line, rank, block, number);
                FileFault::Step { place, what }
            })?;
        }
        let is_last = end == step.count;
        if is_last {
            Rc::make_mut(&mut clock)[global] = number as u32 + 1;
        }
        if let (true, Some(to)) = (step.action.sends, tb.send) {
            let place = StepPlace { rank, block, step: number, line: step.line };
            let transfer = |&value: &u64| ChunkTransfer { from: rank, to, channel: tb.channel, value, step: place };
            self.record.transfers.extend(values.iter().map(transfer));
            let sent = SentMessage { values, count: step.count, clock: clock.clone() };
            self.connections.entry((rank, to, tb.channel)).or_default().push_back(sent);
        }
        if is_last && step.is_awaited {
            self.ends.insert(id, clock.clone());
        }
        self.clocks[global] = clock;
        (self.done[global], self.moved[global]) = if is_last { (number + 1, 0) } else { (number, end) };
        Ok(())
    }

    /// Reads, combines and stores one chunk of a step, and returns what is sent; or says what is wrong.
    fn chunk(
        &mut self,
        (rank, id): (usize, StepId),
        step: &RuleStep,
        index: usize,
        received: u64,
        clock: &[u32],
    ) -> Result<u64, String> {
        let (mut value, mut is_sum, mut read) = (received, step.action.receives, Vec::new());
        let sources = [(step.action.reads, step.source), (step.action.adds, step.target)];
        for (buffer, at) in sources.into_iter().filter_map(|(is_read, source)| is_read.then_some(source)) {
            let place = self.place(rank, buffer, at + index);
            let cell = self.memory[rank].entry(place).or_default();
            let Some(own) = cell.value else {
                return Err(format!("reads chunk {} before it is written", at + index));
            };
            if cell.writer.is_some_and(|writer| !is_over(clock, writer)) {
                return Err(format!("does not wait for the write of chunk {}", at + index));
            }
            read.push(place);
            let sum = value.wrapping_add(own);
            if is_sum {
                self.record.sum(&[value, own], sum);
            }
            (value, is_sum) = (sum, true);
        }
        let (buffer, at) = step.target;
        if step.action.stores {
            let place = self.place(rank, buffer, at + index);
            let cell = self.memory[rank].entry(place).or_default();
            if cell.writer.iter().chain(&cell.readers).any(|&other| !is_over(clock, other)) {
                return Err(format!("overwrites chunk {} while it is in use", at + index));
            }
            *cell = MemoryCell { value: Some(value), writer: Some(id), readers: Vec::new() };
        }
        // a step may overwrite what this chunk has read, and nothing that its other chunks have
        for place in read {
            self.memory[rank].entry(place).or_default().readers.push(id);
        }
        Ok(value)
    }
}

/// Place of a step.
pub(super) fn shown(line: u32, rank: usize, block: usize, step: usize) -> FaultPlace {
    StepPlace { rank, block, step, line }.into()
}

pub(super) fn is_over(clock: &[u32], (block, step): StepId) -> bool {
    clock[block] as usize > step
}

pub(super) fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, &other) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(other);
    }
}

/// Adds the steps that another clock knows to be over.
fn learn(clock: &mut StepClock, other: &StepClock) {
    if clock.iter().zip(other.iter()).any(|(mine, other)| mine < other) {
        join(&mut Rc::make_mut(clock)[..], other);
    }
}
