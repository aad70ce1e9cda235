//! What an output loads when: the one place that says whether time, a table or nothing at all decides it.

use super::bits::Field;
use super::course::{Clock, Course, Leg};
use super::value::{Own, Value};
use crate::program::Source;

/// How an output is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drive {
    /// One value in every tick.
    Always(Value),
    /// A packet of the node's own while the fabric's `first` is high, another value after that.
    Injected {
        /// Which packet.
        own: Own,
        /// What comes after it; something is sent.
        then: Value,
    },
    /// Values in the order of time.
    Timed {
        /// What tells the time.
        clock: Clock,
        /// Each value until the clock reaches a count, in order.
        stages: Vec<Stage>,
        /// The value after that.
        rest: Value,
    },
    /// One of several values, as the word of the table says.
    Chosen {
        /// The number of the value.
        select: Field,
        /// The values.
        values: Vec<Value>,
    },
}

/// A value below a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The count at which it ends.
    pub until: u32,
    /// The value until then.
    pub value: Value,
}

impl Drive {
    /// How a course is driven that no table steers.
    pub(super) fn by_time(course: &Course) -> Self {
        match (course.clock, course.legs.as_slice()) {
            (_, [only]) => Self::Always(Value::of(only.source)),
            (Clock::First, [Leg { source: Source::Own { packet, through }, .. }, then])
                if then.source != Source::Idle =>
            {
                let own = Own { packet: *packet, through: *through };
                Self::Injected { own, then: Value::of(then.source) }
            }
            (clock, legs) => {
                let stage = |leg: &Leg| Some(Stage { until: leg.until?, value: Value::of(leg.source) });
                let rest = legs.last().map_or(Value::Nothing, |leg| Value::of(leg.source));
                Self::Timed { clock, stages: legs.iter().filter_map(stage).collect(), rest }
            }
        }
    }

    /// The values in order, the same one perhaps more than once.
    pub fn values(&self) -> Vec<Value> {
        match self {
            Self::Always(value) => vec![*value],
            Self::Injected { own, then } => vec![Value::Own(*own), *then],
            Self::Timed { stages, rest, .. } => stages.iter().map(|stage| stage.value).chain([*rest]).collect(),
            Self::Chosen { values, .. } => values.clone(),
        }
    }

    /// Whether it ever loads this value.
    pub fn loads(&self, value: Value) -> bool {
        self.values().contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    const OWN: Source = Source::own(1);
    const IN: Source = Source::input(Port::plus(0), 1);

    fn drive(clock: Clock, legs: &[(Option<u32>, Source)]) -> Drive {
        let legs = legs.iter().map(|&(until, source)| Leg { until, source }).collect();
        Drive::by_time(&Course { clock, legs })
    }

    #[test]
    fn an_own_packet_and_an_input_need_no_more_than_a_multiplexer() {
        let then = Value::of(IN);
        assert_eq!(drive(Clock::Steady, &[(None, IN)]), Drive::Always(then));
        assert_eq!(
            drive(Clock::First, &[(Some(1), OWN), (None, IN)]),
            Drive::Injected { own: Own { packet: 1, through: 1 }, then }
        );
        let stages = vec![Stage { until: 1, value: Value::of(OWN) }];
        let silent = Drive::Timed { clock: Clock::First, stages: stages.clone(), rest: Value::Nothing };
        assert_eq!(drive(Clock::First, &[(Some(1), OWN), (None, Source::Idle)]), silent);
        let counted = Drive::Timed { clock: Clock::Tick, stages, rest: then };
        assert_eq!(drive(Clock::Tick, &[(Some(1), OWN), (None, IN)]), counted);
    }
}
