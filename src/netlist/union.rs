//! Union of the routers of all nodes and programs: what each output and unit can select, place by place, and the words that
//! say so.

use std::collections::{BTreeMap, BTreeSet};

use super::adder::FloatUnit;
use super::bits::{WordField, bits_for};
use super::course::Course;
use super::drive::{Combine, Drive};
use super::node::{Act, Acts, Tick};
use super::router::{Output, Router};
use super::sequence::WordCollector;
use super::units::{Adders, Arm, OperandSlot, UnitPair};
use super::value::{LoadedValue, Own};
use crate::net::{Channel, Port};
use crate::program::{Number, Operation};

/// Properties of nodes that their union does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeParts {
    /// Lanes of each port.
    pub lanes: u8,
    /// Outputs that lead to links, as many as there are inputs.
    pub outputs: usize,
    /// Registers in which a node combines words by itself. They are read like inputs, after these.
    pub units: usize,
    /// Outputs and units whose own words lie in one bank, which has the number of the first.
    pub sends: Vec<Vec<usize>>,
    /// Inputs and units of which words are kept side by side.
    pub keeps: Vec<Vec<usize>>,
    /// Operations of the reductions.
    pub operations: Vec<Operation>,
    /// Type of the values that are combined.
    pub number: Number,
    /// Unit that combines two values, if that takes time.
    pub unit: Option<FloatUnit>,
}

/// Numbers of the values that an output's slots select; none where a slot is empty.
type Codes = Vec<Option<u32>>;

/// Union of routers, and the words that make it do what a node does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    /// Registers of the router.
    pub router: Router,
    /// Fields of a control word, output by output.
    pub fields: Vec<WordField>,
    /// Properties of every node.
    pub parts: NodeParts,
    /// Selections of each operand set, by output or unit.
    coded: BTreeMap<(usize, Act), Codes>,
    /// By output or unit: the rows of adders whose sum its register can load.
    sums: Vec<Vec<u32>>,
}

/// Control word of one tick.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlWord {
    /// Values of the fields.
    pub codes: Vec<u32>,
    /// By inputs and units that keep words side by side: whether what arrived in the tick before is kept.
    pub keeps: Vec<bool>,
}

/// An operand set without the place of its own word.
fn plain(act: &Act) -> Act {
    Act { own: act.own.map(|_| 0), ..act.clone() }
}

impl NodeParts {
    /// Number of inputs and units: of everything that arrives at a node.
    pub fn inputs(&self) -> usize {
        self.outputs + self.units
    }

    /// Channel of an input or output, or of a unit: units have the ports after those of the network.
    pub fn channel(&self, number: usize) -> Channel {
        match number.checked_sub(self.outputs) {
            None => Channel::from_index(number, self.lanes),
            Some(unit) => Channel::first(Port::from_index(self.outputs / usize::from(self.lanes) + unit)),
        }
    }

    /// Bank with the own words of an output or unit.
    pub fn bank(&self, output: usize) -> usize {
        self.sends.iter().find(|group| group.contains(&output)).map_or(output, |group| group[0])
    }

    /// Outputs and units whose own words lie in a bank.
    pub fn senders(&self, bank: usize) -> &[usize] {
        self.sends.iter().find(|group| group[0] == bank).map_or(&[], Vec::as_slice)
    }

    /// Values of an operand set, the node's own word first.
    fn values(&self, output: usize, act: &Act) -> Vec<LoadedValue> {
        let bank = self.bank(output) as u32;
        let own = act.own.map(|_| LoadedValue::Own(Own { packet: bank, through: bank }));
        let arrival = |&(input, age): &(u32, u32)| {
            let input = self.channel(input as usize);
            if age == 1 { LoadedValue::Wire { input } } else { LoadedValue::Line { input, age } }
        };
        own.into_iter().chain(act.inputs.iter().map(arrival)).collect()
    }
}

impl Union {
    /// Router with which nodes can do everything that they do in any program.
    pub(super) fn of<'a>(parts: NodeParts, nodes: impl Iterator<Item = &'a Acts>) -> Self {
        let all = parts.inputs();
        let mut sets: Vec<BTreeSet<Act>> = vec![BTreeSet::new(); all];
        let mut sums: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); all];
        for tick in nodes.flat_map(|acts| &acts.ticks) {
            for (set, act) in sets.iter_mut().zip(&tick.acts) {
                set.extend(act.as_ref().map(plain));
            }
            for (rows, sum) in sums.iter_mut().zip(&tick.sums) {
                rows.extend(sum);
            }
        }
        let mut fields = WordFields::default();
        let operation = match parts.operations.len() {
            0 | 1 => None,
            several => Some(fields.next(bits_for(several as u64))),
        };
        let (mut coded, mut outputs) = (BTreeMap::new(), Vec::new());
        let sums: Vec<Vec<u32>> = sums.into_iter().map(|rows| rows.into_iter().collect()).collect();
        for (output, (set, sums)) in sets.into_iter().zip(&sums).enumerate() {
            let mut acts: Vec<Act> = set.into_iter().collect();
            // outputs with most operands have the least choice, so they come first
            acts.sort_by_key(|act| std::cmp::Reverse(act.inputs.len()));
            let most = acts.iter().map(|act| act.inputs.len() + usize::from(act.own.is_some())).max().unwrap_or(0);
            let mut slots = vec![Vec::new(); most];
            for act in acts {
                let values = parts.values(output, &act);
                let is_unit = output >= parts.outputs;
                let itself = is_unit.then(|| LoadedValue::Wire { input: parts.channel(output) });
                let codes = match parts.unit {
                    Some(_) => in_order(&values, &mut slots),
                    None => in_any_order(&values, itself, &mut slots),
                };
                coded.insert((output, act), codes);
            }
            if most == 0 {
                continue;
            }
            let of_output = coded.range((output, Act::default())..).take_while(|((other, _), _)| *other == output);
            let codes: Vec<&Codes> = of_output.map(|(_, codes)| codes).collect();
            let drive = fields.drive(&parts, output, slots, &codes, sums);
            let course = Course { legs: Vec::new(), round: None };
            outputs.push(Output { channel: parts.channel(output), course, drive, inject: None });
        }
        let router = Router::with(outputs, 1, None, &mut WordCollector::default());
        let word = vec![WordField { low: 0, bits: fields.bits }];
        let router = Router { is_marked: false, operation, word, ..router };
        Self { router, fields: fields.all, parts, coded, sums }
    }

    /// Registers of an output or unit; none if it never sends.
    fn drive(&self, output: usize) -> Option<&Drive> {
        self.router.output(self.parts.channel(output)).map(|output| &output.drive)
    }

    /// Control words of a node, whose values are combined by an operation of this number; `lasts` says whether an output that
    /// sends nothing goes on as it was, or selects nothing.
    pub(super) fn words(&self, ticks: &[Tick], operation: u32, lasts: bool) -> Vec<ControlWord> {
        let mut columns = Vec::new();
        columns.extend(self.router.operation.map(|_| vec![vec![operation]; ticks.len()]));
        for output in 0..self.sums.len() {
            let Some(adders) = self.drive(output).and_then(|drive| drive.combine.as_ref()?.adders.as_ref()) else {
                continue;
            };
            let code = |tick: &Tick| {
                let act = tick.acts[output].as_ref()?;
                Some((act.own.is_some(), told(adders, &self.coded[&(output, plain(act))])))
            };
            let coded: Vec<Option<(bool, Vec<u32>)>> = ticks.iter().map(code).collect();
            // a unit keeps what it has
            let lasts = lasts && output < self.parts.outputs;
            let nothing = told(adders, &vec![None; adders.slots.len()]);
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
                columns.push(loads(ticks, output, sums, lasts));
            }
        }
        let word = |(index, tick): (usize, &Tick)| ControlWord {
            codes: columns.iter().flat_map(|column| column[index].iter().copied()).collect(),
            keeps: self.parts.keeps.iter().map(|group| tick.keeps.contains(&(group[0] as u32))).collect(),
        };
        ticks.iter().enumerate().map(word).collect()
    }
}

/// Values of the fields that say what an output's slots select.
fn told(adders: &Adders, codes: &Codes) -> Vec<u32> {
    let of_slot = |(slot, code): (&OperandSlot, &Option<u32>)| {
        let is_taken = slot.is_taken.map(|_| u32::from(code.is_some()));
        is_taken.into_iter().chain(slot.select.map(|_| code.unwrap_or(0))).collect::<Vec<_>>()
    };
    adders.slots.iter().zip(codes).flat_map(of_slot).collect()
}

/// Fields of a control word, from the lowest bit up.
#[derive(Default)]
struct WordFields {
    all: Vec<WordField>,
    bits: u32,
}

impl WordFields {
    fn next(&mut self, bits: u32) -> WordField {
        let field = WordField { low: self.bits, bits };
        self.bits += bits;
        self.all.push(field);
        field
    }

    /// Registers of an output or unit that selects among these values, in these ways.
    fn drive(
        &mut self,
        parts: &NodeParts,
        output: usize,
        slots: Vec<Vec<LoadedValue>>,
        codes: &[&Codes],
        sums: &[u32],
    ) -> Drive {
        let values: BTreeSet<LoadedValue> = slots.iter().flatten().copied().collect();
        let is_unit = output >= parts.outputs;
        let slot = |(index, values): (usize, Vec<LoadedValue>)| {
            let is_empty = codes.iter().any(|codes| codes[index].is_none());
            let has_own = values.iter().any(|value| matches!(value, LoadedValue::Own(_)));
            // words are taken, and units load, only when they are told to
            let is_told = is_empty || has_own || is_unit && index == 0;
            OperandSlot {
                is_taken: is_told.then(|| self.next(1)),
                select: (values.len() > 1).then(|| self.next(bits_for(values.len() as u64))),
                values,
            }
        };
        let slots: Vec<OperandSlot> = slots.into_iter().enumerate().map(slot).collect();
        let rows = sums.iter().copied().max().unwrap_or(0);
        let (arms, from) = if sums.is_empty() {
            let sum = Arm::Sum { rows: 0 };
            if is_unit { (vec![Arm::Held, sum], slots[0].is_taken) } else { (vec![sum], None) }
        } else {
            let first = if is_unit { Arm::Held } else { Arm::First };
            let arms = std::iter::once(first).chain(sums.iter().map(|&rows| Arm::Sum { rows }));
            (arms.collect(), Some(self.next(bits_for(sums.len() as u64 + 1))))
        };
        let ticks = if sums.is_empty() { 0 } else { parts.unit.map_or(0, |unit| unit.ticks) };
        let rows = UnitPair::rows(slots.len(), rows);
        let adders = Adders { ticks, slots, rows, arms, from };
        // without reductions there is one operand at a time, and nothing is combined
        let operation = parts.operations.first().copied().unwrap_or(Operation::Or);
        let combine = Combine {
            operation,
            others: parts.operations.iter().skip(1).copied().collect(),
            number: parts.number,
            takes: None,
            ahead: false,
            counts: Vec::new(),
            adders: Some(adders),
        };
        let values = values.into_iter().collect();
        Drive { values, combine: Some(combine), is_certain: true, ..Drive::default() }
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

/// Places of operands that are combined in their order: the node's own value first.
fn in_order(values: &[LoadedValue], slots: &mut [Vec<LoadedValue>]) -> Codes {
    let mut codes = vec![None; slots.len()];
    for ((code, slot), &value) in codes.iter_mut().zip(slots).zip(values) {
        *code = Some(number(slot, value));
    }
    codes
}

/// Places of operands in any order. Own words, and what a unit has itself, are in the first slot, everything else where it is known or
/// where least is.
fn in_any_order(values: &[LoadedValue], itself: Option<LoadedValue>, slots: &mut [Vec<LoadedValue>]) -> Codes {
    let mut codes = vec![None; slots.len()];
    let mut free: BTreeSet<usize> = (0..slots.len()).collect();
    let (own, arrivals): (Vec<LoadedValue>, Vec<LoadedValue>) =
        values.iter().partition(|&&value| Some(value) == itself || matches!(value, LoadedValue::Own(_)));
    for &value in &own {
        codes[0] = Some(number(&mut slots[0], value));
        free.remove(&0);
    }
    let mut rest = Vec::new();
    for &value in &arrivals {
        match free.iter().rev().copied().find(|&slot| slots[slot].contains(&value)) {
            Some(slot) => {
                codes[slot] = Some(number(&mut slots[slot], value));
                free.remove(&slot);
            }
            None => rest.push(value),
        }
    }
    for value in rest {
        let slot = free.iter().copied().min_by_key(|&slot| (slot == 0, slots[slot].len()));
        let slot = slot.expect("there are as many slots as operands");
        codes[slot] = Some(number(&mut slots[slot], value));
        free.remove(&slot);
    }
    codes
}

/// Number of a value in a slot; it is added if it is not there yet.
fn number(slot: &mut Vec<LoadedValue>, value: LoadedValue) -> u32 {
    let known = slot.iter().position(|&other| other == value);
    known.unwrap_or_else(|| {
        slot.push(value);
        slot.len() - 1
    }) as u32
}
