//! Gossip played backwards: reduce-scatter. A broadcast played backwards: reduce.
//!
//! A packet that went from u to w in tick t of T gives way to the partial of its sum from w to u in tick T + 1 - t: the tree that
//! brought a packet to all is the tree that collects it. A node adds its own value and what came back from wherever it
//! sent the packet on. A packet that reached a node twice would be added twice: of the arrivals of a packet at a node one is
//! kept, and sends that brought the others are dropped. Who sent on another arrival then waits longer. Where adding twice
//! does no harm, all arrivals are kept, and no delay grows.

use std::borrow::Cow;
use std::sync::Arc;

use bitvec::vec::BitVec;

use crate::net::{NodeId, OUTSIDE, Port};
use crate::program::{
    Away, Class, ClassNumbers, Demand, Entries, FlitId, Operand, Operands, Operation, Partial, PartialOrder, Program,
    Reduction, Run, Source, Span, Track,
};

/// Arrivals of a packet at a node that become partials in the reversed program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPartials {
    /// One: one that is sent on if any is, else the earliest.
    One,
    /// All: right only where a value that is combined twice counts once.
    Every,
}

/// The reduction that a gossip of packets of one flit becomes if it is played backwards, or a broadcast, each flit of which is a
/// packet then.
pub fn reduction(gather: &Program, operation: Operation) -> Program {
    reversed(gather, operation, if operation.is_idempotent() { KeptPartials::Every } else { KeptPartials::One })
}

/// Reverses a gossip or a broadcast into a reduction with any operation.
pub fn reversed(gather: &Program, operation: Operation, kept: KeptPartials) -> Program {
    PathTrace::of(gather, kept).reversed(operation)
}

/// Reverses with one arrival per packet, but keeps the n-th other arrival as well: a fault that every check must find.
pub fn with_a_duplicate(gather: &Program, operation: Operation, n: usize) -> Option<Program> {
    let mut trace = PathTrace::of(gather, KeptPartials::One);
    let arrivals = trace.followed().flat_map(|node| trace.arrivals_of(node).map(move |arrival| (node, arrival)));
    let others = arrivals.filter(|&(node, (arrival, packet))| {
        trace.partial(packet).node != node && !trace.is_kept(node, packet, arrival)
    });
    let at = others.map(|(node, (arrival, _))| trace.at(node, arrival)).nth(n)?;
    trace.is_kept.set(at, true);
    Some(trace.reversed(operation))
}

impl PathTrace<'_> {
    fn reversed(&self, operation: Operation) -> Program {
        let (trace, gather) = (self, self.gather);
        let mut classes = ClassNumbers::default();
        let mut starts = Vec::with_capacity(gather.topology.nodes() as usize);
        let mut alike: Option<Vec<Vec<Option<Away>>>> = None;
        let mut is_alike = gather.topology.is_homogeneous();
        for node in trace.followed() {
            let backwards = trace.backwards(node);
            let outputs = || (0..gather.topology.ports()).map(|port| backwards.output(port));
            if is_alike {
                let offsets = outputs().map(|sends| sends.flatten().map(|send| Some(trace.away(node, send.packet))));
                match &alike {
                    None => alike = Some(offsets.map(Iterator::collect).collect()),
                    Some(alike) => {
                        is_alike = alike.iter().zip(offsets).all(|(alike, offsets)| offsets.eq(alike.iter().cloned()));
                    }
                }
            }
            let begins = outputs().map(|sends| {
                let begins = sends.flatten().filter(|send| send.operands.is_empty());
                let mut begins: Vec<_> = begins.map(|send| Some(trace.partial(send.packet))).collect();
                // sends are most of a large program
                begins.shrink_to_fit();
                begins
            });
            starts.push(begins.collect());
            let tracks: Vec<Track> = outputs().map(track).collect();
            classes.push((tracks, backwards.results));
        }
        let order = match alike.filter(|_| is_alike) {
            Some(offsets) => PartialOrder { entries: Entries::Offsets(offsets), starts: false },
            None => PartialOrder { entries: Entries::Nodes(starts), starts: true },
        };
        let (kinds, class_of) = classes.finish();
        let class_of = if trace.is_alike { gather.class_of.clone() } else { class_of };
        let (outputs, results): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
        Program {
            classes: outputs.into_iter().map(|outputs| Class { outputs }).collect(),
            class_of,
            demand: trace.demand.clone().into_owned(),
            reduction: Some(Arc::new(Reduction::of_words(operation, gather.ticks, order, results))),
            ..gather.clone()
        }
        .with_dead_class()
    }
}

/// Returns true if one node speaks for all.
pub fn is_alike(gather: &Program) -> bool {
    gather.classes.len() == 1 && gather.topology.is_homogeneous() && gather.demand.is_gossip()
}

/// Arrival at a port in a tick as one number, ordered by tick, then port.
type ArrivalKey = u32;

/// Marks the absence of a packet or an arrival.
const NONE: u32 = u32::MAX;

/// Paths of all packets at every node. Where all nodes are alike only the first node is traced, and its packets stand
/// for those of every node by offset.
struct PathTrace<'p> {
    gather: &'p Program,
    /// packets of one flit each
    demand: Cow<'p, Demand>,
    is_alike: bool,
    /// by class and output, tick after tick, with the first tick of the run
    sources: Vec<Vec<(Source, u32)>>,
    /// the neighbour of every node that is followed, by port
    neighbours: Vec<NodeId>,
    /// the packets of all arrivals, node after node
    arrived: Vec<u32>,
    /// true for arrivals that were sent on
    is_sent_on: BitVec,
    /// true if the node sends their partials
    is_kept: BitVec,
    kept: KeptPartials,
}

/// A partial that a node sends.
struct PartialSend<'a> {
    packet: u32,
    operands: &'a [Operand],
}

/// Behaviour of a node in reversed time.
struct Backwards {
    ticks: usize,
    /// the packets whose partials it sends, port after port, tick after tick
    packets: Vec<u32>,
    /// start of each list of operands, and the end of the last
    begins: Vec<u32>,
    operands: Vec<Operand>,
    /// operands that complete each packet
    results: Vec<Operands>,
}

impl Backwards {
    /// Sends of an output, tick after tick.
    fn output(&self, port: usize) -> impl Iterator<Item = Option<PartialSend<'_>>> {
        (port * self.ticks..(port + 1) * self.ticks).map(|at| {
            let operands = &self.operands[self.begins[at] as usize..self.begins[at + 1] as usize];
            Some(PartialSend { packet: self.packets[at], operands }).filter(|send| send.packet != NONE)
        })
    }
}

impl<'p> PathTrace<'p> {
    fn of(gather: &'p Program, kept: KeptPartials) -> Self {
        assert!(gather.demand.is_for_all() && gather.flits == 1, "what all nodes want is reversed, flit by flit");
        assert!(gather.lanes == 1 && gather.windows.is_empty(), "on links of one lane");
        let demand = if gather.demand.flits() == gather.demand.packets() {
            Cow::Borrowed(&gather.demand)
        } else {
            Cow::Owned(gather.demand.by_flits(&gather.topology))
        };
        let tracks = gather.classes.iter().flat_map(|class| &class.outputs);
        let by_tick = |span: Span| (span.first..=span.last).map(move |_| (span.source, span.first));
        let sources = tracks.map(|track| track.spans(gather.ticks).flat_map(by_tick).collect()).collect();
        let is_alike = is_alike(gather);
        let mut trace = Self {
            gather,
            demand,
            is_alike,
            sources,
            neighbours: Vec::new(),
            arrived: Vec::new(),
            is_sent_on: BitVec::new(),
            is_kept: BitVec::new(),
            kept,
        };
        let followed = trace.followed().len();
        let arrivals = followed * trace.arrivals();
        gather.topology.sweep(0..followed as u32, |_, neighbours| trace.neighbours.extend_from_slice(neighbours));
        trace.arrived = vec![NONE; arrivals];
        trace.is_sent_on = BitVec::repeat(false, arrivals);
        trace.is_kept = BitVec::repeat(kept == KeptPartials::Every, arrivals);
        for tick in 1..=gather.ticks {
            for node in trace.followed() {
                for port in gather.topology.port_ids() {
                    let Some((packet, from)) = trace.sends(node, port, tick) else { continue };
                    if let Some(from) = from {
                        let at = trace.at(node, from);
                        trace.is_sent_on.set(at, true);
                    }
                    if let Some((there, packet)) = trace.across(node, port, packet) {
                        let at = trace.at(there, trace.arrival(tick, port.opposite()));
                        trace.arrived[at] = packet;
                    }
                }
            }
        }
        if kept == KeptPartials::One {
            for node in trace.followed() {
                for arrival in trace.ones(node).into_iter().filter(|&arrival| arrival != NONE) {
                    let at = trace.at(node, arrival);
                    trace.is_kept.set(at, true);
                }
            }
        }
        trace
    }

    /// The nodes that are followed.
    fn followed(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let nodes = if self.is_alike { 1 } else { self.gather.topology.nodes() };
        (0..nodes).map(NodeId)
    }

    /// By packet, the arrival that a node keeps if it keeps one.
    fn ones(&self, node: NodeId) -> Vec<ArrivalKey> {
        let mut ones = vec![NONE; self.demand.packets() as usize];
        let is_sent_on = &self.is_sent_on[self.at(node, 0)..][..self.arrivals()];
        for (arrival, packet) in self.arrivals_of(node) {
            let one = &mut ones[packet as usize];
            if *one == NONE || (is_sent_on[arrival as usize] && !is_sent_on[*one as usize]) {
                *one = arrival;
            }
        }
        ones
    }

    /// Number of arrivals a node can have.
    fn arrivals(&self) -> usize {
        self.gather.ticks as usize * self.gather.topology.ports()
    }

    fn arrival(&self, tick: u32, port: Port) -> ArrivalKey {
        (tick - 1) * self.gather.topology.ports() as u32 + port.index() as u32
    }

    /// Index at which an arrival is noted.
    fn at(&self, node: NodeId, arrival: ArrivalKey) -> usize {
        node.index() * self.arrivals() + arrival as usize
    }

    /// Arrivals at a node with their packets.
    fn arrivals_of(&self, node: NodeId) -> impl Iterator<Item = (ArrivalKey, u32)> + use<'_> {
        let arrived = &self.arrived[self.at(node, 0)..][..self.arrivals()];
        (0..).zip(arrived.iter().copied()).filter(|&(_, packet)| packet != NONE)
    }

    /// Returns the receiver of what a node sends, and the packet as seen there. Where all nodes are alike, the node
    /// itself stands for its neighbour.
    fn across(&self, node: NodeId, port: Port, packet: u32) -> Option<(NodeId, u32)> {
        let topology = &self.gather.topology;
        let there = self.neighbours[node.index() * topology.ports() + port.index()];
        if self.is_alike {
            return Some((node, self.moved(packet, &topology.offset(there, node))));
        }
        (there != OUTSIDE).then_some((there, packet))
    }

    /// The packet of the node so far from a packet's own.
    fn moved(&self, packet: u32, by: &[u32]) -> u32 {
        let Partial { node, packet } = self.partial(packet);
        self.demand.packet(self.gather.topology.away(node, by), packet) as u32
    }

    /// The packet that a node sends, and how it came in if it is not the node's own.
    fn sends(&self, node: NodeId, port: Port, tick: u32) -> Option<(u32, Option<ArrivalKey>)> {
        let Program { topology, class_of, demand, .. } = self.gather;
        match self.sources[class_of[node.index()].index() * topology.ports() + port.index()][tick as usize - 1] {
            // a packet of one flit has its number; of a message the flit that leaves last is the first of a reduce
            (Source::Own { packet, through }, first) => {
                let FlitId(flit) = demand.flit(node, packet, through, tick - first)?;
                Some((if demand.is_gossip() { flit } else { demand.flits() as u32 - 1 - flit }, None))
            }
            (source, _) => {
                let then = tick.checked_sub(source.age()?).filter(|&then| then > 0)?;
                source.inputs().find_map(|input| {
                    let arrival = self.arrival(then, input.port);
                    let packet = self.arrived[self.at(node, arrival)];
                    (packet != NONE).then_some((packet, Some(arrival)))
                })
            }
        }
    }

    /// Origin and index of a packet.
    fn partial(&self, packet: u32) -> Partial {
        let (node, packet) = self.demand.sender(packet.into());
        Partial { node, packet }
    }

    fn away(&self, node: NodeId, packet: u32) -> Away {
        let Partial { node: to, packet } = self.partial(packet);
        Away { offset: self.gather.topology.offset(node, to), packet }
    }

    /// Returns true if a node sends the partial of a packet where that came in then. It has its own from the beginning.
    fn is_kept(&self, node: NodeId, packet: u32, arrival: ArrivalKey) -> bool {
        self.partial(packet).node != node && self.is_kept[self.at(node, arrival)]
    }

    /// Reverses the behaviour of a node.
    fn backwards(&self, node: NodeId) -> Backwards {
        let Program { topology, .. } = self.gather;
        let (ports, ticks) = (topology.ports(), self.gather.ticks as usize);
        let ones = (self.kept == KeptPartials::One).then(|| self.ones(node));
        // an arrival in tick t leaves in tick T + 1 - t
        let place = |arrival: ArrivalKey| arrival as usize % ports * ticks + ticks - 1 - arrival as usize / ports;
        let mut packets = vec![NONE; ports * ticks];
        for (arrival, packet) in self.arrivals_of(node).filter(|&(arrival, packet)| self.is_kept(node, packet, arrival))
        {
            packets[place(arrival)] = packet;
        }
        let mut results = vec![Vec::new(); self.demand.packets_of(node) as usize];
        let mut operands = Vec::with_capacity(packets.len());
        let sends = topology.port_ids().flat_map(|port| (1..=self.gather.ticks).map(move |tick| (port, tick)));
        for (port, tick) in sends {
            let Some((packet, from)) = self.sends(node, port, tick) else { continue };
            let arrival = self.arrival(tick, port.opposite());
            let is_kept = |(there, packet)| self.is_kept(there, packet, arrival);
            if !self.across(node, port, packet).is_some_and(is_kept) {
                continue;
            }
            let own = self.partial(packet);
            if own.node == node {
                results[own.packet as usize].push(Operand { port, age: tick });
                continue;
            }
            let one = ones.as_ref().map(|ones| ones[packet as usize]);
            let from = one.or(from).expect("a packet of another node came in");
            let at = place(from);
            assert!(packets[at] != NONE, "an arrival that is sent on is kept");
            operands.push((at, Operand { port, age: tick - 1 - from / ports as u32 }));
        }
        // forwarded packets are in order at each port, so runs are merged
        operands.sort();
        let mut begins = vec![0; packets.len() + 1];
        for &(at, _) in &operands {
            begins[at + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        let operands = operands.into_iter().map(|(_, operand)| operand).collect();
        Backwards { ticks, packets, begins, operands, results: results.into_iter().map(Operands::of).collect() }
    }
}

/// One send a tick as runs.
fn track<'a>(sends: impl Iterator<Item = Option<PartialSend<'a>>>) -> Track {
    let mut runs: Vec<(Option<&[Operand]>, u32)> = Vec::new();
    for operands in sends.map(|send| send.map(|send| send.operands)) {
        match runs.last_mut() {
            Some((same, ticks)) if *same == operands => *ticks += 1,
            _ => runs.push((operands, 1)),
        }
    }
    let sum = |operands: &[Operand]| Source::Sum { operands: Operands::of(operands.iter().copied()) };
    let run = |(operands, ticks): (Option<&[Operand]>, u32)| Run { source: operands.map_or(Source::Idle, sum), ticks };
    Track { runs: runs.into_iter().map(run).collect(), repeat_from: None, inject: None }
}
