//! Sends of a schedule in the order of their ticks: each is a flit on an output, and has its line.

use std::collections::HashMap;

use super::error::ScheduleError;
use super::lines::ScheduleLines;
use super::messages::{MessageName, MessageNotation};
use super::numbers::{self, FlitNumbers};
use super::{MOST_SENDS, MOST_TICKS, ScheduleTask};
use crate::algorithm::is_algorithm;
use crate::files::shown_beginning;
use crate::net::{Channel, NodeId, OUTSIDE, Topology};
use crate::program::{Demand, FlitId, Message, Sender, To};
use crate::task::Collective;

/// Registers of the largest network for which a file is read.
const MOST_REGISTERS: u64 = 1 << 26;
const WHOLE: &str = "send the flits of a packet in consecutive ticks, or leave out the column `flit`";
/// Marks an input without a link.
pub(super) const NONE: u32 = u32::MAX;

/// A flit that leaves by an output in a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedSend {
    pub tick: u32,
    /// register of the output: node after node, port after port, lane after lane
    pub register: u32,
    pub flit: u32,
    pub line: u32,
}

/// Problem of a send, or of the schedule as a whole.
#[derive(Debug)]
pub(super) struct SendFault {
    /// send that is wrong, with the ticks of the file
    pub send: Option<TimedSend>,
    pub problem: String,
    pub help: &'static str,
}

impl SendFault {
    pub(super) fn of(send: TimedSend, problem: impl Into<String>, help: &'static str) -> Self {
        Self { send: Some(send), problem: problem.into(), help }
    }

    pub(super) fn whole(problem: impl Into<String>, help: &'static str) -> Self {
        Self { send: None, problem: problem.into(), help }
    }
}

/// Links between registers.
pub(super) struct RegisterMap {
    pub outputs: usize,
    pub lanes: u8,
    /// by register, the one at the other end of its link; as a register that sends it leads to the one that receives there
    pub across: Vec<u32>,
}

impl RegisterMap {
    pub(super) fn of(topology: &Topology, lanes: u8) -> Self {
        let outputs = topology.ports() * usize::from(lanes);
        let mut across = Vec::with_capacity(topology.registers() * usize::from(lanes));
        topology.sweep(0..topology.nodes(), |_, neighbours| {
            for (port, there) in topology.port_ids().zip(neighbours) {
                let first = there.index() * outputs + port.opposite().index() * usize::from(lanes);
                across.extend((first..).take(lanes.into()).map(
                    |other| {
                        if *there == OUTSIDE { NONE } else { other as u32 }
                    },
                ));
            }
        });
        Self { outputs, lanes, across }
    }

    pub(super) fn node(&self, register: u32) -> NodeId {
        NodeId(register / self.outputs as u32)
    }

    pub(super) fn channel(&self, register: u32) -> Channel {
        Channel::from_index(register as usize % self.outputs, self.lanes)
    }
}

/// Sends of a file in the order of their ticks, and the demand that they are for.
pub(super) struct SendList {
    pub sends: Vec<TimedSend>,
    pub demand: Demand,
    /// flits of each packet
    pub flits: u32,
    pub map: RegisterMap,
}

impl SendList {
    pub(super) fn of(task: &ScheduleTask, lines: &ScheduleLines) -> Result<Self, ScheduleError> {
        let ScheduleTask { topology, traffic, link, .. } = *task;
        refuse_large(task)?;
        let notation = MessageNotation::of(traffic.woven());
        let named = numbers::names(notation, lines)?;
        let packets = if notation == MessageNotation::Packet {
            let largest = named.iter().enumerate().max_by_key(|(at, name)| (name.second, std::cmp::Reverse(*at)));
            let (at, second) = largest.map_or((0, 0), |(at, name)| (at, name.second));
            // packets are numbered in 16 bits
            u16::try_from(second.saturating_add(1)).map_err(|_| {
                let problem = format!("a node has more packets than {}", u16::MAX);
                ScheduleError::at(lines.sends[at].line, problem, "packets of a node are numbered from 0")
            })?
        } else {
            0
        };
        let demand = numbers::demand(task, packets)?;
        let numbers = FlitNumbers::new(task, notation, &demand);
        let outputs = topology.ports() * usize::from(link.lanes);
        let mut sends = Vec::with_capacity(lines.sends.len());
        for (line, &name) in lines.sends.iter().zip(&named) {
            let (first, length) = numbers.flits(name).map_err(|problem| {
                let help = format!("a message is {}", notation.example());
                ScheduleError::at(line.line, format!("message {}: {problem}", shown_beginning(line.message)), help)
            })?;
            let wanted = if lines.has_flits { line.flit..line.flit.saturating_add(1) } else { 0..length };
            if wanted.end > length {
                let problem = format!("message {} has no flit {}", line.message, line.flit);
                return Err(ScheduleError::at(line.line, problem, format!("its flits are 0 to {}", length - 1)));
            }
            if line.tick + (wanted.end - wanted.start) - 1 > MOST_TICKS || sends.len() + wanted.len() > MOST_SENDS {
                let problem = format!("more than {MOST_SENDS} flits are sent, or in more than {MOST_TICKS} ticks");
                return Err(ScheduleError::at(line.line, problem, "choose shorter messages"));
            }
            let register = line.node.index() * outputs + line.port.index() * usize::from(link.lanes);
            for (tick, flit) in (line.tick..).zip(wanted) {
                sends.push(TimedSend { tick, register: register as u32, flit: first + flit, line: line.line });
            }
        }
        Ok(Self::new(task, sends, demand))
    }

    /// Sorts sends by their ticks.
    pub(super) fn new(task: &ScheduleTask, sends: Vec<TimedSend>, demand: Demand) -> Self {
        let ScheduleTask { topology, traffic, link, .. } = *task;
        let flits = if traffic.is_of_packets() && traffic.pairs.is_none() { task.flits } else { 1 };
        let map = RegisterMap::of(topology, link.lanes);
        let mut list = Self { sends, demand, flits, map };
        list.sends.sort_unstable_by_key(|send| (send.tick, send.register, send.line));
        if traffic.collective == Collective::Exchange && traffic.pairs.is_none() {
            list.number_by_output(topology);
        }
        list
    }

    /// Returns the first fault that links show, and leaves the sends before it.
    pub(super) fn refuse_links(&mut self, task: &ScheduleTask) -> Option<SendFault> {
        let mut first = None;
        for pass in 0..3 {
            let found = match pass {
                0 => self.spread(),
                1 => self.refuse_both_ends(task),
                _ => self.refuse_torn(first.is_some()),
            };
            if let Err(fault) = found {
                let tick = fault.send.map_or(0, |send| send.tick);
                self.sends.retain(|send| send.tick < tick);
                first = Some(fault);
            }
        }
        first
    }

    /// Gives sends of one output in one tick a lane each.
    fn spread(&mut self) -> Result<(), SendFault> {
        let lanes = self.map.lanes;
        for link in self.sends.chunk_by_mut(|one, other| (one.tick, one.register) == (other.tick, other.register)) {
            if link.len() > lanes.into() {
                let (before, send) = (link[0].line, link[usize::from(lanes)]);
                let problem = if lanes == 1 {
                    format!("the link is taken in this tick by line {before}")
                } else {
                    format!("all {lanes} lanes of the link are taken in this tick, the first by line {before}")
                };
                return Err(SendFault::of(send, problem, "send one of them in another tick"));
            }
            for (send, lane) in link.iter_mut().zip(0..) {
                send.register += lane;
            }
        }
        Ok(())
    }

    /// Fails if both ends of a half-duplex link send in a tick.
    fn refuse_both_ends(&self, task: &ScheduleTask) -> Result<(), SendFault> {
        if task.link.duplex.is_full() {
            return Ok(());
        }
        for tick in self.sends.chunk_by(|one, other| one.tick == other.tick) {
            for send in tick {
                let lane = u32::from(self.map.channel(send.register).lane);
                let other = self.map.across[send.register as usize] - lane;
                let others = tick.partition_point(|one| one.register < other);
                let there = tick[others..].iter().find(|one| one.register < other + u32::from(self.map.lanes));
                if let Some(there) = there.filter(|there| there.line < send.line) {
                    let problem =
                        format!("the other end of the half-duplex link sends in this tick (line {})", there.line);
                    return Err(SendFault::of(
                        *send,
                        problem,
                        "send one of them in another tick, or leave `link.duplex` out",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Fails unless the flits of each packet follow each other on a link; the last packets of a list that is cut may be short.
    fn refuse_torn(&self, is_cut: bool) -> Result<(), SendFault> {
        if self.flits == 1 {
            return Ok(());
        }
        let mut last: HashMap<u32, TimedSend> = HashMap::new();
        let is_last = |send: &TimedSend| send.flit % self.flits == self.flits - 1;
        for send in &self.sends {
            let before = last.insert(send.register, *send);
            let follows = before.is_some_and(|it| it.tick + 1 == send.tick && it.flit + 1 == send.flit);
            let (place, is_done) = (send.flit % self.flits, before.as_ref().is_none_or(is_last));
            if place == 0 && is_done || place > 0 && follows && !is_done {
                continue;
            }
            let problem = match before.filter(|_| !is_done) {
                Some(before) => {
                    format!("flit {} of the packet in line {} has to follow", before.flit % self.flits + 1, before.line)
                }
                None => format!("flit {} of a packet follows flit {}", place, place - 1),
            };
            return Err(SendFault::of(*send, problem, WHOLE));
        }
        match last.values().filter(|send| !is_cut && !is_last(send)).min_by_key(|send| (send.tick, send.register)) {
            Some(send) => Err(SendFault::of(*send, "the rest of the packet does not follow", WHOLE)),
            None => Ok(()),
        }
    }

    /// Numbers the packets of every node so that each output sends them in the order of their numbers: nodes that do the same then
    /// say the same.
    fn number_by_output(&mut self, topology: &Topology) {
        let Self { sends, demand, flits, map } = self;
        let mut first: Vec<(u32, u32)> = vec![(NONE, NONE); demand.packets() as usize];
        for send in sends.iter() {
            let packet = (send.flit / *flits) as usize;
            if demand.sender(packet as u64).0 == map.node(send.register) {
                first[packet] = first[packet].min((send.register, send.tick));
            }
        }
        let (mut messages, mut numbers) = (Vec::with_capacity(first.len()), vec![0; first.len()]);
        for node in topology.node_ids() {
            let own = demand.packet(node, 0) as usize..demand.packet(node, demand.packets_of(node)) as usize;
            let mut order: Vec<usize> = own.clone().collect();
            order.sort_by_key(|&packet| first[packet]);
            for (number, packet) in own.clone().zip(order) {
                numbers[packet] = number as u32;
                messages.push(demand.message(node, (packet - own.start) as u32).clone());
            }
        }
        for send in sends.iter_mut() {
            send.flit = numbers[(send.flit / *flits) as usize] * *flits + send.flit % *flits;
        }
        *demand = Demand::new(topology, alike(topology, &messages).unwrap_or(messages));
    }

    /// Problem of a send with its place.
    pub(super) fn error(&self, task: &ScheduleTask, text: &str, fault: SendFault) -> ScheduleError {
        let SendFault { send, problem, help } = fault;
        let Some(TimedSend { tick, register, line, flit }) = send else { return ScheduleError::whole(problem, help) };
        let (topology, node) = (task.topology, self.map.node(register));
        let port = self.map.channel(register).port.label(topology.axes());
        let message = if is_algorithm(text) {
            self.shown(task, flit)
        } else {
            let message = text.lines().nth(line as usize - 1).and_then(|row| row.split(',').nth(3));
            format!("message {}", shown_beginning(message.unwrap_or_default().trim()))
        };
        let place = format!("tick {tick}, node {} at {}, port {port}, {message}", node.0, topology.show(node));
        ScheduleError::at(line, format!("{place}: {problem}"), help)
    }

    /// Name of the message of a flit, and place of the flit in it.
    pub(super) fn shown(&self, task: &ScheduleTask, flit: u32) -> String {
        let Self { demand, .. } = self;
        let notation = MessageNotation::of(task.traffic.woven());
        let origin = demand.origin(FlitId(flit));
        let receiver = |packet: u32| demand.receiver(task.topology, origin.node, packet).map_or(0, |to| to.0);
        let (first, second) = match notation {
            MessageNotation::Packet => (origin.node.0, origin.packet),
            MessageNotation::Sender => (origin.node.0, 0),
            MessageNotation::Receiver => (receiver(origin.packet), 0),
            MessageNotation::Pair => (origin.node.0, receiver(origin.packet)),
        };
        let is_alone = notation == MessageNotation::Packet || self.flits > 1;
        let of_message = |packet: u32| !is_alone && receiver(packet) == receiver(origin.packet);
        let before = (0..origin.packet).filter(|&packet| of_message(packet)).count() as u32 + origin.flit;
        let name = notation.shown(MessageName { first, second }, demand.most_packets() > 1);
        if before == 0 { format!("message {name}") } else { format!("flit {before} of message {name}") }
    }
}

/// Fails if a network has more outputs than a file is read for.
pub(super) fn refuse_large(task: &ScheduleTask) -> Result<(), ScheduleError> {
    let registers = task.topology.registers() as u64 * u64::from(task.link.lanes);
    if registers <= MOST_REGISTERS {
        return Ok(());
    }
    let problem =
        format!("{registers} outputs of all nodes are more than the {MOST_REGISTERS} that a file is read for");
    Err(ScheduleError::whole(problem, "choose a smaller network"))
}

/// Messages of a network in which all nodes send to nodes equally far away, each once for all.
fn alike(topology: &Topology, messages: &[Message]) -> Option<Vec<Message>> {
    if !topology.is_homogeneous() || topology.live_nodes() < topology.nodes() {
        return None;
    }
    let offset = |message: &Message| match (message.from, &message.to) {
        (Sender::Node(from), To::Node(to)) => Some(topology.offset(from, *to)),
        _ => None,
    };
    let mut rows = messages.chunks(messages.len() / topology.nodes() as usize);
    let first: Vec<Vec<u32>> = rows.next()?.iter().map(offset).collect::<Option<_>>()?;
    let is_alike = |row: &[Message]| row.iter().map(offset).eq(first.iter().cloned().map(Some));
    let every = |(offset, message): (&Vec<u32>, &Message)| Message {
        from: Sender::Every,
        to: To::Offset(offset.clone()),
        ..message.clone()
    };
    rows.all(is_alike).then(|| first.iter().zip(messages).map(every).collect())
}
