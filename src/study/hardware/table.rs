//! The cells of the module that holds a table.

use std::collections::BTreeSet;

use super::Cells;
use super::column::Column;
use super::lut;
use super::memory::{Kind, Memory};
use crate::netlist::{Coding, Table, bits_for, digits};

/// yosys makes a memory of no fewer words.
const FEWEST: u32 = 8;

/// The flip-flops, LUTs and blocks of a table.
pub fn cells(table: &Table) -> Cells {
    // whether everything is cleared
    let mut cells = Cells { flip_flops: 0, luts: 1, blocks: 0 };
    if let Some(last) = table.store {
        let bits = digits(last);
        cells += Cells { flip_flops: bits.into(), luts: lut::stopping_counter(bits), blocks: 0 };
    }
    if table.coding == Coding::RunLength {
        let bits = digits(table.ticks);
        cells += Cells { flip_flops: bits.into(), luts: u64::from(bits) + lut::equality(bits), blocks: 0 };
    }
    let entries = table.entries.len() as u32;
    // the counter goes one beyond the last entry, the memory only as far as the address of the last entry may
    let (counter, address) = (digits(entries), bits_for(entries.into()));
    let kind = if address < counter { Kind::Cleared } else { Kind::Constant };
    let mut columns = Column::all(table, address);
    columns.retain(|column| !column.is_constant());
    let memory = Memory { first: 0, words: 1 << address, width: columns.len() as u32, reads: 1, kind };
    let blocks = memory.blocks().filter(|_| entries >= FEWEST);
    let next = u64::from(counter);
    cells
        + match blocks {
            // the address: the next entry, cleared in the LUT that adds; whether what is read is beyond the memory
            Some(blocks) => {
                let beyond = u64::from(kind == Kind::Cleared);
                Cells { flip_flops: next + beyond, luts: next, blocks: blocks.count }
            }
            // the sum goes to many places, so that clearing it is a LUT of its own, but for the lowest bit
            None => Cells {
                flip_flops: registers(table, counter),
                luts: 2 * next - 1 + words(&columns, address, table.coding),
                blocks: 0,
            },
        }
}

/// The registers of the words and of the entry in logic: a bit that never changes takes none, equal bits are one, and one
/// that is a bit of the entry's number is there already.
fn registers(table: &Table, counter: u32) -> u64 {
    let changing = Column::all(table, counter).into_iter().filter(|column| !column.is_constant());
    let entry = (0..counter).map(|bit| Column::address(bit, counter));
    changing.chain(entry).collect::<BTreeSet<_>>().len() as u64
}

/// The LUTs that look the words up in logic.
fn words(columns: &[Column], address: u32, coding: Coding) -> u64 {
    let entry: BTreeSet<Column> = (0..address).map(|bit| Column::address(bit, address)).collect();
    let columns: BTreeSet<&Column> = columns.iter().filter(|column| !entry.contains(column)).collect();
    let functions: BTreeSet<u16> = columns.iter().flat_map(|column| column.functions()).collect();
    let choices: u64 = columns.iter().map(|column| column.choices()).sum();
    // of three multiplexers of two that make one of four, two are left
    let luts = functions.len() as u64 + (2 * choices).div_ceil(3);
    match coding {
        Coding::RunLength => luts,
        // every tick another word: what to look up is deeper, and abc duplicates a quarter to make up for that
        Coding::Plain => (5 * luts).div_ceil(4),
    }
}
