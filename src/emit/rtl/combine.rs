//! Combining at an output, named for `templates/rtl/parts/combine.v`.

use super::super::names;
use super::neutral::Neutral;
use super::operator::Operator;
use super::parts::{Data, RegisterPlace, Valid};
use super::rules;
use crate::netlist::{self, Field, Output, Router, Value};

/// Combination of an own value with arrivals at an output.
pub struct Combine {
    pub own: String,
    /// the node's own is taken a tick ahead
    pub ahead: bool,
    pub rest: Neutral,
    pub arrivals: Vec<Arrival>,
}

/// A value that arrives and is combined.
pub struct Arrival {
    pub what: String,
    pub data: Data,
    pub valid: Valid,
    /// says whether it counts, if it does not always
    pub counts: Option<String>,
    /// all up to this one, combined
    pub operator: Operator,
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
                operator: Operator::new(combine, format!("{port}_with_{index}"), format!("{port}_late_{index}")),
            }
        };
        let own = output.drive.values.first();
        let own = own.and_then(|value| if let Value::Own(own) = value { Some(names::own(*own)) } else { None });
        Self {
            own: own.unwrap_or_default(),
            ahead: *ahead,
            rest: Neutral::of_words(*operation, *number),
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
