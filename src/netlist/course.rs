//! Source of an output over time.

use crate::net::Channel;
use crate::program::{Class, Source, Span, Track};

/// A source until a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLeg {
    /// The last tick; `None` in the last leg.
    pub until: Option<u32>,
    /// The source until then.
    pub source: Source,
}

/// Ticks that are played over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedTicks {
    /// Ticks before the first round.
    pub start: u32,
    /// The last tick of the first round.
    pub last: u32,
}

/// The legs of one output, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// The legs in order, up to the end of the first round if it comes round again.
    pub legs: Vec<SourceLeg>,
    /// Repeated part at the end.
    pub round: Option<RepeatedTicks>,
}

/// The courses of the outputs that ever send.
pub(super) fn courses(class: &Class, lanes: u8, ticks: u32) -> Vec<(Channel, Course)> {
    let driven = class.outputs.iter().enumerate().filter(|(_, track)| !track.is_idle());
    driven.map(|(index, track)| (Channel::from_index(index, lanes), Course::of(track, ticks))).collect()
}

impl Course {
    /// Reads a track that plays for `ticks`. A track that repeats without ever coming round again is a plain one.
    fn of(track: &Track, ticks: u32) -> Self {
        let total = |from: usize, to: usize| track.runs[from..to].iter().map(|run| run.ticks).sum::<u32>();
        let round = track.repeat_from.map(|from| (total(0, from), total(0, track.runs.len()), &track.runs[from..]));
        match round {
            Some((start, last, runs)) if last < ticks && runs.iter().any(|run| run.source != runs[0].source) => {
                Self { legs: legs(track.spans(last)), round: Some(RepeatedTicks { start, last }) }
            }
            _ => Self { legs: legs(track.spans(ticks)), round: None },
        }
    }

    /// The tick after which nothing changes but by rounds.
    pub(super) fn settled(&self) -> u32 {
        let last_change = || self.legs.iter().filter_map(|leg| leg.until).max().unwrap_or(0);
        self.round.map_or_else(last_change, |round| round.start)
    }
}

/// Spans that follow each other, those of one source joined.
fn legs(spans: impl Iterator<Item = Span>) -> Vec<SourceLeg> {
    let mut legs: Vec<SourceLeg> = Vec::new();
    for span in spans {
        match legs.last_mut() {
            Some(leg) if leg.source == span.source => leg.until = Some(span.last),
            _ => legs.push(SourceLeg { until: Some(span.last), source: span.source }),
        }
    }
    legs.last_mut().expect("a track has a run").until = None;
    legs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;
    use crate::program::Run;

    const OWN: Source = Source::own(0);
    const IN: Source = Source::input(Port::plus(0), 1);

    #[test]
    fn a_track_that_never_comes_round_again_is_plain() {
        let course = |runs: &[(Source, u32)], ticks| {
            let runs = runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect();
            Course::of(&Track { runs, repeat_from: Some(1), inject: None }, ticks)
        };
        let runs = [(OWN, 1), (IN, 2), (Source::Idle, 2)];
        assert_eq!(course(&runs, 5).round, None);
        assert_eq!(course(&runs, 6).round, Some(RepeatedTicks { start: 1, last: 5 }));
        assert_eq!((course(&runs, 5).settled(), course(&runs, 6).settled()), (3, 1));
        assert_eq!(course(&[(OWN, 1), (IN, 2), (IN, 1)], 9).round, None);
    }
}
