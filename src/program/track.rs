//! Actions of one output over time: sources, runs, tracks.

use super::Operands;
use crate::net::{Channel, Port, Ports};

/// Source of an output's value in one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Sends nothing: the register becomes invalid.
    Idle,
    /// Packets that this node contributes, in order: the n-th tick of the run sends the n-th of all their flits, and begins
    /// again after the last.
    Own {
        /// The first of the node's packets that are sent.
        packet: u32,
        /// The last of them.
        through: u32,
    },
    /// Forwards the arrival at `port` of `age` ticks ago; age 1 is plain forwarding.
    In {
        /// The input port.
        port: Port,
        /// The lane by which it arrived.
        lane: u8,
        /// At least 1.
        age: u32,
    },
    /// The one flit that arrived at any of these ports, by lane 0, one tick ago. Two are a clash.
    Any {
        /// The input ports.
        ports: Ports,
    },
    /// The node's own value of the partial that leaves now, combined with what arrived of it; what does not arrive adds
    /// nothing. Only in a [`Reduction`](super::Reduction).
    Sum {
        /// Arrivals that are combined with the own value.
        operands: Operands,
    },
}

impl Source {
    /// One packet of the node's own.
    pub const fn own(packet: u32) -> Self {
        Self::Own { packet, through: packet }
    }

    /// Returns true for the sources of gossip on one lane: one own packet, or the arrival at one input.
    pub const fn is_plain(self) -> bool {
        match self {
            Self::Own { packet, through } => packet == through,
            Self::Any { .. } | Self::Sum { .. } => false,
            Self::Idle | Self::In { .. } => true,
        }
    }

    /// Source that forwards the first lane of a port after `age` ticks.
    pub const fn input(port: Port, age: u32) -> Self {
        Self::In { port, lane: 0, age }
    }

    /// Largest age of the arrivals that are sent; `None` if nothing that arrived is sent.
    pub fn age(self) -> Option<u32> {
        match self {
            Self::In { age, .. } => Some(age),
            Self::Any { .. } => Some(1),
            Self::Sum { operands } => operands.iter().map(|operand| operand.age).max(),
            Self::Idle | Self::Own { .. } => None,
        }
    }

    /// The inputs it reads.
    pub fn inputs(self) -> impl Iterator<Item = Channel> {
        let (ports, lane) = match self {
            Self::In { port, lane, .. } => (Ports::of([port]), lane),
            Self::Any { ports, .. } => (ports, 0),
            Self::Sum { operands } => (Ports::of(operands.iter().map(|operand| operand.port)), 0),
            Self::Idle | Self::Own { .. } => (Ports::default(), 0),
        };
        ports.iter().map(move |port| Channel { port, lane })
    }

    /// Copies the source with its age changed by `scale`; `None` if `scale` refuses it.
    pub(crate) fn scaled(self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        Some(match self {
            Self::In { port, lane, age } => Self::In { port, lane, age: scale(age)? },
            Self::Sum { operands } => Self::Sum { operands: operands.scaled(scale)? },
            Self::Any { .. } if scale(1)? != 1 => return None,
            Self::Any { .. } | Self::Idle | Self::Own { .. } => self,
        })
    }
}

/// One source for some ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    /// Source during the whole run.
    pub source: Source,
    /// For how many ticks, at least 1.
    pub ticks: u32,
}

/// One output, a lane of a port, over time: its runs in order; with `repeat_from`, the runs from there on come round again
/// for as long as the program lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Track {
    /// The runs. Without `repeat_from` they fill the program exactly.
    pub runs: Vec<Run>,
    /// Index of the run that follows the last one.
    pub repeat_from: Option<usize>,
    /// The packet that is sent instead while the node's [`Window`](super::Window) is open; the runs then have to bring nothing.
    pub inject: Option<u32>,
}

/// A run at its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first tick, counted from 1.
    pub first: u32,
    /// The last tick.
    pub last: u32,
    /// The source during these ticks.
    pub source: Source,
}

/// Runs of a track at their places in time, see [`Track::spans`].
#[derive(Clone, Debug)]
pub struct Spans<'t> {
    runs: &'t [Run],
    repeat_from: Option<usize>,
    ticks: u32,
    /// index of the next run
    index: usize,
    /// first tick of that run; none if it cannot be counted
    next: Option<u32>,
}

impl Iterator for Spans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let first = self.next.filter(|&first| first <= self.ticks)?;
        if self.index == self.runs.len() {
            self.index = self.repeat_from?;
        }
        let run = self.runs[self.index];
        // a round may end after the last tick that can be counted
        let last = self.ticks.min((first - 1).saturating_add(run.ticks));
        self.index += 1;
        self.next = last.checked_add(1);
        Some(Span { first, last, source: run.source })
    }
}

impl Track {
    /// Returns true if the output never sends: it needs no register.
    pub fn is_idle(&self) -> bool {
        self.inject.is_none() && self.runs.iter().all(|run| run.source == Source::Idle)
    }

    /// The runs as they play, repeats unrolled, up to and including tick `ticks`.
    pub fn spans(&self, ticks: u32) -> Spans<'_> {
        Spans { runs: &self.runs, repeat_from: self.repeat_from, ticks, index: 0, next: Some(1) }
    }

    /// The packets of the node's own that it sends, from the lowest number to the highest; none if it sends none.
    pub fn own_packets(&self) -> Option<(u32, u32)> {
        let own = self.runs.iter().filter_map(|run| match run.source {
            Source::Own { packet, through } => Some((packet, through)),
            _ => None,
        });
        own.reduce(|(first, last), (packet, through)| (first.min(packet), last.max(through)))
    }

    /// The source at each tick, in order, up to `ticks`.
    pub fn sources(&self, ticks: u32) -> impl Iterator<Item = Source> + '_ {
        self.spans(ticks).flat_map(|span| (span.first..=span.last).map(move |_| span.source))
    }

    /// The source at one tick, counted from 1.
    pub fn source_at(&self, tick: u32) -> Source {
        let length = |runs: &[Run]| runs.iter().map(|run| run.ticks).sum::<u32>();
        let mut left = tick - 1;
        if let Some(from) = self.repeat_from
            && let Some(beyond) = left.checked_sub(length(&self.runs[..from]))
        {
            left = left - beyond + beyond % length(&self.runs[from..]);
        }
        for run in &self.runs {
            match left.checked_sub(run.ticks) {
                Some(rest) => left = rest,
                None => return run.source,
            }
        }
        panic!("tick {tick} is after the end of the track")
    }

    /// The track with every run and age changed by `scale`; none if `scale` refuses one.
    pub(crate) fn scaled(&self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let run = |run: &Run| Some(Run { source: run.source.scaled(&scale)?, ticks: scale(run.ticks)? });
        let runs = self.runs.iter().map(run).collect::<Option<_>>()?;
        Some(Self { runs, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(source: Source, ticks: u32) -> Run {
        Run { source, ticks }
    }

    #[test]
    fn repeats_unroll_and_stop_at_the_last_tick() {
        let (own, input) = (Source::own(0), Source::input(Port::plus(0), 1));
        let track =
            Track { runs: vec![run(own, 1), run(input, 2), run(Source::Idle, 1)], repeat_from: Some(1), inject: None };
        let sources: Vec<_> = track.sources(6).collect();
        assert_eq!(sources, [own, input, input, Source::Idle, input, input]);
        assert!((1..).zip(sources).all(|(tick, source)| track.source_at(tick) == source));
    }

    #[test]
    fn rounds_end_with_the_last_tick_that_can_be_counted() {
        let (own, idle) = (Source::own(0), Source::Idle);
        let track = Track { runs: vec![run(own, 1), run(idle, 3_000_000_000)], repeat_from: Some(0), inject: None };
        let spans = |ticks| track.spans(ticks).map(|span| (span.first, span.last, span.source)).collect::<Vec<_>>();
        let (first, second) = ((1, 1, own), (3_000_000_002, 3_000_000_002, own));
        let silent = |first, last| (first, last, idle);
        assert_eq!(spans(0), []);
        assert_eq!(spans(1), [first]);
        let all = [first, silent(2, 3_000_000_001), second, silent(3_000_000_003, u32::MAX)];
        assert_eq!(spans(u32::MAX), all);
        let long = Track { runs: vec![run(idle, u32::MAX)], repeat_from: Some(0), inject: None };
        assert_eq!(long.spans(u32::MAX).count(), 1);
    }

    #[test]
    fn stretching_multiplies_runs_and_ages() {
        let input = |age| Source::input(Port::plus(0), age);
        let track = Track { runs: vec![run(Source::own(1), 2), run(input(2), 5)], repeat_from: None, inject: None };
        let stretched = track.scaled(|n| Some(4 * n)).unwrap();
        assert_eq!(stretched.runs, [run(Source::own(1), 8), run(input(8), 20)]);
    }
}
