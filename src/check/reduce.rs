//! Executes a reduction on sets of contributors: whose values each partial has in it.
//!
//! A value that counts each time must never be combined with itself: then the sets that meet are disjoint, and every node sends
//! one partial of each packet of another. In the end every node's own values have all contributors.

use super::execute;
use super::receive::NOTHING;
use super::{LinkUse, Method, Report, Tally, Traffic, Violation, Watch};
use crate::net::{Channel, NodeId, Port};
use crate::program::{Operands, Partial, Program, Reduction, Source};

/// Executes the whole program and reports whose values came together where.
pub(super) fn run(program: &Program, reduction: &Reduction, watch: Watch<'_>) -> Report {
    let mut execution = Execution::new(program, reduction);
    for tick in 1..=reduction.ticks {
        execution.tick(tick);
        watch(tick.into());
    }
    execution.finish();
    let reduced = execution.report();
    match program.gather_part() {
        Some(gather) if reduced.violations.is_empty() => {
            let before = reduction.ticks + 1;
            let (gathered, seen) = execute::run(&gather, &[], &|tick| watch(tick + u64::from(before)));
            let link_use = execution.link_use(&seen.carried);
            reduced.and_then(before, gathered, program.flits, link_use)
        }
        Some(_) => Report { complete_at: None, steps: None, ..reduced },
        None => reduced,
    }
}

/// What arrived in one tick, at the index of the register of the same node and port.
struct Arrivals {
    /// the number of the partial's flit
    flits: Vec<u32>,
    /// whose values it has in it, a row an arrival
    sets: Vec<u64>,
}

/// Where an output stands in its partials.
#[derive(Clone, Copy)]
struct Place {
    sums: u32,
    entries: usize,
    packet: u32,
}

/// A flit of a node's own value that an arrival helps to complete.
#[derive(Clone, Copy)]
struct Due {
    port: Port,
    packet: u32,
    flit: u32,
}

struct Execution<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
    /// by class and output, tick after tick
    sources: Vec<Vec<Source>>,
    /// by class and tick
    due: Vec<Vec<Vec<Due>>>,
    /// words of a set
    words: usize,
    /// what arrives in each tick, as far back as any output reads and as far ahead as links bring it; tick t's is at t modulo
    /// their number
    inboxes: Vec<Arrivals>,
    places: Vec<Place>,
    /// how often each node sent a partial of each packet
    sent: Vec<u8>,
    /// the contributors of every node's own flits
    results: Vec<u64>,
    /// how much came into each inbox
    carried: Vec<u32>,
    traffic: Traffic,
    complete_at: u32,
    violations: Vec<Violation>,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program, reduction: &'p Reduction) -> Self {
        let (nodes, packets) = (program.topology.nodes() as usize, program.demand.packets() as usize);
        let (words, registers) = (nodes.div_ceil(u64::BITS as usize), program.registers());
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let slots = (reduced_depth(program, reduction) + program.latency) as usize;
        let inbox = || Arrivals { flits: vec![NOTHING; registers], sets: vec![0; registers * words] };
        let mut results = vec![0; program.demand.flits() as usize * words];
        for node in program.topology.node_ids() {
            for flit in program.demand.flits_of(node) {
                fill_with(&mut results[flit as usize * words..][..words], node);
            }
        }
        Self {
            program,
            reduction,
            sources: tracks.map(|track| track.sources(reduction.ticks).collect()).collect(),
            due: reduction.results.iter().map(|results| due(program, reduction, results)).collect(),
            words,
            inboxes: (0..slots).map(|_| inbox()).collect(),
            places: vec![Place { sums: 0, entries: 0, packet: NOTHING }; registers],
            sent: vec![0; nodes * packets],
            results,
            carried: vec![0; registers],
            traffic: Traffic::default(),
            complete_at: 0,
            violations: Vec::new(),
        }
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        let then = (tick + program.latency - 1) as usize % self.inboxes.len();
        self.inboxes[then].flits.fill(NOTHING);
        let mut set = vec![0; self.words];
        for node in program.topology.node_ids() {
            let mut sends = 0;
            let class = program.class_of[node.index()].index();
            for port in program.topology.port_ids() {
                let Source::Sum { operands } =
                    self.sources[class * program.topology.ports() + port.index()][tick as usize - 1]
                else {
                    continue;
                };
                let Some(flit) = self.sum(node, port, tick, operands, &mut set) else { continue };
                sends += 1;
                let Some(there) = program.topology.neighbour(node, port) else { continue };
                let to = program.topology.register(there, port.opposite());
                let inbox = &mut self.inboxes[then];
                inbox.flits[to] = flit;
                inbox.sets[to * self.words..][..self.words].copy_from_slice(&set);
                self.carried[to] += 1;
            }
            self.traffic.sends = self.traffic.sends.max(sends);
        }
        for node in program.topology.node_ids() {
            self.receive(node, tick);
        }
    }

    /// The flit that an output sends, and in `set` whose values it has in it.
    fn sum(&mut self, node: NodeId, port: Port, tick: u32, operands: Operands, set: &mut [u64]) -> Option<u32> {
        let Self { program, reduction, words, .. } = *self;
        fill_with(set, node);
        let (mut arrived, mut is_mixed, mut twice) = (None, false, false);
        for operand in operands.iter() {
            // where ticks before the first would be nothing has arrived yet
            let Some(then) = tick.checked_sub(operand.age) else { continue };
            let inbox = &self.inboxes[then as usize % self.inboxes.len()];
            let from = program.topology.register(node, operand.port);
            let flit = inbox.flits[from];
            if flit == NOTHING {
                continue;
            }
            if operand.age > 1 {
                self.traffic.held = self.traffic.held.max(operand.age);
            }
            is_mixed |= arrived.is_some_and(|arrived| arrived != flit);
            arrived = Some(flit);
            twice |= unite(set, &inbox.sets[from * words..][..words]);
        }
        let place = &mut self.places[program.topology.register(node, port)];
        let flit = place.sums % program.flits;
        place.sums += 1;
        if flit == 0 {
            place.packet = match arrived {
                Some(arrived) if reduction.order.starts => arrived / program.flits,
                _ => {
                    place.entries += 1;
                    let entry =
                        reduction.order.entry(&program.topology, node, port.index(), place.entries - 1).flatten();
                    entry
                        .filter(|&entry| exists(program, entry))
                        .map_or(NOTHING, |Partial { node, packet }| program.demand.packet(node, packet) as u32)
                }
            };
            if place.packet != NOTHING {
                let sent = &mut self.sent[node.index() * program.demand.packets() as usize + place.packet as usize];
                *sent = sent.saturating_add(1);
            }
        }
        let sends = (place.packet != NOTHING).then(|| place.packet * program.flits + flit);
        let at = || (program.topology.coords(node), port.to_string());
        if is_mixed || arrived.is_some_and(|arrived| sends != Some(arrived)) {
            let (node, port) = at();
            self.violations.push(Violation::Mixed { node, port, tick });
        } else if twice && !reduction.operation.is_idempotent() {
            let (node, port) = at();
            self.violations.push(Violation::Twice { node, port, tick });
        }
        sends
    }

    /// A node looks at what completes its own values.
    fn receive(&mut self, node: NodeId, tick: u32) {
        let Self { program, reduction, words, .. } = *self;
        let inbox = &self.inboxes[tick as usize % self.inboxes.len()];
        let arrivals = &inbox.flits[program.topology.register(node, Port::from_index(0))..][..program.topology.ports()];
        let receives = arrivals.iter().filter(|&&flit| flit != NOTHING).count() as u32;
        self.traffic.receives = self.traffic.receives.max(receives);
        for &Due { port, packet, flit } in &self.due[program.class_of[node.index()].index()][tick as usize - 1] {
            let from = program.topology.register(node, port);
            let own = (program.demand.packet(node, packet) as u32) * program.flits + flit;
            if inbox.flits[from] == NOTHING {
                continue;
            }
            let result = &mut self.results[own as usize * words..][..words];
            let (node, port) = (program.topology.coords(node), port.to_string());
            if inbox.flits[from] != own {
                self.violations.push(Violation::Mixed { node, port, tick });
                continue;
            }
            self.complete_at = tick;
            if unite(result, &inbox.sets[from * words..][..words]) && !reduction.operation.is_idempotent() {
                self.violations.push(Violation::Twice { node, port, tick });
            }
        }
    }

    /// What is wrong in the end.
    fn finish(&mut self) {
        let Self { program, reduction, words, .. } = *self;
        let Program { topology, demand, .. } = program;
        let token = |packet: u64| super::token(program, packet);
        for node in topology.node_ids() {
            let coords = || topology.coords(node);
            for port in topology.port_ids() {
                let (used, entries) =
                    (self.places[topology.register(node, port)].entries, reduction.order.len(node, port.index()));
                if used != entries {
                    let port = port.to_string();
                    self.violations.push(Violation::Entries { node: coords(), port, used, entries });
                }
            }
            let sent = &self.sent[node.index() * demand.packets() as usize..][..demand.packets() as usize];
            let own = demand.packet(node, 0)..demand.packet(node, demand.packets_of(node));
            let is_right = |packet: u64, times: u8| {
                own.contains(&packet) == (times == 0) && (times < 2 || reduction.operation.is_idempotent())
            };
            let mut wrong = (0..).zip(sent).filter(|&(packet, &times)| !is_right(packet, times));
            if let Some((packet, &times)) = wrong.next() {
                let (partials, first) = (1 + wrong.count() as u64, token(packet));
                self.violations.push(Violation::Sent { node: coords(), partials, first, times });
            }
            for packet in 0..demand.packets_of(node) {
                let flits = demand.flits_of_packet(node, packet);
                let missing = flits.map(|flit| {
                    let set = &self.results[flit as usize * words..][..words];
                    topology.nodes() - set.iter().map(|word| word.count_ones()).sum::<u32>()
                });
                let missing = missing.max().unwrap_or(0);
                if missing > 0 {
                    self.violations.push(Violation::NotCombined { node: coords(), packet, missing });
                }
            }
        }
    }

    fn link_use(&self, more: &[u32]) -> LinkUse {
        let topology = &self.program.topology;
        let links = topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
        let carried = links.map(|(node, port)| {
            let inbox = self.program.register(node, Channel::first(port));
            self.carried[inbox] + more.get(inbox).copied().unwrap_or(0)
        });
        Tally::of(carried).link_use()
    }

    fn report(&self) -> Report {
        let Program { topology, demand, flits, .. } = self.program;
        let arrivals: u64 = self.carried.iter().map(|&carried| u64::from(carried)).sum();
        let needed = demand.flits() * u64::from(topology.nodes() - 1);
        let complete_at = self.violations.is_empty().then_some(self.complete_at.max(1));
        Report {
            method: Method::Execution,
            complete_at,
            steps: complete_at.map(|tick| tick.div_ceil(*flits)),
            duplicates: Some(arrivals.saturating_sub(needed)),
            traffic: Some(self.traffic),
            link_use: self.link_use(&[]),
            violations: self.violations.clone(),
        }
    }
}

/// The largest age that a sum reads.
fn reduced_depth(program: &Program, reduction: &Reduction) -> u32 {
    let tracks = program.classes.iter().flat_map(|class| &class.outputs);
    let spans = tracks.flat_map(|track| track.spans(reduction.ticks));
    spans.filter(|span| span.source.is_sum()).filter_map(|span| span.source.age()).max().unwrap_or(0)
}

/// What a class's arrivals complete, tick after tick: flit f is read in tick f + 1 after the reduce part.
fn due(program: &Program, reduction: &Reduction, results: &[Operands]) -> Vec<Vec<Due>> {
    let mut due = vec![Vec::new(); reduction.ticks as usize];
    for (packet, operands) in (0..).zip(results) {
        for (operand, flit) in operands.iter().flat_map(|operand| (0..program.flits).map(move |flit| (operand, flit))) {
            let tick = (u64::from(reduction.ticks) + 1 + u64::from(flit)).checked_sub(operand.age.into());
            // what comes before the first tick or after the last is nothing
            if let Some(due) = tick.and_then(|tick| due.get_mut((tick as usize).wrapping_sub(1))) {
                due.push(Due { port: operand.port, packet, flit });
            }
        }
    }
    due
}

fn exists(program: &Program, Partial { node, packet }: Partial) -> bool {
    node.0 < program.topology.nodes() && packet < program.demand.packets_of(node)
}

/// Makes a set that of one node.
fn fill_with(set: &mut [u64], node: NodeId) {
    set.fill(0);
    set[node.index() / u64::BITS as usize] = 1 << (node.index() % u64::BITS as usize);
}

/// Adds a set to another; whether they had a member in common.
fn unite(set: &mut [u64], other: &[u64]) -> bool {
    let mut common = 0;
    for (word, other) in set.iter_mut().zip(other) {
        common |= *word & other;
        *word |= other;
    }
    common != 0
}
