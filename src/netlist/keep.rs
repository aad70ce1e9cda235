//! What a router remembers besides its outputs: counters that tell time, and what is sent on late.

use std::collections::BTreeSet;

use super::course::{Clock, Course};
use super::value::Value;
use crate::net::Channel;

/// Counts the ticks played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The clock it is.
    pub clock: Clock,
    /// The largest count.
    pub last: u32,
    /// Where it goes on from there; it stays if there is none.
    pub restart: Option<u32>,
}

/// A delay line in shift registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The input whose arrivals it keeps.
    pub input: Channel,
    /// Words: one less than the largest age, since the wire itself is one tick old.
    pub stages: u32,
}

/// A delay line in memory, of one word for each tick that it delays, but for two: the arrival was a tick old when it was
/// written, and what is read waits one tick for its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The input whose arrivals it keeps.
    pub input: Channel,
    /// How old they are when they come out.
    pub age: u32,
    /// How many there are inside.
    pub words: u32,
}

/// Every arrival at an input, by tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The input.
    pub input: Channel,
    /// One word for each tick that is read again, and one to spare for later ones.
    pub words: u32,
    /// The outputs that read it, each a word a tick.
    pub readers: Vec<Channel>,
}

/// One counter for the plain courses, one for each kind of round. A router with a window counts `window` ticks, all of them.
pub(super) fn counters<'c>(courses: impl Iterator<Item = &'c Course> + Clone, window: Option<u32>) -> Vec<Counter> {
    let mut clocks: BTreeSet<Clock> = courses.clone().map(|course| course.clock).collect();
    clocks.extend(window.map(|_| Clock::Tick));
    let plain = courses.filter(|course| course.clock == Clock::Tick);
    let last_change = plain.flat_map(Course::thresholds).chain(window).max().unwrap_or(0);
    let counter = |clock| match clock {
        Clock::Steady | Clock::First | Clock::Table => None,
        Clock::Tick => Some(Counter { clock, last: last_change, restart: None }),
        Clock::Round { start, last } => Some(Counter { clock, last, restart: Some(start) }),
    };
    clocks.into_iter().filter_map(counter).collect()
}

/// One line for each input that is read from one, as deep as the deepest read.
pub(super) fn lines(values: &BTreeSet<Value>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for value in values {
        if let Value::Line { input, age } = *value {
            match lines.last_mut() {
                // values come by port and age
                Some(line) if line.input == input => line.stages = age - 1,
                _ => lines.push(Line { input, stages: age - 1 }),
            }
        }
    }
    lines
}

/// One ring for each input and age.
pub(super) fn rings(values: &BTreeSet<Value>) -> Vec<Ring> {
    let ring = |value: &Value| match *value {
        Value::Ring { input, age } => Some(Ring { input, age, words: age - 2 }),
        _ => None,
    };
    values.iter().filter_map(ring).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    #[test]
    fn a_line_serves_every_age_up_to_its_depth_and_a_ring_only_one() {
        let input = Channel::first(Port::minus(0));
        let line = |age| Value::Line { input, age };
        let ring = |age| Value::Ring { input, age };
        let values = BTreeSet::from([
            line(7),
            line(2),
            Value::Wire { input: Channel::first(Port::plus(0)) },
            ring(40),
            ring(33),
        ]);
        assert_eq!(lines(&values), [Line { input, stages: 6 }]);
        assert_eq!(rings(&values), [Ring { input, age: 33, words: 31 }, Ring { input, age: 40, words: 38 }]);
    }
}
