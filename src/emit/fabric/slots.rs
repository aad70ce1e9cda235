//! Operands of an output in places, and what combines them, named for `templates/rtl/parts/slots.v`.

use crate::emit::fabric::neutral::Neutral;
use crate::emit::fabric::operator::Operator;
use crate::emit::fabric::rules;
use crate::emit::shared::names;
use crate::emit::shared::parts::{Data, RegisterPlace, ValidSignal, WordSlice};
use crate::netlist::{self, Adders, Arm, LoadedValue, OperandSlot, Output, Router, WordField};

/// Combination at an output, of operands in places: by operators at once, or by units that take ticks.
pub struct OperandSlots {
    /// the module of the units
    pub unit: String,
    /// the node's own value, if it alone takes the first place
    pub own: Option<String>,
    /// the node's own value is taken a tick ahead
    pub ahead: bool,
    /// registers beside a unit
    pub wait: WordSlice,
    pub kept: WordSlice,
    pub next: WordSlice,
    /// true if it waits more than one clock
    pub waits: bool,
    pub neutral: Neutral,
    pub operands: Vec<OperandWire>,
    /// combinations at once, each of the one before and the next operand
    pub steps: Vec<Combined>,
    pub rows: Vec<Vec<UnitWire>>,
    pub from: Option<u32>,
    pub arms: Vec<Loaded>,
}

/// Operand in its place.
pub struct OperandWire {
    pub index: usize,
    pub what: String,
    pub select: Option<u32>,
    pub is_taken: bool,
    pub choices: Vec<Data>,
}

/// Operands up to one of them, combined.
pub struct Combined {
    pub name: String,
    pub operator: Operator,
}

/// A unit, or what waits beside one.
pub struct UnitWire {
    pub row: usize,
    pub index: usize,
    pub one: String,
    pub other: Option<String>,
    pub is_unit: bool,
}

/// Value that the register loads.
pub struct Loaded {
    pub what: String,
    pub data: Arrived,
}

/// Register of the value.
pub enum Arrived {
    /// A signal that is valid whenever the output sends.
    Sum(String),
    /// Arrival that is forwarded.
    Forward { data: Data, valid: ValidSignal },
}

impl OperandSlots {
    pub fn new(axes: usize, router: &Router, output: &Output, unit: String) -> Option<Self> {
        let combine = output.drive.combine.as_ref()?;
        let adders = combine.adders.as_ref()?;
        let port = names::channel(axes, output.channel);
        let place = |value: LoadedValue| RegisterPlace::of(axes, router, output.channel, value);
        let own = adders.slots.first().filter(|slot| slot.select.is_none() && slot.is_taken.is_none());
        let own = own
            .and_then(|slot| if let [LoadedValue::Own(own)] = slot.values[..] { Some(names::own(own)) } else { None });
        let slot = |(index, slot): (usize, &OperandSlot)| {
            let what: Vec<String> = slot.values.iter().map(|&value| rules::describe(value, axes)).collect();
            OperandWire {
                index,
                what: what.join(", "),
                select: slot.select.map(|select| select.bits),
                is_taken: slot.is_taken.is_some(),
                choices: slot.values.iter().map(|&value| place(value).data).collect(),
            }
        };
        let steps = steps(&port, combine, adders);
        let sum = |rows: u32| match steps.last() {
            Some(step) => step.name.clone(),
            None => node_name(&port, rows as usize, 0),
        };
        let arm = |arm: &Arm| match *arm {
            Arm::Sum { rows } => Loaded { what: "what is combined".to_owned(), data: Arrived::Sum(sum(rows)) },
            Arm::First if own.is_some() => {
                Loaded { what: "the node's own".to_owned(), data: Arrived::Sum(node_name(&port, 0, 0)) }
            }
            Arm::First => Loaded { what: "the first operand".to_owned(), data: Arrived::Sum(node_name(&port, 0, 0)) },
            Arm::Held => Loaded { what: "what it has".to_owned(), data: Arrived::Sum(format!("{port}_out_data")) },
            Arm::Forward(value) => {
                let RegisterPlace { data, valid, .. } = place(value);
                Loaded { what: rules::describe(value, axes), data: Arrived::Forward { data, valid } }
            }
        };
        Some(Self {
            unit,
            ahead: combine.ahead,
            wait: WordSlice::new(0, adders.ticks),
            kept: WordSlice::new(0, adders.ticks.saturating_sub(1)),
            next: WordSlice::new(adders.ticks.saturating_sub(1), 1),
            waits: adders.ticks > 1,
            neutral: Neutral::of_any(combine),
            operands: adders.slots.iter().enumerate().skip(own.is_some().into()).map(slot).collect(),
            rows: nodes(&port, adders),
            from: adders.from.map(|from| from.bits),
            arms: adders.arms.iter().map(arm).collect(),
            own,
            steps,
        })
    }
}

/// Combinations of operands at once; none where units take time.
fn steps(port: &str, combine: &netlist::Combine, adders: &Adders) -> Vec<Combined> {
    let name = |index: usize| if index == 0 { node_name(port, 0, 0) } else { format!("{port}_with_{index}") };
    let step = |index: usize| Combined {
        name: name(index),
        operator: Operator::new(combine, name(index - 1), node_name(port, 0, index)),
    };
    if adders.ticks > 0 { Vec::new() } else { (1..adders.slots.len()).map(step).collect() }
}

/// The units of all rows. Of the first one that is alone is a unit, too: it gives the one NaN.
fn nodes(port: &str, adders: &Adders) -> Vec<Vec<UnitWire>> {
    let row = |(row, pairs): (usize, &Vec<netlist::UnitPair>)| {
        let node = |(index, pair): (usize, &netlist::UnitPair)| UnitWire {
            row: row + 1,
            index,
            one: node_name(port, row, pair.one),
            other: pair.other.map(|other| node_name(port, row, other)),
            is_unit: pair.other.is_some() || row == 0 && index == 0,
        };
        pairs.iter().enumerate().map(node).collect()
    };
    adders.rows.iter().enumerate().map(row).collect()
}

/// Names of the units of a router.
pub fn units(axes: usize, router: &Router) -> Vec<String> {
    let of_output = |output: &Output| {
        let port = names::channel(axes, output.channel);
        let rows = output.drive.combine.as_ref().and_then(|it| it.adders.as_ref()).map(|adders| nodes(&port, adders));
        let units = rows.into_iter().flatten().flatten().filter(|node| node.is_unit);
        units.map(|node| unit_name(&port, &node)).collect::<Vec<_>>()
    };
    router.outputs.iter().flat_map(of_output).collect()
}

/// Name of a unit: `t_unit_1_0`.
fn unit_name(port: &str, node: &UnitWire) -> String {
    format!("{port}_unit_{}_{}", node.row, node.index)
}

/// Name of a unit's output, or of an operand: `t_row_1_0`, `t_operand_2`.
fn node_name(port: &str, row: usize, index: usize) -> String {
    if row == 0 { format!("{port}_operand_{index}") } else { format!("{port}_row_{row}_{index}") }
}

/// Says which of several a place has, that it has one, and what the register loads.
pub fn fields(port: &str, adders: &Adders) -> Vec<(String, WordField)> {
    let of_slot = |(index, slot): (usize, &OperandSlot)| {
        let select = slot.select.map(|field| (pick_name(port, index), field));
        let is_taken = slot.is_taken.map(|field| (has_name(port, index), field));
        select.into_iter().chain(is_taken)
    };
    let from = adders.from.map(|field| (format!("{port}_from"), field));
    adders.slots.iter().enumerate().flat_map(of_slot).chain(from).collect()
}

/// Says which value an operand's place has.
pub fn pick_name(port: &str, index: usize) -> String {
    format!("{port}_pick_{index}")
}

/// Says that an operand's place has a value.
pub fn has_name(port: &str, index: usize) -> String {
    format!("{port}_has_{index}")
}
