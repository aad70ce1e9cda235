//! Program of a schedule in which values are combined: a node sends its own value of a block with all that has come for it.

mod behaviour;

use std::collections::HashMap;
use std::sync::Arc;

use super::ScheduleTask;
use super::packets;
use super::sends::{SendFault, SendList, TimedSend};
use crate::net::{NodeId, Port};
use crate::program::{Operand, Operands, Program, Reduction};
use crate::transform::ReversedGossip;

use behaviour::Behaviours;

/// No node has 2^8 ports: as many values meet in no more rows of adders.
const MOST_ROWS: u32 = 8;
/// Largest reduce part in ticks of links: one that is checked by execution only.
const MOST_LINK_TICKS: u64 = 1 << 28;

const ONCE: &str = "a node sends its value of each block of others once, after all that comes for it";
const PARTS: &str = "results are complete one tick after the last partials arrive, and leave in the tick after that";

impl SendList {
    /// Program of a reduction.
    pub(super) fn combined(&self, task: &ScheduleTask, reduction: ReversedGossip) -> Result<Program, SendFault> {
        if task.link.lanes > 1 {
            return Err(SendFault::whole("values are combined on links of one lane", "leave `link.lanes` out"));
        }
        let is_own = |send: &TimedSend| self.demand.flits_of(self.map.node(send.register)).contains(&send.flit.into());
        let first_own = self.sends.iter().find(|send| is_own(send)).copied();
        match (reduction.is_gathered, first_own) {
            (false, None) => self.reduced(task, reduction, &self.sends, None),
            (false, Some(own)) => {
                let problem = "a node does not send its own block: partials of it come there";
                // a fault before it comes first
                let before = self.sends.partition_point(|send| send.tick < own.tick);
                match self.reduced(task, reduction, &self.sends[..before], None) {
                    Err(earlier) if earlier.send.is_some() => Err(earlier),
                    _ => Err(SendFault::of(own, problem, ONCE)),
                }
            }
            (true, None) => {
                self.reduced(task, reduction, &self.sends, None)?;
                Err(SendFault::whole("no node sends its own block once that is complete", PARTS))
            }
            (true, Some(own)) => {
                let (partials, results) = self.sends.split_at(self.sends.partition_point(|send| send.tick < own.tick));
                let reduced = self.reduced(task, reduction, partials, Some(own))?;
                let before = own.tick - 1;
                let results: Vec<TimedSend> =
                    results.iter().map(|send| TimedSend { tick: send.tick - before, ..*send }).collect();
                let gathered = packets::program(task, self, &results, before)?;
                let joined = reduced.followed_by(&gathered);
                joined.ok_or_else(|| SendFault::whole("its ticks cannot be counted", "choose fewer"))
            }
        }
    }

    /// Part in which values are combined. Partials are as much longer on their way as rows of adders take, and rows follow from
    /// the values that meet.
    fn reduced(
        &self,
        task: &ScheduleTask,
        reduction: ReversedGossip,
        sends: &[TimedSend],
        next: Option<TimedSend>,
    ) -> Result<Program, SendFault> {
        let ticks = sends.last().map_or(0, |send| u64::from(send.tick));
        if ticks * self.map.across.len() as u64 > MOST_LINK_TICKS {
            let problem = format!("partials take more than {MOST_LINK_TICKS} ticks of all links together");
            return Err(SendFault::whole(problem, "choose a smaller network, or fewer ticks"));
        }
        for rows in 1..=MOST_ROWS {
            let latency = task.link.latency + reduction.adder * rows;
            let part = CombinedPart::of(self, task, reduction, sends, latency)?;
            let needed = part.rows();
            if reduction.adder == 0 || needed == rows {
                return part.program(next);
            }
            if needed < rows {
                break;
            }
        }
        Err(SendFault::whole(
            "adders cannot be laid out: what meets changes with the ticks that they take",
            "leave `adder` out",
        ))
    }
}

/// Block at a node that is not its own, by number of node and packet.
type BlockKey = u64;

/// Partials that have come for a block, and have not been sent on.
#[derive(Default)]
struct HeldBlock {
    operands: Vec<(u32, Port)>,
    sent: Option<TimedSend>,
}

/// Part of a reduction in which values are combined, with links of a latency that has the adders in it.
struct CombinedPart<'a> {
    list: &'a SendList,
    task: &'a ScheduleTask<'a>,
    reduction: ReversedGossip,
    latency: u32,
    ticks: u32,
    behaviours: Behaviours,
    /// by packet, arrivals that complete it: tick and port
    results: Vec<Vec<(u32, Port)>>,
}

impl<'a> CombinedPart<'a> {
    fn of(
        list: &'a SendList,
        task: &'a ScheduleTask<'a>,
        reduction: ReversedGossip,
        sends: &[TimedSend],
        latency: u32,
    ) -> Result<Self, SendFault> {
        let ticks = sends.last().map_or(0, |send| send.tick + latency - 1);
        let mut part = Self {
            list,
            task,
            reduction,
            latency,
            ticks,
            behaviours: Behaviours::new(list.map.across.len()),
            results: vec![Vec::new(); list.demand.packets() as usize],
        };
        part.follow(sends)?;
        Ok(part)
    }

    /// Follows the first flits of all partials.
    fn follow(&mut self, sends: &[TimedSend]) -> Result<(), SendFault> {
        let flits = self.list.flits;
        let sends: Vec<TimedSend> = sends.iter().copied().filter(|send| send.flit % flits == 0).collect();
        let mut held: HashMap<BlockKey, HeldBlock> = HashMap::with_capacity(sends.len());
        let mut seen = 0;
        let is_idempotent = self.reduction.operation.is_idempotent();
        for &send in &sends {
            while seen < sends.len() && sends[seen].tick + self.latency - 1 < send.tick {
                self.arrive(sends[seen], &mut held)?;
                seen += 1;
            }
            let block = held.entry(key(self.list.map.node(send.register), send.flit / flits)).or_default();
            if let Some(before) = block.sent.filter(|_| !is_idempotent) {
                let problem =
                    format!("its value is added twice: it was sent in tick {} (line {})", before.tick, before.line);
                return Err(SendFault::of(send, problem, ONCE));
            }
            block.sent = Some(send);
            let mut operands: Vec<Operand> =
                block.operands.drain(..).map(|(tick, port)| Operand { port, age: send.tick - tick }).collect();
            operands.sort_unstable();
            self.behaviours.send(send, flits, Operands::of(operands));
        }
        for &send in &sends[seen..] {
            self.arrive(send, &mut held)?;
        }
        self.refuse_missing(&held)
    }

    /// Notes what arrives of a partial.
    fn arrive(&mut self, send: TimedSend, held: &mut HashMap<BlockKey, HeldBlock>) -> Result<(), SendFault> {
        let Self { list, latency, .. } = *self;
        let input = list.map.across[send.register as usize];
        let (node, port) = (list.map.node(input), list.map.channel(input).port);
        let (tick, packet) = (send.tick + latency - 1, send.flit / list.flits);
        if list.demand.sender(packet.into()).0 == node {
            self.results[packet as usize].push((tick, port));
            return Ok(());
        }
        let block = held.entry(key(node, packet)).or_default();
        block.operands.push((tick, port));
        match block.sent.filter(|_| !self.reduction.operation.is_idempotent()) {
            None => Ok(()),
            Some(sent) => {
                let problem = format!(
                    "it comes too late: node {} sent its value in tick {} (line {}), and this comes in tick {tick}",
                    node.0, sent.tick, sent.line
                );
                Err(SendFault::of(send, problem, ONCE))
            }
        }
    }

    /// Fails if a node never sends its value of a block.
    fn refuse_missing(&self, held: &HashMap<BlockKey, HeldBlock>) -> Result<(), SendFault> {
        let Self { list, task, .. } = self;
        let sent = held.values().filter(|block| block.sent.is_some()).count() as u64;
        let live = u64::from(task.topology.live_nodes());
        if sent == list.demand.packets() * (live - 1) {
            return Ok(());
        }
        for node in task.topology.live_ids() {
            for packet in 0..list.demand.packets() as u32 {
                let is_own = || list.demand.sender(packet.into()).0 == node;
                if held.get(&key(node, packet)).is_none_or(|block| block.sent.is_none()) && !is_own() {
                    let block = list.shown(task, packet * list.flits).replace("message", "block");
                    let place = task.topology.show(node);
                    let problem = format!("node {} at {place} never sends its value of {block}", node.0);
                    return Err(SendFault::whole(problem, "add the lines that are missing"));
                }
            }
        }
        Ok(())
    }

    /// Rows of adders that the most values need that meet in an output.
    fn rows(&self) -> u32 {
        self.behaviours.rows().max(1)
    }

    /// Program of the part, followed by ticks of rest up to the first result that is sent.
    fn program(self, next: Option<TimedSend>) -> Result<Program, SendFault> {
        let ScheduleTask { topology, link, .. } = *self.task;
        let mut ticks = self.ticks;
        if let Some(next) = next {
            // values pass adders once more when they complete a block
            let adder = self.reduction.adder;
            let complete = self.results.iter().filter(|arrived| !arrived.is_empty()).map(|arrived| {
                let last = arrived.iter().map(|&(tick, _)| tick).max().unwrap_or(0);
                last + adder * (arrived.len() as u32 + 1).next_power_of_two().trailing_zeros()
            });
            let complete = complete.max().unwrap_or(0).max(ticks);
            if next.tick < complete + 2 {
                let problem = format!(
                    "a result is sent before all are complete, after tick {complete}: results leave from tick {} on",
                    complete + 2
                );
                return Err(SendFault::of(next, problem, PARTS));
            }
            ticks = next.tick - 2;
        }
        let operand = |&(tick, port): &(u32, Port)| Operand { port, age: ticks + 1 - tick };
        let results = self.results.iter().map(|arrived| {
            let mut operands: Vec<Operand> = arrived.iter().map(operand).collect();
            operands.sort_unstable();
            Operands::of(operands)
        });
        let results: Vec<Operands> = results.collect();
        let of_node = |node: NodeId| {
            let first = self.list.demand.packet(node, 0) as usize;
            results[first..first + self.list.demand.packets_of(node) as usize].to_vec()
        };
        let (classes, class_of, results) = self.behaviours.classes(topology, ticks, of_node);
        let order = self.behaviours.order(topology, &self.list.demand, self.list.flits);
        let ReversedGossip { operation, number, flush, is_gathered, .. } = self.reduction;
        // a part that others follow is on links that have the adders in them
        let adding = if is_gathered { 0 } else { self.latency - link.latency };
        let program = Program {
            title: self.task.title(),
            topology: topology.clone(),
            ticks,
            flits: self.list.flits,
            duplex: link.duplex,
            lanes: 1,
            latency: self.latency - adding,
            demand: self.list.demand.clone(),
            classes,
            class_of,
            windows: Vec::new(),
            reduction: Some(Arc::new(Reduction {
                operation,
                number,
                flush,
                adding,
                ticks,
                everywhere: false,
                order,
                results,
            })),
        };
        Ok(program.with_dead_class())
    }
}

fn key(node: NodeId, packet: u32) -> BlockKey {
    u64::from(node.0) << 32 | u64::from(packet)
}
