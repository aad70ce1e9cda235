//! Storage of a router besides its outputs: flits that are sent on late.

use std::collections::BTreeSet;

use super::bits::WordField;
use super::sequence::WordCollector;
use super::value::LoadedValue;
use crate::net::Channel;

/// A delay line in shift registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayLine {
    /// The input whose arrivals it keeps.
    pub input: Channel,
    /// Words: one less than the largest age, since the wire itself is one tick old.
    pub stages: u32,
}

/// A delay line in memory, of one word for each tick that it delays, but for one: what is read waits a tick for its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayMemory {
    /// The input whose arrivals it keeps.
    pub input: Channel,
    /// Age of the words at the output.
    pub age: u32,
    /// Number of words in the ring.
    pub words: u32,
    /// Says where to write.
    pub write: WordField,
    /// Says where to read for the next tick: the next that is written.
    pub read: WordField,
}

/// Every arrival at an input, by tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Input that is stored.
    pub input: Channel,
    /// One word for each tick that is read again, and one to spare for later ones.
    pub words: u32,
    /// Says where to write.
    pub write: WordField,
    /// The outputs that read it, each a word per tick.
    pub readers: Vec<Channel>,
}

/// One line for each input that is read from one, as deep as the deepest read.
pub(super) fn lines(values: &BTreeSet<LoadedValue>) -> Vec<DelayLine> {
    let mut lines: Vec<DelayLine> = Vec::new();
    for value in values {
        if let LoadedValue::Line { input, age } = *value {
            match lines.last_mut() {
                // values come by port and age
                Some(line) if line.input == input => line.stages = age - 1,
                _ => lines.push(DelayLine { input, stages: age - 1 }),
            }
        }
    }
    lines
}

/// One ring for each input and age.
pub(super) fn rings(values: &BTreeSet<LoadedValue>, told: &mut WordCollector) -> Vec<DelayMemory> {
    let mut ring = |value: &LoadedValue| match *value {
        LoadedValue::Ring { input, age } => {
            let words = age - 1;
            let (write, read) = (told.counter(1, words, true), told.counter(2, words, true));
            Some(DelayMemory { input, age, words, write, read })
        }
        _ => None,
    };
    values.iter().filter_map(&mut ring).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    #[test]
    fn a_line_serves_every_age_up_to_its_depth_and_a_ring_only_one() {
        let input = Channel::first(Port::minus(0));
        let line = |age| LoadedValue::Line { input, age };
        let ring = |age| LoadedValue::Ring { input, age };
        let values = BTreeSet::from([
            line(7),
            line(2),
            LoadedValue::Wire { input: Channel::first(Port::plus(0)) },
            ring(40),
            ring(33),
        ]);
        assert_eq!(lines(&values), [DelayLine { input, stages: 6 }]);
        let rings = rings(&values, &mut WordCollector::default());
        assert_eq!(rings.iter().map(|ring| (ring.age, ring.words)).collect::<Vec<_>>(), [(33, 32), (40, 39)]);
    }
}
