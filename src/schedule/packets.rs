//! Program of a schedule in which packets move: ages follow from when a flit came, stores from how long it stays.

use std::collections::HashMap;

use super::ScheduleTask;
use super::sends::{NONE, RegisterMap, SendFault, SendList, TimedSend};
use crate::net::{Channel, NodeId};
use crate::program::{FlitId, Program, ProgramBuilder, Run, Source, Wanted, count};
use crate::task::{Collective, CombinePlace};

impl SendList {
    /// Program of a collective in which packets move.
    pub(super) fn moved(&self, task: &ScheduleTask) -> Result<Program, SendFault> {
        program(task, self, &self.sends, 0)
    }
}

/// Builds the program of sends whose ticks begin `before` ticks before the program.
pub(super) fn program(
    task: &ScheduleTask,
    list: &SendList,
    sends: &[TimedSend],
    before: u32,
) -> Result<Program, SendFault> {
    let mut reader = ArrivalReader::new(task, list, sends);
    let mut tracks = TrackWriter::new(task, list);
    for send in sends {
        let source = reader.source(*send, before).map_err(|fault| SendFault {
            send: fault.send.map(|send| TimedSend { tick: send.tick + before, ..send }),
            ..fault
        })?;
        tracks.push(send.register, send.tick, source);
    }
    reader.arrive(u32::MAX);
    reader.refuse_missing()?;
    let ticks = sends.last().map_or(0, |send| send.tick) + task.link.latency - 1;
    Ok(tracks.program(ticks))
}

/// Arrivals at every node, tick after tick.
struct ArrivalReader<'a> {
    task: &'a ScheduleTask<'a>,
    list: &'a SendList,
    sends: &'a [TimedSend],
    wanted: Wanted<'a>,
    /// by node and flit, the send of its last arrival
    arrived: HashMap<u64, u32>,
    /// sends that have arrived
    seen: usize,
    /// by register, its last tick and source
    last: Vec<(u32, Source)>,
    /// by node, flits that it has still to learn
    unknown: Vec<u64>,
}

impl<'a> ArrivalReader<'a> {
    fn new(task: &'a ScheduleTask<'a>, list: &'a SendList, sends: &'a [TimedSend]) -> Self {
        let goals = list.demand.goals(task.topology).into_iter().zip(task.topology.node_ids());
        Self {
            task,
            list,
            sends,
            wanted: Wanted::new(task.topology, &list.demand),
            arrived: HashMap::with_capacity(sends.len()),
            seen: 0,
            last: vec![(0, Source::Idle); list.map.across.len()],
            unknown: goals.map(|(goal, node)| goal - list.demand.own_flits(node)).collect(),
        }
    }

    /// Tick in which a send arrives.
    fn arrival(&self, send: u32) -> u32 {
        self.sends[send as usize].tick + self.task.link.latency - 1
    }

    /// Input by which a send arrives.
    fn input(&self, send: u32) -> u32 {
        self.list.map.across[self.sends[send as usize].register as usize]
    }

    /// Notes what arrives before a tick.
    fn arrive(&mut self, tick: u32) {
        while self.seen < self.sends.len() && self.arrival(self.seen as u32) < tick {
            let now = self.seen as u32;
            self.seen += 1;
            let (node, flit) = (self.list.map.node(self.input(now)), self.sends[now as usize].flit);
            if self.list.demand.flits_of(node).contains(&flit.into()) {
                continue;
            }
            let key = u64::from(node.0) << 32 | u64::from(flit);
            match self.arrived.get(&key) {
                None => {
                    self.arrived.insert(key, now);
                    if self.wanted.by(node, FlitId(flit)) {
                        self.unknown[node.index()] -= 1;
                    }
                }
                // the first port's of two in one tick
                Some(&other) if self.arrival(other) == self.arrival(now) && self.input(other) < self.input(now) => {}
                Some(_) => {
                    self.arrived.insert(key, now);
                }
            }
        }
    }

    /// Returns true if an input of a node brings a flit in a tick.
    fn brings(&self, input: u32, tick: u32, flit: u32) -> bool {
        let register = self.list.map.across[input as usize];
        let Some(sent) = (tick + 1).checked_sub(self.task.link.latency).filter(|_| register != NONE) else {
            return false;
        };
        let found = self.sends.binary_search_by_key(&(sent, register), |send| (send.tick, send.register));
        found.is_ok_and(|at| self.sends[at].flit == flit)
    }

    /// Source of a send: a packet of the node's own, or an arrival.
    fn source(&mut self, send: TimedSend, before: u32) -> Result<Source, SendFault> {
        self.arrive(send.tick);
        let TimedSend { tick, register, flit, .. } = send;
        let node = self.list.map.node(register);
        let source = if self.list.demand.flits_of(node).contains(&flit.into()) {
            Source::own(self.list.demand.origin(FlitId(flit)).packet)
        } else {
            match self.same_input(node, tick, register, flit) {
                Some(source) => source,
                None => self.forwarded(send, node, before)?,
            }
        };
        self.last[register as usize] = (tick, source);
        Ok(source)
    }

    /// Source of the tick before, if it brings this flit as well: routers that change nothing are the smallest.
    fn same_input(&self, node: NodeId, tick: u32, register: u32, flit: u32) -> Option<Source> {
        let (then, source) = self.last[register as usize];
        let Source::In { port, lane, age } = source else { return None };
        let map: &RegisterMap = &self.list.map;
        let input = node.index() * map.outputs + port.index() * usize::from(map.lanes) + usize::from(lane);
        (then + 1 == tick && tick > age && self.brings(input as u32, tick - age, flit)).then_some(source)
    }

    fn forwarded(&self, send: TimedSend, node: NodeId, before: u32) -> Result<Source, SendFault> {
        let key = u64::from(node.0) << 32 | u64::from(send.flit);
        if let Some(&from) = self.arrived.get(&key) {
            let Channel { port, lane } = self.list.map.channel(self.input(from));
            return Ok(Source::In { port, lane, age: send.tick - self.arrival(from) });
        }
        let later = (self.seen as u32..self.sends.len() as u32).find(|&other| {
            self.sends[other as usize].flit == send.flit && self.list.map.node(self.input(other)) == node
        });
        let is_sum = self.task.traffic.collective == Collective::AllReduce;
        let problem = match later {
            Some(other) => format!(
                "it has not come yet: it comes in tick {} (line {}), and can be sent from the next tick on",
                self.arrival(other) + before,
                self.sends[other as usize].line
            ),
            None if is_sum => format!("the result never comes, and partials are sent before tick {}", before + 1),
            None => "it never comes to this node".to_owned(),
        };
        Err(SendFault::of(send, problem, "a node sends what is its own, or has come in a tick before"))
    }

    /// Fails if a node lacks something in the end.
    fn refuse_missing(&self) -> Result<(), SendFault> {
        let Some(lacking) = self.unknown.iter().position(|&unknown| unknown > 0) else { return Ok(()) };
        let (node, demand, topology) = (NodeId(lacking as u32), &self.list.demand, self.task.topology);
        let is_missing = |&flit: &u64| {
            let known =
                demand.flits_of(node).contains(&flit) || self.arrived.contains_key(&(u64::from(node.0) << 32 | flit));
            !known && self.wanted.by(node, FlitId(flit as u32))
        };
        let first = (0..demand.flits())
            .find(is_missing)
            .map_or_else(String::new, |flit| self.list.shown(self.task, flit as u32));
        let others = self.unknown.iter().filter(|&&unknown| unknown > 0).count() - 1;
        let problem = format!(
            "node {} at {} never gets {first} ({} missing there; {} lacking some)",
            node.0,
            topology.show(node),
            count(self.unknown[lacking], "flit"),
            count(others as u64, "other node")
        );
        Err(SendFault::whole(problem, "add the lines that are missing"))
    }
}

/// Runs of every output.
struct TrackWriter<'a> {
    task: &'a ScheduleTask<'a>,
    list: &'a SendList,
    /// by register, its runs so far, and their ticks
    runs: Vec<(Vec<Run>, u32)>,
    /// true if own packets in the order of their numbers are one run
    has_ranges: bool,
}

impl<'a> TrackWriter<'a> {
    fn new(task: &'a ScheduleTask<'a>, list: &'a SendList) -> Self {
        let runs = vec![(Vec::new(), 0); list.map.across.len()];
        Self {
            task,
            list,
            runs,
            has_ranges: task.traffic.collective.has_root() || task.traffic.combined == CombinePlace::Root,
        }
    }

    fn push(&mut self, register: u32, tick: u32, source: Source) {
        let (runs, ticks) = &mut self.runs[register as usize];
        let silent = tick - 1 - *ticks;
        if silent > 0 {
            runs.push(Run { source: Source::Idle, ticks: silent });
        }
        *ticks = tick;
        match (runs.last_mut(), source) {
            (Some(run), _) if run.source == source => run.ticks += 1,
            (Some(run), Source::Own { packet, .. }) if self.has_ranges && goes_on(*run, packet) => {
                let Source::Own { packet: first, .. } = run.source else { return };
                *run = Run { source: Source::Own { packet: first, through: packet }, ticks: run.ticks + 1 };
            }
            _ => runs.push(Run { source, ticks: 1 }),
        }
    }

    fn program(self, ticks: u32) -> Program {
        let ScheduleTask { topology, link, .. } = *self.task;
        let map = &self.list.map;
        let mut builder = ProgramBuilder::on_links(topology, link.duplex, link.lanes, ticks, self.list.demand.clone());
        for (register, (runs, _)) in (0..).zip(&self.runs).filter(|(_, (runs, _))| !runs.is_empty()) {
            let track = builder.track(runs, Source::Idle);
            let Channel { port, lane } = map.channel(register);
            builder.set_lane(map.node(register), port, lane, track);
        }
        Program { flits: self.list.flits, latency: link.latency, ..builder.finish(self.task.title()) }
    }
}

/// Returns true if a run of own packets of one flit, each once, goes on with this one.
fn goes_on(run: Run, next: u32) -> bool {
    matches!(run.source, Source::Own { packet, through } if through + 1 == next && run.ticks == next - packet)
}
