//! The cells of a module that plays a sequence.

use std::collections::BTreeSet;

use super::ModuleCells;
use super::column::AddressColumn;
use super::lut;
use super::memory::{MappedMemory, MemoryUse};
use crate::netlist::{Coding, Sequence, digits};

/// yosys makes a memory of no fewer words.
const FEWEST: u32 = 8;

/// The flip-flops, LUTs and blocks of a sequence.
pub fn cells(sequence: &Sequence) -> ModuleCells {
    let entries = sequence.entries.len() as u32;
    let address = sequence.place_bits();
    // place, and its enable
    let mut cells = ModuleCells { flip_flops: u64::from(address) + 1, luts: next(sequence, address), blocks: 0 };
    let longest = sequence.lengths().max().unwrap_or(1);
    if sequence.coding == Coding::RunLength && longest > 1 {
        let left = digits(longest - 2);
        // ticks left or next length, and the end
        cells += ModuleCells {
            flip_flops: u64::from(left) + 1,
            luts: 2 * u64::from(left) + lut::gate(left + 1) + 1,
            blocks: 0,
        };
    }
    for counter in &sequence.counters {
        let bits = counter.field.bits;
        cells += ModuleCells { flip_flops: bits.into(), luts: lut::stopping_counter(bits), blocks: 0 };
    }
    if !sequence.counters.is_empty() {
        cells.flip_flops += 2;
    }
    let columns: BTreeSet<AddressColumn> =
        AddressColumn::all(sequence, address).into_iter().filter(|it| !it.is_constant()).collect();
    let width = columns.len() as u32;
    let memory = MappedMemory { first: 0, words: 1 << address, width, reads: 1, kind: MemoryUse::Constant };
    match memory.blocks().filter(|_| entries >= FEWEST) {
        Some(blocks) => {
            // row selects are delayed with the read
            let late = blocks.upper(address).len() as u64;
            cells + ModuleCells { flip_flops: late, luts: blocks.read_luts(width), blocks: blocks.count }
        }
        None => cells + ModuleCells { flip_flops: width.into(), luts: words(&columns, address), blocks: 0 },
    }
}

/// The LUTs of the number of the next entry.
fn next(sequence: &Sequence, address: u32) -> u64 {
    match sequence.coding {
        Coding::Steps => 0,
        Coding::Plain => address.into(),
        Coding::RunLength => u64::from(address) * 2,
    }
}

/// The LUTs that look the words up in logic.
fn words(columns: &BTreeSet<AddressColumn>, address: u32) -> u64 {
    let entry: BTreeSet<AddressColumn> = (0..address).map(|bit| AddressColumn::address(bit, address)).collect();
    let columns: BTreeSet<&AddressColumn> = columns.iter().filter(|column| !entry.contains(column)).collect();
    let functions: BTreeSet<u16> = columns.iter().flat_map(|column| column.functions()).collect();
    let choices: u64 = columns.iter().map(|column| column.choices()).sum();
    // two remain of the three 2:1 multiplexers of a 4:1 multiplexer
    functions.len() as u64 + (2 * choices).div_ceil(3)
}
