//! How an output combines, named for `templates/rtl/parts/combine.v`.

use super::super::names;
use super::parts::{Data, Place, Valid};
use super::rules;
use crate::netlist::{self, Field, Output, Router, Value};
use crate::program::Operation;

/// How an output combines a value of the node's own with what arrives.
pub struct Combine {
    pub operation: Operation,
    pub own: String,
    /// the node's own is taken a tick ahead
    pub ahead: bool,
    /// zeros change nothing; else ones do not
    pub zeros: bool,
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

/// Whether zeros change nothing; else ones do not.
pub fn rests_at_zero(operation: Operation) -> bool {
    !matches!(operation, Operation::And | Operation::Min)
}

impl Combine {
    pub fn new(axes: usize, router: &Router, output: &Output, combine: &netlist::Combine) -> Self {
        let netlist::Combine { operation, ahead, counts, .. } = combine;
        let port = names::channel(axes, output.channel);
        let arrival = |(index, (&value, counts)): (usize, (&Value, &Option<Field>))| {
            let Place { data, valid, .. } = Place::of(axes, router, output.channel, value);
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
            zeros: rests_at_zero(*operation),
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
