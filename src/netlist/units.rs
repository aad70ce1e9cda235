//! The places of an output's operands, the units that combine them row by row, and what its register loads.

use super::bits::WordField;
use super::value::LoadedValue;

/// The operands of an output, and the units that combine them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adders {
    /// Clocks that each unit takes; 0 if all operands are combined at once, by operators.
    pub ticks: u32,
    /// Values that are combined, each in its place.
    pub slots: Vec<OperandSlot>,
    /// The units row by row: what of the row before meets in each.
    pub rows: Vec<Vec<UnitPair>>,
    /// Values that the register loads.
    pub arms: Vec<Arm>,
    /// Says which of them, if there are several.
    pub from: Option<WordField>,
}

impl Adders {
    /// Control bits of the units.
    pub(super) fn told_mut(&mut self) -> impl Iterator<Item = &mut WordField> {
        let slots = self.slots.iter_mut().flat_map(|slot| slot.select.iter_mut().chain(&mut slot.is_taken));
        slots.chain(&mut self.from)
    }
}

/// A place among what is combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandSlot {
    /// Values that can take the place.
    pub values: Vec<LoadedValue>,
    /// Says which, if there are several.
    pub select: Option<WordField>,
    /// Says that it is taken, if it is not always.
    pub is_taken: Option<WordField>,
}

/// Neighbours in a row, by their places; one without a neighbour waits for as long as a unit takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitPair {
    /// First operand of the pair.
    pub one: usize,
    /// The other, if there is one.
    pub other: Option<usize>,
}

impl UnitPair {
    /// Neighbours pairwise until one is left, in so many rows.
    pub(super) fn rows(values: usize, rows: u32) -> Vec<Vec<Self>> {
        let mut left = values;
        let row = |_| {
            let pair = |pair| Self { one: 2 * pair, other: Some(2 * pair + 1).filter(|&it| it < left) };
            let pairs: Vec<Self> = (0..left.div_ceil(2)).map(pair).collect();
            left = pairs.len();
            pairs
        };
        (0..rows).map(row).collect()
    }
}

/// Value that the register of an output loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// Operands, all combined.
    Sum {
        /// Rows of units that they pass.
        rows: u32,
    },
    /// Operand in the first place.
    First,
    /// Arrival that is forwarded.
    Forward(LoadedValue),
    /// Value that the register has.
    Held,
}
