//! Programs rewritten, and the order in which it is done.
//!
//! A scheme answers with a program of packets of one flit on links of latency 1, silent between steps if links have to turn
//! ([`Program::with_silence`]). [`Form`] does the rest: values combined by playing it backwards, then longer packets, then longer
//! links.

mod delay;
pub mod reverse;
mod silence;

use crate::program::{Operation, Program};

pub use silence::with_silence;

/// Form that a program of packets of one flit on links of latency 1 is brought into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How values are combined, if they are.
    pub reduction: Option<Reduction>,
    /// Flits per packet.
    pub flits: u32,
    /// Ticks per link.
    pub latency: u32,
}

/// A gossip played backwards, and perhaps forwards again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// How two values become one.
    pub operation: Operation,
    /// Whether results are gathered at every node.
    pub is_gathered: bool,
}

impl Form {
    /// Steps of the rewritten program, if they can be counted.
    pub fn steps(&self, program: &Program) -> Option<u32> {
        match self.reduction {
            Some(Reduction { is_gathered: true, .. }) => program.ticks.checked_mul(2)?.checked_add(1),
            _ => Some(program.ticks),
        }
    }

    /// Rewrites a program; none if its ticks cannot be counted, or if it sends anything on sooner than links bring it.
    pub fn of(&self, program: Program) -> Option<Program> {
        let program = match self.reduction {
            None => program,
            Some(Reduction { operation, is_gathered }) => {
                let reduce = reverse::reduce_scatter(&program, operation);
                if is_gathered { reduce.followed_by(&program)? } else { reduce }
            }
        };
        let program = if self.flits == 1 { program } else { program.stretched(self.flits)? };
        if self.latency == 1 { Some(program) } else { program.on_links_of_latency(self.latency) }
    }
}
