//! The cells of outputs that combine: a carry chain takes a LUT per bit, of two operands.

use std::collections::BTreeSet;

use super::ModuleCells;
use super::lut;
use crate::netlist::{Adders, Combine, Drive, FloatUnit, LoadedValue};
use crate::program::Operation;

/// Signals that several outputs of a router can share.
#[derive(Default)]
pub struct Shared {
    /// an arrival that is told whether it counts, where that takes a LUT per bit, by the bit that tells
    masks: BTreeSet<(LoadedValue, u32)>,
    /// the bit that takes an own value a tick ahead: no register is set back by its inverse
    takes: BTreeSet<u32>,
}

/// The data register of an output, what it is loaded with, and the own value that was taken a tick ahead.
pub fn cells(drive: &Drive, combine: &Combine, word: u64, shared: &mut Shared) -> ModuleCells {
    if let Some(adders) = &combine.adders {
        return of_units(combine, adders, word);
    }
    let Combine { operation, takes, ahead, counts, .. } = combine;
    let arrivals = counts.len() as u64;
    let masked = counts.iter().flatten().count() as u64;
    let of_bits = match operation {
        Operation::Xor | Operation::And | Operation::Or => lut::gate((1 + arrivals + masked) as u32),
        // the operands of a comparison's carry chain with their mask, and the multiplexer that it controls; from about 24 bits
        // abc duplicates up to half of that
        Operation::Max | Operation::Min => 2 * arrivals,
        Operation::Sum | Operation::Custom if arrivals < 2 => arrivals,
        // three operands are reduced to two, with room in those LUTs for one mask
        Operation::Sum | Operation::Custom => {
            2 * (arrivals - 1) + 1 + u64::from(counts[..2].iter().all(Option::is_some))
        }
    };
    let mut cells = ModuleCells { flip_flops: word, luts: word * of_bits, blocks: 0 };
    // operands of an adder of two go straight to its carry chain
    let is_added = *operation == Operation::Sum && arrivals == 1;
    let masks = drive.values[1..].iter().zip(counts).filter_map(|(&value, told)| Some((value, (*told)?.low)));
    cells.luts += masks.filter(|&mask| is_added && shared.masks.insert(mask)).count() as u64 * word;
    if *ahead {
        cells += ModuleCells {
            flip_flops: word,
            luts: u64::from(takes.is_some_and(|takes| shared.takes.insert(takes.low))),
            blocks: 0,
        };
    }
    cells
}

/// The data register, the units before it, and what waits beside these. Flip-flops of a unit are exact before tools move them; LUTs
/// are what the adder of most stages takes, for tools share less between more of them.
fn of_units(combine: &Combine, adders: &Adders, word: u64) -> ModuleCells {
    let Some(unit) = FloatUnit::of(combine.number, combine.operation, false, adders.ticks) else {
        return ModuleCells::default();
    };
    let mut cells =
        ModuleCells { flip_flops: word, luts: word * adders.arms.len().saturating_sub(1) as u64, blocks: 0 };
    if combine.ahead {
        cells.flip_flops += word;
    }
    for slot in &adders.slots {
        cells.luts += word * (slot.values.len() as u64 - 1).max(slot.is_taken.is_some().into());
    }
    for (row, pairs) in adders.rows.iter().enumerate() {
        for (index, pair) in pairs.iter().enumerate() {
            cells += if pair.other.is_some() || row + index == 0 {
                ModuleCells { flip_flops: unit.flip_flops(), luts: unit.luts(), blocks: 0 }
            } else {
                ModuleCells { flip_flops: word * u64::from(adders.ticks), luts: 0, blocks: 0 }
            };
        }
    }
    cells
}
