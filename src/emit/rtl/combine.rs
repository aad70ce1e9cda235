//! Combining at an output, named for `templates/rtl/parts/combine.v`.

use askama::Template;

use super::super::names;
use super::parts::{Data, RegisterPlace, Valid};
use super::rules;
use crate::netlist::{self, Field, Output, Router, Value};
use crate::program::{Number, Operation};

/// Combination of an own value with arrivals at an output.
pub struct Combine {
    pub operation: Operation,
    pub own: String,
    /// the node's own is taken a tick ahead
    pub ahead: bool,
    pub rest: Rest,
    /// words are compared with their sign
    pub signed: bool,
    pub arrivals: Vec<Arrival>,
}

/// A value that arrives and is combined.
pub struct Arrival {
    pub what: String,
    pub data: Data,
    pub valid: Valid,
    /// says whether it counts, if it does not always
    pub counts: Option<String>,
}

/// Value that changes nothing if it is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(path = "rtl/parts/rest.v", escape = "none")]
pub enum Rest {
    /// All bits zero.
    Zeros,
    /// All bits one.
    Ones,
    /// The least number with a sign.
    Least,
    /// The largest number with a sign.
    Most,
}

impl Rest {
    /// Value that an operation leaves unchanged.
    pub fn of(operation: Operation, number: Number) -> Self {
        match (operation, number.is_signed()) {
            (Operation::Max, true) => Self::Least,
            (Operation::Min, true) => Self::Most,
            (Operation::And | Operation::Min, _) => Self::Ones,
            _ => Self::Zeros,
        }
    }
}

impl Combine {
    pub fn new(axes: usize, router: &Router, output: &Output, combine: &netlist::Combine) -> Self {
        let netlist::Combine { operation, number, ahead, counts, .. } = combine;
        let port = names::channel(axes, output.channel);
        let arrival = |(index, (&value, counts)): (usize, (&Value, &Option<Field>))| {
            let RegisterPlace { data, valid, .. } = RegisterPlace::of(axes, router, output.channel, value);
            Arrival {
                what: rules::describe(value, axes),
                data,
                valid,
                counts: counts.map(|_| counts_name(&port, index)),
            }
        };
        let own = output.drive.values.first();
        let own = own.and_then(|value| if let Value::Own(own) = value { Some(names::own(*own)) } else { None });
        Self {
            operation: *operation,
            own: own.unwrap_or_default(),
            ahead: *ahead,
            rest: Rest::of(*operation, *number),
            signed: number.is_signed(),
            arrivals: output.drive.values[1..].iter().zip(counts).enumerate().map(arrival).collect(),
        }
    }
}

/// Says that an output takes a value of the node's own.
pub fn takes_name(port: &str) -> String {
    format!("{port}_takes")
}

/// Says that a value that arrives counts.
pub fn counts_name(port: &str, index: usize) -> String {
    format!("{port}_counts_{index}")
}
