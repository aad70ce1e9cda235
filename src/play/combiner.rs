//! Plays a reduction on words: what every register holds after every tick, and what every node's own packets become.

mod arrivals;

use arrivals::{Due, arriving, due};

use super::shift::VOID;
use super::{Payloads, Values};
use crate::net::NodeId;
use crate::program::{FlitId, Operand, Operands, Partial, Program, Reduction, Source};

/// The registers of every node after one tick.
#[derive(Clone)]
struct Plane {
    /// flit of the partial that each register holds, or the flit itself
    flits: Vec<u32>,
    words: Vec<u64>,
}

/// Position of an output in its runs and partials.
#[derive(Clone, Copy)]
struct Place {
    run: usize,
    played: u32,
    sums: u32,
    entries: usize,
    packet: u32,
}

/// A reduction in the middle of being played.
pub struct Combiner<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
    values: Values,
    /// 64-bit words of a value
    limbs: usize,
    tick: u32,
    /// the last ticks, tick t's at t modulo their number
    planes: Vec<Plane>,
    /// index of this tick's plane
    now: usize,
    /// register that arrives at each port, by node and port; void without a link
    arriving: Vec<u32>,
    /// position of each output, by register
    places: Vec<Place>,
    /// the nodes' own values that went into each register, if they are asked for
    loaded: Option<Vec<Vec<u64>>>,
    /// final values of every node's own flits
    results: Vec<u64>,
    /// by flit, what completes it, in the order of the program; none if that makes no difference
    arrived: Option<Vec<Vec<Option<Vec<u64>>>>>,
    /// arrivals that complete a node's values, by class, in the order of their ticks
    due: Vec<Vec<Due>>,
    /// room for the values that are combined
    scratch: Vec<u64>,
}

/// Words that enter each register of the nodes' own values.
pub struct Streams {
    limbs: usize,
    /// words to load, by register
    words: Vec<Vec<u64>>,
}

impl Streams {
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
        let reduction = program.reduction.as_deref()?;
        let limbs = values.width().div_ceil(64) as usize;
        let is_ordered = reduction.arithmetic().is_ordered();
        let registers = program.registers();
        let plane = Plane { flits: vec![VOID; registers], words: vec![0; registers * limbs] };
        let place = Place { run: 0, played: 0, sums: 0, entries: 0, packet: VOID };
        let mut combiner = Self {
            program,
            reduction,
            values,
            limbs,
            tick: 0,
            planes: vec![plane; (program.depth().max(1) + program.reduce_latency()) as usize],
            now: 0,
            arriving: arriving(program),
            places: vec![place; registers],
            loaded: None,
            results: Vec::new(),
            arrived: is_ordered.then(|| vec![Vec::new(); program.demand.flits() as usize]),
            due: reduction.results.iter().map(|results| due(program, reduction, results)).collect(),
            scratch: Vec::new(),
        };
        combiner.results = vec![0; program.demand.flits() as usize * limbs];
        for node in program.topology.node_ids() {
            for flit in program.demand.flits_of(node) {
                let result = &mut combiner.results[flit as usize * limbs..][..limbs];
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
        self.now = if self.now + 1 == self.planes.len() { 0 } else { self.now + 1 };
        let mut words = std::mem::take(&mut self.scratch);
        let mut register = 0;
        for node in self.program.topology.node_ids() {
            for output in 0..self.program.topology.ports() {
                let flit = self.sent(node, output, register, &mut words);
                let plane = &mut self.planes[self.now];
                plane.flits[register] = flit.unwrap_or(VOID);
                if flit.is_some() {
                    plane.words[register * self.limbs..][..self.limbs].copy_from_slice(&words);
                }
                register += 1;
            }
        }
        if self.tick <= self.reduction.ticks {
            self.program.topology.node_ids().for_each(|node| self.receive(node, &mut words));
        }
        self.scratch = words;
        if self.tick == self.reduction.ticks {
            self.complete();
        }
    }

    /// Ticks from when something is sent until it arrives: in the tick after the reduce part nothing does.
    fn later(&self) -> u32 {
        let gathers = self.tick > self.reduction.ticks;
        if gathers { self.program.latency - 1 } else { self.program.reduce_latency() - 1 }
    }

    /// Register value as seen at the far end of its link in the last tick.
    pub fn delivered(&self, register: usize) -> Option<&[u64]> {
        self.sent_before(self.later(), register).map(|(_, words)| words)
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
    pub fn is_right(&self) -> bool {
        let flits = self.program.demand.flits() as u32;
        let (mut all, mut value) = (vec![0; self.limbs], vec![0; self.limbs]);
        (0..flits).all(|flit| {
            let mut nodes = self.program.topology.live_ids();
            self.values.write(nodes.next().expect("a network has nodes"), flit, &mut all);
            nodes.for_each(|node| {
                self.values.write(node, flit, &mut value);
                self.reduction.arithmetic().combine(self.values.width(), &mut all, &value);
            });
            all == self.result(flit)
        })
    }

    /// Result of a node's own flit.
    pub fn result(&self, flit: u32) -> &[u64] {
        &self.results[flit as usize * self.limbs..][..self.limbs]
    }

    /// The bytes that playing a reduction takes: what arrived, with its value, as long as something may still send it on, and
    /// the results. Nothing for other programs.
    pub fn bytes(program: &Program, width: u32) -> u64 {
        if program.reduction.is_none() {
            return 0;
        }
        let ticks = u64::from(program.depth().max(1)) + u64::from(program.reduce_latency());
        let registers = program.registers() as u64;
        let planes = ticks.saturating_mul(registers).saturating_mul(4 + bytes_of(width));
        planes.saturating_add(4 * registers).saturating_add(program.demand.flits().saturating_mul(bytes_of(width)))
    }

    /// All that goes into each register of the nodes' own values.
    pub fn streams(program: &'p Program, payloads: Payloads) -> Option<Streams> {
        let mut combiner = Self::new(program, payloads)?;
        combiner.loaded = Some(vec![Vec::new(); program.registers()]);
        while !combiner.is_done() {
            combiner.step();
        }
        Some(Streams { limbs: combiner.limbs, words: combiner.loaded? })
    }

    /// Returns the flit and the value that a register held `ago` ticks ago.
    fn sent_before(&self, ago: u32, register: usize) -> Option<(u32, &[u64])> {
        // before the first tick all planes are void
        self.tick.checked_sub(ago)?;
        let ago = ago as usize;
        let plane = &self.planes[if ago <= self.now { self.now - ago } else { self.now + self.planes.len() - ago }];
        let flit = plane.flits[register];
        (flit != VOID).then(|| (flit, &plane.words[register * self.limbs..][..self.limbs]))
    }

    /// Returns the flit and the value that an input received `age` ticks ago, unless that lies in another part of the
    /// program.
    fn brought(&self, node: NodeId, Operand { port, age }: Operand) -> Option<(u32, &[u64])> {
        let part = if self.tick > self.reduction.ticks { self.reduction.ticks + 1 } else { 0 };
        if self.tick.checked_sub(age).is_none_or(|then| then <= part) {
            return None;
        }
        let register = self.arriving[node.index() * self.program.topology.ports() + port.index()];
        if register == VOID { None } else { self.sent_before(age + self.later(), register as usize) }
    }

    /// Returns the flit that an output sends in this tick, and writes its value.
    fn sent(&mut self, node: NodeId, output: usize, register: usize, words: &mut Vec<u64>) -> Option<u32> {
        let program = self.program;
        let track = &program.class(node).outputs[output];
        let place = &mut self.places[register];
        if place.played == track.runs[place.run].ticks {
            (place.run, place.played) = (place.run + 1, 0);
            if place.run == track.runs.len() {
                place.run = track.repeat_from?;
            }
        }
        place.played += 1;
        let played = place.played - 1;
        words.clear();
        match track.runs[place.run].source {
            Source::Idle | Source::Any { .. } => None,
            Source::In { port, age, .. } => {
                let (flit, value) = self.brought(node, Operand { port, age })?;
                words.extend_from_slice(value);
                Some(flit)
            }
            Source::Own { packet, through } => {
                let flit = program.demand.flit(node, packet, through, played)?.0;
                words.extend_from_slice(self.result(flit));
                self.load(register, words);
                Some(flit)
            }
            Source::Sum { operands } => {
                let flit = self.summed(node, output, register, operands)?;
                words.resize(self.limbs, 0);
                self.values.write(node, flit, words);
                self.load(register, words);
                for operand in operands.iter() {
                    words.extend(self.brought(node, operand).into_iter().flat_map(|(_, value)| value));
                }
                self.reduction.arithmetic().all(self.values.width(), self.limbs, words);
                Some(flit)
            }
        }
    }

    /// Records a node's own value that goes into a register, if that is asked for.
    fn load(&mut self, register: usize, value: &[u64]) {
        if let Some(loaded) = &mut self.loaded {
            loaded[register].extend_from_slice(value);
        }
    }

    /// Returns the flit whose partial leaves in this tick.
    fn summed(&mut self, node: NodeId, output: usize, register: usize, operands: Operands) -> Option<u32> {
        let Self { program, reduction, .. } = *self;
        let arrived = operands.iter().find_map(|operand| self.brought(node, operand)).map(|(flit, _)| flit);
        let place = &mut self.places[register];
        let flit = place.sums % program.flits;
        place.sums += 1;
        if flit == 0 {
            let continued = arrived.filter(|_| reduction.order.starts).map(|flit| flit / program.flits);
            place.packet = continued.unwrap_or_else(|| {
                place.entries += 1;
                let entry = reduction.order.entry(&program.topology, node, output, place.entries - 1).flatten();
                entry.map_or(VOID, |Partial { node, packet }| program.demand.packet(node, packet) as u32)
            });
        }
        (place.packet != VOID).then(|| place.packet * program.flits + flit)
    }

    /// A node combines its own values with what completes them.
    fn receive(&mut self, node: NodeId, words: &mut Vec<u64>) {
        let class = self.program.class_of[node.index()].index();
        let begin = self.due[class].partition_point(|due| due.tick < self.tick);
        for index in begin..self.due[class].len() {
            let Due { tick, operand, place, packet, flit } = self.due[class][index];
            if tick != self.tick {
                break;
            }
            let own = self.program.demand.flits_of_packet(node, packet).start as usize + flit as usize;
            let Some((_, other)) = self.brought(node, Operand { age: 0, ..operand }) else { continue };
            words.clear();
            words.extend_from_slice(other);
            if let Some(arrived) = &mut self.arrived {
                let arrived = &mut arrived[own];
                arrived.resize(arrived.len().max(place + 1), None);
                arrived[place] = Some(words.clone());
                continue;
            }
            let result = &mut self.results[own * self.limbs..][..self.limbs];
            self.reduction.arithmetic().combine(self.values.width(), result, words);
        }
    }

    /// Combines in order what was kept for that.
    fn complete(&mut self) {
        for (flit, arrived) in self.arrived.take().into_iter().flatten().enumerate() {
            let mut words = self.result(flit as u32).to_vec();
            words.extend(arrived.into_iter().flatten().flatten());
            self.reduction.arithmetic().all(self.values.width(), self.limbs, &mut words);
            self.results[flit * self.limbs..][..self.limbs].copy_from_slice(&words);
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
        let program = reverse::reduce_scatter(&gather, Operation::Sum).stretched(3).unwrap();
        for width in [1, 64, 65, 1000] {
            let payloads = Payloads { width, seed: 1 };
            let combiner = Combiner::new(&program, payloads).unwrap();
            let planes = combiner.planes.iter().map(|plane| 4 * plane.flits.len() + 8 * plane.words.len());
            let played = planes.sum::<usize>() + 8 * combiner.results.len() + 4 * combiner.arriving.len();
            let lists = Combiner::streams(&program, payloads).unwrap().words;
            let listed = 8 * lists.iter().map(Vec::capacity).sum::<usize>();
            for (taken, said) in [(played, Combiner::bytes(&program, width)), (listed, Streams::bytes(&program, width))]
            {
                let said = said as usize;
                assert!(taken <= said && said <= 2 * taken, "{width} bits: {taken} bytes, {said} said");
            }
        }
    }
}
