//! Algorithms of GPU libraries as schedules: what ranks send becomes messages, links and ticks.

mod links;
mod pieces;
mod sums;
mod ticks;

use std::collections::HashMap;

use super::error::ScheduleError;
use super::messages::MessageNotation;
use super::numbers::{self, FlitNumbers};
use super::sends::{RegisterMap, SendList, TimedSend, refuse_large};
use super::{MOST_SENDS, MOST_TICKS, ScheduleTask};
use crate::algorithm::{self, FaultPlace, FileFault, JudgedAlgorithm, StepPlace};
use crate::net::{NodeId, Topology};
use crate::task::{Collective, CombinePlace};

use links::Connections;
use pieces::MessageChunk;
use sums::ChunkSums;
use ticks::{NodeData, TimedTransfer, TransferPhase, TransferStart};

/// Refuses a step of a file.
fn refused(step: StepPlace, problem: impl Into<String>, help: impl Into<String>) -> ScheduleError {
    let FaultPlace { line, part } = step.into();
    at(line, format!("{part}: {}", problem.into()), help)
}

fn at(line: Option<u32>, problem: String, help: impl Into<String>) -> ScheduleError {
    match line {
        Some(line) => ScheduleError::at(line, problem, help),
        None => ScheduleError::whole(problem, help),
    }
}

fn of_fault(fault: FileFault) -> ScheduleError {
    let help = fault.help_for_schedule();
    match fault {
        FileFault::Syntax { line, what } => ScheduleError::at(line as u32, what, help),
        FileFault::Rule { place: FaultPlace { line, part }, what }
        | FileFault::Step { place: FaultPlace { line, part }, what } => at(line, format!("{part}: {what}"), help),
        FileFault::Deadlock { place: FaultPlace { line, part }, what } => {
            at(line, format!("deadlock: {part} waits {what}"), help)
        }
        FileFault::Wrong { .. } => ScheduleError::whole(fault.to_string(), help),
    }
}

/// Root and packets per node of an all-reduce; none if the file cannot be read.
pub(super) fn origins(topology: &Topology, text: &str) -> Option<(Option<NodeId>, u16)> {
    let judged = algorithm::read(text).ok()?;
    let nodes: Vec<NodeId> = topology.live_ids().collect();
    if judged.verdict.ranks != nodes.len() || algorithm::collective_of(&judged.verdict.collective) != "all-reduce" {
        return None;
    }
    let owners = ChunkSums::of(&judged).ok()?.owners;
    let first = *owners.first()?;
    let only = owners.iter().all(|&owner| owner == first).then_some(nodes[first]);
    Some((only, u16::try_from(judged.chunks.div_ceil(nodes.len())).ok()?))
}

/// Reads the sends of an algorithm.
pub(super) fn sends(task: &ScheduleTask, text: &str) -> Result<SendList, ScheduleError> {
    refuse_large(task)?;
    let judged = algorithm::read(text).map_err(of_fault)?;
    agree(task, &judged)?;
    let nodes = task.topology.live_ids().collect();
    let sums = if task.reduction.is_some() { Some(ChunkSums::of(&judged)?) } else { None };
    AlgorithmReader { task, judged, nodes, sums }.sends()
}

/// Fails if the file is for another collective, network or root than the config.
fn agree(task: &ScheduleTask, judged: &JudgedAlgorithm) -> Result<(), ScheduleError> {
    let ScheduleTask { topology, traffic, .. } = *task;
    let verdict = &judged.verdict;
    let differs = |field: &str, has: String, wants: String| {
        let problem = format!("the file has {has}, and the config says {wants}");
        Err(ScheduleError::whole(problem, format!("say the same in `{field}`, or name another file")))
    };
    let (has, wants) = (algorithm::collective_of(&verdict.collective), traffic.collective.name());
    if has != wants {
        let spelled = if has == verdict.collective { String::new() } else { format!(" ({})", verdict.collective) };
        return differs("collective", format!("the collective {has}{spelled}"), wants.to_owned());
    }
    let live = topology.live_nodes() as usize;
    if verdict.ranks != live {
        let wants = format!("a {} of {live} live nodes", topology.describe());
        return differs("topology", format!("{} ranks", verdict.ranks), wants);
    }
    let root = traffic.root(topology);
    if let Some(rank) = verdict.root
        && traffic.collective.has_root()
        && topology.rank(root) != rank
    {
        let shown = |node: NodeId| format!("node {} at {}", node.0, topology.show(node));
        let node = topology.live_ids().nth(rank).unwrap_or(root);
        return differs("root", format!("root {rank}, {}", shown(node)), shown(root));
    }
    Ok(())
}

/// Reader of an algorithm that agrees with the config.
struct AlgorithmReader<'a> {
    task: &'a ScheduleTask<'a>,
    judged: JudgedAlgorithm,
    nodes: Vec<NodeId>,
    sums: Option<ChunkSums>,
}

/// Chunk that leaves a node at once: flits of a message.
#[derive(Clone, Copy)]
struct SentChunk {
    /// number of its first transfer
    transfer: usize,
    connection: u32,
    first: u32,
    flits: u32,
}

impl AlgorithmReader<'_> {
    fn sends(&self) -> Result<SendList, ScheduleError> {
        let task = self.task;
        let connections = Connections::of(task, &self.judged, &self.nodes)?;
        let pieces = self.pieces()?;
        let notation = MessageNotation::of(task.traffic.woven());
        let packets = match notation {
            MessageNotation::Packet => self.judged.chunks / self.nodes.len(),
            _ => 0,
        };
        let packets = u16::try_from(packets).map_err(|_| {
            let problem = format!("a node has {packets} packets, more than {}", u16::MAX);
            ScheduleError::whole(problem, "choose fewer chunks")
        })?;
        let demand = numbers::demand(task, packets)?;
        let numbers = FlitNumbers::new(task, notation, &demand);
        let chunks = self.chunks(&connections, &pieces, &numbers)?;
        let flits = chunks.iter().map(|chunk| chunk.flits as usize).fold(0, usize::saturating_add);
        if flits > MOST_SENDS {
            let problem = format!("{flits} flits are sent, more than the {MOST_SENDS} that are read");
            return Err(ScheduleError::whole(problem, "choose shorter messages"));
        }
        let map = RegisterMap::of(task.topology, task.link.lanes);
        let sends = self.timed(&chunks, &connections, &map)?;
        Ok(SendList::new(task, sends, demand))
    }

    /// Chunks in the order of the file. Where packets are sent whole, the pieces of one are joined.
    fn chunks(
        &self,
        connections: &Connections,
        pieces: &[MessageChunk],
        numbers: &FlitNumbers,
    ) -> Result<Vec<SentChunk>, ScheduleError> {
        let traffic = self.task.traffic;
        let is_joined = traffic.collective == Collective::Exchange && traffic.pairs.is_none();
        let notation = MessageNotation::of(traffic.woven());
        let mut chunks: Vec<SentChunk> = Vec::with_capacity(pieces.len());
        // by connection, the last chunk, and its pieces so far
        let mut open: Vec<Option<(usize, MessageChunk)>> = vec![None; connections.outputs.len()];
        for (transfer, &piece) in pieces.iter().enumerate() {
            let sent = &self.judged.record.transfers[transfer];
            let shown = notation.shown(piece.name, self.judged.chunks > self.nodes.len());
            let (first, length) = numbers.flits(piece.name).map_err(|problem| {
                refused(sent.step, format!("message {shown}: {problem}"), "leave it out, or change the config")
            })?;
            if !(length as usize).is_multiple_of(piece.of) {
                let problem = format!("the {length} flits of message {shown} cannot be {} chunks", piece.of);
                return Err(refused(sent.step, problem, format!("choose a multiple of {} flits", piece.of)));
            }
            let (connection, flits) = (connections.number(sent), length / piece.of as u32);
            let chunk = SentChunk { transfer, connection, first: first + piece.at as u32 * flits, flits };
            if !is_joined {
                chunks.push(chunk);
                continue;
            }
            let last = &mut open[connection as usize];
            match last {
                Some((at, before)) if before.at + 1 == piece.at && before.name == piece.name => {
                    chunks[*at].flits += flits;
                    *before = piece;
                }
                None if piece.at == 0 => {
                    *last = Some((chunks.len(), piece));
                    chunks.push(chunk);
                }
                _ => {
                    let problem =
                        format!("chunk {} of message {shown} does not follow the one before it on its link", piece.at);
                    let help = format!(
                        "send the {} chunks one after the other, or say `lengths: {length}`: flits then travel one by one",
                        piece.of
                    );
                    return Err(refused(sent.step, problem, help));
                }
            }
            if piece.at + 1 == piece.of {
                *last = None;
            }
        }
        match open.into_iter().flatten().min_by_key(|&(at, _)| at) {
            None => Ok(chunks),
            Some((at, piece)) => {
                let step = self.judged.record.transfers[chunks[at].transfer].step;
                let shown = notation.shown(piece.name, false);
                let problem = format!("chunk {} of message {shown} does not follow on its link", piece.at + 1);
                Err(refused(step, problem, "send all chunks of a message by one way, or say `lengths`"))
            }
        }
    }

    /// Gives every chunk its ticks: partial sums first, and complete ones when all are complete.
    fn timed(
        &self,
        chunks: &[SentChunk],
        connections: &Connections,
        map: &RegisterMap,
    ) -> Result<Vec<TimedSend>, ScheduleError> {
        let link = self.task.link;
        let Some(sums) = &self.sums else {
            return Ok(self.flits(chunks, &self.starts(chunks, connections, map, (link.latency, 1))?));
        };
        let is_complete = |chunk: &&SentChunk| sums.sums[chunk.transfer].is_complete;
        let (results, partials): (Vec<SentChunk>, Vec<SentChunk>) = chunks.iter().partition(is_complete);
        let latency = link.latency + self.adder() * rows(self.most_added(&partials));
        let starts = self.starts(&partials, connections, map, (latency, 1))?;
        let complete = self.complete(&partials, &starts, latency);
        let mut sends = self.flits(&partials, &starts);
        sends.extend(self.flits(&results, &self.starts(&results, connections, map, (link.latency, complete + 2))?));
        Ok(sends)
    }

    fn adder(&self) -> u32 {
        self.task.reduction.map_or(0, |reduction| reduction.adder)
    }

    /// Most partial sums that meet in a sum that is sent on.
    fn most_added(&self, partials: &[SentChunk]) -> u32 {
        let Some(sums) = &self.sums else { return 0 };
        let added = |chunk: &SentChunk| {
            let from = self.judged.record.transfers[chunk.transfer].from;
            sums.arrivals.get(&(from, sums.sums[chunk.transfer].chunk)).copied().unwrap_or(0)
        };
        // one row at least, as the program has it
        partials.iter().map(added).max().unwrap_or(0).max(1)
    }

    /// Tick after which all sums are complete.
    fn complete(&self, partials: &[SentChunk], starts: &[TransferStart], latency: u32) -> u64 {
        let Some(sums) = &self.sums else { return 0 };
        let is_whole = self.task.traffic.combined == CombinePlace::Blocks;
        let mut complete = 0;
        for (chunk, start) in partials.iter().zip(starts) {
            let transfer = &self.judged.record.transfers[chunk.transfer];
            let block = sums.sums[chunk.transfer].chunk;
            let arrival = start.tick + u64::from(latency) - 1;
            let last = arrival + u64::from(chunk.flits) - 1;
            complete = complete.max(last);
            if sums.owners[block] == transfer.to {
                let came = sums.arrivals.get(&(transfer.to, block)).copied().unwrap_or(0);
                // adders of a packet begin with its first flit; flits of a vector are blocks of their own
                let from = if is_whole { arrival } else { last };
                complete = complete.max(from + u64::from(self.adder() * rows(came)));
            }
        }
        complete
    }

    /// Start of each chunk on links of a latency, from a tick on.
    fn starts(
        &self,
        chunks: &[SentChunk],
        connections: &Connections,
        map: &RegisterMap,
        (latency, begin): (u32, u64),
    ) -> Result<Vec<TransferStart>, ScheduleError> {
        let mut known: HashMap<(usize, u32), u32> = HashMap::new();
        let mut data: Vec<NodeData> = Vec::new();
        let mut numbered = |rank: usize, chunk: &SentChunk| {
            *known.entry((rank, chunk.first)).or_insert_with(|| {
                data.push(NodeData::after(self.arrivals(rank, chunk.transfer)));
                data.len() as u32 - 1
            })
        };
        let transfers: Vec<TimedTransfer> = chunks
            .iter()
            .map(|chunk| {
                let sent = &self.judged.record.transfers[chunk.transfer];
                let (needs, brings) = (numbered(sent.from, chunk), numbered(sent.to, chunk));
                TimedTransfer { connection: chunk.connection, needs, brings, flits: chunk.flits }
            })
            .collect();
        let phase = TransferPhase {
            transfers: (&transfers).into(),
            data,
            outputs: &connections.outputs,
            across: &map.across,
            lanes: map.lanes,
            is_full_duplex: self.task.link.duplex.is_full(),
            latency,
            begin,
        };
        let starts = phase.starts().ok_or_else(|| {
            ScheduleError::whole("chunks wait for each other", "let each rank send what it has, or what has come")
        })?;
        let ends = starts.iter().zip(&transfers).map(|(start, transfer)| start.tick + u64::from(transfer.flits));
        if ends.max().unwrap_or(0) > u64::from(MOST_TICKS) {
            let problem = format!("more than {MOST_TICKS} ticks");
            return Err(ScheduleError::whole(problem, "choose shorter messages"));
        }
        Ok(starts)
    }

    /// Arrivals after which a rank can send a transfer's chunk.
    fn arrivals(&self, rank: usize, transfer: usize) -> u32 {
        let is_own = match &self.sums {
            None => {
                let value = self.judged.record.transfers[transfer].value;
                self.judged.record.contents(value).is_some_and(|contents| contents.rank == Some(rank))
            }
            Some(sums) => {
                let sum = sums.sums[transfer];
                if !sum.is_complete {
                    return sums.arrivals.get(&(rank, sum.chunk)).copied().unwrap_or(0);
                }
                sums.owners[sum.chunk] == rank
            }
        };
        u32::from(!is_own)
    }

    /// Flits of all chunks.
    fn flits(&self, chunks: &[SentChunk], starts: &[TransferStart]) -> Vec<TimedSend> {
        let flits = |(chunk, start): (&SentChunk, &TransferStart)| {
            let line = self.judged.record.transfers[chunk.transfer].step.line;
            let (first, tick, register) = (chunk.first, start.tick as u32, start.register);
            (0..chunk.flits).map(move |flit| TimedSend { tick: tick + flit, register, flit: first + flit, line })
        };
        chunks.iter().zip(starts).flat_map(flits).collect()
    }
}

/// Rows of adders for a node's own value and others.
fn rows(others: u32) -> u32 {
    (others + 1).next_power_of_two().trailing_zeros()
}
