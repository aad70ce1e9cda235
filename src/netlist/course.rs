//! What an output does over time, as hardware sees it: which source below which count of which clock.

use crate::net::Channel;
use crate::program::{Class, Source, Span, Track};

/// What an output looks at to know where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// Nothing: it has one source for ever.
    Steady,
    /// The fabric's `first`, high while the first packet is injected.
    First,
    /// The router's own count of ticks.
    Tick,
    /// A count that goes on from `last` to `start`.
    Round {
        /// Ticks before the first round.
        start: u32,
        /// The count in the last tick of a round.
        last: u32,
    },
    /// The table of its class.
    Table,
}

/// A source until a count is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The count at which the next leg takes over; `None` in the last leg.
    pub until: Option<u32>,
    /// The source until then.
    pub source: Source,
}

/// The legs of one output, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// What tells the legs apart.
    pub clock: Clock,
    /// The legs in order.
    pub legs: Vec<Leg>,
}

/// The courses of the outputs that ever send, each by the simplest clock that will do.
pub(super) fn by_clocks(class: &Class, lanes: u8, ticks: u32, flits: u32) -> Vec<(Channel, Course)> {
    let mut outputs = driven(class, lanes, |track| Course::of(track, ticks));
    let mut plain: Vec<&mut Course> =
        outputs.iter_mut().map(|(_, course)| course).filter(|course| course.clock == Clock::Tick).collect();
    // nothing but the injection to tell apart: one signal of the fabric serves all nodes
    if plain.iter().flat_map(|course| course.thresholds()).all(|count| count == flits) {
        for course in &mut plain {
            course.clock = Clock::First;
        }
    }
    outputs
}

/// The courses of the outputs that ever send, tick by tick as a table has them.
pub(super) fn by_table(class: &Class, lanes: u8, ticks: u32) -> Vec<(Channel, Course)> {
    driven(class, lanes, |track| Course::plain(track, ticks).resolved(ticks))
}

fn driven(class: &Class, lanes: u8, course: impl Fn(&Track) -> Course) -> Vec<(Channel, Course)> {
    let outputs = class.outputs.iter().enumerate().filter(|(_, track)| !track.is_idle());
    outputs.map(|(index, track)| (Channel::from_index(index, lanes), course(track))).collect()
}

impl Course {
    /// Reads a track that plays for `ticks`. A track that repeats without ever coming round again is a plain one.
    fn of(track: &Track, ticks: u32) -> Self {
        let total = |from: usize, to: usize| track.runs[from..to].iter().map(|run| run.ticks).sum::<u32>();
        let round = track.repeat_from.map(|from| (total(0, from), total(0, track.runs.len()), &track.runs[from..]));
        match round {
            Some((start, end, runs)) if end < ticks && runs.iter().any(|run| run.source != runs[0].source) => {
                Self { clock: Clock::Round { start, last: end - 1 }, legs: legs(track.spans(end)) }
            }
            _ => Self::plain(track, ticks),
        }
    }

    /// The same with its repeats unrolled.
    fn plain(track: &Track, ticks: u32) -> Self {
        let legs = legs(track.spans(ticks));
        Self { clock: if legs.len() == 1 { Clock::Steady } else { Clock::Tick }, legs }
    }

    /// The same for a table: its source is not read before it can have arrived.
    fn resolved(&self, ticks: u32) -> Self {
        let mut spans = Vec::new();
        let mut first = 1;
        for leg in &self.legs {
            let last = leg.until.unwrap_or(ticks);
            match leg.source {
                Source::In { age, .. } if first <= age => {
                    spans.push(Span { first, last: age.min(last), source: Source::Idle });
                    if age < last {
                        spans.push(Span { first: age + 1, last, source: leg.source });
                    }
                }
                source => spans.push(Span { first, last, source }),
            }
            first = last + 1;
        }
        Self { clock: Clock::Table, legs: legs(spans.into_iter()) }
    }

    /// The counts at which the source changes.
    pub(super) fn thresholds(&self) -> impl Iterator<Item = u32> + '_ {
        self.legs.iter().filter_map(|leg| leg.until)
    }
}

/// Spans that follow each other, those of one source joined.
fn legs(spans: impl Iterator<Item = Span>) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for span in spans {
        match legs.last_mut() {
            Some(leg) if leg.source == span.source => leg.until = Some(span.last),
            _ => legs.push(Leg { until: Some(span.last), source: span.source }),
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

    fn class(runs: &[(Source, u32)], repeat_from: Option<usize>) -> Class {
        let runs = runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect();
        Class { outputs: vec![Track { runs, repeat_from, inject: None }] }
    }

    fn clock(runs: &[(Source, u32)], repeat_from: Option<usize>, ticks: u32, flits: u32) -> Clock {
        by_clocks(&class(runs, repeat_from), 1, ticks, flits)[0].1.clock
    }

    #[test]
    fn only_an_injection_of_one_packet_is_the_fabrics_first() {
        let clock = |own, flits| clock(&[(OWN, own), (IN, 20 - own)], None, 20, flits);
        assert_eq!([clock(1, 1), clock(4, 4), clock(4, 1)], [Clock::First, Clock::First, Clock::Tick]);
    }

    #[test]
    fn a_track_that_never_comes_round_again_is_plain() {
        let runs = [(OWN, 1), (IN, 2), (Source::Idle, 2)];
        assert_eq!(clock(&runs, Some(1), 5, 1), Clock::Tick);
        assert_eq!(clock(&runs, Some(1), 6, 1), Clock::Round { start: 1, last: 4 });
        assert_eq!(clock(&[(OWN, 1), (IN, 2), (IN, 1)], Some(1), 9, 1), Clock::First);
    }

    #[test]
    fn a_table_reads_nothing_before_it_can_have_arrived() {
        let late = Source::input(Port::plus(0), 4);
        let course = |runs: &[(Source, u32)]| by_table(&class(runs, None), 1, 9).remove(0).1.legs;
        let leg = |until, source| Leg { until, source };
        assert_eq!(course(&[(late, 9)]), [leg(Some(4), Source::Idle), leg(None, late)]);
        let legs = [leg(Some(1), OWN), leg(Some(4), Source::Idle), leg(Some(6), late), leg(None, IN)];
        assert_eq!(course(&[(OWN, 1), (late, 5), (IN, 3)]), legs);
        assert_eq!(course(&[(OWN, 3), (late, 1), (IN, 5)]), [leg(Some(3), OWN), leg(Some(4), Source::Idle), legs[3]]);
    }
}
