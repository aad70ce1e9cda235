//! Gossip played backwards: reduce-scatter.
//!
//! Where a packet went from u to w in tick t of T, the partial of its sum goes from w to u in tick T + 1 - t: the tree that
//! brought a packet to all is the tree that collects it. A node adds its own value and what came back from wherever it
//! sent the packet on. A packet that reached a node twice would be added twice: of the arrivals of a packet at a node one is
//! kept, and sends that brought the others are dropped. Who sent on another arrival then waits longer. Where adding twice
//! does no harm, all arrivals are kept, and no delay grows.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use bitvec::vec::BitVec;

use crate::net::{NodeId, Port};
use crate::program::{
    Away, Class, ClassId, ClassMap, Entries, Operand, Operands, Operation, Order, Partial, Program, Reduction, Run,
    Source, Track,
};

/// Which arrivals of a packet at a node become partials that it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// One: one that is sent on if any is, else the earliest.
    One,
    /// All: right only where a value that is combined twice counts once.
    Every,
}

/// The reduce-scatter that a gossip of packets of one flit becomes if it is played backwards.
pub fn reduce_scatter(gather: &Program, operation: Operation) -> Program {
    reversed(gather, operation, if operation.is_idempotent() { Kept::Every } else { Kept::One })
}

/// The same, whatever is to be combined.
pub fn reversed(gather: &Program, operation: Operation, kept: Kept) -> Program {
    Trace::of(gather, kept).reversed(operation)
}

/// The same with one arrival a packet, and the n-th of all others put back: what every check must find.
pub fn with_a_duplicate(gather: &Program, operation: Operation, n: usize) -> Option<Program> {
    let mut trace = Trace::of(gather, Kept::One);
    let followed = trace.followed();
    let arrivals = followed.flat_map(|node| (0..trace.arrivals() as Arrival).map(move |at| (node, at)));
    let mut others = arrivals.filter(|&(node, arrival)| {
        let packet = trace.arrived(node, arrival);
        packet.is_some_and(|packet| trace.partial(packet).node != node && !trace.is_kept(node, packet, arrival))
    });
    let other = others.nth(n)?;
    trace.duplicate = Some(other);
    Some(trace.reversed(operation))
}

impl Trace<'_> {
    fn reversed(&self, operation: Operation) -> Program {
        let (trace, gather) = (self, self.gather);
        let mut classes = Classes::default();
        let mut starts = Vec::with_capacity(gather.topology.nodes() as usize);
        let mut alike: Option<Vec<Vec<Option<Away>>>> = None;
        let mut is_alike = gather.topology.is_torus();
        for node in trace.followed() {
            let Backwards { sends, results } = trace.backwards(node);
            classes.push((sends.iter().map(|sends| track(sends)).collect::<Vec<Track>>(), results));
            if is_alike {
                let offsets =
                    sends.iter().map(|sends| sends.iter().flatten().map(|send| Some(trace.away(node, send.packet))));
                match &alike {
                    None => alike = Some(offsets.map(Iterator::collect).collect()),
                    Some(alike) => {
                        is_alike = alike.len() == sends.len()
                            && alike.iter().zip(offsets).all(|(alike, offsets)| offsets.eq(alike.iter().cloned()));
                    }
                }
            }
            let begins = |sends: &Vec<Option<Send>>| {
                let begins = sends.iter().flatten().filter(|send| send.operands.is_empty());
                begins.map(|send| Some(trace.partial(send.packet))).collect()
            };
            starts.push(sends.iter().map(begins).collect());
        }
        let order = match alike.filter(|_| is_alike) {
            Some(offsets) => Order { entries: Entries::Offsets(offsets), starts: false },
            None => Order { entries: Entries::Nodes(starts), starts: true },
        };
        let (kinds, class_of) = classes.finish();
        let class_of = if trace.is_alike { gather.class_of.clone() } else { class_of };
        let (outputs, results): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
        Program {
            classes: outputs.into_iter().map(|outputs| Class { outputs }).collect(),
            class_of,
            reduction: Some(Arc::new(Reduction { operation, ticks: gather.ticks, order, results })),
            ..gather.clone()
        }
    }
}

/// Numbers what nodes do, in the order in which it first occurs.
struct Classes<T> {
    ids: HashMap<T, ClassId>,
    class_of: ClassMap,
}

impl<T> Default for Classes<T> {
    fn default() -> Self {
        Self { ids: HashMap::new(), class_of: ClassMap::with_capacity(0) }
    }
}

impl<T: Eq + Hash> Classes<T> {
    fn push(&mut self, kind: T) {
        let next = ClassId(self.ids.len() as u32);
        self.class_of.push(*self.ids.entry(kind).or_insert(next));
    }

    fn finish(self) -> (Vec<T>, ClassMap) {
        let mut kinds: Vec<(T, ClassId)> = self.ids.into_iter().collect();
        kinds.sort_unstable_by_key(|&(_, id)| id);
        (kinds.into_iter().map(|(kind, _)| kind).collect(), self.class_of)
    }
}

/// Whether one node speaks for all.
pub fn is_alike(gather: &Program) -> bool {
    gather.classes.len() == 1 && gather.topology.is_torus()
}

/// What comes in by a port in a tick, as one number: in the order of ticks, and in one tick of ports.
type Arrival = u32;

/// Where there is no packet, or no arrival.
const NONE: u32 = u32::MAX;

/// Where every packet went: at every node, or where all nodes are alike at the first, whose packets then speak for those of
/// each node so far from it.
struct Trace<'p> {
    gather: &'p Program,
    is_alike: bool,
    /// by class and output, tick after tick
    sources: Vec<Vec<Source>>,
    /// the packet of every register, tick after tick
    sent: Vec<u32>,
    /// by node and packet, the arrival whose partial the node sends; empty if it sends those of all
    kept: Vec<Arrival>,
    /// one more
    duplicate: Option<(NodeId, Arrival)>,
}

/// A partial that a node sends.
struct Send {
    packet: u32,
    operands: Vec<Operand>,
}

/// What a node does if time runs backwards.
struct Backwards {
    /// port after port, tick after tick
    sends: Vec<Vec<Option<Send>>>,
    /// by packet
    results: Vec<Operands>,
}

impl<'p> Trace<'p> {
    fn of(gather: &'p Program, kept: Kept) -> Self {
        assert!(gather.demand.is_gossip() && gather.flits == 1, "gossip of packets of one flit is reversed");
        assert!(gather.lanes == 1 && gather.windows.is_empty(), "on links of one lane");
        let tracks = gather.classes.iter().flat_map(|class| &class.outputs);
        let sources = tracks.map(|track| track.sources(gather.ticks).collect()).collect();
        let is_alike = is_alike(gather);
        let mut trace = Self { gather, is_alike, sources, sent: Vec::new(), kept: Vec::new(), duplicate: None };
        trace.sent.reserve_exact(trace.followed().len() * trace.arrivals());
        let mut is_sent_on = BitVec::repeat(false, trace.followed().len() * trace.arrivals());
        for tick in 1..=gather.ticks {
            for node in trace.followed() {
                for port in gather.topology.port_ids() {
                    let sent = trace.sends(node, port, tick);
                    if let Some((_, Some(from))) = sent {
                        is_sent_on.set(node.index() * trace.arrivals() + from as usize, true);
                    }
                    trace.sent.push(sent.map_or(NONE, |(packet, _)| packet));
                }
            }
        }
        if kept == Kept::One {
            trace.keep_one(&is_sent_on);
        }
        trace
    }

    /// The nodes that are followed.
    fn followed(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let nodes = if self.is_alike { 1 } else { self.gather.topology.nodes() };
        (0..nodes).map(NodeId)
    }

    fn keep_one(&mut self, is_sent_on: &BitVec) {
        let packets = self.gather.demand.packets() as usize;
        self.kept = vec![NONE; self.followed().len() * packets];
        for node in self.followed() {
            let is_sent_on = &is_sent_on[node.index() * self.arrivals()..][..self.arrivals()];
            for arrival in 0..self.arrivals() as u32 {
                let Some(packet) = self.arrived(node, arrival) else { continue };
                let kept = &mut self.kept[node.index() * packets + packet as usize];
                if *kept == NONE || (is_sent_on[arrival as usize] && !is_sent_on[*kept as usize]) {
                    *kept = arrival;
                }
            }
        }
    }

    /// How many arrivals a node can have.
    fn arrivals(&self) -> usize {
        self.gather.ticks as usize * self.gather.topology.ports()
    }

    fn arrival(&self, tick: u32, port: Port) -> Arrival {
        (tick - 1) * self.gather.topology.ports() as u32 + port.index() as u32
    }

    /// The packet that came in then, if one did.
    fn arrived(&self, node: NodeId, arrival: Arrival) -> Option<u32> {
        let topology = &self.gather.topology;
        let (tick, port) = (arrival as usize / topology.ports(), Port::from_index(arrival as usize % topology.ports()));
        let there = topology.neighbour(node, port)?;
        // where all are alike the first node sends what the neighbour does
        let sender = if self.is_alike { node } else { there };
        let register = (tick * self.followed().len() + sender.index()) * topology.ports() + port.opposite().index();
        let packet = *self.sent.get(register).filter(|&&packet| packet != NONE)?;
        Some(if self.is_alike { self.moved(packet, &topology.offset(node, there)) } else { packet })
    }

    /// The packet of the node so far from a packet's own.
    fn moved(&self, packet: u32, by: &[u32]) -> u32 {
        let Partial { node, packet } = self.partial(packet);
        self.gather.demand.packet(self.gather.topology.away(node, by), packet) as u32
    }

    /// The packet that a node sends, and how it came in if it is not the node's own.
    fn sends(&self, node: NodeId, port: Port, tick: u32) -> Option<(u32, Option<Arrival>)> {
        let Program { topology, class_of, demand, .. } = self.gather;
        match self.sources[class_of[node.index()].index() * topology.ports() + port.index()][tick as usize - 1] {
            Source::Own { packet, .. } => Some((demand.packet(node, packet) as u32, None)),
            source => {
                let then = tick.checked_sub(source.age()?).filter(|&then| then > 0)?;
                source.inputs().find_map(|input| {
                    let arrival = self.arrival(then, input.port);
                    Some((self.arrived(node, arrival)?, Some(arrival)))
                })
            }
        }
    }

    /// Whose packet it is, and which.
    fn partial(&self, packet: u32) -> Partial {
        let packets = self.gather.demand.most_packets();
        Partial { node: NodeId(packet / packets), packet: packet % packets }
    }

    fn away(&self, node: NodeId, packet: u32) -> Away {
        let Partial { node: to, packet } = self.partial(packet);
        Away { offset: self.gather.topology.offset(node, to), packet }
    }

    /// Whether a node sends the partial of a packet where that came in then. It has its own from the beginning.
    fn is_kept(&self, node: NodeId, packet: u32, arrival: Arrival) -> bool {
        let packets = self.gather.demand.packets() as usize;
        let kept = self.kept.get(node.index() * packets + packet as usize);
        let is_kept = kept.is_none_or(|&kept| kept == arrival) || self.duplicate == Some((node, arrival));
        self.partial(packet).node != node && is_kept
    }

    /// What a node does if time runs backwards.
    fn backwards(&self, node: NodeId) -> Backwards {
        let Program { topology, demand, ticks, .. } = self.gather;
        let ports = topology.ports();
        let mut sends: Vec<Vec<Option<Send>>> = (0..ports).map(|_| (0..*ticks).map(|_| None).collect()).collect();
        // what came in in tick t leaves in tick T + 1 - t
        let place = |arrival: Arrival| (arrival as usize % ports, *ticks as usize - 1 - arrival as usize / ports);
        for arrival in 0..self.arrivals() as u32 {
            let packet = self.arrived(node, arrival).filter(|&packet| self.is_kept(node, packet, arrival));
            let (port, at) = place(arrival);
            sends[port][at] = packet.map(|packet| Send { packet, operands: Vec::new() });
        }
        let mut results = vec![Vec::new(); demand.most_packets() as usize];
        for (tick, port) in (1..=*ticks).flat_map(|tick| topology.port_ids().map(move |port| (tick, port))) {
            let Some((packet, from)) = self.sends(node, port, tick) else { continue };
            let there = topology.neighbour(node, port);
            let arrival = self.arrival(tick, port.opposite());
            let is_kept = there.is_some_and(|there| {
                if self.is_alike {
                    self.is_kept(node, self.moved(packet, &topology.offset(there, node)), arrival)
                } else {
                    self.is_kept(there, packet, arrival)
                }
            });
            if !is_kept {
                continue;
            }
            let own = self.partial(packet);
            if own.node == node {
                results[own.packet as usize].push(Operand { port, age: tick });
                continue;
            }
            let kept = self.kept.get(node.index() * demand.packets() as usize + packet as usize).copied();
            let from = kept.or(from).expect("a packet of another node came in");
            let (output, at) = place(from);
            let send = sends[output][at].as_mut().expect("an arrival that is sent on is kept");
            send.operands.push(Operand { port, age: tick - 1 - from / ports as u32 });
        }
        Backwards { sends, results: results.into_iter().map(Operands::of).collect() }
    }
}

/// One send a tick as runs.
fn track(sends: &[Option<Send>]) -> Track {
    let same = |a: &Option<Send>, b: &Option<Send>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.operands == b.operands,
        _ => false,
    };
    let runs = sends.chunk_by(same).map(|run| {
        let sum = |send: &Send| Source::Sum { operands: Operands::of(send.operands.iter().copied()) };
        Run { source: run[0].as_ref().map_or(Source::Idle, sum), ticks: run.len() as u32 }
    });
    Track { runs: runs.collect(), repeat_from: None, inject: None }
}
