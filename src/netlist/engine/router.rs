//! Union of the routers of all programs: what each output and unit can select, slot by slot, and the words that say so.

use std::collections::{BTreeMap, BTreeSet};

use super::super::bits::bits_for;
use super::super::node::{Act, Acts, Tick};
use super::super::units::Pair;

/// Operand that a slot of an output can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// Next word of the output's send bank.
    Own,
    /// Word that arrived at an input or unit.
    Input {
        /// Number of the input; units come after the inputs.
        input: u32,
        /// Ticks since then, at least 1.
        age: u32,
    },
}

/// Selectors of every output and unit. The selections of its slots are combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectors {
    /// By output or unit, by slot: the operands with the codes 1, 2, and so on. Code 0 is no operand.
    pub slots: Vec<Vec<Vec<Operand>>>,
    /// By output or unit: the rows of adders whose sum its register can load, with the codes 1, 2, and so on. With code 0 it
    /// loads what the first slot selects, or nothing. Empty where no adders take time.
    pub sums: Vec<Vec<u32>>,
    /// Number of outputs; units follow them.
    outputs: usize,
    /// Slots of each operand set, by output or unit.
    coded: BTreeMap<(usize, Act), Vec<u32>>,
}

/// Control word of one tick.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    /// Code of each slot, then that of the sum that is loaded, output by output.
    pub codes: Vec<u32>,
    /// By input and unit: whether what arrived in the tick before is kept.
    pub keeps: Vec<bool>,
}

/// An operand set without the place of its own word.
fn plain(act: &Act) -> Act {
    Act { own: act.own.map(|_| 0), ..act.clone() }
}

impl Selectors {
    /// Selectors with which nodes can do everything that they do in any program.
    pub(super) fn of<'a>(outputs: usize, units: usize, nodes: impl Iterator<Item = &'a Acts>) -> Self {
        let mut sets: Vec<BTreeSet<Act>> = vec![BTreeSet::new(); outputs + units];
        let mut sums: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); outputs + units];
        for tick in nodes.flat_map(|acts| &acts.ticks) {
            for (set, act) in sets.iter_mut().zip(&tick.acts) {
                set.extend(act.as_ref().map(plain));
            }
            for (rows, sum) in sums.iter_mut().zip(&tick.sums) {
                rows.extend(sum);
            }
        }
        let takes_time = sums.iter().any(|rows| !rows.is_empty());
        let sums = sums.into_iter().map(|rows| rows.into_iter().collect()).collect();
        let mut selectors = Self { slots: Vec::new(), sums, outputs, coded: BTreeMap::new() };
        for (output, set) in sets.into_iter().enumerate() {
            let mut acts: Vec<Act> = set.into_iter().collect();
            // outputs with most operands have the least choice, so they come first
            acts.sort_by_key(|act| std::cmp::Reverse(act.inputs.len()));
            let most = acts.iter().map(|act| act.inputs.len() + usize::from(act.own.is_some())).max().unwrap_or(0);
            let mut slots = vec![Vec::new(); most];
            for act in acts {
                let codes = if takes_time { in_order(&act, &mut slots) } else { encode(&act, &mut slots) };
                selectors.coded.insert((output, act), codes);
            }
            selectors.slots.push(slots);
        }
        selectors
    }

    /// Bits of each code of a control word, output by output.
    pub fn bits(&self) -> impl Iterator<Item = u32> + '_ {
        let of_output = |(slots, sums): (&Vec<Vec<Operand>>, &Vec<u32>)| {
            let slots = slots.iter().map(Vec::len);
            let sums = (!sums.is_empty()).then_some(sums.len());
            slots.chain(sums).map(|choices| bits_for(choices as u64 + 1)).collect::<Vec<_>>()
        };
        self.slots.iter().zip(&self.sums).flat_map(of_output)
    }

    /// Adders of an output or unit, row by row; none if it combines at once.
    pub fn adders(&self, output: usize) -> Vec<Vec<Pair>> {
        let values = self.slots[output].len().max(1);
        let rows = self.sums[output].iter().copied().max().unwrap_or(0);
        Pair::rows(values, rows)
    }

    /// Control words of a node; `lasts` says whether an output that sends nothing goes on as it was, or selects nothing.
    pub(super) fn words(&self, ticks: &[Tick], inputs: usize, lasts: bool) -> Vec<Word> {
        let mut columns = Vec::with_capacity(self.slots.len());
        for (output, slots) in self.slots.iter().enumerate() {
            let code = |tick: &Tick| {
                let act = tick.acts[output].as_ref()?;
                Some((act.own.is_some(), self.coded[&(output, plain(act))].clone()))
            };
            let coded: Vec<Option<(bool, Vec<u32>)>> = ticks.iter().map(code).collect();
            let nothing = vec![0; slots.len()];
            let free = coded.iter().flatten().find(|(takes, _)| lasts && !takes);
            let mut last = free.map_or(&nothing, |(_, codes)| codes).clone();
            let column = coded.into_iter().map(|code| match code {
                Some((true, codes)) => codes,
                Some((false, codes)) => {
                    if lasts {
                        last.clone_from(&codes);
                    }
                    codes
                }
                None => last.clone(),
            });
            columns.push(column.collect::<Vec<_>>());
            let sums = &self.sums[output];
            if !sums.is_empty() {
                // a unit keeps what it has
                columns.push(loads(ticks, output, sums, lasts && output < self.outputs));
            }
        }
        let word = |(index, tick): (usize, &Tick)| Word {
            codes: columns.iter().flat_map(|column| column[index].iter().copied()).collect(),
            keeps: (0..inputs as u32).map(|input| tick.keeps.contains(&input)).collect(),
        };
        ticks.iter().enumerate().map(word).collect()
    }
}

/// Codes that say which sum an output's register loads.
fn loads(ticks: &[Tick], output: usize, sums: &[u32], lasts: bool) -> Vec<Vec<u32>> {
    let mut last = 0;
    let code = |tick: &Tick| {
        let sum = tick.sums[output].and_then(|rows| sums.iter().position(|&known| known == rows));
        let moves = tick.acts[output].as_ref().is_some_and(|act| act.rows.is_none());
        let code = match sum {
            Some(sum) => sum as u32 + 1,
            None if lasts && !moves => last,
            None => 0,
        };
        last = code;
        vec![code]
    };
    ticks.iter().map(code).collect()
}

/// Codes of operands that are combined in their order: the node's own value first.
fn in_order(act: &Act, slots: &mut [Vec<Operand>]) -> Vec<u32> {
    let own = act.own.map(|_| Operand::Own);
    let inputs = act.inputs.iter().map(|&(input, age)| Operand::Input { input, age });
    let mut codes = vec![0; slots.len()];
    for ((code, slot), operand) in codes.iter_mut().zip(slots).zip(own.into_iter().chain(inputs)) {
        let known = slot.iter().position(|&other| other == operand);
        *code = 1 + known.unwrap_or_else(|| {
            slot.push(operand);
            slot.len() - 1
        }) as u32;
    }
    codes
}

/// Codes of an operand set. Own words are in the first slot, everything else where it is known or where least is.
fn encode(act: &Act, slots: &mut [Vec<Operand>]) -> Vec<u32> {
    let mut codes = vec![0; slots.len()];
    let mut place = |slot: usize, operand: Operand, slots: &mut [Vec<Operand>]| {
        let known = slots[slot].iter().position(|&other| other == operand);
        codes[slot] = 1 + known.unwrap_or_else(|| {
            slots[slot].push(operand);
            slots[slot].len() - 1
        }) as u32;
    };
    let mut free: BTreeSet<usize> = (0..slots.len()).collect();
    if act.own.is_some() {
        place(0, Operand::Own, slots);
        free.remove(&0);
    }
    let mut rest = Vec::new();
    for &(input, age) in &act.inputs {
        let operand = Operand::Input { input, age };
        match free.iter().rev().copied().find(|&slot| slots[slot].contains(&operand)) {
            Some(slot) => {
                place(slot, operand, slots);
                free.remove(&slot);
            }
            None => rest.push(operand),
        }
    }
    for operand in rest {
        let slot = free.iter().copied().min_by_key(|&slot| (slot == 0, slots[slot].len()));
        let slot = slot.expect("there are as many slots as operands");
        place(slot, operand, slots);
        free.remove(&slot);
    }
    codes
}
