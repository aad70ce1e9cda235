//! Moves every token, tick by tick, into the inbox of the node it is sent to.
//!
//! The model pulls from its neighbours' registers; this executor pushes into inboxes, so that a mistake in the one is
//! not repeated in the other.

use std::collections::BTreeSet;

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;

use super::{Method, Report, Tally, Token, Violation, port_text};
use crate::net::NodeId;
use crate::program::{FlitId, Program, Source, Span};

const NOTHING: u32 = u32::MAX;

/// Executes the whole program and reports what every node learned.
pub(super) fn run(program: &Program) -> Report {
    let mut execution = Execution::new(program);
    for tick in 1..=program.ticks {
        execution.tick(tick);
    }
    execution.report()
}

/// What arrived at every port in one tick, at `node * ports + port`.
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
    torn: Vec<Violation>,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program) -> Self {
        let (nodes, registers) = (program.topology.nodes() as usize, program.topology.registers());
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
            torn: Vec::new(),
        }
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        let topology = &program.topology;
        let sources = self.sources(tick);
        let ports = topology.ports();
        let now = tick as usize % self.inboxes.len();
        let mut inbox = std::mem::take(&mut self.inboxes[now]);
        for node in topology.node_ids() {
            let class = program.class_of[node.index()].index();
            for port in topology.port_ids() {
                let Some(neighbour) = topology.neighbour(node, port) else { continue };
                let (source, played) = sources[class * ports + port.index()];
                let flit = match source {
                    Source::Idle => NOTHING,
                    Source::Own { packet } => {
                        program.demand.flit(node, packet.into(), played).map_or(NOTHING, |flit| flit.0)
                    }
                    Source::In { age, .. } if age >= tick => NOTHING,
                    Source::In { port, age } => {
                        let then = (tick - age) as usize % self.inboxes.len();
                        self.inboxes[then][node.index() * ports + port.index()]
                    }
                };
                self.carried[topology.register(node, port)] += u32::from(flit != NOTHING);
                inbox[topology.register(neighbour, port.opposite())] = flit;
            }
        }
        self.inboxes[now] = inbox;
        self.receive(tick);
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
        let ports = self.program.topology.ports();
        let demand = &self.program.demand;
        let total = demand.flits() as usize;
        let has_long_packets = demand.flits() > demand.packets();
        let inbox = &self.inboxes[tick as usize % self.inboxes.len()];
        let before = &self.inboxes[(tick as usize + self.inboxes.len() - 1) % self.inboxes.len()];
        for (index, (&flit, &previous)) in inbox.iter().zip(before).enumerate() {
            // the last flit's successor is the next packet's first, so a packet in order is one that counts up
            if has_long_packets && !in_order(previous, flit, &self.begins) {
                let node = self.program.topology.coords(NodeId((index / ports) as u32));
                self.torn.push(Violation::Torn { node, port: port_text(index % ports), tick });
            }
            if flit != NOTHING {
                if self.known.replace(index / ports * total + flit as usize, true) {
                    self.duplicates += 1;
                } else {
                    let receiver = NodeId((index / ports) as u32);
                    self.unknown -= u64::from(demand.wants_flit(&self.program.topology, receiver, FlitId(flit)));
                }
            }
        }
        if self.unknown == 0 && self.complete_at.is_none() {
            self.complete_at = Some(tick);
        }
    }

    fn report(mut self) -> Report {
        let program = self.program;
        let mut violations = std::mem::take(&mut self.torn);
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
            link_use: Tally::of(links.map(|(node, port)| self.carried[topology.register(node, port)])).link_use(),
            violations,
        }
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
