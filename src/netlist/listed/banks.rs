//! Banks of nodes for calls that follow one another.

use super::{ListNetlist, PlacedProgram};

/// Least gain for which words that pass take twice the room, in sixteenths of the longest part of a call.
const LEAST_GAIN: u64 = 1;
/// Clocks beside the ticks of a program.
const AROUND_TICKS: u64 = 4;
/// Clocks beside the three parts of a call.
const AROUND_CALL: u64 = 6;

impl ListNetlist {
    /// Returns true if some words go out as they came in.
    pub fn passes(&self) -> bool {
        self.taken.iter().any(|taken| taken.addresses[self.inputs()].is_some())
    }

    /// Returns true if the banks of words that come in are filled again before the words of their calls have gone out, so many per clock.
    /// Words that pass then lie in four banks.
    pub fn has_banks_apart(&self, lanes: u32) -> bool {
        !self.passes() || self.programs.iter().any(|program| program.gains(lanes))
    }
}

impl PlacedProgram {
    /// Returns true if calls of the program follow one another notably faster with such banks: by the longest of their three parts, in
    /// place of half of all together.
    fn gains(&self, lanes: u32) -> bool {
        let most = |of: fn(&(u32, u32)) -> u32| u64::from(self.words.iter().map(of).max().unwrap_or(0));
        let (takes, gives) = (most(|words| words.0), most(|words| words.1).div_ceil(lanes.into()));
        let ticks = u64::from(self.ticks);
        let longest = takes.max(gives).max(ticks + AROUND_TICKS);
        8 * (takes + ticks + gives + AROUND_CALL) > (16 + LEAST_GAIN) * longest
    }
}
