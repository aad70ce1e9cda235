//! Floats that a program combines, in a verdict.

use serde::Serialize;

use crate::program::{Number, Operation, Program, count};
use crate::study::roundings;

/// Floats that are combined.
#[derive(Serialize)]
pub(super) struct Floats {
    number: Number,
    /// Ticks of an adder.
    adder: u32,
    /// Adders that a partial passes in a row.
    rows: u32,
    reduce_latency: u32,
    /// The most roundings between a value and its sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    roundings: Option<u32>,
}

impl Floats {
    pub(super) fn of(program: &Program) -> Option<Self> {
        let reduction = program.reduction.as_ref().filter(|reduction| reduction.number.float().is_some())?;
        let rounds = reduction.operation == Operation::Sum;
        Some(Self {
            number: reduction.number,
            adder: program.adder_ticks(),
            rows: program.adder_rows(),
            reduce_latency: program.reduce_latency(),
            roundings: if rounds { roundings::depth(program) } else { None },
        })
    }

    /// Lines on the adders, and on the error that a sum can have.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let Self { number, adder, rows, reduce_latency, roundings } = self;
        let adders = if *rows == 1 { "one adder".to_owned() } else { format!("{rows} adders in a row") };
        let (each, away) = (count((*adder).into(), "tick"), count((*reduce_latency).into(), "tick"));
        let mut lines = vec![("floats", format!("{number}, {adders} of {each}: partials are {away} on their way"))];
        if let Some((roundings, float)) = roundings.zip(number.float()) {
            let (times, unit) = (count(roundings.into(), "rounding"), float.fraction + 1);
            let error = format!("at most {times}: off by {roundings} * 2^-{unit} of the sum of all magnitudes");
            lines.push(("error", error));
        }
        lines
    }
}
