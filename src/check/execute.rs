//! Moves every token, tick by tick, into the inbox of the node it is sent to.
//!
//! The model pulls from its neighbours' registers; this executor pushes into inboxes, so that a mistake in the one is
//! not repeated in the other.

use std::collections::BTreeSet;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;

use super::{Method, Report, Tally, Token, Traffic, Violation};
use crate::net::{Channel, NodeId, Port};
use crate::program::{Duplex, FlitId, Program, Source, Span};

const NOTHING: u32 = u32::MAX;

/// Executes the whole program and reports what every node learned.
pub(super) fn run(program: &Program) -> Report {
    let mut execution = Execution::new(program);
    for tick in 1..=program.ticks {
        execution.tick(tick);
    }
    execution.report()
}

/// What arrived at every port in one tick, at the index of the register of the same node, port and lane.
type Inbox = Vec<u32>;

struct Execution<'p> {
    program: &'p Program,
    /// the spans of every output of every class, unrolled
    spans: Vec<Vec<Span>>,
    /// index of the span now playing, one for every output of every class
    playing: Vec<usize>,
    /// the inboxes of the last ticks, as far back as any output reads; tick t's is at t modulo their number
    inboxes: Vec<Inbox>,
    /// flits a node knows, a row a node
    known: BitVec,
    /// flits still unknown where they are wanted, summed over all nodes
    unknown: u64,
    /// where the numbers of a packet's flits begin, and the end of all
    begins: BitVec,
    complete_at: Option<u32>,
    duplicates: u64,
    carried: Vec<u32>,
    traffic: Traffic,
    /// the port that last sent over a link, at the index of the register of its lower port
    senders: Vec<Sender>,
    faults: Vec<Violation>,
}

/// Which end of a link sent last and when, and how often that changed.
#[derive(Clone, Copy, Default)]
struct Sender {
    /// 0 nobody yet, 1 the end whose port looks to larger coordinates, 2 the other
    end: u8,
    tick: u32,
    turns: u32,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program) -> Self {
        let (nodes, registers) = (program.topology.nodes() as usize, program.registers());
        let demand = &program.demand;
        let flits = demand.flits() as usize;
        let mut known = BitVec::repeat(false, nodes * flits);
        for (node, known) in program.topology.node_ids().zip(known.chunks_exact_mut(flits)) {
            let own = demand.flits_of(node);
            known[own.start as usize..own.end as usize].fill(true);
        }
        let mut begins = BitVec::repeat(false, flits + 1);
        for node in program.topology.node_ids() {
            for packet in 0..demand.packets_of(node) {
                begins.set(demand.flits_of_packet(node, packet).start as usize, true);
            }
        }
        begins.set(flits, true);
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let spans: Vec<Vec<Span>> = tracks.map(|track| track.spans(program.ticks).collect()).collect();
        Self {
            program,
            playing: vec![0; spans.len()],
            spans,
            inboxes: vec![vec![NOTHING; registers]; program.depth().max(1) as usize + 1],
            known,
            unknown: demand.goals(&program.topology).iter().sum::<u64>() - demand.flits(),
            begins,
            complete_at: None,
            duplicates: 0,
            carried: vec![0; registers],
            traffic: Traffic::default(),
            senders: vec![Sender::default(); program.topology.registers()],
            faults: Vec::new(),
        }
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        let topology = &program.topology;
        let sources = self.sources(tick);
        let outputs = program.outputs();
        let now = tick as usize % self.inboxes.len();
        let mut inbox = std::mem::take(&mut self.inboxes[now]);
        for node in topology.node_ids() {
            let class = program.class_of[node.index()].index();
            let mut sends = 0;
            for (output, &(source, played)) in sources[class * outputs..][..outputs].iter().enumerate() {
                let channel @ Channel { port, lane } = program.output(output);
                let Some(neighbour) = topology.neighbour(node, port) else { continue };
                let flit = self.sent(node, output, source, played, tick);
                let is_sent = u32::from(flit != NOTHING);
                self.carried[program.register(node, channel)] += is_sent;
                sends += is_sent;
                inbox[program.register(neighbour, Channel { port: port.opposite(), lane })] = flit;
            }
            self.traffic.sends = self.traffic.sends.max(sends);
        }
        self.inboxes[now] = inbox;
        self.note_directions(tick);
        self.receive(tick);
    }

    /// The flit that an output sends in a tick.
    fn sent(&mut self, node: NodeId, output: usize, source: Source, played: u32, tick: u32) -> u32 {
        let program = self.program;
        let mut found = NOTHING;
        match source {
            Source::Idle => {}
            Source::Own { packet, through } => {
                found = program.demand.flit(node, packet, through, played).map_or(NOTHING, |flit| flit.0);
            }
            Source::In { .. } | Source::Any { .. } => {
                let age = source.age().expect("what comes in has an age");
                if age >= tick {
                    return self.or_injected(node, output, tick, NOTHING);
                }
                let then = &self.inboxes[(tick - age) as usize % self.inboxes.len()];
                for input in source.inputs() {
                    let flit = then[program.register(node, input)];
                    if flit != NOTHING && found != NOTHING {
                        let (node, port) = (program.topology.coords(node), program.output(output).to_string());
                        self.faults.push(Violation::Clash { node, port, tick });
                    }
                    found = if flit == NOTHING { found } else { flit };
                }
                if found != NOTHING && age > 1 {
                    self.traffic.held = self.traffic.held.max(age);
                }
            }
        }
        self.or_injected(node, output, tick, found)
    }

    /// What an output sends that would otherwise send `found`: while the node's window is open, a packet of its own.
    fn or_injected(&mut self, node: NodeId, output: usize, tick: u32, found: u32) -> u32 {
        let program = self.program;
        let Some(packet) = program.class(node).outputs[output].inject else { return found };
        let Some(since) = program.window(node).open(tick) else { return found };
        if found != NOTHING {
            let (node, port) = (program.topology.coords(node), program.output(output).to_string());
            self.faults.push(Violation::RunOver { node, port, tick });
        }
        program.demand.flit(node, packet, packet, since).map_or(NOTHING, |flit| flit.0)
    }

    /// Which way every link was used in this tick: on half-duplex links only one.
    fn note_directions(&mut self, tick: u32) {
        let program = self.program;
        if program.duplex.is_full() {
            return;
        }
        let inbox = &self.inboxes[tick as usize % self.inboxes.len()];
        let brings = |node, port| {
            (0..program.lanes).any(|lane| inbox[program.register(node, Channel { port, lane })] != NOTHING)
        };
        let topology = &program.topology;
        for node in topology.node_ids() {
            for port in (0..topology.axes()).map(Port::plus) {
                let Some(neighbour) = topology.neighbour(node, port) else { continue };
                let end = match (brings(neighbour, port.opposite()), brings(node, port)) {
                    (false, false) => continue,
                    (true, false) => 1,
                    (false, true) => 2,
                    (true, true) => {
                        let (node, neighbour) = (topology.coords(node), topology.coords(neighbour));
                        self.faults.push(Violation::BothWays { node, port: port.to_string(), neighbour, tick });
                        continue;
                    }
                };
                let sender = &mut self.senders[topology.register(node, port)];
                let before = std::mem::replace(sender, Sender { end, tick, turns: sender.turns });
                if before.end == 0 || before.end == end {
                    continue;
                }
                sender.turns += 1;
                let (here, there) = (topology.coords(node), topology.coords(neighbour));
                let (node, port, neighbour) =
                    if end == 1 { (here, port, there) } else { (there, port.opposite(), here) };
                let port = port.to_string();
                match program.duplex {
                    Duplex::Pads if before.tick + 1 == tick => {
                        self.faults.push(Violation::NoSilence { node, port, neighbour, tick });
                    }
                    Duplex::OneWay => self.faults.push(Violation::Backwards { node, port, neighbour, tick }),
                    _ => {}
                }
            }
        }
    }

    /// The source of every output of every class in this tick, and for how many ticks it has played before.
    fn sources(&mut self, tick: u32) -> Vec<(Source, u32)> {
        let playing = self.playing.iter_mut().zip(&self.spans);
        playing
            .map(|(index, spans)| {
                *index += usize::from(spans[*index].last < tick);
                (spans[*index].source, tick - spans[*index].first)
            })
            .collect()
    }

    fn receive(&mut self, tick: u32) {
        let program = self.program;
        let outputs = program.outputs();
        let demand = &self.program.demand;
        let total = demand.flits() as usize;
        let mut receives = 0;
        let has_long_packets = demand.flits() > demand.packets();
        let inbox = &self.inboxes[tick as usize % self.inboxes.len()];
        let before = &self.inboxes[(tick as usize + self.inboxes.len() - 1) % self.inboxes.len()];
        for (index, (&flit, &previous)) in inbox.iter().zip(before).enumerate() {
            // the last flit's successor is the next packet's first, so a packet in order is one that counts up
            if has_long_packets && !in_order(previous, flit, &self.begins) {
                let node = program.topology.coords(NodeId((index / outputs) as u32));
                self.faults.push(Violation::Torn { node, port: program.output(index % outputs).to_string(), tick });
            }
            if index % outputs == 0 {
                receives = 0;
            }
            if flit != NOTHING {
                receives += 1;
                self.traffic.receives = self.traffic.receives.max(receives);
                let receiver = NodeId((index / outputs) as u32);
                let is_news = !self.known.replace(index / outputs * total + flit as usize, true);
                let is_wanted = demand.wants_flit(&program.topology, receiver, FlitId(flit));
                self.duplicates += u64::from(!is_news);
                self.traffic.overheard += u64::from(is_news && !is_wanted);
                self.unknown -= u64::from(is_news && is_wanted);
            }
        }
        if self.unknown == 0 && self.complete_at.is_none() {
            self.complete_at = Some(tick);
        }
    }

    fn report(mut self) -> Report {
        let program = self.program;
        let mut violations = std::mem::take(&mut self.faults);
        if self.complete_at.is_none() {
            violations.extend(self.missing());
        }
        let topology = &program.topology;
        let links = topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
        Report {
            method: Method::Execution,
            complete_at: self.complete_at,
            steps: self.complete_at.map(|tick| tick.div_ceil(program.flits)),
            duplicates: Some(self.duplicates),
            link_use: Tally::of(links.map(|(node, port)| self.carried_over(node, port))).link_use(),
            traffic: Some(Traffic {
                turns: self.senders.iter().map(|sender| sender.turns).max().unwrap_or(0),
                ..self.traffic
            }),
            violations,
        }
    }

    /// What a port sent in all, by all its lanes.
    fn carried_over(&self, node: NodeId, port: Port) -> u32 {
        (0..self.program.lanes).map(|lane| self.carried[self.program.register(node, Channel { port, lane })]).sum()
    }

    fn missing(&self) -> impl Iterator<Item = Violation> + '_ {
        let Program { topology, demand, .. } = self.program;
        let rows = topology.node_ids().zip(self.known.chunks_exact(demand.flits() as usize));
        rows.filter_map(move |(receiver, known)| {
            let lacking = known.iter_zeros().map(|flit| demand.origin(FlitId(flit as u32)));
            let wanted = lacking.filter(|lacking| demand.wants(topology, receiver, lacking.node, lacking.packet));
            let packets: BTreeSet<(NodeId, u32)> = wanted.map(|origin| (origin.node, origin.packet)).collect();
            let &(node, packet) = packets.first()?;
            Some(Violation::Missing {
                node: topology.coords(receiver),
                missing: packets.len() as u64,
                first: Token { node: topology.coords(node), packet },
            })
        })
    }
}

/// Whether `flit` may follow `previous` on a link: packets start with their first flit, go on by one, and are finished.
fn in_order(previous: u32, flit: u32, begins: &BitSlice) -> bool {
    let finished = previous == NOTHING || begins[previous as usize + 1];
    if finished { flit == NOTHING || begins[flit as usize] } else { flit == previous + 1 }
}
