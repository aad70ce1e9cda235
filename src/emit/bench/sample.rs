//! Ticks that a testbench compares where all would be too many.

use crate::play::Moments;
use crate::program::{Program, count};

/// More expected words than this, and only some ticks are compared.
const MOST_WORDS: u64 = 1 << 22;

/// Ticks that are compared: all, or the first and last few and every n-th between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    ticks: u32,
    pub ends: u32,
    pub every: u32,
}

impl Sample {
    pub fn of(program: &Program) -> Self {
        Self::new(program.ticks, program.registers() as u64)
    }

    fn new(ticks: u32, links: u64) -> Self {
        let most = u32::try_from(MOST_WORDS / links).unwrap_or(u32::MAX).max(4);
        if ticks <= most {
            return Self { ticks, ends: 0, every: 1 };
        }
        Self { ticks, ends: most / 4, every: ticks.div_ceil(most / 2) }
    }

    pub fn includes(self, tick: u32) -> bool {
        tick <= self.ends || tick > self.ticks - self.ends || tick.is_multiple_of(self.every)
    }

    pub fn count(self) -> u32 {
        (1..=self.ticks).filter(|&tick| self.includes(tick)).count() as u32
    }

    /// `24 ticks`, or `248 of 2048 ticks`.
    pub fn compared(self) -> String {
        match self.every {
            1 => count(self.ticks.into(), "tick"),
            _ => format!("{} of {}", self.count(), count(self.ticks.into(), "tick")),
        }
    }

    /// Describes the sample for the header.
    pub fn describe(self) -> String {
        match self.every {
            1 => "Every arrival at every port of every node in every tick is compared.".to_owned(),
            every => format!(
                "{} of {} ticks are compared, each with every port of every node: the first and the last {}, and \
                 every {every}th.",
                self.count(),
                self.ticks,
                self.ends
            ),
        }
    }
}

/// Returns true if every tick must be played to know the arrivals of the compared ones.
pub fn is_played(program: &Program) -> bool {
    Sample::of(program).every == 1 || Moments::of(program).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_designs_are_compared_in_every_tick() {
        let sample = Sample::new(24, 192);
        assert!((1..=24).all(|tick| sample.includes(tick)));
    }

    #[test]
    fn large_designs_are_compared_at_both_ends_and_evenly_between() {
        for (ticks, links) in [(2_048, 16_384), (8_192, 65_536), (500_000, 4_000_000), (1_000_000, 16)] {
            let sample = Sample::new(ticks, links);
            assert!(sample.includes(1) && sample.includes(ticks));
            let words = u64::from(sample.count()) * links;
            assert!(words <= MOST_WORDS.max(8 * links), "{words} words for {ticks} ticks of {links} links");
            assert!(words >= MOST_WORDS / 2, "{words} words for {ticks} ticks of {links} links");
        }
    }
}
