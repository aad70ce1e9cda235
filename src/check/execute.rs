//! Moves every token, tick by tick, into the inbox of the node it is sent to.
//!
//! The model pulls from its neighbours' registers; this executor pushes into inboxes, so that a mistake in the one is
//! not repeated in the other.

use bitvec::vec::BitVec;

use super::{Method, Report, Tally, Violation, port_text, token};
use crate::net::NodeId;
use crate::program::{Program, Source, Span};

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
    /// flits still unknown, summed over all nodes
    unknown: u64,
    complete_at: Option<u32>,
    duplicates: u64,
    carried: Vec<u32>,
    torn: Vec<Violation>,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program) -> Self {
        let (nodes, links) = (program.torus.nodes() as usize, program.torus.links() as usize);
        let flits = Self::flits(program);
        let mut known = BitVec::repeat(false, nodes * flits);
        let own = flits / nodes;
        for node in 0..nodes {
            known[node * flits..][node * own..(node + 1) * own].fill(true);
        }
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let spans: Vec<Vec<Span>> = tracks.map(|track| track.spans(program.ticks).collect()).collect();
        Self {
            program,
            playing: vec![0; spans.len()],
            spans,
            inboxes: vec![vec![NOTHING; links]; program.depth().max(1) as usize + 1],
            known,
            unknown: (nodes * (flits - own)) as u64,
            complete_at: None,
            duplicates: 0,
            carried: vec![0; links],
            torn: Vec::new(),
        }
    }

    /// Flits in the whole torus.
    fn flits(program: &Program) -> usize {
        program.tokens() as usize * program.flits as usize
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        let torus = &program.torus;
        let sources = self.sources(tick);
        let ports = torus.ports();
        let now = tick as usize % self.inboxes.len();
        let mut inbox = std::mem::take(&mut self.inboxes[now]);
        for node in torus.node_ids() {
            let class = program.class_of[node.index()].index();
            for port in torus.port_ids() {
                let (source, played) = sources[class * ports + port.index()];
                let flit = match source {
                    Source::Idle => NOTHING,
                    Source::Own { packet } => {
                        let packet = node.0 * u32::from(program.packets) + u32::from(packet);
                        packet * program.flits + played % program.flits
                    }
                    Source::In { age, .. } if age >= tick => NOTHING,
                    Source::In { port, age } => {
                        let then = (tick - age) as usize % self.inboxes.len();
                        self.inboxes[then][node.index() * ports + port.index()]
                    }
                };
                self.carried[torus.register(node, port)] += u32::from(flit != NOTHING);
                inbox[torus.register(torus.neighbour(node, port), port.opposite())] = flit;
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
        let ports = self.program.torus.ports();
        let total = Self::flits(self.program);
        let inbox = &self.inboxes[tick as usize % self.inboxes.len()];
        let before = &self.inboxes[(tick as usize + self.inboxes.len() - 1) % self.inboxes.len()];
        for (index, (&flit, &previous)) in inbox.iter().zip(before).enumerate() {
            // the last flit's successor is the next packet's first, so a packet in order is one that counts up
            if self.program.flits > 1 && !in_order(previous, flit, self.program.flits) {
                let node = self.program.torus.coords(NodeId((index / ports) as u32));
                self.torn.push(Violation::Torn { node, port: port_text(index % ports), tick });
            }
            if flit != NOTHING {
                if self.known.replace(index / ports * total + flit as usize, true) {
                    self.duplicates += 1;
                } else {
                    self.unknown -= 1;
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
        Report {
            method: Method::Execution,
            complete_at: self.complete_at,
            steps: self.complete_at.map(|tick| tick.div_ceil(program.flits)),
            duplicates: Some(self.duplicates),
            link_use: Tally::of(self.carried).link_use(),
            violations,
        }
    }

    fn missing(&self) -> impl Iterator<Item = Violation> + '_ {
        let program = self.program;
        let rows = self.known.chunks_exact(Self::flits(program)).enumerate();
        rows.filter_map(move |(node, known)| {
            let first = known.first_zero()?;
            let packets: std::collections::BTreeSet<usize> =
                known.iter_zeros().map(|flit| flit / program.flits as usize).collect();
            Some(Violation::Missing {
                node: program.torus.coords(NodeId(node as u32)),
                missing: packets.len() as u64,
                first: token(program, first as u64 / u64::from(program.flits)),
            })
        })
    }
}

/// Whether `flit` may follow `previous` on a link: packets start with flit 0, go on by one, and are finished.
fn in_order(previous: u32, flit: u32, flits: u32) -> bool {
    let finished = previous == NOTHING || previous % flits == flits - 1;
    if finished { flit == NOTHING || flit.is_multiple_of(flits) } else { flit == previous + 1 }
}
