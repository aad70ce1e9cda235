//! Plays a reduction on words: what every register holds after every tick, and what every node's own packets become.

mod arrivals;
mod tick;

use std::collections::BTreeSet;

use arrivals::{Due, arriving, due};
use tick::Scratch;

use super::shift::VOID;
use super::{Payloads, Values};
use crate::net::NodeId;
use crate::program::{Arithmetic, FlitId, Number, Operation, Program, Reduction};

/// Position of an output in its runs, the same at all nodes of a class.
#[derive(Clone, Copy, Default)]
struct OutputCursor {
    run: usize,
    played: u32,
    sums: u32,
}

/// A reduction in the middle of being played.
pub struct Combiner<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
    arithmetic: Arithmetic,
    values: Values,
    /// 64-bit words of a value
    limbs: usize,
    tick: u32,
    nodes: usize,
    /// registers in a plane: those of an output of all nodes, and then of the next output
    registers: usize,
    /// planes of all registers, one for each of the last ticks, tick t's at t modulo their number
    planes: usize,
    /// index of this tick's plane
    now: usize,
    /// by plane and place in it, the flit of the partial that the register holds, or the flit itself
    flits: Vec<u32>,
    /// by plane and place in it, the value
    words: Vec<u64>,
    /// nodes of each class
    members: Vec<Vec<NodeId>>,
    /// place in a plane of what arrives, by port and node; void without a link
    arriving: Vec<u32>,
    /// position of each output of each class
    places: Vec<OutputCursor>,
    /// by place in a plane, the entries of its order that were taken
    entries: Vec<u32>,
    /// by place in a plane, the packet whose partial leaves
    packets: Vec<u32>,
    /// the nodes' own values that went into each register, if they are asked for
    loaded: Option<Vec<Vec<u64>>>,
    /// by place, what the nodes combine by themselves
    results: Vec<u64>,
    /// by place, what completes it, in the order of the program; none if that makes no difference
    arrived: Option<Vec<Vec<Option<Vec<u64>>>>>,
    /// arrivals that complete a node's values, by class, in the order of their ticks
    due: Vec<Vec<Due>>,
    /// number of those that have come, by class
    received: Vec<usize>,
    scratch: Box<Scratch>,
}

/// Words that enter each register of the nodes' own values.
pub struct OwnStreams {
    limbs: usize,
    /// words to load, by register
    words: Vec<Vec<u64>>,
}

impl OwnStreams {
    /// The bytes that they take, in lists with room to grow.
    pub fn bytes(program: &Program, width: u32) -> u64 {
        if program.reduction.is_none() {
            return 0;
        }
        let values = u64::from(program.topology.nodes()).saturating_mul(program.demand.flits());
        values.saturating_mul(2 * bytes_of(width))
    }

    /// The values, register after register, one after the other.
    pub fn values(&self) -> impl Iterator<Item = &[u64]> {
        self.words.iter().flat_map(|words| words.chunks_exact(self.limbs))
    }
}

/// Bytes of memory per value of `width` bits.
fn bytes_of(width: u32) -> u64 {
    8 * u64::from(width.div_ceil(64))
}

impl<'p> Combiner<'p> {
    /// Before tick 1; none if nothing is combined. Every node has another value for every flit, by its payload.
    pub fn new(program: &'p Program, payloads: Payloads) -> Option<Self> {
        Self::with(program, Values::drawn(program, payloads))
    }

    /// Plays the program with these values.
    pub fn with(program: &'p Program, values: Values) -> Option<Self> {
        let arithmetic = program.reduction.as_deref()?.arithmetic();
        Self::by(program, values, arithmetic)
    }

    /// Plays the program with these values and another arithmetic than its own.
    fn by(program: &'p Program, values: Values, arithmetic: Arithmetic) -> Option<Self> {
        let reduction = program.reduction.as_deref()?;
        let limbs = values.width().div_ceil(64) as usize;
        let registers = program.registers();
        let planes = program.memory().max(1) as usize + program.reduce_latency() as usize;
        let mut members = vec![Vec::new(); program.classes.len()];
        program.topology.node_ids().for_each(|node| members[program.class_of[node.index()].index()].push(node));
        let mut combiner = Self {
            program,
            reduction,
            arithmetic,
            values,
            limbs,
            tick: 0,
            nodes: program.topology.nodes() as usize,
            registers,
            planes,
            now: 0,
            flits: vec![VOID; planes * registers],
            words: vec![0; planes * registers * limbs],
            members,
            arriving: arriving(program),
            places: vec![OutputCursor::default(); program.classes.len() * program.topology.ports()],
            entries: vec![0; registers],
            packets: vec![VOID; registers],
            loaded: None,
            results: Vec::new(),
            arrived: arithmetic.is_ordered().then(|| vec![Vec::new(); program.number_of_results() as usize]),
            due: reduction.results.iter().map(|results| due(program, reduction, results)).collect(),
            received: vec![0; program.classes.len()],
            scratch: Box::default(),
        };
        combiner.results = vec![0; program.number_of_results() as usize * limbs];
        for node in program.topology.node_ids() {
            for flit in program.results_of(node) {
                let result = &mut combiner.results[program.result_place(node, flit) * limbs..][..limbs];
                combiner.values.write(node, flit as u32, result);
            }
        }
        Some(combiner)
    }

    /// The number of ticks played.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Returns true if the program is over.
    pub fn is_done(&self) -> bool {
        self.tick == self.program.ticks
    }

    /// Plays one tick.
    pub fn step(&mut self) {
        assert!(!self.is_done(), "the program ends after tick {}", self.program.ticks);
        self.tick += 1;
        self.now = if self.now + 1 == self.planes { 0 } else { self.now + 1 };
        let members = std::mem::take(&mut self.members);
        let outputs = self.program.topology.ports();
        for (class, members) in members.iter().enumerate() {
            for output in 0..outputs {
                let (source, played) = self.source(class, output);
                self.send(members, (class, output), source, played);
            }
        }
        if self.tick <= self.reduction.ticks {
            members.iter().enumerate().for_each(|(class, members)| self.receive(class, members));
        }
        self.members = members;
        if self.tick == self.reduction.ticks {
            self.complete();
        }
    }

    /// Ticks from when something is sent until it arrives: in the tick after the reduce part nothing does.
    fn later(&self) -> u32 {
        let gathers = self.tick > self.reduction.ticks;
        if gathers { self.program.latency - 1 } else { self.program.reduce_latency() - 1 }
    }

    /// Number of values that arrived in the last tick.
    pub fn arrivals(&self) -> u64 {
        if self.tick < self.later() {
            return 0;
        }
        let first = self.plane(self.later());
        self.flits[first..first + self.registers].iter().filter(|&&flit| flit != VOID).count() as u64
    }

    /// Register value as seen at the far end of its link in the last tick.
    pub fn delivered(&self, register: usize) -> Option<&[u64]> {
        self.sent_before(self.later(), register).map(|(_, words)| words)
    }

    /// Flit and value that an output's register holds after the last tick: a partial is there once its adders are done.
    pub fn held(&self, register: usize) -> Option<(FlitId, &[u64])> {
        let later = self.later().saturating_sub(self.program.latency - 1);
        self.sent_before(later, register).map(|(flit, words)| (FlitId(flit), words))
    }

    /// Flit whose value or partial the register holds, as seen at the far end of its link.
    pub fn flit(&self, register: usize) -> Option<FlitId> {
        self.sent_before(self.later(), register).map(|(flit, _)| FlitId(flit))
    }

    /// Flit whose value or partial an output sends in the last tick.
    pub fn sending(&self, register: usize) -> Option<FlitId> {
        self.sent_before(0, register).map(|(flit, _)| FlitId(flit))
    }

    /// Returns true if every node's own packets have become what all values for them together are.
    ///
    /// Values whose order counts are replaced by words, which tell whether each is combined once.
    pub fn is_right(&self) -> bool {
        if self.arithmetic.is_ordered() {
            let own = self.arithmetic.operation;
            let operation = if own.is_idempotent() { own } else { Operation::Sum };
            let words = Arithmetic { operation, number: Number::Word, flush: false };
            let values = Values::words(self.program, Payloads { width: u64::BITS, seed: 1 });
            return Self::by(self.program, values, words).is_some_and(|mut sums| {
                while !sums.is_done() {
                    sums.step();
                }
                sums.is_right()
            });
        }
        self.program.demand.each_group(&self.program.topology).iter().all(|nodes| self.is_right_at(nodes))
    }

    /// Returns true if the own packets of some nodes have become what all values of these nodes together are.
    fn is_right_at(&self, nodes: &[NodeId]) -> bool {
        let mut all = vec![0; nodes.len() * self.limbs];
        let flits: BTreeSet<u64> = nodes.iter().flat_map(|&node| self.program.results_of(node)).collect();
        flits.into_iter().all(|flit| {
            let flit = flit as u32;
            self.values.write_all(nodes, &vec![flit; nodes.len()], &mut all);
            // two halves combined, until one value is left
            let mut left = nodes.len();
            while left > 1 {
                let kept = left.div_ceil(2);
                let (values, others) = all.split_at_mut(kept * self.limbs);
                self.arithmetic.combine_each(
                    self.values.width(),
                    self.limbs,
                    values,
                    &others[..(left - kept) * self.limbs],
                );
                left = kept;
            }
            let results = nodes.iter().filter(|&&node| self.program.results_of(node).contains(&flit.into()));
            results.into_iter().all(|&node| all[..self.limbs] == *self.result(node, flit))
        })
    }

    /// Result of a flit: where every node combines by itself, the one of a node.
    pub fn result(&self, node: NodeId, flit: u32) -> &[u64] {
        &self.results[self.program.result_place(node, flit.into()) * self.limbs..][..self.limbs]
    }

    /// The bytes that playing a reduction takes: what arrived, with its value, as long as something may still send it on, and
    /// the results. Nothing for other programs.
    pub fn bytes(program: &Program, width: u32) -> u64 {
        if program.reduction.is_none() {
            return 0;
        }
        let ticks = u64::from(program.memory().max(1)) + u64::from(program.reduce_latency());
        let registers = program.registers() as u64;
        let planes = ticks.saturating_mul(registers).saturating_mul(4 + bytes_of(width));
        planes.saturating_add(4 * registers).saturating_add(program.number_of_results().saturating_mul(bytes_of(width)))
    }

    /// All that goes into each register of the nodes' own values.
    pub fn streams(program: &'p Program, payloads: Payloads) -> Option<OwnStreams> {
        let mut combiner = Self::new(program, payloads)?;
        combiner.loaded = Some(vec![Vec::new(); program.registers()]);
        while !combiner.is_done() {
            combiner.step();
        }
        Some(OwnStreams { limbs: combiner.limbs, words: combiner.loaded? })
    }

    /// Combines in order what was kept for that.
    fn complete(&mut self) {
        for (place, arrived) in self.arrived.take().into_iter().flatten().enumerate() {
            let result = place * self.limbs..(place + 1) * self.limbs;
            let mut words = self.results[result.clone()].to_vec();
            words.extend(arrived.into_iter().flatten().flatten());
            self.arithmetic.all(self.values.width(), self.limbs, &mut words);
            self.results[result].copy_from_slice(&words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::paths::supply::Switching;
    use crate::program::{Operation, Title};
    use crate::schemes::staircase;
    use crate::transform::reverse;

    /// No more than is said, and not much less: lists double as they grow.
    #[test]
    fn memory_is_estimated_before_playing() {
        let torus = Torus::new(&[8, 8]).unwrap();
        let gather = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let program = reverse::reduction(&gather, Operation::Sum).stretched(3).unwrap();
        for width in [1, 64, 65, 1000] {
            let payloads = Payloads { width, seed: 1 };
            let combiner = Combiner::new(&program, payloads).unwrap();
            let planes = 4 * combiner.flits.len() + 8 * combiner.words.len();
            let played = planes + 8 * combiner.results.len() + 4 * combiner.arriving.len();
            let lists = Combiner::streams(&program, payloads).unwrap().words;
            let listed = 8 * lists.iter().map(Vec::capacity).sum::<usize>();
            for (taken, said) in
                [(played, Combiner::bytes(&program, width)), (listed, OwnStreams::bytes(&program, width))]
            {
                let said = said as usize;
                assert!(taken <= said && said <= 2 * taken, "{width} bits: {taken} bytes, {said} said");
            }
        }
    }
}
