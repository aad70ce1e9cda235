//! Asks Z3 about obligations and their mutants, several at a time.

use std::io;

use super::super::z3::Z3;
use super::mutants::Mutant;
use super::obligation::{Answer, Obligation};
use crate::tools::{ScratchFolder, pool};

/// Asks about every obligation, and says each answer in order.
pub fn prove(
    z3: &Z3,
    obligations: &[Obligation],
    mut said: impl FnMut(&Obligation, &Answer),
) -> io::Result<Vec<Answer>> {
    let scratch = ScratchFolder::new()?;
    let ask = |obligation: &Obligation| obligation.ask(z3, scratch.path());
    let answers = pool::in_order(obligations, ask, |obligation, answer| {
        if let Ok(answer) = answer {
            said(obligation, answer);
        }
    });
    answers.into_iter().collect()
}

/// Outcome for a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Refuted by this obligation.
    Refuted(String),
    /// Equivalent: proved to change nothing, with the reason.
    Equivalent(&'static str),
    /// Survived: neither refuted nor proved equivalent, so the obligations are too weak.
    Survived,
}

/// Tries every mutant, and says each fate in order.
pub fn refute(z3: &Z3, mutants: &[Mutant], mut said: impl FnMut(&Mutant, &Fate)) -> io::Result<Vec<Fate>> {
    let try_one = |mutant: &Mutant| {
        let scratch = ScratchFolder::new()?;
        for obligation in &mutant.obligations {
            if obligation.ask(z3, scratch.path())? == Answer::Refuted {
                return Ok(Fate::Refuted(obligation.name.clone()));
            }
        }
        if let Some((why, proofs)) = &mutant.equivalent {
            let answers: io::Result<Vec<Answer>> = proofs.iter().map(|proof| proof.ask(z3, scratch.path())).collect();
            if answers?.iter().all(|answer| *answer == Answer::Proved) {
                return Ok(Fate::Equivalent(why));
            }
        }
        Ok(Fate::Survived)
    };
    let fates = pool::in_order(mutants, try_one, |mutant, fate: &io::Result<Fate>| {
        if let Ok(fate) = fate {
            said(mutant, fate);
        }
    });
    fates.into_iter().collect()
}
