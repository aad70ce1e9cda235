//! Steps, in which packets are followed, as the ticks that are told.
//!
//! A step is told as a tick, whatever flits a packet has, where everything arrives in the tick in which it is sent. On longer
//! links, and where adders take time, a step takes as many ticks as a packet has flits, and what is sent arrives later: there
//! the ticks and ages are those of the program itself.

use crate::program::Program;

/// Conversion from steps to ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct TickTimes {
    /// Ticks a step takes.
    step: u32,
    /// Ticks after it was sent that a flit arrives.
    later: u32,
}

impl TickTimes {
    /// Conversion for what is so many ticks on its way in a design.
    pub(super) fn of(design: &Program, latency: u32) -> Self {
        let step = if design.reduce_latency() == 1 { 1 } else { design.flits };
        Self { step, later: latency - 1 }
    }

    /// Steps before a clock tick in which something arrives, and the flit that it is.
    pub(super) fn before(self, clock_tick: u32, flits: u32) -> (u32, u32) {
        let sent = clock_tick.saturating_sub(self.later);
        (sent.div_ceil(flits), sent.saturating_sub(1) % flits)
    }

    /// The tick in which the first flit of what is sent in a step is sent.
    pub(super) fn sent(self, step: u32) -> u32 {
        (step - 1) * self.step + 1
    }

    /// The tick in which it arrives.
    pub(super) fn arrived(self, step: u32) -> u32 {
        self.sent(step) + self.later
    }

    /// The tick in which its last flit arrives.
    pub(super) fn arrived_whole(self, step: u32) -> u32 {
        step * self.step + self.later
    }

    /// Number of ticks ago it arrived that was sent so many steps ago.
    pub(super) fn age(self, steps: u32) -> u32 {
        steps * self.step - self.later
    }

    /// Unit of a duration in words.
    pub(super) fn unit(self) -> &'static str {
        if self.step == 1 { "tick" } else { "step" }
    }
}
