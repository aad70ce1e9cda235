//! Programs whose every cycle passes every node: nobody is supplied by another, so where on a cycle a node lies does not
//! matter. One walk along each cycle, a bit per node, and a look at every node's neighbours.
//!
//! A node on a cycle of length L sees its own `age` coordinates, and after them, either way, as many as there are ticks in
//! which its neighbour there sends. If every node turns back what it forwards (what comes in at p goes out by q, what
//! comes in at q by p), the streams are a permutation of the outputs: no stream ends, and both ways round a cycle are
//! one cycle read in two directions. It remains to see that a cycle meets every node, and no node twice.
//!
//! Programs of another form, and wrong ones, are left to [`Loops`](super::loops::Loops) and
//! [`Windows`](super::windows::Windows), which know all coordinates and say what is missing.

use bitvec::vec::BitVec;

use super::OutputSpans;
use crate::check::{CheckReport, LinkUse, Method};
use crate::net::{MAX_AXES, NodeId, Port, Topology, Walker};
use crate::program::{Program, Source, Span};

/// Certifies a program of whole packets in which every cycle passes every node; none if it is anything else.
pub(super) fn certify(program: &Program, spans: &OutputSpans) -> Option<CheckReport> {
    let rings = Rings::of(program, spans)?;
    let length = rings.length()?;
    let complete_at = rings.complete_at(length)?;
    Some(CheckReport {
        method: Method::Structure,
        complete_at: Some(complete_at),
        steps: Some(complete_at),
        duplicates: None,
        traffic: None,
        link_use: Some(rings.link_use()),
        violations: Vec::new(),
    })
}

/// An output on a cycle: own packets for `age` ticks, then what came in at `from`, until tick `last`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct OutputTurn {
    pub(super) from: Port,
    pub(super) age: u32,
    pub(super) last: u32,
}

struct Rings<'p> {
    program: &'p Program,
    /// turn of every output of every class, at `class * ports + port`; `None` if it never sends
    turns: Vec<Option<OutputTurn>>,
    /// port pairs of every class
    pairs: Vec<Vec<[Port; 2]>>,
}

impl<'p> Rings<'p> {
    /// The turns of all classes, if they pair all outputs that send, as many in every class, and if every node sends each
    /// of its packets on one of its cycles.
    fn of(program: &'p Program, spans: &OutputSpans) -> Option<Self> {
        let ports = program.topology.ports();
        let mut rings = Self { program, turns: Vec::with_capacity(spans.0.len()), pairs: Vec::new() };
        for class in spans.0.chunks_exact(ports) {
            let outputs: Vec<CycleOutput> = class.iter().map(|spans| CycleOutput::of(program.ticks, spans)).collect();
            let pairs = CycleOutput::pairs(&outputs);
            let sending = outputs.iter().filter(|output| !matches!(output, CycleOutput::Idle));
            let mut sent: Vec<u32> = pairs.iter().flat_map(|&(_, _, own)| own).copied().collect();
            sent.sort_unstable();
            if sending.count() != 2 * pairs.len() || !sent.into_iter().eq(0..program.demand.most_packets()) {
                return None;
            }
            rings.pairs.push(pairs.into_iter().map(|(pair, ..)| pair).collect());
            rings.turns.extend(outputs.iter().map(|output| output.turn().map(|(turn, _)| *turn)));
        }
        let mut sending = rings.pairs.iter().map(Vec::len);
        let cycles = sending.next()?;
        sending.all(|others| others == cycles).then_some(rings)
    }

    /// The ports between which cycles pass a node.
    fn pairs(&self, node: NodeId) -> &[[Port; 2]] {
        &self.pairs[self.program.class_of[node.index()].index()]
    }

    fn turn(&self, node: NodeId, port: Port) -> Option<OutputTurn> {
        let class = self.program.class_of[node.index()].index();
        self.turns[class * self.program.topology.ports() + port.index()]
    }

    /// The length of every cycle, if each passes every node once and they are equally long.
    ///
    /// From the first node two walkers go along each cycle, one each way, until they meet. All of them take a step in
    /// turn, so that the memory of one answers while the others are asked.
    fn length(&self) -> Option<u64> {
        let topology = &self.program.topology;
        let nodes = topology.nodes();
        let mut cycles: Vec<Cycle> = self.pairs(NodeId(0)).iter().map(|&pair| Cycle::new(self, pair)).collect();
        for _ in 0..(nodes - 1) / 2 {
            for cycle in &mut cycles {
                cycle.step(self, 0)?;
                cycle.step(self, 1)?;
            }
        }
        for cycle in &mut cycles {
            if nodes.is_multiple_of(2) {
                cycle.step(self, 0)?;
            }
            cycle.meet(topology)?;
        }
        let length = cycles.first()?.length;
        cycles.iter().all(|cycle| cycle.length == length).then_some(length)
    }

    /// The tick after which every node has seen all of every cycle, if there is one.
    fn complete_at(&self, length: u64) -> Option<u32> {
        let ticks = self.program.ticks;
        let turns = || self.turns.iter().flatten();
        if turns().all(|turn| turn.last == ticks) {
            return turns().try_fold(1, |latest, turn| Some(seen_after(length, turn.age, [ticks; 2])?.max(latest)));
        }
        let topology = &self.program.topology;
        let mut latest = Some(1);
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            for &pair in self.pairs(node) {
                // the walks have shown that the neighbours send
                let last =
                    pair.map(|port| self.turn(neighbours[port.index()], port.opposite()).map_or(0, |turn| turn.last));
                let own = self.turn(node, pair[0]).map_or(0, |turn| turn.age);
                latest = latest.and_then(|latest| Some(seen_after(length, own, last)?.max(latest)));
            }
        });
        latest
    }

    /// Link use, which depends on the classes alone.
    fn link_use(&self) -> LinkUse {
        let Program { topology, .. } = self.program;
        let sizes = self.program.class_sizes();
        let (mut sending, mut sum, mut min, mut max) = (0, 0, u32::MAX, 0);
        for (turns, size) in self.turns.chunks_exact(topology.ports()).zip(sizes) {
            for turn in turns.iter().flatten().filter(|_| size > 0) {
                sending += u64::from(size);
                sum += u64::from(size) * u64::from(turn.last);
                min = min.min(turn.last);
                max = max.max(turn.last);
            }
        }
        let links = topology.links();
        LinkUse { sum, min: if sending < links { 0 } else { min }, mean: sum as f64 / links as f64, max }
    }
}

/// Role of an output on a cycle.
pub(super) enum CycleOutput {
    /// Output that never sends.
    Idle,
    /// Output on a cycle, with the packets of its own that it sends.
    Turn(OutputTurn, Vec<u32>),
    /// Output of any other kind.
    Other,
}

impl CycleOutput {
    pub(super) fn of(ticks: u32, spans: &[Span]) -> Self {
        if spans.iter().all(|span| span.source == Source::Idle) {
            return Self::Idle;
        }
        let mut own = Vec::new();
        let mut spans = spans.iter();
        for &Span { first, last, source } in spans.by_ref() {
            match source {
                Source::Own { packet, .. } if last - first < MAX_AXES as u32 => {
                    own.extend((first..=last).map(|_| packet));
                }
                Source::In { port, age, .. } if age as usize == own.len() => {
                    // a stream that stops before the last tick but one is missed by those that forward it
                    let is_over = spans.all(|rest| rest.source == Source::Idle) && ticks - last <= 1;
                    return if is_over { Self::Turn(OutputTurn { from: port, age, last }, own) } else { Self::Other };
                }
                _ => return Self::Other,
            }
        }
        Self::Other
    }

    fn turn(&self) -> Option<(&OutputTurn, &[u32])> {
        if let Self::Turn(turn, own) = self { Some((turn, own)) } else { None }
    }

    /// Pairs of ports between which cycles pass a node: the input at one leaves by the other. Each pair has the earlier
    /// port first, with the turn and the own packets of that output.
    pub(super) fn pairs(outputs: &[Self]) -> Vec<([Port; 2], &OutputTurn, &[u32])> {
        let pair = |a: usize| {
            let (turn, own) = outputs[a].turn()?;
            let (a, b) = (Port::from_index(a), turn.from);
            let (back, own_back) = outputs[b.index()].turn()?;
            (a < b && back.from == a && own_back.iter().rev().eq(own)).then_some(([a, b], turn, own))
        };
        (0..outputs.len()).filter_map(pair).collect()
    }
}

/// The tick after which a node has seen `length` coordinates: `own` of its own, and one per tick from either neighbour, for as
/// long as each of them sends.
fn seen_after(length: u64, own: u32, last: [u32; 2]) -> Option<u32> {
    let wanted = length.saturating_sub(own.into());
    let (both, one) = (u64::from(last[0].min(last[1])), u64::from(last[0].max(last[1])));
    let after = if wanted <= 2 * both { wanted.div_ceil(2) } else { wanted - both };
    (after <= one).then_some(after as u32)
}

/// A cycle that two walkers go along.
struct Cycle {
    walkers: [Walker; 2],
    met: BitVec,
    length: u64,
}

impl Cycle {
    /// Both walkers at the first node, about to leave by the two ports of a pair.
    fn new(rings: &Rings, pair: [Port; 2]) -> Self {
        let mut met = BitVec::repeat(false, rings.program.topology.nodes() as usize);
        met.set(0, true);
        let age = rings.turn(NodeId(0), pair[0]).map_or(0, |turn| turn.age);
        let walkers = pair.map(|to| Walker::new(&rings.program.topology, NodeId(0), to));
        Self { walkers, met, length: age.into() }
    }

    /// One walker goes on to a node that has not been met.
    fn step(&mut self, rings: &Rings, walker: usize) -> Option<()> {
        let walker = &mut self.walkers[walker];
        let arrived = walker.go(&rings.program.topology)?;
        let turn = rings.turn(walker.node, arrived)?;
        walker.to = turn.from;
        self.length += u64::from(turn.age);
        (!self.met.replace(walker.node.index(), true)).then_some(())
    }

    /// With all nodes met, the first walker must come to where the other one is, from where that one would go.
    fn meet(&mut self, topology: &Topology) -> Option<()> {
        let [one, other] = &mut self.walkers;
        let arrived = one.go(topology)?;
        (one.node == other.node && arrived == other.to).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Run, Track};

    /// Output that sends one packet for `own` ticks, then forwards arrivals of age `own`, and ends with `silent` idle
    /// ticks.
    fn output(own: u32, silent: u32) -> CycleOutput {
        let runs = [(Source::own(3), own), (Source::input(Port::plus(0), own), 9), (Source::Idle, silent)];
        let runs = runs.into_iter().filter(|&(_, ticks)| ticks > 0).map(|(source, ticks)| Run { source, ticks });
        let ticks = own + 9 + silent;
        let spans: Vec<Span> = Track { runs: runs.collect(), ..Track::default() }.spans(ticks).collect();
        CycleOutput::of(ticks, &spans)
    }

    #[test]
    fn outputs_that_repeat_too_often_or_stop_early_are_on_no_cycle() {
        for (own, silent) in (1..2 * MAX_AXES as u32).flat_map(|own| (0..4).map(move |silent| (own, silent))) {
            let is_turn = own <= MAX_AXES as u32 && silent <= 1;
            match output(own, silent) {
                CycleOutput::Turn(turn, packets) if is_turn => {
                    assert_eq!((turn.age, turn.last), (own, own + 9));
                    assert_eq!(packets, vec![3; own as usize]);
                }
                CycleOutput::Other => assert!(!is_turn, "{own} {silent}"),
                _ => panic!("{own} {silent}"),
            }
        }
    }
}
