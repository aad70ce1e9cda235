//! How the outputs of a router are steered: those that go by the time, and those that a table chooses for.

use super::super::names;
use super::parts::Place;
use super::rules;
use crate::netlist::{Clock, Drive, Field, Output, Router, Value, digits};

/// The outputs of a router, by what steers them.
#[derive(Default)]
pub struct Steering {
    pub timed: Vec<Timed>,
    pub chosen: Vec<Chosen>,
}

/// An output that goes by the time: in one of three ways.
pub struct Timed {
    pub port: String,
    pub rule: String,
    pub always: Option<Place>,
    pub injected: Option<Injected>,
    pub staged: Option<Staged>,
}

pub struct Injected {
    pub own: String,
    pub then: Place,
}

pub struct Staged {
    pub stages: Vec<Stage>,
    pub rest: Place,
}

/// A place to load from while a count is below a number, or while the fabric's `first` is high.
pub struct Stage {
    pub first: bool,
    pub counter: String,
    pub bits: u32,
    pub until: u32,
    pub place: Place,
}

/// An output that a field of the table's word chooses a value for.
pub struct Chosen {
    pub port: String,
    pub label: String,
    pub bits: u32,
    pub arms: Vec<Arm>,
}

pub struct Arm {
    pub what: String,
    pub place: Place,
}

impl Steering {
    pub fn of(axes: usize, router: &Router) -> Self {
        let mut steering = Self::default();
        for output in &router.outputs {
            let place = |value| Place::of(axes, router, output.channel, value);
            let timed = Timed {
                port: names::channel(axes, output.channel),
                rule: rules::brief(output, axes, router.flits),
                always: None,
                injected: None,
                staged: None,
            };
            match &output.drive {
                Drive::Always(value) => steering.timed.push(Timed { always: Some(place(*value)), ..timed }),
                Drive::Injected { own, then } => {
                    let injected = Some(Injected { own: names::own(*own), then: place(*then) });
                    steering.timed.push(Timed { injected, ..timed });
                }
                Drive::Timed { clock, stages, rest } => {
                    let (counter, last) = counted(router, *clock).unwrap_or_default();
                    let stage = |stage: &crate::netlist::Stage| Stage {
                        first: *clock == Clock::First,
                        counter: counter.clone(),
                        bits: digits(last),
                        until: stage.until,
                        place: place(stage.value),
                    };
                    let staged = Some(Staged { stages: stages.iter().map(stage).collect(), rest: place(*rest) });
                    steering.timed.push(Timed { staged, ..timed });
                }
                Drive::Chosen { select, values } => {
                    steering.chosen.push(Chosen::new(axes, output, *select, values, place));
                }
            }
        }
        steering
    }
}

impl Chosen {
    fn new(axes: usize, output: &Output, select: Field, values: &[Value], place: impl Fn(Value) -> Place) -> Self {
        let what = |value: Value| match value {
            Value::Store { .. } => format!("from the {}", rules::describe(value, axes)),
            _ => rules::describe(value, axes),
        };
        let arm = |&value: &Value| Arm { what: what(value), place: place(value) };
        Self {
            port: names::channel(axes, output.channel),
            label: output.channel.label(axes),
            bits: select.bits,
            arms: values.iter().map(arm).collect(),
        }
    }
}

/// The name of a clock's counter and the largest count, if it has one.
pub fn counted(router: &Router, clock: Clock) -> Option<(String, u32)> {
    let counter = router.counters.iter().find(|counter| counter.clock == clock)?;
    let rounds = router.counters.iter().filter(|counter| counter.restart.is_some()).count();
    let name = match counter.restart {
        None => "tick".to_owned(),
        Some(_) if rounds == 1 => "round".to_owned(),
        Some(_) => {
            let number = router.clocks().iter().take_while(|&&other| other != clock).count();
            format!("round_{number}")
        }
    };
    Some((name, counter.last))
}
