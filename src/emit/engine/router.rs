//! Union router of an engine, for `templates/engine/router.v`.

use std::collections::BTreeMap;

use askama::Template;

use super::EngineDesign;
use super::sizes::Sizes;
use crate::emit::names;
use crate::emit::rtl::{Adder, tree};
use crate::net::Channel;
use crate::netlist::bits_for;
use crate::netlist::engine::{Engine, Operand};
use crate::program::Operation;

#[derive(Template)]
#[template(path = "engine/router.v", escape = "none")]
pub struct Router {
    module: String,
    notes: Vec<String>,
    width: u32,
    /// A tick can wait for other boards.
    stops: bool,
    codes: u32,
    unit: String,
    /// Clocks of a unit, less the last.
    delay: u32,
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    lates: Vec<Late>,
    unread: Vec<String>,
    /// Value that changes nothing, in hexadecimal.
    nothing: String,
}

struct Output {
    name: String,
    suffix: &'static str,
    slots: Vec<Slot>,
    takes: bool,
    take_high: u32,
    take_low: u32,
    take_bits: u32,
    take_code: usize,
    steps: Vec<Step>,
    value: String,
    holds: bool,
    high: u32,
    low: u32,
    /// Adders, row by row; none if the values are combined at once.
    adders: Vec<Adder>,
    /// Choice of the sum that the register loads, where combining takes time.
    load: Option<Load>,
}

/// Choice of a sum: its bits in a control word, and the sums with their codes.
struct Load {
    high: u32,
    low: u32,
    bits: u32,
    sums: Vec<Sum>,
}

/// Sum that the register of an output can load.
struct Sum {
    code: usize,
    name: String,
}

struct Slot {
    name: String,
    bits: u32,
    high: u32,
    low: u32,
    choices: Vec<String>,
}

struct Step {
    name: String,
    value: String,
}

struct Input {
    name: String,
}

struct Late {
    name: String,
    age: u32,
    from: String,
}

/// Name of an input or an output that leads to a link, or of a unit.
pub(super) fn name(engine: &Engine, number: usize) -> String {
    if number < engine.outputs {
        names::channel(engine.topology.axes(), Channel::from_index(number, engine.lanes))
    } else {
        format!("unit_{}", number - engine.outputs)
    }
}

/// Signal of what arrived so many ticks ago.
fn arrival(engine: &Engine, input: u32, age: u32) -> String {
    let input = input as usize;
    let suffix = if input < engine.outputs { "_in" } else { "" };
    match age {
        1 => name(engine, input) + suffix,
        _ => format!("{}_late_{age}", name(engine, input)),
    }
}

impl Router {
    pub fn new(design: &EngineDesign<'_>, sizes: &Sizes) -> Self {
        let engine = design.engine;
        let mut ages: BTreeMap<u32, u32> = BTreeMap::new();
        for operand in engine.selectors.slots.iter().flatten().flatten() {
            if let &Operand::Input { input, age } = operand {
                let most = ages.entry(input).or_insert(0);
                *most = age.max(*most);
            }
        }
        let mut high = sizes.codes;
        let outputs = engine.selectors.slots.iter().enumerate();
        let outputs = outputs.map(|(number, slots)| Output::of(engine, number, slots, &mut high)).collect();
        let late = |(&input, &most): (&u32, &u32)| {
            let late =
                move |age| Late { name: arrival(engine, input, age), age, from: arrival(engine, input, age - 1) };
            (2..=most).map(late).collect::<Vec<_>>()
        };
        let unread = (0..engine.outputs as u32).filter(|input| !ages.contains_key(input));
        let most = u64::MAX >> (64 - design.width);
        let highest = 1u64 << (design.width - 1);
        let nothing = match (engine.operation, engine.number.float()) {
            (Some(Operation::Sum), Some(_)) => highest,
            (Some(Operation::Max), Some(float)) => u64::from(float.infinity()) | highest,
            (Some(Operation::Min), Some(float)) => float.infinity().into(),
            (Some(Operation::Min), None) if engine.number.is_signed() => most ^ highest,
            (Some(Operation::Max), None) if engine.number.is_signed() => highest,
            (Some(Operation::Min | Operation::And), _) => most,
            _ => 0,
        };
        Self {
            module: design.module("router"),
            notes: design.notes(),
            width: design.width,
            stops: design.boards.is_some(),
            codes: sizes.codes,
            unit: design.module("combine"),
            delay: engine.unit.map_or(0, |unit| unit.ticks - 1),
            outputs,
            inputs: (0..engine.outputs).map(|input| Input { name: name(engine, input) }).collect(),
            lates: ages.iter().flat_map(late).collect(),
            unread: unread.map(|input| arrival(engine, input, 1)).collect(),
            nothing: format!("{nothing:x}"),
        }
    }
}

impl Output {
    fn of(engine: &Engine, number: usize, slots: &[Vec<Operand>], high: &mut u32) -> Self {
        let own = name(engine, number);
        let first = *high;
        let mut take = (0, 0, 0, 0);
        let slots: Vec<Slot> = slots
            .iter()
            .enumerate()
            .map(|(slot, operands)| {
                let bits = bits_for(operands.len() as u64 + 1);
                *high -= bits;
                let (above, low) = (*high + bits - 1, *high);
                if let Some(code) = operands.iter().position(|operand| *operand == Operand::Own) {
                    take = (above, low, bits, code + 1);
                }
                let choice = |operand: &Operand| match *operand {
                    Operand::Own => format!("{own}_own"),
                    Operand::Input { input, age } => arrival(engine, input, age),
                };
                let choices = operands.iter().map(choice).collect();
                Slot { name: format!("{own}_{slot}"), bits, high: above, low, choices }
            })
            .collect();
        let low = *high;
        let sums = &engine.selectors.sums[number];
        let sum_bits = if sums.is_empty() { 0 } else { bits_for(sums.len() as u64 + 1) };
        *high -= sum_bits;
        let node = |row: usize, index: usize| match row {
            0 => slots.get(index).map_or_else(String::new, |slot| slot.name.clone()),
            _ => format!("{own}_row_{row}_{index}"),
        };
        let (steps, value) = match (sums.is_empty(), slots.first()) {
            (true, _) => combined(engine, &own, &slots),
            (false, first) => (Vec::new(), first.map(|slot| slot.name.clone()).unwrap_or_default()),
        };
        Self {
            adders: tree(&engine.selectors.adders(number), node),
            load: (!sums.is_empty()).then(|| Load {
                high: low - 1,
                low: *high,
                bits: sum_bits,
                sums: (1..).zip(sums).map(|(code, &rows)| Sum { code, name: node(rows as usize, 0) }).collect(),
            }),
            suffix: if number < engine.outputs { "_out" } else { "" },
            takes: take.2 > 0,
            take_high: take.0,
            take_low: take.1,
            take_bits: take.2,
            take_code: take.3,
            steps,
            value,
            holds: number >= engine.outputs,
            high: first.max(1) - 1,
            low,
            name: own.clone(),
            slots,
        }
    }
}

/// Combines the slots of an output: intermediate values, and the last.
fn combined(engine: &Engine, own: &str, slots: &[Slot]) -> (Vec<Step>, String) {
    let joined = |sign: &str| (Vec::new(), slots.iter().map(|slot| slot.name.clone()).collect::<Vec<_>>().join(sign));
    let compared = |sign: &str| {
        let mut names = slots.iter().map(|slot| slot.name.clone());
        let mut value = names.next().unwrap_or_default();
        let mut steps = Vec::new();
        for (number, other) in names.enumerate() {
            let name = format!("{own}_best_{}", number + 1);
            let read =
                |name: &str| if engine.number.is_signed() { format!("$signed({name})") } else { name.to_owned() };
            let step = format!("({} {sign} {}) ? {value} : {other}", read(&value), read(&other));
            steps.push(Step { name: name.clone(), value: step });
            value = name;
        }
        (steps, value)
    };
    match engine.operation {
        Some(Operation::Sum | Operation::Custom) => joined(" + "),
        Some(Operation::Xor) => joined(" ^ "),
        Some(Operation::And) => joined(" & "),
        Some(Operation::Or) | None => joined(" | "),
        Some(Operation::Max) => compared(">"),
        Some(Operation::Min) => compared("<"),
    }
}
