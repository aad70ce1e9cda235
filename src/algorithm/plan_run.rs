//! An interpreter of execution plans: executes all thread blocks, and finds deadlocks, races and memory that is not ready.
//!
//! Threads of a block meet at a `nop` or a barrier only: before it, what some of them have waited for is not known to the
//! others, and what some have written may not be there. Each block knows what is certainly over (vector clocks).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use super::error::{FaultPlace, FileFault};
use super::plan::ExecutionPlan;
use super::plan_ops::{ChunkSpan, ChunkSum, Op};
use super::rules::Buffer;
use super::run::{MemoryCell, MemoryPlace, StepId, is_over, join, place, shown, value};
use super::transfers::{ChunkTransfer, StepPlace, TransferRecord};

/// Operations that are over by thread block, then a number that is 1 for each rank that has begun.
type PlanClock = Vec<u32>;

/// Signals that have come and are not yet awaited, with the last operations that gave and took one.
#[derive(Default)]
struct Tokens {
    queue: VecDeque<Rc<PlanClock>>,
    last: [Option<StepId>; 2],
}

/// Clocks of a thread block.
#[derive(Clone)]
struct BlockClocks {
    rank: usize,
    done: usize,
    /// known to all threads
    known: PlanClock,
    /// known to those that have waited
    heard: PlanClock,
}

/// State of all ranks.
pub(super) struct PlanRun<'p> {
    plan: &'p ExecutionPlan,
    /// chunks of a rank's part, if buffers are one
    share: usize,
    first: Vec<usize>,
    blocks: Vec<BlockClocks>,
    memory: Vec<HashMap<MemoryPlace, MemoryCell>>,
    /// by receiver and its channel
    signals: BTreeMap<(usize, usize), Tokens>,
    semaphores: BTreeMap<(usize, usize), Tokens>,
    /// blocks that have come to a barrier, by rank and barrier
    barriers: BTreeMap<(usize, usize), Vec<usize>>,
    /// accesses to the memory of other ranks
    remote: Vec<(StepId, usize)>,
    pub record: TransferRecord,
}

impl<'p> PlanRun<'p> {
    pub fn new(plan: &'p ExecutionPlan, share: usize) -> Self {
        let mut first = Vec::new();
        let mut count = 0;
        for rank in &plan.ranks {
            first.push(count);
            count += rank.blocks.len();
        }
        let mut blocks = Vec::new();
        let mut semaphores = BTreeMap::new();
        let (mut memory, mut record) = (Vec::new(), TransferRecord::default());
        for (id, rank) in plan.ranks.iter().enumerate() {
            let mut known = vec![0; count + plan.ranks.len()];
            known[count + id] = 1;
            blocks.extend(rank.blocks.iter().map(|_| BlockClocks {
                rank: id,
                done: 0,
                known: known.clone(),
                heard: known.clone(),
            }));
            for (number, &initial) in rank.semaphores.iter().enumerate() {
                let queue = (0..initial).map(|_| Rc::new(known.clone())).collect();
                semaphores.insert((id, number), Tokens { queue, last: [None; 2] });
            }
            (0..rank.chunks[0]).for_each(|at| record.input(value(id, at), id, at));
            let cell = |at| {
                (place(&plan.collective, plan.in_place, share, id, Buffer::Input, at), MemoryCell::of(value(id, at)))
            };
            memory.push((0..rank.chunks[0]).map(cell).collect());
        }
        let (signals, barriers) = (BTreeMap::new(), BTreeMap::new());
        Self { plan, share, first, blocks, memory, signals, semaphores, barriers, remote: Vec::new(), record }
    }

    fn place(&self, span: ChunkSpan, index: usize) -> MemoryPlace {
        place(&self.plan.collective, self.plan.in_place, self.share, span.rank, span.buffer, span.at + index)
    }

    /// Final value of an output chunk.
    pub fn output(&self, rank: usize, at: usize) -> Option<u64> {
        self.memory[rank].get(&self.place(ChunkSpan { rank, buffer: Buffer::Output, at }, 0))?.value
    }

    /// Executes all operations; the order does not matter where there is no race.
    pub fn execute(&mut self) -> Result<(), FileFault> {
        loop {
            let (mut has_moved, mut waiting) = (false, None);
            for block in 0..self.blocks.len() {
                while let Some(op) = self.next(block) {
                    if let Some(what) = self.obstacle(block, op)? {
                        waiting.get_or_insert_with(|| (self.shown(block), what));
                        break;
                    }
                    self.step(block, op)?;
                    has_moved = true;
                }
            }
            match waiting {
                None => break,
                Some((place, what)) if !has_moved => return Err(FileFault::Deadlock { place, what }),
                Some(_) => {}
            }
        }
        self.end()
    }

    fn next(&self, block: usize) -> Option<&'p Op> {
        let BlockClocks { rank, done, .. } = self.blocks[block];
        self.plan.ranks[rank].blocks[block - self.first[rank]].get(done)
    }

    fn shown(&self, block: usize) -> FaultPlace {
        let BlockClocks { rank, done, .. } = self.blocks[block];
        self.shown_op(rank, block - self.first[rank], done)
    }

    fn shown_op(&self, rank: usize, block: usize, op: usize) -> FaultPlace {
        shown(self.plan.lines.line(rank, block, op), rank, block, op)
    }

    fn fault(&self, block: usize, what: String) -> FileFault {
        FileFault::Step { place: self.shown(block), what }
    }

    /// The other end of a channel: of the channels between two ranks, the n-th of one is the n-th of the other.
    fn far_end(&self, rank: usize, channel: usize) -> Option<(usize, usize)> {
        let mine = &self.plan.ranks[rank].channels;
        let peer = mine[channel];
        let before = mine[..channel].iter().filter(|&&other| other == peer).count();
        let theirs = self.plan.ranks[peer].channels.iter().enumerate().filter(|&(_, &other)| other == rank);
        theirs.map(|(number, _)| (peer, number)).nth(before)
    }

    /// Reason why an operation cannot be executed yet.
    fn obstacle(&mut self, block: usize, op: &Op) -> Result<Option<String>, FileFault> {
        let rank = self.blocks[block].rank;
        Ok(match op {
            Op::Wait(channels) => {
                let missing = |&&channel: &&usize| {
                    self.signals.get(&(rank, channel)).is_none_or(|tokens| tokens.queue.is_empty())
                };
                channels.iter().find(missing).map(|&channel| {
                    format!("for a signal of rank {} on channel {channel}", self.plan.ranks[rank].channels[channel])
                })
            }
            Op::Acquire(ids) => {
                let missing = |&&id: &&usize| self.semaphores[&(rank, id)].queue.is_empty();
                ids.iter().find(missing).map(|id| format!("for semaphore {id}"))
            }
            Op::Barrier { id, blocks } => {
                let arrived = self.barriers.entry((rank, *id)).or_default();
                if !arrived.contains(&block) {
                    arrived.push(block);
                }
                let count = arrived.len();
                if count > *blocks {
                    return Err(self.fault(block, format!("is one thread block too many at barrier {id} of {blocks}")));
                }
                (count < *blocks).then(|| format!("for {} more at barrier {id}", blocks - count))
            }
            _ => None,
        })
    }

    fn step(&mut self, block: usize, op: &'p Op) -> Result<(), FileFault> {
        let rank = self.blocks[block].rank;
        match op {
            Op::Nop => self.meet(&[block]),
            Op::Barrier { id, .. } => {
                let arrived = self.barriers.remove(&(rank, *id)).unwrap_or_default();
                self.meet(&arrived);
                for other in arrived.into_iter().filter(|&other| other != block) {
                    self.blocks[other].done += 1;
                }
            }
            Op::Signal(channels) => {
                for &channel in channels {
                    let Some(far) = self.far_end(rank, channel) else {
                        let peer = self.plan.ranks[rank].channels[channel];
                        return Err(
                            self.fault(block, format!("signals on channel {channel}, which rank {peer} does not have"))
                        );
                    };
                    self.give(block, far, false)?;
                }
            }
            Op::Release(ids) => ids.iter().try_for_each(|&id| self.give(block, (rank, id), true))?,
            Op::Wait(ids) => ids.iter().try_for_each(|&id| self.take(block, (rank, id), false))?,
            Op::Acquire(ids) => ids.iter().try_for_each(|&id| self.take(block, (rank, id), true))?,
            Op::Move(sums) => sums.iter().try_for_each(|sum| self.add(block, sum))?,
        }
        self.blocks[block].done += 1;
        Ok(())
    }

    /// Lets the threads of some blocks meet.
    fn meet(&mut self, blocks: &[usize]) {
        let mut clock = vec![0; self.blocks[blocks[0]].known.len()];
        for &block in blocks {
            let BlockClocks { done, known, heard, .. } = &mut self.blocks[block];
            known[block] = *done as u32;
            join(&mut clock, known);
            join(&mut clock, heard);
        }
        for &block in blocks {
            self.blocks[block].known.clone_from(&clock);
            self.blocks[block].heard.clone_from(&clock);
        }
    }

    /// The tokens of a channel or a semaphore, for one who gives (0) or takes (1). Two blocks may do so only one after the
    /// other: who counts signals does not know whose they are.
    fn tokens(
        &mut self,
        block: usize,
        at: (usize, usize),
        is_semaphore: bool,
        end: usize,
    ) -> Result<&mut Tokens, FileFault> {
        let all = if is_semaphore { &self.semaphores } else { &self.signals };
        let last = all.get(&at).and_then(|tokens| tokens.last[end]);
        if let Some(last) = last.filter(|&last| last.0 != block && !is_over(&self.blocks[block].known, last)) {
            let verb = ["gives", "takes"][end];
            let other = last.0 - self.first[self.blocks[last.0].rank];
            return Err(self.fault(block, format!("{verb} a signal while thread block {other} {verb} one, too")));
        }
        let me = (block, self.blocks[block].done);
        let all = if is_semaphore { &mut self.semaphores } else { &mut self.signals };
        let tokens = all.entry(at).or_default();
        tokens.last[end] = Some(me);
        Ok(tokens)
    }

    fn give(&mut self, block: usize, to: (usize, usize), is_semaphore: bool) -> Result<(), FileFault> {
        let clock = Rc::new(self.blocks[block].known.clone());
        self.tokens(block, to, is_semaphore, 0)?.queue.push_back(clock);
        Ok(())
    }

    fn take(&mut self, block: usize, from: (usize, usize), is_semaphore: bool) -> Result<(), FileFault> {
        let Some(clock) = self.tokens(block, from, is_semaphore, 1)?.queue.pop_front() else {
            return Err(self.fault(block, "waits twice in one operation".into()));
        };
        join(&mut self.blocks[block].heard, &clock);
        Ok(())
    }

    fn add(&mut self, block: usize, ChunkSum { sources, targets, size }: &ChunkSum) -> Result<(), FileFault> {
        let me = (block, self.blocks[block].done);
        let BlockClocks { rank, ref known, .. } = self.blocks[block];
        let known = known.clone();
        for span in sources.iter().chain(targets).filter(|span| span.rank != rank) {
            if known[self.blocks.len() + span.rank] == 0 {
                return Err(self.fault(block, format!("uses memory of rank {}, which may not have begun", span.rank)));
            }
            self.remote.push((me, span.rank));
        }
        for index in 0..*size {
            let mut values = Vec::with_capacity(sources.len());
            let mut read = Vec::new();
            for &span in sources {
                let at = self.place(span, index);
                let chunk = span.at + index;
                let cell = self.memory[span.rank].entry(at).or_default();
                let Some(value) = cell.value else {
                    return Err(self.fault(block, format!("reads chunk {chunk} before it is written")));
                };
                if cell.writer.is_some_and(|writer| !is_over(&known, writer)) {
                    return Err(self.fault(block, format!("does not wait for the write of chunk {chunk}")));
                }
                cell.readers.push(me);
                read.push((span.rank, at));
                if span.rank != rank {
                    self.transfer(block, span.rank, rank, value);
                }
                values.push(value);
            }
            let sum = values.iter().copied().fold(0, u64::wrapping_add);
            self.record.sum(&values, sum);
            for &span in targets {
                if span.rank != rank {
                    self.transfer(block, rank, span.rank, sum);
                }
                let at = self.place(span, index);
                let cell = self.memory[span.rank].entry(at).or_default();
                // a thread may overwrite what it has read itself
                let is_own = |other: StepId| other == me && read.contains(&(span.rank, at));
                if cell.writer.iter().chain(&cell.readers).any(|&other| !is_over(&known, other) && !is_own(other)) {
                    return Err(self.fault(block, format!("overwrites chunk {} while it is in use", span.at + index)));
                }
                *cell = MemoryCell { value: Some(sum), writer: Some(me), readers: Vec::new() };
            }
        }
        Ok(())
    }

    /// Notes a chunk that a block puts into the memory of another rank, or gets from there.
    fn transfer(&mut self, block: usize, from: usize, to: usize, value: u64) {
        let BlockClocks { rank, done, .. } = self.blocks[block];
        let (plan, number) = (&self.plan.ranks[rank], block - self.first[rank]);
        let peer = if from == rank { to } else { from };
        let channel = plan.block_channels[number].iter().find(|&&channel| plan.channels[channel] == peer);
        let line = self.plan.lines.line(rank, number, done);
        let step = StepPlace { rank, block: number, step: done, line };
        self.record.transfers.push(ChunkTransfer { from, to, channel: channel.copied().unwrap_or(0), value, step });
    }

    /// Checks that nothing is left for the next run, and that no rank ends while others use its memory.
    fn end(&self) -> Result<(), FileFault> {
        for (&(rank, channel), tokens) in &self.signals {
            if !tokens.queue.is_empty() {
                let what = format!(
                    "a signal of rank {} on channel {channel} is never awaited",
                    self.plan.ranks[rank].channels[channel]
                );
                return Err(FileFault::Step { place: format!("rank {rank}").into(), what });
            }
        }
        for (&(rank, id), tokens) in &self.semaphores {
            let initial = self.plan.ranks[rank].semaphores[id];
            if tokens.queue.len() != initial {
                let what = format!("semaphore {id} must end as it begins, at {initial} (is {})", tokens.queue.len());
                return Err(FileFault::Step { place: format!("rank {rank}").into(), what });
            }
        }
        let mut ends = vec![vec![0; self.blocks.len() + self.plan.ranks.len()]; self.plan.ranks.len()];
        for BlockClocks { rank, heard, .. } in &self.blocks {
            join(&mut ends[*rank], heard);
        }
        for &((block, number), rank) in &self.remote {
            if !is_over(&ends[rank], (block, number)) {
                let from = self.blocks[block].rank;
                let what = format!("uses memory of rank {rank}, which may have ended");
                return Err(FileFault::Step { place: self.shown_op(from, block - self.first[from], number), what });
            }
        }
        Ok(())
    }
}
