//! Sends of a class in each tick, common to all its nodes.

use super::inbox::Inbox;
use crate::net::{Channel, Ports};
use crate::program::{Program, Source, Span, Spans, Track};

/// Spans of a track that are read at a time.
const AHEAD: usize = 8;

/// An output of a class over time.
pub(super) struct Playing<'p> {
    /// spans of its track that come later
    later: Spans<'p>,
    /// the next ones: a track is read some at a time, as thousands of them take turns in every tick
    next: [Span; AHEAD],
    /// the one now playing
    at: usize,
    /// the packet that it sends while a node's window is open, whatever else it would send
    pub(super) inject: Option<u32>,
}

/// Action of an output in a tick.
#[derive(Clone, Copy)]
pub(super) enum OutputMove<'a> {
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

impl<'p> Playing<'p> {
    /// An output of a class of this program, before its first tick.
    pub(super) fn new(program: &Program, track: &'p Track) -> Self {
        let before = Span { first: 0, last: 0, source: Source::Idle };
        Self { later: track.spans(program.ticks), next: [before; AHEAD], at: AHEAD - 1, inject: track.inject }
    }

    /// Returns the output's action in the next tick.
    pub(super) fn next<'a>(&mut self, program: &Program, inboxes: &'a [Inbox], tick: u32) -> OutputMove<'a> {
        self.at += usize::from(self.next[self.at].last < tick);
        if self.at == AHEAD {
            self.next.iter_mut().zip(&mut self.later).for_each(|(next, later)| *next = later);
            self.at = 0;
        }
        let Span { source, first, .. } = self.next[self.at];
        let then = |age| &*inboxes[(tick - age) as usize % inboxes.len()];
        match source {
            // sums are executed separately, see `reduce`
            Source::Idle | Source::Sum { .. } => OutputMove::Nothing,
            Source::In { age, .. } if age >= tick => OutputMove::Nothing,
            Source::In { port, lane, age } => OutputMove::Forward {
                then: then(age),
                input: program.output_index(Channel { port, lane }),
                age: if age > 1 { age } else { 0 },
            },
            Source::Any { ports } => OutputMove::Join { then: then(1), ports },
            Source::Own { packet, through } => OutputMove::Own { packet, through, played: tick - first },
        }
    }
}
