//! Reductions: reduce, reduce-scatter and all-reduce, which combine values on the way.
//!
//! Every node has a value for each packet of each node; in a reduce only the root has packets. In the *reduce part* an output sends partials: the node's own value
//! of a packet combined with what others sent of it. In the end every node combines what completes the values of its own
//! packets; in all-reduce these then are the packets of a gossip, the *gather part*.

use std::collections::HashSet;
use std::ops::Range;

use super::{Arithmetic, Class, ClassId, Number, Operands, Operation, Program, Source, Span, Track};
use crate::net::{NodeId, Port, Topology};

/// A partial by where it goes: packet k of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partial {
    /// The node that the sum is for.
    pub node: NodeId,
    /// Index among the packets of its node.
    pub packet: u32,
}

/// A partial by how far away the node is that it goes to, axis by axis, modulo the sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Away {
    /// Offset along each axis.
    pub offset: Vec<u32>,
    /// Index among the packets of its node.
    pub packet: u32,
}

/// Order in which partials leave, output by output; `None` where nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entries {
    /// One list per output, shared by all nodes.
    Offsets(Vec<Vec<Option<Away>>>),
    /// For every node a list per output.
    Nodes(Vec<Vec<Vec<Option<Partial>>>>),
}

/// Order of the partials on every output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialOrder {
    /// Partials in order.
    pub entries: Entries,
    /// True if only those are named at which nothing arrives; every other one continues what arrives.
    pub starts: bool,
}

impl PartialOrder {
    /// The n-th entry, from 0, of a node's output: none if there is none, and nothing in it if nothing is to be sent.
    pub fn entry(&self, topology: &Topology, node: NodeId, output: usize, n: usize) -> Option<Option<Partial>> {
        match &self.entries {
            Entries::Offsets(lists) => {
                let entry = lists.get(output)?.get(n)?.as_ref();
                Some(
                    entry.map(|Away { offset, packet }| Partial { node: topology.away(node, offset), packet: *packet }),
                )
            }
            Entries::Nodes(nodes) => nodes.get(node.index())?.get(output)?.get(n).copied(),
        }
    }

    /// Number of entries a node's output has.
    pub fn len(&self, node: NodeId, output: usize) -> usize {
        match &self.entries {
            Entries::Offsets(lists) => lists.get(output).map_or(0, Vec::len),
            Entries::Nodes(nodes) => nodes.get(node.index()).and_then(|lists| lists.get(output)).map_or(0, Vec::len),
        }
    }
}

/// Values that a program combines, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Operation that combines two values.
    pub operation: Operation,
    /// Type of the values.
    pub number: Number,
    /// True if subnormal floats count as zeros in sums.
    pub flush: bool,
    /// Ticks that combining takes: by so many more than a packet a partial is on its way.
    pub adding: u32,
    /// The ticks of the reduce part; it is all there is, or a tick of silence and the gather part follow.
    pub ticks: u32,
    /// True if every node combines all packets by itself, and not only those of its own: a partial may be sent on as it is then.
    pub everywhere: bool,
    /// Order of the partials on every output.
    pub order: PartialOrder,
    /// Operands that complete a node's own values, by class and packet of its nodes: flit f is read in tick f + 1 after the
    /// reduce part.
    pub results: Vec<Vec<Operands>>,
}

impl Reduction {
    /// A combination of words, which takes no time.
    pub fn of_words(operation: Operation, ticks: u32, order: PartialOrder, results: Vec<Vec<Operands>>) -> Self {
        Self { operation, number: Number::Word, flush: false, adding: 0, ticks, everywhere: false, order, results }
    }

    /// Arithmetic that combines the values.
    pub fn arithmetic(&self) -> Arithmetic {
        Arithmetic { operation: self.operation, number: self.number, flush: self.flush }
    }

    pub(super) fn scaled(&self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let of_class =
            |results: &Vec<Operands>| results.iter().map(|result| result.scaled(&scale)).collect::<Option<_>>();
        Some(Self {
            ticks: scale(self.ticks)?,
            results: self.results.iter().map(of_class).collect::<Option<_>>()?,
            ..self.clone()
        })
    }
}

/// Unit and time in which a node combines a packet of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultPlace {
    /// Unit that combines it, counted from 0.
    pub unit: u32,
    /// By how many ticks that is before the one in which [`Reduction::results`] says it is read.
    pub earlier: u32,
    /// True if the unit adds up arrivals as they come, each in the tick after it.
    pub accumulates: bool,
}

impl Program {
    /// Units and times in which the nodes of a class combine their packets: as soon as all of one has arrived, in the first unit
    /// that is free. Results that are gathered wait in units of their own; several flits wait as arrivals until they are asked for.
    pub fn result_places(&self, class: ClassId) -> Vec<ResultPlace> {
        let Some(reduction) = &self.reduction else { return Vec::new() };
        let is_gathered = reduction.ticks < self.ticks;
        let accumulates = self.accumulates(class);
        // by unit and tick, whether it begins or ends there
        let mut taken: HashSet<(u32, u32, bool)> = HashSet::new();
        let place = |(packet, operands): (u32, &Operands)| {
            let adding = self.adder_ticks() * operands.rows();
            let youngest = operands.iter().map(|operand| operand.age).min().unwrap_or(1);
            let most = if is_gathered && self.flits > 1 { adding } else { u32::MAX };
            // no flit was sent before the first tick
            let earlier = most.min(youngest - 1).min(reduction.ticks);
            let last = reduction.ticks + 1 - earlier;
            let oldest = operands.iter().map(|operand| operand.age).max().filter(|_| accumulates);
            // nothing comes before the first tick, whatever a program says
            let first = oldest.map_or(last, |age| (reduction.ticks + 2).saturating_sub(age).clamp(1, last));
            let ticks = || (first..last + self.flits).flat_map(|tick| [(tick, true), (tick + adding, false)]);
            let is_free = |unit: &u32| ticks().all(|(tick, begins)| !taken.contains(&(*unit, tick, begins)));
            let unit =
                if is_gathered { packet } else { (0..=packet).find(is_free).expect("fewer packets came before") };
            taken.extend(ticks().map(|(tick, begins)| (unit, tick, begins)));
            ResultPlace { unit, earlier, accumulates }
        };
        (0..).zip(&reduction.results[class.index()]).map(place).collect()
    }

    /// Returns true if the nodes of a class add up what completes their packets as it comes: where one port brings several words of a
    /// packet, and the order makes no difference.
    fn accumulates(&self, class: ClassId) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        let comes_again = |operands: &Operands| {
            let ports: HashSet<Port> = operands.iter().map(|operand| operand.port).collect();
            ports.len() < operands.iter().len()
        };
        let is_free = self.flits == 1 && reduction.adding == 0 && !reduction.arithmetic().is_ordered();
        is_free && reduction.results[class.index()].iter().any(comes_again)
    }

    /// Name of the collective that the program achieves.
    pub fn collective(&self) -> &'static str {
        match &self.reduction {
            None => self.demand.collective(),
            Some(reduction) if reduction.everywhere || reduction.ticks < self.ticks => "all-reduce",
            Some(_) if self.demand.is_gossip() => "reduce-scatter",
            Some(_) => "reduce",
        }
    }

    /// Returns true if all packets are those of one node, in a reduce or an all-reduce of short vectors.
    pub fn combines_at_root(&self) -> bool {
        self.reduction.is_some() && !self.demand.is_gossip()
    }

    /// Returns true if every node combines all packets by itself.
    pub fn combines_everywhere(&self) -> bool {
        self.reduction.as_ref().is_some_and(|reduction| reduction.everywhere)
    }

    /// Returns true if what is forwarded goes out by outputs that combine as well.
    pub fn mixes_forwards(&self) -> bool {
        self.reduction.as_ref().is_some_and(|reduction| reduction.everywhere || reduction.ticks < self.ticks)
    }

    /// Returns true if what a node combines stays there, and nobody else gets it.
    pub fn keeps_results(&self) -> bool {
        self.reduction.as_ref().is_some_and(|reduction| !reduction.everywhere && reduction.ticks == self.ticks)
    }

    /// Numbers of the flits that a node combines by itself.
    pub fn results_of(&self, node: NodeId) -> Range<u64> {
        if self.combines_everywhere() {
            self.demand.flits_of_group(&self.topology, node)
        } else {
            self.demand.flits_of(node)
        }
    }

    /// The number of a flit that a node combines by itself.
    pub fn result_flit(&self, node: NodeId, packet: u32, flit: u32) -> u64 {
        self.results_of(node).start + u64::from(packet) * u64::from(self.flits) + u64::from(flit)
    }

    /// Number of results, where each node's are counted one after the other.
    pub fn number_of_results(&self) -> u64 {
        if self.combines_everywhere() {
            return self.demand.most_of_group() * u64::from(self.topology.nodes());
        }
        self.demand.flits()
    }

    /// Place of a node's result among the results of all nodes, by its flit.
    pub fn result_place(&self, node: NodeId, flit: u64) -> usize {
        if self.combines_everywhere() {
            let place = flit - self.results_of(node).start;
            return (u64::from(node.0) * self.demand.most_of_group() + place) as usize;
        }
        flit as usize
    }

    /// Number of packets that a node combines by itself.
    pub fn combined_packets(&self, node: NodeId) -> u32 {
        let results = self.results_of(node);
        ((results.end - results.start) / u64::from(self.flits)) as u32
    }

    /// Ticks from when a partial is sent until it can be sent on, as [`Program::latency`] is for packets.
    pub fn reduce_latency(&self) -> u32 {
        self.latency.saturating_add(self.reduction.as_ref().map_or(0, |reduction| reduction.adding))
    }

    /// Units in a row that a partial passes before it leaves: one at least.
    pub fn adder_rows(&self) -> u32 {
        let sources = self.classes.iter().flat_map(Class::sources);
        let rows = sources.map(|source| if let Source::Sum { operands } = source { operands.rows() } else { 0 });
        rows.max().unwrap_or(0).max(1)
    }

    /// Ticks that each of them takes; 0 if values are combined at once.
    pub fn adder_ticks(&self) -> u32 {
        self.reduction.as_ref().map_or(0, |reduction| reduction.adding) / self.adder_rows()
    }

    /// Number of units that combine values and take ticks, in the outputs of all nodes.
    pub fn adders(&self) -> u64 {
        if self.reduction.as_ref().is_none_or(|reduction| reduction.adding == 0) {
            return 0;
        }
        let of_output = |track: &Track| {
            let operands = track.runs.iter().filter_map(|run| match run.source {
                Source::Sum { operands } => Some(operands.iter().len() as u64),
                _ => None,
            });
            // a value that leaves alone passes a unit, too
            operands.max().map_or(0, |operands| operands.max(1))
        };
        let of_class: Vec<u64> = self.classes.iter().map(|class| class.outputs.iter().map(of_output).sum()).collect();
        self.topology.live_ids().map(|node| of_class[self.class_of[node.index()].index()]).sum()
    }

    /// Sources of an output by the tick in which its register has them: a sum is there when the units are done.
    pub fn loaded(&self, track: &Track) -> Vec<Span> {
        let adding = self.reduction.as_ref().map_or(0, |reduction| reduction.adding);
        if adding == 0 {
            return track.spans(self.ticks).collect();
        }
        let mut by_tick = vec![Source::Idle; self.ticks as usize];
        for (tick, source) in (0..).zip(track.sources(self.ticks)) {
            let late = if source.is_sum() { adding as usize } else { 0 };
            if let Some(place) = by_tick.get_mut(tick + late).filter(|_| source != Source::Idle) {
                *place = source;
            }
        }
        let mut spans: Vec<Span> = Vec::new();
        for (tick, source) in (1..).zip(by_tick) {
            match spans.last_mut() {
                Some(span) if span.source == source => span.last = tick,
                _ => spans.push(Span { first: tick, last: tick, source }),
            }
        }
        spans
    }

    /// In how many ticks a node's own values go into an output.
    pub fn own_ticks(&self, track: &Track) -> u32 {
        let spans = track.spans(self.ticks);
        let own = spans.filter(|span| matches!(span.source, Source::Sum { .. } | Source::Own { .. }));
        own.map(|span| span.last - span.first + 1).sum()
    }
}

impl Source {
    /// Returns true for a node's own value, alone or combined with arrivals.
    pub const fn is_sum(self) -> bool {
        matches!(self, Self::Sum { .. })
    }
}
