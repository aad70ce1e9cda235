//! Schemes one after the other, the fastest so far, and what another one takes at best.

use super::{Among, Reason, SchemeCandidate};
use crate::task::Task;

/// The fewest steps of any scheme, by the packets of a node.
pub struct Least<'t> {
    task: &'t Task<'t>,
    known: Vec<(u16, u32)>,
}

impl<'t> Least<'t> {
    pub fn new(task: &'t Task<'t>) -> Self {
        Self { task, known: Vec::new() }
    }

    pub fn steps(&mut self, packets: u16) -> u32 {
        if let Some((_, steps)) = self.known.iter().find(|(of, _)| *of == packets) {
            return *steps;
        }
        let Self { task, .. } = *self;
        let bound = task.bound(task.collective(), task.link, packets, 1).ticks;
        // in the last ticks flits only arrive
        let steps = bound.saturating_sub(u64::from(task.link.latency) - 1) as u32;
        self.known.push((packets, steps));
        steps
    }
}

/// Comparison of schemes, the preferred one first.
pub struct Contest<'t, T, E> {
    task: &'t Task<'t>,
    /// The fastest so far, and what was built of it.
    pub best: Option<(SchemeCandidate, T)>,
    compared: Vec<SchemeCandidate>,
    /// error of the last scheme that failed
    refused: Option<E>,
}

impl<'t, T, E> Contest<'t, T, E> {
    pub fn new(task: &'t Task<'t>) -> Self {
        Self { task, best: None, compared: Vec::new(), refused: None }
    }

    /// Returns true if a scheme loses even if it takes no more than the fewest steps.
    pub fn is_won(&self, at_best: &SchemeCandidate) -> bool {
        self.best.as_ref().is_some_and(|(best, _)| !at_best.beats(best, self.task.choice.packets))
    }

    /// Enters a scheme and what was built.
    pub fn enter(&mut self, built: Result<(SchemeCandidate, T), E>) {
        match built {
            Ok((candidate, built)) => {
                self.compared.push(candidate);
                if self.best.as_ref().is_none_or(|(best, _)| candidate.beats(best, self.task.choice.packets)) {
                    self.best = Some((candidate, built));
                }
            }
            Err(error) => self.refused = Some(error),
        }
    }

    /// Returns the winner with the reason; none if no scheme was entered.
    pub fn decided(self, among: Among) -> Result<Option<(T, Reason)>, E> {
        let Self { task, best, compared, refused } = self;
        match (best, refused) {
            (Some((SchemeCandidate { scheme, .. }, built)), _) => {
                let (collective, wanted) = (task.choice.traffic.collective, task.choice.packets);
                Ok(Some((built, Reason { scheme, collective, wanted, words: None, compared, among })))
            }
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }
}
