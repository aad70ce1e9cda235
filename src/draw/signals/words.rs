//! Words of a node's streams, clock by clock.

use super::{SignalValue, Wave};

/// The reader waits for so many clocks, with the second word before it.
const PAUSE: usize = 2;

/// Words of a node's two streams, one per clock; the reader waits once.
pub(super) struct DrawnWords {
    /// Words that the node takes.
    pub taken: Vec<SignalValue>,
    /// Clock in which the first is offered.
    pub offered: usize,
    /// Clock in which it is taken.
    pub fills: usize,
    /// Words that the node gives.
    pub given: Vec<SignalValue>,
    /// Clock in which the first goes out.
    pub first_out: usize,
    /// Number of clocks.
    pub clocks: usize,
}

impl DrawnWords {
    /// Clocks that the node takes to give so many words.
    pub fn clocks(words: usize) -> usize {
        words + if words > 1 { PAUSE } else { 0 }
    }

    /// First clock of a word that goes out. A word is held until it is taken; the second is not taken at once.
    pub fn begins(&self, word: usize) -> usize {
        self.first_out + word + if word > 1 { PAUSE } else { 0 }
    }

    /// Word at the stream in.
    pub fn taken_in(&self, clock: usize) -> Option<SignalValue> {
        clock.checked_sub(self.offered)?;
        self.taken.get(clock.saturating_sub(self.fills)).copied()
    }

    /// Word at the stream out.
    pub fn given_in(&self, clock: usize) -> Option<SignalValue> {
        let word = match clock.checked_sub(self.first_out)? {
            since @ 0..=1 => since,
            since => since.saturating_sub(PAUSE).max(1),
        };
        self.given.get(word).copied()
    }

    /// Wave of a bus that has a value in some clocks.
    pub fn data(&self, name: String, value: impl Fn(usize) -> Option<SignalValue>) -> Wave {
        Wave { name, values: (0..self.clocks).map(|clock| value(clock).unwrap_or(SignalValue::Anything)).collect() }
    }

    /// Valid bit of the stream in.
    pub fn offers(&self, name: String) -> Wave {
        Wave::bits(name, self.clocks, |clock| self.taken_in(clock).is_some())
    }

    /// Data of the stream in.
    pub fn word_in(&self, name: String) -> Wave {
        self.data(name, |clock| self.taken_in(clock))
    }

    /// Valid bit of the stream out.
    pub fn gives(&self, name: String) -> Wave {
        Wave::bits(name, self.clocks, |clock| self.given_in(clock).is_some())
    }

    /// Ready bit of the stream out.
    pub fn takes(&self, name: String) -> Wave {
        Wave::bits(name, self.clocks, |clock| !(self.begins(1)..self.begins(1) + PAUSE).contains(&clock))
    }

    /// Data of the stream out.
    pub fn word_out(&self, name: String) -> Wave {
        self.data(name, |clock| self.given_in(clock))
    }
}
