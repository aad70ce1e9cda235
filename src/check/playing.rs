//! Sends of a class in each tick, common to all its nodes.

use super::inbox::Inbox;
use crate::net::{Channel, Ports};
use crate::program::{Program, Source, Span, Track};

/// An output of a class over time.
pub(super) struct Playing {
    /// track of the output, unrolled
    spans: Vec<Span>,
    /// the one now playing
    at: usize,
    /// the packet that it sends while a node's window is open, whatever else it would send
    pub(super) inject: Option<u32>,
}

/// Action of an output in a tick.
#[derive(Clone, Copy)]
pub(super) enum Move<'a> {
    Nothing,
    /// Forwards an earlier arrival at one input; `age` is 0 if it does not wait.
    Forward {
        then: &'a [u32],
        input: usize,
        age: u32,
    },
    /// Forwards the arrival at any of these inputs.
    Join {
        then: &'a [u32],
        ports: Ports,
    },
    /// Sends own packets, for the given number of ticks so far.
    Own {
        packet: u32,
        through: u32,
        played: u32,
    },
}

impl Playing {
    /// An output of a class of this program, before its first tick.
    pub(super) fn new(program: &Program, track: &Track) -> Self {
        Self { spans: track.spans(program.ticks).collect(), at: 0, inject: track.inject }
    }

    /// Returns the output's action in the next tick.
    pub(super) fn next<'a>(&mut self, program: &Program, inboxes: &'a [Inbox], tick: u32) -> Move<'a> {
        self.at += usize::from(self.spans[self.at].last < tick);
        let Span { source, first, .. } = self.spans[self.at];
        let then = |age| &*inboxes[(tick - age) as usize % inboxes.len()];
        match source {
            // sums are executed separately, see `reduce`
            Source::Idle | Source::Sum { .. } => Move::Nothing,
            Source::In { age, .. } if age >= tick => Move::Nothing,
            Source::In { port, lane, age } => Move::Forward {
                then: then(age),
                input: program.output_index(Channel { port, lane }),
                age: if age > 1 { age } else { 0 },
            },
            Source::Any { ports } => Move::Join { then: then(1), ports },
            Source::Own { packet, through } => Move::Own { packet, through, played: tick - first },
        }
    }
}
