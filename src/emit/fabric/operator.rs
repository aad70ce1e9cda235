//! Operator between two values, for `templates/rtl/parts/operator.v`.

use askama::Template;

use crate::netlist::{Combine, bits_for};
use crate::program::Operation;

/// Two values, combined at once.
#[derive(Template)]
#[template(path = "rtl/parts/operator.v", escape = "none")]
pub struct Operator {
    /// operations of which a control word names one
    operations: Vec<Operation>,
    /// words are compared with their sign
    signed: bool,
    one: String,
    other: String,
}

impl Operator {
    pub fn new(combine: &Combine, one: String, other: String) -> Self {
        let operations = std::iter::once(combine.operation).chain(combine.others.iter().copied()).collect();
        Self { operations, signed: combine.number.is_signed(), one, other }
    }

    /// Bits of the name of an operation.
    fn bits(&self) -> u32 {
        bits_for(self.operations.len() as u64)
    }
}
