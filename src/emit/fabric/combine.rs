//! Combining at an output, named for `templates/rtl/parts/combine.v`.

use crate::emit::fabric::neutral::Neutral;
use crate::emit::fabric::operator::Operator;
use crate::emit::fabric::rules;
use crate::emit::shared::names;
use crate::emit::shared::parts::{Data, RegisterPlace, ValidSignal};
use crate::netlist::{self, LoadedValue, Output, Router, WordField};

/// Combination of an own value with arrivals at an output.
pub struct CombineView {
    pub own: String,
    /// the node's own is taken a tick ahead
    pub ahead: bool,
    pub rest: Neutral,
    pub arrivals: Vec<CombinedArrival>,
}

/// A value that arrives and is combined.
pub struct CombinedArrival {
    pub what: String,
    pub data: Data,
    pub valid: ValidSignal,
    /// says whether it counts, if it does not always
    pub counts: Option<String>,
    /// all up to this one, combined
    pub operator: Operator,
}

impl CombineView {
    pub fn new(axes: usize, router: &Router, output: &Output, combine: &netlist::Combine) -> Self {
        let netlist::Combine { operation, number, ahead, counts, .. } = combine;
        let port = names::channel(axes, output.channel);
        let arrival = |(index, (&value, counts)): (usize, (&LoadedValue, &Option<WordField>))| {
            let RegisterPlace { data, valid, .. } = RegisterPlace::of(axes, router, output.channel, value);
            CombinedArrival {
                what: rules::describe(value, axes),
                data,
                valid,
                counts: counts.map(|_| counts_name(&port, index)),
                operator: Operator::new(combine, format!("{port}_with_{index}"), format!("{port}_late_{index}")),
            }
        };
        let own = output.drive.values.first();
        let own = own.and_then(|value| if let LoadedValue::Own(own) = value { Some(names::own(*own)) } else { None });
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
