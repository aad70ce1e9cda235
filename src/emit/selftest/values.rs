//! Own values of a reduction in the self-test, and the words that partials have.

use askama::Template;

use crate::emit::selftest::partials::{ExpectedPartials, ValueRule};
use crate::emit::selftest::schedule::{ScheduleTable, TablePiece};
use crate::emit::selftest::{BistCommon, BistSizes};
use crate::emit::shared::parts::BitRange;
use crate::netlist::digits;
use crate::program::{Number, Operation, Program};

/// Choice of the value that is marked in a run, and how.
#[derive(Clone, Copy)]
pub struct ValueMarks {
    /// Bits of a value's number in its sum.
    pub bits: u32,
    /// Range of these bits.
    pub range: BitRange,
    /// Last of these numbers.
    pub last: u32,
    /// True if the bit that marks a value is cleared in it, and set in all others.
    pub falls: bool,
    /// True if words are compared with their sign.
    pub signed: bool,
    /// Bits above those that differ: they make every word a positive float that is neither subnormal nor large.
    pub fixed: u32,
    /// True if all values but those that are marked are zero.
    pub zero: bool,
    /// Lowest bit of the exponent in a sum of floats, of which all values but the marked one and the next are zero.
    pub sum: Option<u32>,
}

impl ValueMarks {
    /// Marks of a program in which single values decide.
    pub fn of(program: &Program, partials: &ExpectedPartials) -> Option<Self> {
        let reduction = program.reduction.as_ref().filter(|_| ValueRule::of(program) == Some(ValueRule::Marks))?;
        Some(Self::new(reduction.number, reduction.operation, partials.bits().1, partials.last()))
    }

    /// Marks of values whose numbers have so many bits, up to a last one.
    pub fn new(number: Number, operation: Operation, bits: u32, last: u32) -> Self {
        let is_float = number.float().is_some();
        let is_added = matches!(operation, Operation::Sum | Operation::Xor | Operation::Custom);
        Self {
            bits,
            range: BitRange::vector(bits),
            last,
            falls: matches!(operation, Operation::Min | Operation::And),
            signed: number.is_signed() && !is_float,
            fixed: if is_float { 3 } else { 0 },
            zero: is_added,
            sum: number.float().filter(|_| operation == Operation::Sum).map(|float| float.fraction),
        }
    }

    /// Padding of that range in a list of ports.
    pub fn gap(&self) -> String {
        self.range.gap()
    }
}

/// View of `templates/bist/marked.v`.
#[derive(Template)]
#[template(path = "bist/marked.v", escape = "none")]
pub struct Marked {
    pub common: BistCommon,
    pub marks: ValueMarks,
}

/// View of `templates/bist/value.v`.
#[derive(Template)]
#[template(path = "bist/value.v", escape = "none")]
pub struct ValueModule {
    common: BistCommon,
    /// true if a value is a word less those that it is combined with
    is_difference: bool,
    /// operator of a difference
    less: &'static str,
}

impl ValueModule {
    pub fn new(program: &Program, common: BistCommon) -> Self {
        let rule = ValueRule::of(program);
        Self {
            common,
            is_difference: rule != Some(ValueRule::Marks),
            less: if rule == Some(ValueRule::Differences(Operation::Xor)) { "^" } else { "-" },
        }
    }
}

/// Table of the values of an output.
pub struct ValueTable {
    /// Number of values.
    pub count: usize,
    /// Bits of the place of a value.
    pub index: u32,
    /// Most partials that one is combined with, at least one for differences.
    pub operands: u32,
    /// Constants of the table.
    pub table: Vec<Vec<TablePiece>>,
}

impl ValueTable {
    pub fn of(partials: &ExpectedPartials, register: usize, sizes: BistSizes) -> Self {
        let (index, operands, values) = shape(partials, register);
        let mut table = ScheduleTable::new(entry_bits(sizes.id, operands), 1 << index);
        let count = values.len();
        for (place, (number, combined)) in values.into_iter().enumerate() {
            table.set(place, 0, sizes.id, number);
            for (operand, number) in (0..).zip(combined) {
                // the bit above a number is its valid bit
                table.set(place, sizes.id + operand * (sizes.id + 1), sizes.id + 1, number | 1 << sizes.id);
            }
        }
        Self { count, index, operands, table: table.lines() }
    }
}

/// Bits of the place of a value of an output, the most partials that one is combined with, and all values. Two places
/// beyond the last are reached, and a third one if too many are taken.
fn shape(partials: &ExpectedPartials, register: usize) -> (u32, u32, Vec<(u64, Vec<u64>)>) {
    let values = partials.values(register);
    let most = values.iter().map(|(_, combined)| combined.len() as u32).max().unwrap_or(0);
    let operands = most.max(u32::from(partials.are_differences()));
    (digits(values.len() as u32 + 3), operands, values)
}

/// Bits of an entry of the table of an output.
fn entry_bits(id: u32, operands: u32) -> u32 {
    id + operands * (id + 1)
}

/// Bits of the tables of all outputs.
pub fn bits(program: &Program, partials: &ExpectedPartials) -> u64 {
    let id = BistSizes::of(program, Some(partials)).id;
    let of_output = |register| {
        let (index, operands, _) = shape(partials, register);
        u64::from(entry_bits(id, operands)) << index
    };
    (0..program.registers()).map(of_output).sum()
}
