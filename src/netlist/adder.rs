//! The unit that combines two floats: an adder in twelve stages, or a comparison in two, of which some end in registers.

use crate::program::{Arithmetic, Float, Number, Operation};

/// Stages of an adder, each of which may end in registers; the last always does.
pub const STAGES: usize = 12;
/// The most ticks that a unit can take.
pub const MOST_TICKS: u32 = STAGES as u32;

/// Delay of each stage in tenths of a nanosecond, as placed and routed on an ECP5-6.
const DELAYS: [u32; STAGES] = [25, 16, 42, 46, 30, 32, 42, 36, 30, 18, 30, 22];

/// Ticks of an adder beyond which its clock gets no faster.
pub const fn fastest(number: Number) -> u32 {
    match number {
        Number::F32 => 11,
        _ => 9,
    }
}

/// A unit that combines two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatUnit {
    /// Type of the values.
    pub number: Number,
    /// Operation that combines two values.
    pub operation: Operation,
    /// True if subnormal ones count as zeros.
    pub flush: bool,
    /// Clocks from its inputs to its output.
    pub ticks: u32,
}

/// Bits and groups of an adder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdderSizes {
    /// Bits of an exponent.
    pub exponent: u32,
    /// Bits of a fraction.
    pub fraction: u32,
    /// Bits of a distance between exponents that move a fraction within a sum.
    pub distance: u32,
    /// Groups of four bits in a sum, for its leading zeros.
    pub groups: u32,
    /// Bits of the number of a group.
    pub index: u32,
}

impl FloatUnit {
    /// The unit of these numbers; none if they need none.
    pub fn of(number: Number, operation: Operation, flush: bool, ticks: u32) -> Option<Self> {
        let is_ordered = Arithmetic { operation, number, flush }.is_ordered();
        (is_ordered && ticks > 0).then_some(Self { number, operation, flush, ticks })
    }

    /// Returns true if it adds; otherwise it compares.
    pub fn adds(&self) -> bool {
        self.operation == Operation::Sum
    }

    /// Bits and groups of its adder.
    pub fn sizes(&self) -> AdderSizes {
        let Float { exponent, fraction } = self.number.float().unwrap_or(Float { exponent: 0, fraction: 0 });
        let sum = fraction + 4;
        let groups = sum.div_ceil(4);
        AdderSizes { exponent, fraction, distance: bits(sum), groups, index: bits(groups - 1) }
    }

    /// Flip-flops, as they are written.
    pub fn flip_flops(&self) -> u64 {
        let AdderSizes { exponent: e, fraction: m, groups, index, .. } = self.sizes();
        if self.operation == Operation::Custom {
            // it is up to whoever writes the module
            return 0;
        }
        let (word, s) = (1 + e + m, m + 4);
        if !self.adds() {
            let held = if self.ticks > 1 { 2 * word + 2 } else { 0 };
            return u64::from(held + word * self.ticks.saturating_sub(1).max(1));
        }
        let carried = [
            2 * (e + m) + 6,
            2 * (e + m) + 5,
            2 * e + 2 * (m + 1) + 5,
            s + e + m + 10,
            s + e + m + 6,
            2 * s + e + 5,
            s + 1 + index + 2 * groups + e + 4,
            s + 3 + index + e + 3,
            s + e + 4,
            e + m + 5,
            e + m + 4,
            word,
        ];
        let held = self.held().into_iter().zip(carried).filter(|(held, _)| *held);
        held.map(|(_, bits)| u64::from(bits)).sum()
    }

    /// LUTs of four inputs, as measured with as many stages as there are.
    pub fn luts(&self) -> u64 {
        match (self.number, self.adds()) {
            _ if self.operation == Operation::Custom => 0,
            (Number::F32, true) => 800,
            (Number::F16, true) => 370,
            (_, true) => 330,
            (Number::F32, false) => 130,
            (_, false) => 70,
        }
    }

    /// Stages of the adder that end in registers: as many as it has ticks, so that the longest path between two is
    /// short.
    pub fn held(&self) -> [bool; STAGES] {
        let ticks = self.ticks.clamp(1, MOST_TICKS);
        let choices = (0..1u32 << (STAGES - 1)).filter(|choice| choice.count_ones() + 1 == ticks);
        let choice = choices.min_by_key(|&choice| ways(choice)).unwrap_or(0);
        std::array::from_fn(|stage| stage + 1 == STAGES || choice >> stage & 1 == 1)
    }
}

/// The longest way between two registers, and how uneven all of them are.
fn ways(choice: u32) -> (u32, u32) {
    let (mut longest, mut uneven, mut way) = (0, 0, 0);
    for (stage, delay) in DELAYS.into_iter().enumerate() {
        way += delay;
        if stage + 1 == STAGES || choice >> stage & 1 == 1 {
            (longest, uneven, way) = (longest.max(way), uneven + way * way, 0);
        }
    }
    (longest, uneven)
}

/// Bits of a number.
const fn bits(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adder_has_as_many_registers_in_a_row_as_ticks() {
        for ticks in 1..=MOST_TICKS {
            let held = FloatUnit::of(Number::F32, Operation::Sum, false, ticks).unwrap().held();
            assert_eq!(held.iter().filter(|held| **held).count() as u32, ticks);
            assert!(held[STAGES - 1]);
        }
        assert_eq!(FloatUnit::of(Number::I32, Operation::Sum, false, 3), None);
    }

    #[test]
    fn sizes_are_those_of_the_format() {
        let sizes = |number| FloatUnit::of(number, Operation::Sum, false, 1).unwrap().sizes();
        let of =
            |exponent, fraction, distance, groups, index| AdderSizes { exponent, fraction, distance, groups, index };
        assert_eq!(sizes(Number::F32), of(8, 23, 5, 7, 3));
        assert_eq!(sizes(Number::Bf16), of(8, 7, 4, 3, 2));
        assert_eq!(sizes(Number::F16), of(5, 10, 4, 4, 2));
    }
}
