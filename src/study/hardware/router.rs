//! The cells of a router. Of registers that load the same in every tick yosys keeps one.

use std::collections::BTreeSet;

use super::ModuleCells;
use super::combine;
use super::kept;
use super::lut;
use crate::net::Channel;
use crate::netlist::{ConfiguredChoice, LoadedValue, Output, PrefetchRegister, Router, WordField, digits};

/// A part of the word: its lowest bit.
type ControlBit = Option<u32>;

/// Value that a register loads, in as much detail as tells it from other registers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum LoadDetail {
    /// The valid bit of what arrived so many ticks ago.
    Late(Channel, u32),
    /// The bit that tells to send.
    Told(ControlBit),
    /// The data or, if told that something is sent, the valid bit of one of several values.
    Chosen { sends: ControlBit, select: ControlBit, values: Vec<RegisterUse> },
}

/// Contents of a register of a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum RegisterUse {
    /// The valid bit of the node's own packet.
    One,
    Of(LoadedValue),
    /// A prefetched value: the controlling bits and the candidates.
    Fetched(ControlBit, Vec<LoadedValue>),
    /// A value selected by the configuration: the position of its field, and the candidates.
    Named(u32, Vec<LoadedValue>),
}

/// The flip-flops, LUTs and blocks of a router with flits of `width` bits.
pub fn cells(router: &Router, ticks: u32, width: u32) -> ModuleCells {
    let word = u64::from(width);
    let mut cells = ModuleCells::default();
    let late = router
        .lines
        .iter()
        .flat_map(|line| (1..=router.valid_stages(*line)).map(|age| LoadDetail::Late(line.input, age)));
    let mut valid: BTreeSet<LoadDetail> = late.collect();
    let mut data: BTreeSet<LoadDetail> = BTreeSet::new();
    let mut fetched: BTreeSet<(ControlBit, &[LoadedValue], bool)> = BTreeSet::new();
    let mut shared = combine::Shared::default();
    // own packets of the first tick, each AND-ed with a bit of the word
    let firsts = router.firsts().len() as u64 * word;
    cells += ModuleCells { flip_flops: firsts, luts: firsts, blocks: 0 };
    for Output { drive, inject, .. } in &router.outputs {
        if let Some(early) = &drive.early
            && fetched.insert((low(early.select), &early.values, drive.is_certain))
        {
            cells.flip_flops += word + u64::from(!drive.is_certain);
            cells.luts += word * lut::multiplexer(early.values.len());
            cells.luts += if drive.is_certain { 0 } else { valid_luts(&early.values, false) };
        }
        if let Some(combine) = &drive.combine {
            cells += combine::cells(drive, combine, word, &mut shared);
            if drive.is_certain {
                valid.insert(LoadDetail::Told(low(drive.sends)));
                continue;
            }
            if combine.ahead {
                valid.insert(LoadDetail::Told(low(combine.takes)));
            }
            let values: Vec<RegisterUse> = drive.values.iter().map(|&value| RegisterUse::Of(value)).collect();
            let masks = combine.counts.iter().flatten().count();
            if valid.insert(LoadDetail::Chosen { sends: low(drive.sends), select: low(combine.takes), values }) {
                // sends bit, own value, arrivals and their masks
                cells.luts += lut::gate((1 + drive.values.len() + masks) as u32);
            }
            continue;
        }
        if drive.values.is_empty() {
            // the window alone: its valid bit is no function of anything else
            cells += ModuleCells { flip_flops: word + 1, luts: 0, blocks: 0 };
            continue;
        }
        let window = usize::from(inject.is_some());
        let held = |value: &LoadedValue| match (value, &drive.early) {
            (LoadedValue::Early, Some(PrefetchRegister { select, values })) => {
                RegisterUse::Fetched(low(*select), values.clone())
            }
            (LoadedValue::Packet, _) => named(drive.packet.as_ref()),
            (LoadedValue::Route, _) => named(drive.route.as_ref()),
            _ => RegisterUse::Of(*value),
        };
        let select = low(drive.select);
        let values = drive.values.iter().map(held).chain(drive.first.map(|own| RegisterUse::Of(LoadedValue::Own(own))));
        if data.insert(LoadDetail::Chosen { sends: low(drive.rests), select, values: values.collect() }) {
            // an OR-ed value fits into the last LUT of a multiplexer
            let first = usize::from(drive.first.is_some() && drive.values.len() == 1);
            cells.luts += word * lut::multiplexer(drive.values.len() + window + first);
            cells.luts += drive.choices().map(|choice| word * lut::multiplexer(choice.values.len())).sum::<u64>();
        }
        if drive.is_certain {
            valid.insert(LoadDetail::Told(low(drive.sends)));
            continue;
        }
        let held = |value: &LoadedValue| if is_own(value) { RegisterUse::One } else { held(value) };
        let values: Vec<RegisterUse> = drive.values.iter().map(held).collect();
        if valid.insert(LoadDetail::Chosen { sends: low(drive.sends), select, values }) {
            cells.luts += valid_luts(&drive.values, true);
            cells.luts += drive.route.iter().map(|choice| lut::multiplexer(choice.values.len())).sum::<u64>();
        }
    }
    let stages: u64 = router.lines.iter().map(|line| u64::from(line.stages)).sum();
    cells.flip_flops += (data.len() as u64 + stages) * word + valid.len() as u64;
    for join in &router.joins {
        let inputs = join.iter().count() as u32;
        // each input and its valid bit; a LUT takes two of them
        cells.luts += word * (lut::gate(inputs.div_ceil(2)) + u64::from(inputs / 2)) + lut::gate(inputs);
    }
    if router.has_window() {
        let bits = u64::from(digits(ticks));
        // counter, its value after START, and the comparison with LENGTH: with three bits one LUT or two
        let luts = if bits > 3 { 4 * bits } else { bits + 4 };
        cells += ModuleCells { flip_flops: bits, luts, blocks: 0 };
    }
    cells + kept::cells(router, width)
}

/// Returns the register of a value that the configuration selects among several.
fn named(choice: Option<&ConfiguredChoice>) -> RegisterUse {
    choice.map_or(RegisterUse::One, |choice| RegisterUse::Named(choice.select.low, choice.values.clone()))
}

/// Packets of the node's own are always valid.
fn is_own(value: &LoadedValue) -> bool {
    matches!(value, LoadedValue::Own(_) | LoadedValue::Packet)
}

fn low(field: Option<WordField>) -> ControlBit {
    field.map(|field| field.low)
}

/// The LUTs before a valid bit: one of the values' and, if `sends`, what says that anything is sent.
fn valid_luts(values: &[LoadedValue], sends: bool) -> u64 {
    let own = values.iter().filter(|value| is_own(value)).count();
    let inputs = values.len() - own + usize::from(own > 0);
    match (inputs, own, sends) {
        // always valid: the bit of the word itself
        (1, 1, _) | (1, 0, false) => 0,
        (1 | 2, _, _) => 1,
        (inputs, _, _) => lut::multiplexer(inputs) + u64::from(sends && inputs > 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlist::Own;

    #[test]
    fn own_packets_are_valid_without_a_lut() {
        let own = LoadedValue::Own(Own { packet: 0, through: 0 });
        let wire = |lane| LoadedValue::Wire { input: Channel { lane, ..Channel::from_index(0, 1) } };
        assert_eq!(valid_luts(&[own], true), 0);
        assert_eq!([valid_luts(&[own, wire(0)], true), valid_luts(&[wire(0), wire(1)], true)], [1, 1]);
    }
}
