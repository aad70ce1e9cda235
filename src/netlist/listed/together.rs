//! Programs that are played at once: as one more program, whose nodes do what they do in each.
//!
//! Outputs that two of them want in one tick are told apart in time: the later one begins some ticks after the others. Units, in
//! which nodes combine words by themselves, are those of each.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use super::super::node::{Act, Acts, FoundPlace, NodeLowering, Tick};
use crate::net::NodeId;
use crate::program::joined;

/// Programs of a list that are played at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Together {
    /// Number by which they are chosen together.
    pub number: u32,
    /// Each of them, in the order of their words in the streams.
    pub programs: Vec<TogetherPart>,
    /// Ticks, with the one in which the last arrivals are kept.
    pub ticks: u32,
}

/// One of the programs that are played at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TogetherPart {
    /// Number of the program.
    pub program: u32,
    /// Ticks after which it begins.
    pub after: u32,
}

impl fmt::Display for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.programs.iter().map(|part| part.program.to_string()).collect();
        write!(f, "programs {} at once", joined(&numbers, "and"))
    }
}

impl Together {
    pub(super) fn of(number: usize, programs: &[usize], delays: &[u32], ticks: u32) -> Self {
        let part = |(&program, &after): (&usize, &u32)| TogetherPart { program: program as u32, after };
        Self { number: number as u32, programs: programs.iter().zip(delays).map(part).collect(), ticks }
    }
}

/// Everything that nodes do in each program of a list, and in those that are played at once.
pub(super) struct ListActs {
    /// Number of units of a node.
    pub units: usize,
    /// By number and node.
    pub acts: Vec<Vec<Acts>>,
    /// By number, the ticks after which each of its programs begins.
    pub delays: Vec<Vec<u32>>,
}

impl ListActs {
    /// Lowers programs of one network at these nodes; `each` has the programs of every number.
    pub fn of(programs: &[NodeLowering<'_>], each: &[Vec<usize>], nodes: &[NodeId], outputs: usize) -> Self {
        let units_of: Vec<usize> = programs.iter().map(NodeLowering::units).collect();
        // programs at once have units of their own
        let units = each.iter().map(|parts| parts.iter().map(|&part| units_of[part]).sum()).max().unwrap_or(0);
        let acts_of = |program: &NodeLowering<'_>| nodes.iter().map(|&node| program.acts(node, units)).collect();
        let mut acts: Vec<Vec<Acts>> = programs.iter().map(acts_of).collect();
        let mut delays = vec![vec![0]; programs.len()];
        for parts in &each[programs.len()..] {
            let after = self::delays(parts.iter().map(|&program| acts[program].as_slice()), outputs);
            let of_node = |node: usize| {
                let mut begun = 0;
                let parts = parts.iter().zip(&after).map(|(&program, &after)| {
                    begun += units_of[program];
                    (&acts[program][node], after, begun - units_of[program])
                });
                Acts::at_once(&parts.collect::<Vec<_>>(), outputs)
            };
            let joint = (0..nodes.len()).map(of_node).collect();
            acts.push(joint);
            delays.push(after);
        }
        Self { units, acts, delays }
    }
}

/// Fewest ticks after which each program begins, so that no output is wanted by two in one tick: one program after the other.
fn delays<'a>(programs: impl Iterator<Item = &'a [Acts]>, outputs: usize) -> Vec<u32> {
    let mut taken: HashSet<(usize, OutputSlot)> = HashSet::new();
    let mut delays = Vec::new();
    // ticks of all programs so far
    let mut last = 0;
    for nodes in programs {
        let slots: Vec<(usize, OutputSlot)> = slots(nodes, outputs).collect();
        let is_free = |after: &u32| !slots.iter().any(|&(node, slot)| taken.contains(&(node, slot.later(*after))));
        let after = (0..last).find(is_free).unwrap_or(last);
        last = last.max(after + nodes.iter().map(|acts| acts.ticks.len()).max().unwrap_or(0) as u32);
        taken.extend(slots.iter().map(|&(node, slot)| (node, slot.later(after))));
        delays.push(after);
    }
    delays
}

/// Tick in which an output selects what it sends, or in which its register loads it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct OutputSlot {
    output: usize,
    loads: bool,
    tick: u32,
}

impl OutputSlot {
    fn later(self, after: u32) -> Self {
        Self { tick: self.tick + after, ..self }
    }
}

/// Slots that the nodes of a program take, by node.
fn slots(nodes: &[Acts], outputs: usize) -> impl Iterator<Item = (usize, OutputSlot)> + '_ {
    let of_tick = move |tick: u32, Tick { acts, sums, .. }: &Tick| {
        let mut taken = Vec::new();
        for output in 0..outputs {
            let act = acts[output].as_ref();
            // with adders the register loads the sum when that is there
            let loads = sums[output].is_some() || act.is_some_and(|act| act.rows.is_none());
            taken.extend(act.map(|_| OutputSlot { output, loads: false, tick }));
            taken.extend(loads.then_some(OutputSlot { output, loads: true, tick }));
        }
        taken
    };
    nodes.iter().enumerate().flat_map(move |(node, acts)| {
        (0..).zip(&acts.ticks).flat_map(move |(tick, acts)| of_tick(tick, acts)).map(move |slot| (node, slot))
    })
}

impl Acts {
    /// Everything that a node does in several programs, each of which begins after some ticks, and has its units after those of the
    /// programs before it.
    fn at_once(programs: &[(&Self, u32, usize)], outputs: usize) -> Self {
        let last = programs.iter().map(|(acts, after, _)| acts.ticks.len() + *after as usize).max().unwrap_or(0);
        let registers = programs[0].0.ticks[0].acts.len();
        let mut all = Self {
            ticks: vec![Tick::idle(registers); last],
            takes: Vec::new(),
            passed: Vec::new(),
            gives: Vec::new(),
            words: Vec::new(),
        };
        for (acts, after, units) in programs {
            let register = |number: usize| if number < outputs { number } else { number + units };
            let begun = all.taken();
            for (now, tick) in all.ticks[*after as usize..].iter_mut().zip(&acts.ticks) {
                let told = tick.acts.iter().enumerate().filter_map(|(number, act)| Some((number, act.as_ref()?)));
                for (number, act) in told {
                    let inputs = act.inputs.iter().map(|&(input, age)| (register(input as usize) as u32, age));
                    now.acts[register(number)] =
                        Some(Act { own: act.own.map(|word| word + begun), inputs: inputs.collect(), rows: act.rows });
                }
                for (number, rows) in tick.sums.iter().enumerate().filter(|(_, rows)| rows.is_some()) {
                    now.sums[register(number)] = *rows;
                }
                now.keeps.extend(tick.keeps.iter().map(|&input| register(input as usize) as u32));
                now.keeps.sort_unstable();
            }
            all.passed.extend(acts.passed.iter().map(|word| word + begun));
            all.takes.extend(acts.takes.iter().copied());
            all.gives.extend(acts.gives.iter().copied());
        }
        // words of an input are kept in the order in which they come, of whichever program they are
        let kept = kept(&all.ticks);
        let mut passed = 0;
        for (acts, after, units) in programs {
            let own = self::kept(&acts.ticks);
            for &word in &acts.words {
                all.words.push(match word {
                    FoundPlace::Passed(number) => FoundPlace::Passed(passed + number),
                    FoundPlace::Kept(input, number) => {
                        let there = if (input as usize) < outputs { input } else { input + *units as u32 };
                        let tick = own[input as usize][number as usize] + after;
                        let place = kept[there as usize].binary_search(&tick).expect("it is kept");
                        FoundPlace::Kept(there, place as u32)
                    }
                });
            }
            passed += acts.passed.len() as u32;
        }
        all
    }

    /// Words of the stream in.
    pub(super) fn taken(&self) -> u32 {
        self.takes.iter().map(|block| block.words).sum()
    }
}

/// By input and unit, the ticks in which something is kept.
fn kept(ticks: &[Tick]) -> Vec<Vec<u32>> {
    let mut kept = vec![Vec::new(); ticks.first().map_or(0, |tick| tick.acts.len())];
    for (now, tick) in (0..).zip(ticks) {
        tick.keeps.iter().for_each(|&input| kept[input as usize].push(now));
    }
    kept
}
