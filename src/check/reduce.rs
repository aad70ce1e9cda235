//! Executes a reduction on sets of contributors: whose values each partial has in it.
//!
//! A value that counts each time must never be combined with itself: then the sets that meet are disjoint, and every node sends
//! one partial of each packet of another. In the end every node's own values have all contributors.
//!
//! A set takes a bit per node. Where nodes send what they should and each partial goes into one other or a result, none is needed:
//! the ways to a result are a tree on all nodes, as in [`super::trees`]; where twice counts once, it may go into several. So
//! sets are followed only to say what is wrong, or where partials are lost or used again that did no harm.

mod send;
mod sent;

use send::SendScratch;
use sent::SentPartials;

use super::execute;
use super::receive::NOTHING;
use super::{CheckReport, LinkUse, Method, ProgressWatch, Tally, TrafficFigures, Violation};
use crate::net::{Channel, NodeId, Port};
use crate::program::{Operands, Program, Reduction, Source};

/// Executes the whole program and reports whose values came together where.
pub(super) fn run(program: &Program, reduction: &Reduction, watch: ProgressWatch<'_>) -> CheckReport {
    let words = program.topology.nodes().div_ceil(u64::BITS) as usize;
    // a partial goes into several others where every node combines
    let mut execution = ReduceExecution::of(program, reduction, if reduction.everywhere { words } else { 0 }, watch);
    if !reduction.everywhere && !execution.are_trees() {
        execution = ReduceExecution::of(program, reduction, words, watch);
    }
    let reduced = execution.report();
    match program.gather_part() {
        Some(gather) if reduced.violations.is_empty() => {
            let before = reduction.ticks + 1;
            let (gathered, seen) = execute::run(&gather, &[], &|tick| watch(tick + u64::from(before)));
            let link_use = execution.link_use(&seen.carried);
            reduced.and_then(before, gathered, program.flits, link_use)
        }
        Some(_) => CheckReport { complete_at: None, steps: None, ..reduced },
        None => reduced,
    }
}

/// Arrivals of one tick, port by port, for each port those of all nodes in order.
struct Arrivals {
    /// the number of the partial's flit
    flits: Vec<u32>,
    /// into how many others and results it went
    uses: Vec<u8>,
    /// contributors of each arrival, one row per arrival
    sets: Vec<u64>,
}

/// A flit of a node's own value that an arrival helps to complete.
#[derive(Clone, Copy)]
struct DueFlit {
    port: Port,
    packet: u32,
    flit: u32,
}

struct ReduceExecution<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
    nodes: usize,
    /// nodes of each class
    members: Vec<Vec<u32>>,
    /// neighbours of all nodes, port by port
    neighbours: Vec<u32>,
    /// by class and output, tick after tick
    sources: Vec<Vec<Source>>,
    /// by class and tick
    due: Vec<Vec<Vec<DueFlit>>>,
    /// words of a set; none if they are not followed
    words: usize,
    /// arrivals per tick, from the oldest that is read to the latest in flight; tick t is at t modulo their number
    inboxes: Vec<Arrivals>,
    /// flits that each output of each class has sent
    sums: Vec<u32>,
    /// entries of its order that each output has used, port by port
    entries: Vec<u32>,
    /// packet that each output sends, port by port
    packets: Vec<u32>,
    sent: SentPartials<'p>,
    /// by place, the contributors of what nodes combine by themselves
    results: Vec<u64>,
    /// arrivals counted at each port of each node, port by port
    carried: Vec<u32>,
    traffic: TrafficFigures,
    complete_at: u32,
    /// true if a partial was not sent whole, or went into no other, or into several where that counts
    is_astray: bool,
    violations: Vec<Violation>,
    scratch: SendScratch,
}

impl<'p> ReduceExecution<'p> {
    /// The program executed to its end.
    fn of(program: &'p Program, reduction: &'p Reduction, words: usize, watch: ProgressWatch<'_>) -> Self {
        let mut execution = Self::new(program, reduction, words);
        for tick in 1..=reduction.ticks {
            execution.tick(tick);
            watch(tick.into());
        }
        execution.finish();
        execution
    }

    fn new(program: &'p Program, reduction: &'p Reduction, words: usize) -> Self {
        let registers = program.registers();
        let nodes = program.topology.nodes() as usize;
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let slots = (reduced_depth(program, reduction) + program.reduce_latency()) as usize;
        let inbox =
            || Arrivals { flits: vec![NOTHING; registers], uses: vec![0; registers], sets: vec![0; registers * words] };
        let mut members = vec![Vec::new(); program.classes.len()];
        let mut neighbours = vec![NOTHING; registers];
        program.topology.sweep(0..program.topology.nodes(), |node, there| {
            members[program.class_of[node.index()].index()].push(node.0);
            there.iter().enumerate().for_each(|(port, there)| neighbours[port * nodes + node.index()] = there.0);
        });
        let mut results = vec![0; program.number_of_results() as usize * words];
        for node in program.topology.node_ids() {
            for flit in program.results_of(node) {
                fill_with(&mut results[program.result_place(node, flit) * words..][..words], node);
            }
        }
        Self {
            program,
            reduction,
            nodes,
            members,
            neighbours,
            sources: tracks.map(|track| track.sources(reduction.ticks).collect()).collect(),
            due: reduction.results.iter().map(|results| due(program, reduction, results)).collect(),
            words,
            inboxes: (0..slots).map(|_| inbox()).collect(),
            sums: vec![0; program.classes.len() * program.topology.ports()],
            entries: vec![0; registers],
            packets: vec![NOTHING; registers],
            sent: SentPartials::new(program, reduction),
            results,
            carried: vec![0; registers],
            traffic: TrafficFigures::default(),
            complete_at: 0,
            is_astray: false,
            violations: Vec::new(),
            scratch: SendScratch::default(),
        }
    }

    fn tick(&mut self, tick: u32) {
        let program = self.program;
        self.forget((tick + program.reduce_latency() - 1) as usize % self.inboxes.len());
        self.scratch.counts.clear();
        self.scratch.counts.resize(self.nodes, 0);
        for port in program.topology.port_ids() {
            for class in 0..program.classes.len() {
                self.send(class, port, tick);
            }
        }
        let sends = self.scratch.counts.iter().max().map_or(0, |&sends| sends.into());
        self.traffic.sends = self.traffic.sends.max(sends);
        self.tell();
        self.receive(tick);
        self.tell();
    }

    /// Reports what is wrong in a tick, node after node.
    fn tell(&mut self) {
        self.scratch.wrong.sort_by_key(|&(node, at, _)| (node, at));
        self.violations.extend(self.scratch.wrong.drain(..).map(|(_, _, violation)| violation));
    }

    /// Makes room in an inbox that nobody looks at any more.
    fn forget(&mut self, inbox: usize) {
        let is_idempotent = self.reduction.operation.is_idempotent();
        let Arrivals { flits, uses, .. } = &mut self.inboxes[inbox];
        let is_right = |(&flit, &uses): (&u32, &u8)| flit == NOTHING || uses == 1 || (uses > 1 && is_idempotent);
        self.is_astray |= !flits.iter().zip(&*uses).all(is_right);
        flits.fill(NOTHING);
        uses.fill(0);
    }

    /// All nodes look at what arrives, and at what completes their own values.
    fn receive(&mut self, tick: u32) {
        let Self { program, reduction, nodes, words, .. } = *self;
        let slots = self.inboxes.len();
        let inbox = &mut self.inboxes[tick as usize % slots];
        let counts = &mut self.scratch.counts;
        counts.fill(0);
        for flits in inbox.flits.chunks_exact(nodes) {
            counts.iter_mut().zip(flits).for_each(|(count, &flit)| *count += u8::from(flit != NOTHING));
        }
        self.traffic.receives = self.traffic.receives.max(counts.iter().max().map_or(0, |&count| count.into()));
        for (members, due) in self.members.iter().zip(&self.due) {
            for (at, &DueFlit { port, packet, flit }) in due[tick as usize - 1].iter().enumerate() {
                for &node in members {
                    let from = port.index() * nodes + node as usize;
                    if inbox.flits[from] == NOTHING {
                        continue;
                    }
                    let own = program.result_flit(NodeId(node), packet, flit) as u32;
                    let mut wrong = |violation: fn(Vec<u32>, String, u32) -> Violation| {
                        let violation = violation(program.topology.coords(NodeId(node)), port.to_string(), tick);
                        self.scratch.wrong.push((node, at, violation));
                    };
                    if inbox.flits[from] != own {
                        wrong(|node, port, tick| Violation::Mixed { node, port, tick });
                        continue;
                    }
                    self.complete_at = tick;
                    inbox.uses[from] = inbox.uses[from].saturating_add(1);
                    let place = program.result_place(NodeId(node), own.into());
                    let result = &mut self.results[place * words..][..words];
                    if unite(result, &inbox.sets[from * words..][..words]) && !reduction.operation.is_idempotent() {
                        wrong(|node, port, tick| Violation::Twice { node, port, tick });
                    }
                }
            }
        }
    }

    /// Records the violations that show at the end.
    fn finish(&mut self) {
        let Self { program, reduction, words, .. } = *self;
        let Program { topology, flits, .. } = program;
        (0..self.inboxes.len()).for_each(|inbox| self.forget(inbox));
        self.is_astray |= self.sums.iter().any(|sums| sums % flits > 0);
        let is_sent_rightly = reduction.everywhere || self.sent.is_right();
        for node in topology.node_ids() {
            let coords = || topology.coords(node);
            for port in topology.port_ids() {
                let used = self.entries[port.index() * self.nodes + node.index()] as usize;
                let entries = reduction.order.len(node, port.index());
                if used != entries {
                    let port = port.to_string();
                    self.violations.push(Violation::Entries { node: coords(), port, used, entries });
                }
            }
            if !is_sent_rightly {
                self.violations.extend(self.sent.violation(node));
            }
            if words == 0 {
                continue;
            }
            let mut all = vec![0; words];
            program.demand.group_of(topology, node).for_each(|member| insert(&mut all, member));
            for packet in 0..program.combined_packets(node) {
                let set = |flit| {
                    let place = program.result_place(node, program.result_flit(node, packet, flit));
                    &self.results[place * words..][..words]
                };
                let most = |count: fn(u64, u64) -> u64| {
                    let counted =
                        |flit| set(flit).iter().zip(&all).map(|(&set, &all)| count(set, all).count_ones()).sum();
                    (0..*flits).map(counted).max().unwrap_or(0)
                };
                let (missing, others): (u32, u32) = (most(|set, all| all & !set), most(|set, all| set & !all));
                if missing > 0 {
                    self.violations.push(Violation::NotCombined { node: coords(), packet, missing });
                }
                if others > 0 {
                    self.violations.push(Violation::NotOfGroup { node: coords(), packet, others });
                }
            }
        }
    }

    /// Returns true if the ways of all partials to the results are trees on all nodes: then nothing is wrong.
    fn are_trees(&self) -> bool {
        self.violations.is_empty() && !self.is_astray
    }

    fn link_use(&self, more: &[u32]) -> LinkUse {
        let topology = &self.program.topology;
        let links = topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
        let carried = links.map(|(node, port)| {
            let gathered = more.get(self.program.register(node, Channel::first(port)));
            self.carried[port.index() * self.nodes + node.index()] + gathered.copied().unwrap_or(0)
        });
        Tally::of(carried).link_use()
    }

    fn report(&self) -> CheckReport {
        let Program { topology, demand, flits, .. } = self.program;
        let ways = if self.reduction.everywhere { 2 } else { 1 };
        let arrivals: u64 = self.carried.iter().map(|&carried| u64::from(carried)).sum();
        let of_group = |group: &Vec<NodeId>| {
            let flits: u64 = group.iter().map(|&node| demand.own_flits(node)).sum();
            flits * (group.len() as u64 - 1)
        };
        let needed = ways * demand.each_group(topology).iter().map(of_group).sum::<u64>();
        let complete_at = self.violations.is_empty().then_some(self.complete_at.max(1));
        CheckReport {
            method: Method::Execution,
            complete_at,
            steps: complete_at.map(|tick| tick.div_ceil(*flits)),
            duplicates: Some(arrivals.saturating_sub(needed)),
            traffic: Some(self.traffic),
            link_use: Some(self.link_use(&[])),
            violations: self.violations.clone(),
        }
    }
}

/// The largest age that is read in the reduce part.
fn reduced_depth(program: &Program, reduction: &Reduction) -> u32 {
    let tracks = program.classes.iter().flat_map(|class| &class.outputs);
    let spans = tracks.flat_map(|track| track.spans(reduction.ticks));
    // nothing arrives before the first tick
    spans.filter_map(|span| span.source.age()).max().unwrap_or(0).min(reduction.ticks)
}

/// Lists the arrivals that complete the values of a class, by tick: flit f is read in tick f + 1 after the reduce part.
fn due(program: &Program, reduction: &Reduction, results: &[Operands]) -> Vec<Vec<DueFlit>> {
    let mut due = vec![Vec::new(); reduction.ticks as usize];
    for (packet, operands) in (0..).zip(results) {
        for (operand, flit) in operands.iter().flat_map(|operand| (0..program.flits).map(move |flit| (operand, flit))) {
            let tick = (u64::from(reduction.ticks) + 1 + u64::from(flit)).checked_sub(operand.age.into());
            // nothing arrives before the first tick or after the last
            if let Some(due) = tick.and_then(|tick| due.get_mut((tick as usize).wrapping_sub(1))) {
                due.push(DueFlit { port: operand.port, packet, flit });
            }
        }
    }
    due
}

/// Makes a set that of one node.
fn fill_with(set: &mut [u64], node: NodeId) {
    // the call that fills nothing would take longer than the rest of a sum
    if !set.is_empty() {
        set.fill(0);
        insert(set, node);
    }
}

/// Adds a node to a set.
fn insert(set: &mut [u64], node: NodeId) {
    set[node.index() / u64::BITS as usize] |= 1 << (node.index() % u64::BITS as usize);
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
