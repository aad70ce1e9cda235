//! Value that changes nothing if it is combined, for `templates/rtl/parts/neutral.v`.

use askama::Template;

use crate::netlist::Combine;
use crate::program::{Number, Operation};

/// Value that changes nothing if it is combined: what stands where nothing else comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(path = "rtl/parts/neutral.v", escape = "none")]
pub enum Neutral {
    /// All bits zero.
    Zeros,
    /// All bits one.
    Ones,
    /// The least number with a sign.
    Least,
    /// The largest number with a sign.
    Most,
    /// Neutral value of the operation that the control word names.
    Chosen,
    /// Neutral element of a sum of floats.
    NegativeZero,
    /// Neutral element of a maximum or minimum of floats.
    Infinity {
        /// True for the least of all.
        is_negative: bool,
        /// Bits of an exponent.
        exponent: u32,
        /// Bits of a fraction.
        fraction: u32,
    },
}

impl Neutral {
    /// Values of all operations that a router combines by, in their order.
    pub fn all(combine: &Combine) -> Vec<Self> {
        let operations = std::iter::once(&combine.operation).chain(&combine.others);
        operations.map(|&operation| Self::of(operation, combine.number)).collect()
    }

    /// Value that stands where nothing comes, whatever the operation.
    pub fn of_any(combine: &Combine) -> Self {
        let all = Self::all(combine);
        if all.iter().all(|other| *other == all[0]) { all[0] } else { Self::Chosen }
    }

    /// Value that an operation leaves unchanged.
    pub fn of(operation: Operation, number: Number) -> Self {
        match (operation, number.float()) {
            (Operation::Sum, Some(_)) => Self::NegativeZero,
            (Operation::Max | Operation::Min, Some(float)) => Self::Infinity {
                is_negative: operation == Operation::Max,
                exponent: float.exponent,
                fraction: float.fraction,
            },
            _ => Self::of_words(operation, number),
        }
    }

    /// Value that an operation on whole numbers or bits leaves unchanged: what an output at rest holds.
    pub fn of_words(operation: Operation, number: Number) -> Self {
        match (operation, number.is_signed()) {
            (Operation::Max, true) => Self::Least,
            (Operation::Min, true) => Self::Most,
            (Operation::And | Operation::Min, _) => Self::Ones,
            _ => Self::Zeros,
        }
    }
}
