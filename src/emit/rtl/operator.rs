//! Operator between two values, for `templates/rtl/parts/operator.v`.

use askama::Template;

use crate::netlist::Combine;
use crate::program::Operation;

/// Two values, combined at once.
#[derive(Template)]
#[template(path = "rtl/parts/operator.v", escape = "none")]
pub struct Operator {
    operation: Operation,
    /// words are compared with their sign
    signed: bool,
    one: String,
    other: String,
}

impl Operator {
    pub fn new(combine: &Combine, one: String, other: String) -> Self {
        Self { operation: combine.operation, signed: combine.number.is_signed(), one, other }
    }
}
