//! A list scheduler: each transfer leaves as early as its data and its link allow, in the order of its connection.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::net::splitmix::mixed;

/// Chunk that a node sends to a neighbour, its flits in consecutive ticks.
#[derive(Clone, Copy)]
pub(super) struct TimedTransfer {
    pub connection: u32,
    /// data that must be there
    pub needs: u32,
    /// data that it brings to the receiver
    pub brings: u32,
    pub flits: u32,
}

/// Data at a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeData {
    /// arrivals that have still to come
    pub missing: u32,
    /// tick from which it can be sent
    ready: u64,
    /// first connection that waits for it, as a list through the connections
    waiting: Option<u32>,
}

impl NodeData {
    pub fn after(missing: u32) -> Self {
        Self { missing, ..Self::default() }
    }
}

/// Tick of the first flit, and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TransferStart {
    pub tick: u64,
    pub register: u32,
}

/// Orders at half-duplex links that are tried.
const ORDERS: u64 = 16;
/// Rounds in which each of them is changed.
const ROUNDS: usize = 8;
/// Transfers that are scheduled in all rounds together.
const MOST_WORK: usize = 1 << 24;

/// Transfers that are to get ticks, each after those that it depends on.
#[derive(Clone)]
pub(super) struct TransferPhase<'a> {
    pub transfers: Cow<'a, [TimedTransfer]>,
    pub data: Vec<NodeData>,
    /// by connection, registers of its outputs
    pub outputs: &'a [Vec<u32>],
    /// by register, the one at the other end of its link
    pub across: &'a [u32],
    pub lanes: u8,
    pub is_full_duplex: bool,
    pub latency: u32,
    /// first tick of the phase
    pub begin: u64,
}

/// Tick in which a transfer may leave, how much depends on it, its number, and the output; the first leaves first.
type Candidate = Reverse<(u64, Reverse<u64>, u32, u32)>;

/// State of a phase: what waits, and from when on links are free.
struct PhaseRun<'a> {
    phase: TransferPhase<'a>,
    /// by connection, numbers of its transfers, and how many have left
    queues: Vec<(Vec<u32>, usize)>,
    /// by connection, the next one that waits for the same data
    next_waiting: Vec<Option<u32>>,
    /// by register, first tick in which it is free
    free: Vec<u64>,
    /// by transfer; of two that may leave, the larger one does
    urgency: &'a [u64],
    heap: BinaryHeap<Candidate>,
}

impl TransferPhase<'_> {
    /// Start of every transfer; none if some wait for each other. Where both ends of a link want to send, several orders are tried.
    pub fn starts(self) -> Option<Vec<TransferStart>> {
        let best = self.clone().by_urgency(&self.tails())?;
        if self.is_full_duplex {
            return Some(best);
        }
        // flits may be sent on as they come, but packets that are in step take turns at a link without a gap
        let longest = self.transfers.iter().map(|transfer| transfer.flits).max().unwrap_or(1);
        let in_step = Self { latency: self.latency.next_multiple_of(longest), ..self.clone() };
        let best = self.in_turns(best)?;
        if longest > 1 { in_step.in_turns(best) } else { Some(best) }
    }

    /// Tries several orders at links whose two ends take turns, and returns the best, or the one that is known.
    fn in_turns(&self, mut best: Vec<TransferStart>) -> Option<Vec<TransferStart>> {
        let tails = self.tails();
        let least = tails.iter().copied().max().unwrap_or(0).max(self.load());
        // a link goes to the transfer that the most depends on; ties are broken by the order of the file, then by chance
        let most = MOST_WORK / self.transfers.len().max(1) / ROUNDS;
        for seed in 0..ORDERS.min(most as u64) {
            let tie = |number: usize| if seed == 0 { !number as u64 } else { mixed(seed << 32 | number as u64) };
            let tails = tails.iter().enumerate();
            let mut urgency: Vec<u64> = tails.map(|(number, tail)| tail << 24 | tie(number) & 0xff_ffff).collect();
            for _ in 0..ROUNDS {
                if self.ticks(&best) <= least {
                    return Some(best);
                }
                let starts = self.clone().by_urgency(&urgency)?;
                if self.ticks(&starts) < self.ticks(&best) {
                    best.clone_from(&starts);
                }
                // played backwards, what ends last leaves first; how late it leaves there is how much still follows it
                let ends: Vec<u64> = starts.iter().rev().map(|start| start.tick).collect();
                // chunks that return to where they were wait for each other backwards
                let Some(backwards) = self.backwards().by_urgency(&ends) else { break };
                urgency = backwards.iter().rev().map(|start| start.tick).collect();
            }
        }
        Some(best)
    }

    /// Ticks that the busiest link needs, if its ends take turns.
    fn load(&self) -> u64 {
        let lanes = u32::from(self.lanes);
        let mut loads: HashMap<u32, u64> = HashMap::new();
        for transfer in self.transfers.iter() {
            let register = self.outputs[transfer.connection as usize][0];
            let link = (register / lanes).min(self.across[register as usize] / lanes);
            *loads.entry(link).or_default() += u64::from(transfer.flits);
        }
        let is_sure = self.outputs.iter().all(|outputs| outputs.len() == 1 || outputs.len() == usize::from(self.lanes));
        loads.into_values().max().filter(|_| is_sure).map_or(0, |flits| flits.div_ceil(u64::from(lanes)))
    }

    /// Ticks from the first one to the end of all transfers.
    fn ticks(&self, starts: &[TransferStart]) -> u64 {
        let ends = starts.iter().zip(self.transfers.iter());
        let ends = ends.map(|(start, transfer)| start.tick + u64::from(transfer.flits) - self.begin);
        ends.max().unwrap_or(0)
    }

    /// Copy in which time goes backwards.
    fn backwards(&self) -> Self {
        let mut data = vec![NodeData::default(); self.data.len()];
        let back =
            |transfer: &TimedTransfer| TimedTransfer { needs: transfer.brings, brings: transfer.needs, ..*transfer };
        let transfers: Vec<TimedTransfer> = self.transfers.iter().rev().map(back).collect();
        for transfer in &transfers {
            data[transfer.brings as usize].missing += 1;
        }
        Self { transfers: transfers.into(), data, ..self.clone() }
    }

    /// Start of every transfer, where the more urgent of two leaves first.
    fn by_urgency(self, urgency: &[u64]) -> Option<Vec<TransferStart>> {
        let mut queues = vec![(Vec::new(), 0); self.outputs.len()];
        for (number, transfer) in (0..).zip(self.transfers.iter()) {
            queues[transfer.connection as usize].0.push(number);
        }
        let mut run = PhaseRun {
            next_waiting: vec![None; self.outputs.len()],
            free: vec![self.begin; self.across.len()],
            urgency,
            heap: BinaryHeap::new(),
            queues,
            phase: self,
        };
        for connection in 0..run.queues.len() {
            run.offer(connection as u32);
        }
        let mut starts = vec![None; run.phase.transfers.len()];
        while let Some(Reverse((tick, _, number, _))) = run.heap.pop() {
            let TimedTransfer { connection, .. } = run.phase.transfers[number as usize];
            let (now, register) = run.earliest(number);
            if now > tick {
                run.push(number);
                continue;
            }
            starts[number as usize] = Some(TransferStart { tick, register });
            run.leave(number, tick, register);
            run.queues[connection as usize].1 += 1;
            run.offer(connection);
        }
        starts.into_iter().collect()
    }

    /// Ticks from each transfer to the end of all that depends on it, links left aside.
    fn tails(&self) -> Vec<u64> {
        let mut tails = vec![0; self.transfers.len()];
        let (mut of_connection, mut of_data) = (vec![0; self.outputs.len()], vec![0; self.data.len()]);
        for (tail, transfer) in tails.iter_mut().zip(self.transfers.iter()).rev() {
            let next: &mut u64 = &mut of_connection[transfer.connection as usize];
            let flits = u64::from(transfer.flits);
            *tail = (flits + *next).max(u64::from(self.latency) + of_data[transfer.brings as usize]);
            *next = *tail;
            let needs: &mut u64 = &mut of_data[transfer.needs as usize];
            *needs = (*needs).max(*tail);
        }
        tails
    }
}

impl PhaseRun<'_> {
    /// Offers the next transfer of a connection: it leaves when the link is free, or waits for its data.
    fn offer(&mut self, connection: u32) {
        let (queue, left) = &self.queues[connection as usize];
        let Some(&number) = queue.get(*left) else { return };
        let data = &mut self.phase.data[self.phase.transfers[number as usize].needs as usize];
        if data.missing == 0 {
            self.push(number);
        } else {
            self.next_waiting[connection as usize] = data.waiting.replace(connection);
        }
    }

    fn push(&mut self, number: u32) {
        let (tick, register) = self.earliest(number);
        self.heap.push(Reverse((tick, Reverse(self.urgency[number as usize]), number, register)));
    }

    /// Earliest tick of a transfer whose data is there, and the output that is free then.
    fn earliest(&self, number: u32) -> (u64, u32) {
        let TimedTransfer { connection, needs, .. } = self.phase.transfers[number as usize];
        let ready = self.phase.data[needs as usize].ready.max(self.phase.begin);
        let outputs = self.phase.outputs[connection as usize].iter();
        let (free, register) = outputs.map(|&register| (self.free_from(register), register)).min().unwrap_or_default();
        (ready.max(free), register)
    }

    /// First tick in which an output may send.
    fn free_from(&self, register: u32) -> u64 {
        let free = self.free[register as usize];
        if self.phase.is_full_duplex {
            return free;
        }
        let lanes = usize::from(self.phase.lanes);
        let other = self.phase.across[register as usize] as usize / lanes * lanes;
        self.free[other..other + lanes].iter().copied().fold(free, u64::max)
    }

    /// Sends a transfer, and wakes what waits for the data.
    fn leave(&mut self, number: u32, tick: u64, register: u32) {
        let TimedTransfer { brings, flits, .. } = self.phase.transfers[number as usize];
        self.free[register as usize] = tick + u64::from(flits);
        let data = &mut self.phase.data[brings as usize];
        // later arrivals of what is there change nothing
        if data.missing == 0 {
            return;
        }
        data.missing -= 1;
        data.ready = data.ready.max(tick + u64::from(self.phase.latency));
        if data.missing == 0 {
            let mut next = data.waiting.take();
            while let Some(connection) = next {
                next = self.next_waiting[connection as usize].take();
                self.offer(connection);
            }
        }
    }
}
