//! Every node's streams, followed back: what arrives at a port in a run of ticks is what its neighbour's output took from
//! one of its inputs a while before, in a run of ticks as long; and so on back to the nodes that had it at first.
//!
//! The check is as complete as execution and assumes nothing of how the program came to be: for every node and every tick it is known
//! which flit arrives by each port, and what a node receives is counted as in execution. A stream that passes through k
//! outputs costs O(k) however long it is, so that a node of a program made of cycles costs O(P); and only one node is looked
//! at at a time, by each core.

use std::sync::atomic::{AtomicU64, Ordering};

use super::receive::{NOTHING, Received, Receiver};
use super::{CheckReport, MOST_BYTES, Method, ProgressWatch, Tally, Violation, port_text};
use crate::net::{Channel, NodeId};
use crate::program::{Class, Program, Source, Span};
use crate::threads;

const OUTSIDE: u32 = u32::MAX;
/// Limit on the threads that look at nodes; fixed, so that refusals are the same on every machine.
const CORES: u64 = 16;

/// Returns the feature of a program that cannot be followed by streams.
pub(super) fn beyond(program: &Program) -> Option<&'static str> {
    if program.reduction.is_some() {
        return Some("what is combined is not followed by streams");
    }
    if !program.duplex.is_full() {
        return Some("streams do not tell what both ends of a link do, and only full-duplex links allow them all");
    }
    if program.demand.flits() > u64::from(u32::MAX) {
        return Some("so many flits are not numbered, and by streams each has a number");
    }
    if u64::from(program.ticks) * 4 * program.outputs() as u64 > MOST_BYTES / CORES {
        return Some("what arrives at one node in so many ticks takes too much memory");
    }
    let is_joined = |source| matches!(source, Source::Any { .. });
    let is_followed = program.windows.is_empty() && !program.classes.iter().flat_map(Class::sources).any(is_joined);
    (!is_followed).then_some("windows and joined inputs are not followed by streams")
}

/// Follows the streams of every node; `watch` is told the nodes that are done.
pub(super) fn follow(program: &Program, watch: ProgressWatch<'_>) -> CheckReport {
    if let Some(why) = beyond(program) {
        let (node, port) = (program.topology.coords(NodeId(0)), port_text(0));
        return CheckReport::refused(Method::Streams, vec![Violation::NotCertifiable { node, port, why }]);
    }
    let streams = StreamCheck::new(program);
    let done = AtomicU64::new(0);
    let look = |at: &mut StreamNode<'_>, node| {
        let found = at.look(NodeId(node));
        watch(done.fetch_add(1, Ordering::Relaxed) + 1);
        found
    };
    let found: Vec<NodeFindings> = threads::map_with(program.topology.nodes(), || StreamNode::new(&streams), look);
    report(&streams, found)
}

fn report(streams: &StreamCheck, found: Vec<NodeFindings>) -> CheckReport {
    let program = streams.program;
    let (mut received, mut missing) = (Received::default(), Vec::new());
    let mut tally = Tally::new();
    for NodeFindings { received: here, missing: lacks, carried } in found {
        received.add(here);
        missing.extend(lacks);
        for flits in carried {
            tally.add(flits);
        }
    }
    received.torn.sort_by_key(|&(tick, _)| tick);
    let torn = std::mem::take(&mut received.torn).into_iter().map(|(_, torn)| torn);
    let is_complete = program.ticks > 0 && received.wanted == streams.receiver.unknown();
    let complete_at = is_complete.then(|| received.last_wanted.max(1));
    CheckReport {
        method: Method::Streams,
        complete_at,
        steps: complete_at.map(|tick| tick.div_ceil(program.flits)),
        duplicates: Some(received.arrivals - received.news),
        traffic: None,
        link_use: Some(tally.link_use()),
        violations: torn.chain(missing).collect(),
    }
}

/// The program as one walks through it against the stream.
struct StreamCheck<'p> {
    program: &'p Program,
    receiver: Receiver<'p>,
    /// the unrolled spans of every output of every class
    spans: Vec<Vec<Span>>,
    /// index of the first span of each node's class
    class: Vec<u32>,
    /// the node at the other end of every input
    neighbours: Vec<u32>,
    /// the output there, by input
    opposite: Vec<usize>,
}

/// One of a node's inputs in some ticks, followed back to what an output did.
struct Stretch {
    node: u32,
    output: usize,
    first: u32,
    last: u32,
    /// ticks from there to the node's input
    later: u32,
}

/// Findings at one node.
struct NodeFindings {
    received: Received,
    missing: Option<Violation>,
    /// by each link to the node
    carried: Vec<u32>,
}

impl<'p> StreamCheck<'p> {
    fn new(program: &'p Program) -> Self {
        let (topology, outputs) = (&program.topology, program.outputs());
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let mut neighbours = Vec::with_capacity(program.registers());
        for node in topology.node_ids() {
            let there = |Channel { port, .. }| topology.step(node, port).map_or(OUTSIDE, |neighbour| neighbour.0);
            neighbours.extend(program.channels().map(there));
        }
        let opposite = program.channels().map(|input| program.output_index(input.opposite()));
        Self {
            program,
            receiver: Receiver::new(program),
            spans: tracks.map(|track| track.spans(program.ticks).collect()).collect(),
            class: program.class_of.iter().map(|class| (class.index() * outputs) as u32).collect(),
            neighbours,
            opposite: opposite.collect(),
        }
    }
}

/// Working memory for one node.
struct StreamNode<'s> {
    streams: &'s StreamCheck<'s>,
    /// tick after tick, what each input brings
    arrived: Vec<u32>,
    /// the first and the last tick in which anything arrives
    ticks: (u32, u32),
    known: Vec<u64>,
    carried: Vec<u32>,
    /// stretches still to be followed
    left: Vec<Stretch>,
}

impl<'s> StreamNode<'s> {
    fn new(streams: &'s StreamCheck<'s>) -> Self {
        let outputs = streams.program.outputs();
        Self {
            streams,
            arrived: vec![NOTHING; streams.program.ticks as usize * outputs],
            ticks: (u32::MAX, 0),
            known: vec![0; streams.receiver.words],
            carried: vec![0; outputs],
            left: Vec::new(),
        }
    }

    fn look(&mut self, node: NodeId) -> NodeFindings {
        let StreamCheck { program, receiver, neighbours, opposite, .. } = self.streams;
        let outputs = program.outputs();
        self.ticks = (u32::MAX, 0);
        self.known.fill(0);
        self.carried.fill(0);
        for (input, &output) in opposite.iter().enumerate() {
            let neighbour = neighbours[node.index() * outputs + input];
            if neighbour != OUTSIDE && program.ticks > 0 {
                self.left.push(Stretch {
                    node: neighbour,
                    output,
                    first: 1,
                    last: program.ticks,
                    later: program.latency - 1,
                });
            }
            while let Some(stretch) = self.left.pop() {
                self.follow(stretch, input);
            }
        }
        receiver.begin(node, &mut self.known);
        let inputs = |tick: u32| &self.arrived[(tick as usize - 1) * outputs..][..outputs];
        let (first, last) = self.ticks;
        // and a tick of silence, before which packets must be whole
        let looked_at = first..=program.ticks.min(last + 1);
        let received = receiver.receive(node, looked_at, inputs, &mut self.known, &mut self.carried);
        if first <= last {
            self.arrived[(first as usize - 1) * outputs..last as usize * outputs].fill(NOTHING);
        }
        let lanes = usize::from(program.lanes);
        let carried = program.topology.linked_ports(node).map(|port| {
            let brought = &self.carried[port.index() * lanes..][..lanes];
            brought.iter().sum()
        });
        // missing flits are looked for among all flits
        let is_content = receiver.is_content(node, &received);
        let missing = if is_content { None } else { receiver.missing(node, &self.known) };
        NodeFindings { received, missing, carried: carried.collect() }
    }

    /// Goes back to where the last flit of a stretch comes from; what parts from its way is left for later.
    fn follow(&mut self, mut stretch: Stretch, input: usize) {
        let streams = self.streams;
        loop {
            let Stretch { node, output, first, last, later } = stretch;
            let spans = &streams.spans[streams.class[node as usize] as usize + output];
            let at = spans.partition_point(|span| span.last < last);
            for span in spans[..at].iter().rev().take_while(|span| span.last >= first) {
                let part = Stretch { node, output, first: first.max(span.first), last: span.last, later };
                let before = self.back(span, &part, input);
                self.left.extend(before);
            }
            let part = Stretch { node, output, first: first.max(spans[at].first), last, later };
            match self.back(&spans[at], &part, input) {
                Some(before) => stretch = before,
                None => return,
            }
        }
    }

    /// Follows an output back during part of a span: own flits arrive, and inputs lead to a stretch of another output.
    fn back(&mut self, span: &Span, part: &Stretch, input: usize) -> Option<Stretch> {
        let streams = self.streams;
        let outputs = streams.opposite.len();
        let Stretch { node, first, last, later, .. } = *part;
        // an arrival was sent one latency before it arrived
        let more = streams.program.latency - 1;
        match span.source {
            Source::Own { packet, through } => {
                let demand = &streams.program.demand;
                let begin = demand.flits_of_packet(NodeId(node), packet).start as u32;
                let flits = demand.flits_of_packet(NodeId(node), through).end as u32 - begin;
                self.ticks = (self.ticks.0.min(first + later), self.ticks.1.max(last + later));
                for tick in first..=last {
                    let played = tick - span.first;
                    let place = if played < flits { Some(played) } else { played.checked_rem(flits) };
                    self.arrived[(tick + later - 1) as usize * outputs + input] =
                        place.map_or(NOTHING, |place| begin + place);
                }
                None
            }
            Source::In { port, lane, age } => {
                let (read, ago) = (streams.program.output_index(Channel { port, lane }), age + more);
                Some(Stretch {
                    node: streams.neighbours[node as usize * outputs + read],
                    output: streams.opposite[read],
                    first: first.saturating_sub(ago).max(1),
                    // nothing came before the first tick
                    last: last.checked_sub(ago)?,
                    later: later + ago,
                })
            }
            // joined inputs are not followed
            Source::Idle | Source::Any { .. } | Source::Sum { .. } => None,
        }
    }
}
