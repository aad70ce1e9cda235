//! Programs rewritten, and the order in which it is done.
//!
//! A scheme answers with a program of packets of one flit on links of latency 1, silent between steps if links have to turn
//! ([`Program::with_silence`]). [`Form`] does the rest: values combined by playing it backwards, then longer packets, then longer
//! links.

mod adders;
mod delay;
mod empty;
pub mod grouped;
pub mod reverse;
mod silence;

use std::sync::Arc;

use crate::program::{self, Number, Operands, Operation, Program};

pub use silence::with_silence;

/// Form that a program of packets of one flit on links of latency 1 is brought into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Operation and copies to keep, for reductions.
    pub reduction: Option<ReversedGossip>,
    /// Flits per packet.
    pub flits: u32,
    /// Ticks per link.
    pub latency: u32,
}

/// A gossip or a broadcast played backwards, and perhaps forwards again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReversedGossip {
    /// Operation that combines two values.
    pub operation: Operation,
    /// Type of the values.
    pub number: Number,
    /// True if subnormal floats count as zeros in sums.
    pub flush: bool,
    /// Ticks of an adder.
    pub adder: u32,
    /// True if results are gathered at every node.
    pub is_gathered: bool,
}

impl Form {
    /// Packets of one flit on links of one tick, and nothing combined.
    pub const PLAIN: Self = Self { reduction: None, flits: 1, latency: 1 };

    /// Ticks of the rewritten program, if adders take none.
    pub fn ticks(&self, steps: u32) -> u64 {
        let part = u64::from(steps) * u64::from(self.flits) + u64::from(self.latency) - 1;
        match self.reduction {
            Some(ReversedGossip { is_gathered: true, .. }) => 2 * part + 1,
            _ => part,
        }
    }

    /// Steps of the rewritten program, if they can be counted.
    pub fn steps(&self, program: &Program) -> Option<u32> {
        match self.reduction {
            Some(ReversedGossip { is_gathered: true, .. }) => program.ticks.checked_mul(2)?.checked_add(1),
            _ => Some(program.ticks),
        }
    }

    /// Rewrites a program; none if its ticks cannot be counted, or if it sends anything on sooner than links and adders bring it.
    pub fn of(&self, program: Program) -> Option<Program> {
        match self.reduction {
            None => self.on_links(program, self.latency),
            // a scheme of its own combines already, whatever the values are
            Some(reduction) if program.reduction.is_some() => self.on_links(reduction.named(program), self.latency),
            Some(reduction) => self.of_parts(reduction.reversed(&program), program),
        }
    }

    /// The reduction of which one part is a [gossip or a broadcast played backwards](ReversedGossip::reversed), and the other one
    /// played forwards. They may be different ones: partials are on their way longer than packets.
    pub fn of_parts(&self, reduce: Program, gather: Program) -> Option<Program> {
        let reduction = self.reduction?;
        let latency = self.reduce_latency(&reduce)?;
        let reduce = self.on_links(reduce, latency)?;
        if !reduction.is_gathered {
            return reduce.with_adders(self.latency);
        }
        let rest = reduction.rest(&reduce);
        // a reduce has a packet per flit, and so has what follows
        let gather = if gather.demand.is_gossip() { gather } else { gather.by_flits().without_empty_sends() };
        reduce.with_rest(rest)?.followed_by(&self.on_links(gather, self.latency)?)
    }

    /// Ticks from when a partial of a reversed gossip is sent until it can be sent on.
    fn reduce_latency(&self, reduce: &Program) -> Option<u32> {
        let adder = self.reduction.map_or(0, |reduction| reduction.adder);
        adder.checked_mul(reduce.adder_rows())?.checked_add(self.latency)
    }

    fn on_links(&self, program: Program, latency: u32) -> Option<Program> {
        let program = if self.flits == 1 { program } else { program.stretched(self.flits)? };
        if latency == 1 { Some(program) } else { program.on_links_of_latency(latency) }
    }
}

impl ReversedGossip {
    /// The reduction that a gossip of packets of one flit becomes, or a broadcast.
    pub fn reversed(self, gather: &Program) -> Program {
        self.named(reverse::reduction(gather, self.operation))
    }

    /// The program with values of this kind, combined by this operation.
    fn named(self, program: Program) -> Program {
        let Self { operation, number, flush, .. } = self;
        let named = |reduction: Arc<program::Reduction>| {
            Arc::new(program::Reduction { operation, number, flush, ..(*reduction).clone() })
        };
        Program { reduction: program.reduction.map(named), ..program }
    }

    /// Ticks that have to pass after the last partials until every node's own values are complete when they are asked for.
    fn rest(self, reduce: &Program) -> u32 {
        if self.adder == 0 {
            return 0;
        }
        let results = reduce.reduction.iter().flat_map(|reduction| reduction.results.iter().flatten());
        let rest = |operands: &Operands| {
            let youngest = operands.iter().map(|operand| operand.age).min()?;
            Some((self.adder * operands.rows() + 1).saturating_sub(youngest))
        };
        results.filter_map(rest).max().unwrap_or(0)
    }
}
