//! Arithmetic of reductions: two values, one alone, and several in a fixed order.

use super::Number;
use crate::program::Operation;

/// An operation on numbers. A value is its 64-bit words, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Operation that combines two values.
    pub operation: Operation,
    /// Type of the values.
    pub number: Number,
    /// True if subnormal floats count as zeros in sums.
    pub flush: bool,
}

impl Arithmetic {
    /// Returns true if values are combined in one order only.
    pub const fn is_ordered(self) -> bool {
        self.number.float().is_some() || matches!(self.operation, Operation::Custom)
    }

    /// Combines a value of so many bits with another one.
    pub fn combine(self, width: u32, value: &mut [u64], other: &[u64]) {
        if let (Some(_), [value], [other]) = (self.number.width(), &mut *value, other) {
            *value = self.of_numbers(*value as u32, *other as u32).into();
            return;
        }
        let is_less = || value.iter().rev().lt(other.iter().rev());
        match self.operation {
            Operation::Sum | Operation::Custom => {
                let mut sum = 0;
                for (word, other) in value.iter_mut().zip(other) {
                    sum = (sum >> u64::BITS) + u128::from(*word) + u128::from(*other);
                    *word = sum as u64;
                }
                let unused = 64 * value.len() as u32 - width;
                if let Some(top) = value.last_mut() {
                    *top &= u64::MAX >> unused;
                }
            }
            Operation::Max if is_less() => value.copy_from_slice(other),
            Operation::Min if !is_less() => value.copy_from_slice(other),
            Operation::Max | Operation::Min => {}
            Operation::Xor => value.iter_mut().zip(other).for_each(|(word, other)| *word ^= other),
            Operation::And => value.iter_mut().zip(other).for_each(|(word, other)| *word &= other),
            Operation::Or => value.iter_mut().zip(other).for_each(|(word, other)| *word |= other),
        }
    }

    /// Combines values of so many bits, each of so many words, with others, each with that in its place.
    pub fn combine_each(self, width: u32, limbs: usize, values: &mut [u64], others: &[u64]) {
        if let (None, 1, Operation::Sum) = (self.number.width(), limbs, self.operation) {
            let top = u64::MAX >> (u64::BITS - width);
            values.iter_mut().zip(others).for_each(|(value, other)| *value = value.wrapping_add(*other) & top);
            return;
        }
        let values = values.chunks_exact_mut(limbs).zip(others.chunks_exact(limbs));
        values.for_each(|(value, other)| self.combine(width, value, other));
    }

    fn of_numbers(self, one: u32, other: u32) -> u32 {
        if let Some(float) = self.number.float() {
            return match self.operation {
                Operation::Max => float.larger(one, other),
                Operation::Min => float.smaller(one, other),
                _ => float.sum(one, other, self.flush),
            };
        }
        // the sign as the bit that counts most
        let place = |bits: u32| if self.number.is_signed() { bits ^ 1 << 31 } else { bits };
        match self.operation {
            Operation::Sum | Operation::Custom => one.wrapping_add(other),
            Operation::Max => {
                if place(one) < place(other) {
                    other
                } else {
                    one
                }
            }
            Operation::Min => {
                if place(other) < place(one) {
                    other
                } else {
                    one
                }
            }
            Operation::Xor => one ^ other,
            Operation::And => one & other,
            Operation::Or => one | other,
        }
    }

    /// Settles a value with which nothing is combined: floats have one NaN, and subnormal ones may be flushed.
    pub fn settle(self, value: &mut [u64]) {
        if let (Some(float), [value]) = (self.number.float(), value) {
            let flush = self.flush && self.operation == Operation::Sum;
            *value = float.settled(*value as u32, flush).into();
        }
    }

    /// Combines several values of so many words, the order of which counts: neighbours pairwise, and again, until one is left.
    pub fn all(self, width: u32, limbs: usize, values: &mut Vec<u64>) {
        let mut left = values.len() / limbs;
        while left > 1 {
            for pair in 0..left / 2 {
                let (one, other) = values[2 * pair * limbs..].split_at_mut(limbs);
                self.combine(width, one, &other[..limbs]);
                values.copy_within(2 * pair * limbs..(2 * pair + 1) * limbs, pair * limbs);
            }
            if left % 2 == 1 {
                values.copy_within((left - 1) * limbs..left * limbs, left / 2 * limbs);
            }
            left = left.div_ceil(2);
        }
        values.truncate(limbs);
        self.settle(values);
    }
}
