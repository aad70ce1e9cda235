//! Silence before every step: links whose both ends drive one wire may then turn between any two of them.
//!
//! Routers tick in lockstep, so that a link that has to be silent for a tick holds up all others; and where links turn at
//! all they turn in most ticks somewhere. So every step but the first gets a silent tick. What is sent in step t is then
//! sent in tick 2t-1, ages double, and an output that repeats an input may go on reading it: in a silent tick it reads
//! what arrived in another one, which is nothing. No selector changes more often than before.

use crate::program::{Class, Program, Run, Source, Track};

/// Number of steps that this many become with silence; `None` if they cannot be counted.
pub fn with_silence(steps: u32) -> Option<u32> {
    steps.checked_mul(2).map(|steps| steps.saturating_sub(1))
}

impl Program {
    /// Adds a silent tick between any two ticks of a program with one-flit packets. `None` if the ticks do not fit, or
    /// if packets are sent in a row.
    pub fn with_silence(&self) -> Option<Self> {
        let ticks = with_silence(self.ticks)?;
        let outputs =
            |class: &Class| class.outputs.iter().map(|track| track.with_silence(ticks)).collect::<Option<_>>();
        let class = |class| Some(Class { outputs: outputs(class)? });
        Some(Self { ticks, classes: self.classes.iter().map(class).collect::<Option<_>>()?, ..self.clone() })
    }
}

impl Track {
    /// Every packet of the node's own is followed by silence; all else lasts twice as long, twice as late.
    fn with_silence(&self, ticks: u32) -> Option<Self> {
        let mut runs: Vec<Run> = Vec::new();
        let mut repeat_from = None;
        for (index, run) in self.runs.iter().enumerate() {
            if self.repeat_from == Some(index) {
                repeat_from = Some(runs.len());
            }
            if let Source::Own { packet, through } = run.source {
                if packet != through {
                    return None;
                }
                let pair = [Run { ticks: 1, ..*run }, Run { source: Source::Idle, ticks: 1 }];
                runs.extend((0..run.ticks).flat_map(|_| pair));
                continue;
            }
            let later = Run { source: run.source.scaled(|age| age.checked_mul(2))?, ticks: run.ticks.checked_mul(2)? };
            let follows_own = index > 0 && matches!(self.runs[index - 1].source, Source::Own { .. });
            let is_round = self.repeat_from == Some(index);
            match runs.last_mut() {
                // so does the silence after a packet of the node's own, unless the round begins after it
                Some(last) if follows_own && !is_round => {
                    *last = Run { ticks: later.ticks.checked_add(last.ticks)?, ..later };
                }
                _ => runs.push(later),
            }
        }
        if repeat_from.is_none()
            && let Some(last) = runs.last_mut()
        {
            // nothing turns after the last step
            last.ticks -= 1;
            runs.retain(|run| run.ticks > 0);
        }
        debug_assert!(repeat_from.is_some() || runs.iter().map(|run| run.ticks).sum::<u32>() == ticks);
        Some(Self { runs, repeat_from, inject: self.inject })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    fn track(runs: &[(Source, u32)], repeat_from: Option<usize>) -> Track {
        let runs = runs.iter().map(|&(source, ticks)| Run { source, ticks }).collect();
        Track { runs, repeat_from, inject: None }
    }

    #[test]
    fn selectors_change_no_more_often_than_before() {
        let (own, input) = (Source::own(0), |age| Source::input(Port::plus(0), age));
        let silent = track(&[(Source::Idle, 2), (own, 1), (input(3), 4)], None).with_silence(13).unwrap();
        assert_eq!(silent, track(&[(Source::Idle, 4), (own, 1), (input(6), 8)], None));
        let late = track(&[(Source::Idle, 2), (input(1), 2), (Source::Idle, 1)], None).with_silence(9).unwrap();
        assert_eq!(late, track(&[(Source::Idle, 4), (input(2), 4), (Source::Idle, 1)], None));
        let last = track(&[(input(1), 2), (own, 1)], None).with_silence(5).unwrap();
        assert_eq!(last, track(&[(input(2), 4), (own, 1)], None));
    }

    #[test]
    fn rounds_stay_rounds() {
        let (own, input) = (Source::own(0), |age| Source::input(Port::plus(0), age));
        let silent = track(&[(own, 1), (input(1), 2), (own, 1)], Some(1)).with_silence(99).unwrap();
        let rounds = [(own, 1), (Source::Idle, 1), (input(2), 4), (own, 1), (Source::Idle, 1)];
        assert_eq!(silent, track(&rounds, Some(2)));
    }
}
