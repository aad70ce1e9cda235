//! What a register loads, as far as it tells it from others: of registers that load the same in every tick yosys keeps one.

use crate::net::Channel;
use crate::netlist::{Clock, Drive, Output, Value};

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// 0.
    Zero,
    /// 1.
    One,
    /// The data or the valid bit of a value; no value is what was there before.
    Of(Value),
}

/// What a register loads.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum Loads {
    /// The valid bit of what arrived so many ticks ago: an output's, or a stage of a delay line.
    Late(Channel, u32),
    /// One thing in every tick.
    Always(Held),
    /// This and that, each until a count of the clock.
    Timed(Clock, Vec<(u32, Held)>),
    /// This or that, as the table's word says from this bit on.
    Chosen(u32, Vec<Held>),
}

impl Held {
    /// The valid bit of a value.
    pub fn valid(value: Value) -> Self {
        match value {
            Value::Nothing => Self::Zero,
            Value::Own(_) => Self::One,
            input => Self::Of(input),
        }
    }
}

impl Loads {
    /// What an output's data loads.
    pub fn data(output: &Output) -> Self {
        Self::of(output, Held::Of)
    }

    /// What an output's valid bit loads.
    pub fn valid(output: &Output) -> Self {
        match Self::of(output, Held::valid) {
            Self::Always(Held::Of(Value::Wire { input })) => Self::Late(input, 1),
            Self::Always(Held::Of(Value::Line { input, age })) => Self::Late(input, age),
            loads => loads,
        }
    }

    fn of(output: &Output, held: impl Fn(Value) -> Held) -> Self {
        let (clock, mut steps) = match &output.drive {
            Drive::Always(value) => return Self::Always(held(*value)),
            Drive::Chosen { select, values } => {
                return Self::Chosen(select.low, values.iter().map(|value| held(*value)).collect());
            }
            Drive::Injected { own, then } => (Clock::First, vec![(1, held(Value::Own(*own))), (u32::MAX, held(*then))]),
            Drive::Timed { clock, stages, rest } => {
                let stages = stages.iter().map(|stage| (stage.until, held(stage.value)));
                (*clock, stages.chain([(u32::MAX, held(*rest))]).collect())
            }
        };
        // where two steps hold the same, the first ends with the second
        for index in (1..steps.len()).rev() {
            if steps[index].1 == steps[index - 1].1 {
                steps.remove(index - 1);
            }
        }
        match steps[..] {
            [(_, only)] => Self::Always(only),
            _ => Self::Timed(clock, steps),
        }
    }
}
