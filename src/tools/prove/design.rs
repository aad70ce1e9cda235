//! A design proved in parts: each class of routers by bounded model checking from a free state, the fabric by comparing its
//! netlist with the topology; small ones as a whole, too.
//!
//! Every proof is first made to fail by a fault put in.

use std::path::Path;
use std::time::{Duration, Instant};

use super::error::ProveError;
use super::fault::{faulty, is_faulty};
use super::wiring::{self, WiringResult};
use super::yosys::{Prover, SolverVerdict, YosysFiles};
use crate::emit::formal::{self, Induction, Question};
use crate::emit::{self, Options};
use crate::program::{ClassId, Program};
use crate::tools::{ScratchFolder, pool};

/// Data is only moved, or combined by an operator of Verilog: few bits show all that many would.
const BITS: u32 = 4;
/// Long programs, of more ticks than this, with the fewest: one moves, two carry.
const LONG: u32 = 256;
/// A whole fabric is proved up to so many assertions of arrivals: about a minute.
pub(super) const MOST_ARRIVALS: u64 = 1_200;

/// Subject of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofSubject {
    /// The router of a class.
    Class {
        /// Class whose router is proved.
        class: ClassId,
        /// Number of nodes that have it.
        nodes: u32,
    },
    /// The connections of the fabric.
    Fabric,
    /// The fabric with all its routers.
    Whole,
    /// The buffer between two clocks, and the claim about it.
    Crossing(&'static str),
    /// The receiver of checked links, and the claim about it.
    Receiver(&'static str),
}

/// Outcome of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By model checking.
    Checked {
        /// Steps, of which the first begins anywhere.
        steps: u32,
        /// Number of assertions.
        assertions: usize,
        /// Bits per flit.
        width: u32,
        /// Verdict on the assertions.
        verdict: SolverVerdict,
        /// Verdict on the version with a fault; `None` if the class reads nothing that could be read wrongly.
        fault: Option<SolverVerdict>,
    },
    /// Comparison of netlists.
    Compared(WiringResult),
    /// By induction, for any two clocks.
    Induced {
        /// Steps that were covered, if not all.
        steps: Option<u32>,
        /// True if the claim holds.
        holds: bool,
        /// True if the version with a fault fails.
        fault_seen: bool,
    },
}

/// Result of one proof.
#[derive(Clone, Debug)]
pub struct ProofResult {
    /// Subject of the proof.
    pub subject: ProofSubject,
    /// Outcome of the proof.
    pub ending: Ending,
    /// Time taken, including the version with a fault.
    pub time: Duration,
}

impl ProofResult {
    /// Returns true if everything holds and the fault was seen.
    pub fn holds(&self) -> bool {
        match &self.ending {
            Ending::Checked { verdict, fault, .. } => {
                *verdict == SolverVerdict::Holds
                    && fault.as_ref().is_none_or(|fault| matches!(fault, SolverVerdict::Fails { .. }))
            }
            Ending::Compared(compared) => compared.differences.is_empty() && compared.fault_seen,
            Ending::Induced { holds, fault_seen, .. } => *holds && *fault_seen,
        }
    }
}

/// Part of a design to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProofPart {
    /// The router of each class.
    Classes,
    /// The connections of the fabric.
    Fabric,
    /// The fabric with all its routers and symbolic packets.
    Whole,
    /// The buffer between the clocks of a cable and its board, for any two clocks.
    Crossing,
    /// The receiver of checked links: numbers, faults.
    Receiver,
}

/// The parts that together prove a design; a small one as a whole besides.
pub fn parts(program: &Program, options: &Options) -> Vec<ProofPart> {
    let arrivals = program.registers() as u64 * u64::from(program.ticks);
    let whole = (arrivals <= MOST_ARRIVALS && !emit::netlist(program, options).streams).then_some(ProofPart::Whole);
    let crossing = options.form.crosses().then_some(ProofPart::Crossing);
    let receiver = options.checksum.is_some().then_some(ProofPart::Receiver);
    [ProofPart::Classes, ProofPart::Fabric].into_iter().chain(whole).chain(crossing).chain(receiver).collect()
}

/// Proves a claim about links by induction, and sees its fault.
pub(super) fn induced(
    prover: &Prover,
    right: &Induction,
    mistaken: &Induction,
    scratch: &Path,
) -> Result<Ending, ProveError> {
    let folder = scratch.join(format!("crossing_{}", right.module));
    Ok(Ending::Induced {
        steps: right.steps,
        fault_seen: !prover.induct(mistaken, &folder.join("wrong"))?,
        holds: prover.induct(right, &folder.join("right"))?,
    })
}

/// Proves parts of a design, and hands over each proof in order.
pub fn prove(
    prover: &Prover,
    program: &Program,
    options: &Options,
    parts: &[ProofPart],
    mut said: impl FnMut(&ProofResult),
) -> Result<Vec<ProofResult>, ProveError> {
    let is_of_boards = |part: &ProofPart| matches!(part, ProofPart::Crossing | ProofPart::Receiver);
    let is_known = parts.iter().all(is_of_boards) || formal::unasserted(program).is_none();
    debug_assert!(options.protocol.is_some() || is_known, "refused before");
    let crossing = |fault| formal::crossing(program, options, fault);
    let (mut right_links, mut faulty_links) = (crossing(None), crossing(Some(formal::exchanged_pointers)));
    let crossings = right_links.len();
    right_links.extend(formal::receiver(program, options, None));
    faulty_links.extend(formal::receiver(program, options, Some(formal::later_numbers)));
    let fewest = if program.reduction.is_some() { 2 } else { 1 };
    // a unit is any function of two values, which are of two bits
    let width = if program.ticks > LONG || program.adder_ticks() > 0 { fewest } else { BITS };
    // only the fabric is proved; with a faulty program the memories would wait for packets that never arrive
    let options = Options { width, local: None, bist: false, ..options.clone() };
    let scratch = ScratchFolder::new()?;
    let right = YosysFiles::write(program, &options, scratch.path().join("right"))?;
    let faulty = faulty(program);
    let wrong = YosysFiles::write(&faulty, &options, scratch.path().join("wrong"))?;
    let sizes = program.class_sizes();
    let mut subjects = Vec::new();
    for part in parts {
        match part {
            ProofPart::Classes => subjects
                .extend((0..).zip(&sizes).map(|(class, &nodes)| ProofSubject::Class { class: ClassId(class), nodes })),
            ProofPart::Fabric => subjects.push(ProofSubject::Fabric),
            ProofPart::Whole => subjects.push(ProofSubject::Whole),
            ProofPart::Crossing => {
                subjects.extend(right_links[..crossings].iter().map(|question| ProofSubject::Crossing(question.claim)));
            }
            ProofPart::Receiver => {
                subjects.extend(right_links[crossings..].iter().map(|question| ProofSubject::Receiver(question.claim)));
            }
        }
    }
    let ask = |question: &Question, mistaken: Option<Question>, name: &str| -> Result<Ending, ProveError> {
        let folder = scratch.path().join(name);
        let fault = mistaken.map(|question| prover.refute(&wrong, &question, &folder.join("wrong"))).transpose()?;
        let verdict = prover.prove(&right, question, &folder.join("right"))?;
        let &Question { steps, assertions, .. } = question;
        Ok(Ending::Checked { steps, assertions, width, verdict, fault })
    };
    let work = |subject: &ProofSubject| -> Result<Option<ProofResult>, ProveError> {
        let begun = Instant::now();
        let ending = match *subject {
            ProofSubject::Class { class, .. } => {
                let question = |built| formal::class(program, &options, built, class);
                let Some(right) = question(program) else { return Ok(None) };
                let mistaken = question(&faulty).filter(|_| is_faulty(&program.classes[class.index()]));
                ask(&right, mistaken, &format!("class_{}", program.class_name(class)))?
            }
            ProofSubject::Fabric => {
                let netlist = emit::netlist(program, &options);
                Ending::Compared(wiring::compare(prover, program, &netlist, &right, &scratch.path().join("fabric"))?)
            }
            ProofSubject::Whole => {
                let question = |built| formal::whole(program, &options, built);
                let mistaken = program.classes.iter().any(is_faulty).then(|| question(&faulty));
                ask(&question(program), mistaken, "whole")?
            }
            ProofSubject::Crossing(claim) | ProofSubject::Receiver(claim) => {
                let of = |questions: &[Induction]| questions.iter().find(|question| question.claim == claim).cloned();
                let (Some(question), Some(mistaken)) = (of(&right_links), of(&faulty_links)) else {
                    return Ok(None);
                };
                induced(prover, &question, &mistaken, scratch.path())?
            }
        };
        Ok(Some(ProofResult { subject: subject.clone(), ending, time: begun.elapsed() }))
    };
    let proofs = pool::in_order(&subjects, work, |_, proof| {
        if let Ok(Some(proof)) = proof {
            said(proof);
        }
    });
    proofs.into_iter().filter_map(Result::transpose).collect()
}
