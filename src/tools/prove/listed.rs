//! A design with several programs proved: the control words of each program make the router do what the program says.

use std::io;
use std::time::{Duration, Instant};

use super::design::{MOST_ARRIVALS, ProofPart, ProofResult, ProofSubject, induced};
use super::error::ProveError;
use super::yosys::{Prover, SolverVerdict, YosysFiles};
use crate::emit::MemoryFiles;
use crate::emit::formal::listed::{self, ListedQuestion, ListedSubject};
use crate::emit::formal::{self, Induction};
use crate::emit::node::ListDesign;
use crate::program::Program;
use crate::tools::{ScratchFolder, pool};

/// Proof about one program.
#[derive(Clone, Debug)]
pub struct ListedProof {
    /// Number of the program.
    pub program: usize,
    /// Nodes that it is about.
    pub subject: ListedSubject,
    /// Steps, of which the first begins anywhere.
    pub steps: u32,
    /// Number of assertions.
    pub assertions: usize,
    /// Bits per flit.
    pub width: u32,
    /// Verdict on the assertions.
    pub verdict: SolverVerdict,
    /// Verdict on the version with a fault; none if nothing is sent.
    pub fault: Option<SolverVerdict>,
    /// Time taken, including the version with a fault.
    pub time: Duration,
}

impl ListedProof {
    /// Returns true if everything holds and the fault was seen.
    pub fn holds(&self) -> bool {
        self.verdict == SolverVerdict::Holds
            && self.fault.as_ref().is_none_or(|fault| matches!(fault, SolverVerdict::Fails { .. }))
    }
}

/// Files of the RTL: paths and texts.
pub type Texts = Vec<(String, String)>;

/// Writes the RTL of a design: paths and texts.
pub fn rtl(design: &ListDesign<'_>) -> io::Result<Texts> {
    let mut files = MemoryFiles::default();
    design.write_rtl(&mut files)?;
    let text = |(path, bytes)| Ok((path, String::from_utf8(bytes).map_err(io::Error::other)?));
    files.0.into_iter().map(text).collect()
}

/// Returns true if a program is proved at all nodes together unless only other parts are asked for.
pub fn is_small(program: &Program) -> bool {
    program.registers() as u64 * u64::from(program.ticks) <= MOST_ARRIVALS
}

/// Asks questions about some RTL, and hands over each proof in order.
pub fn prove(
    prover: &Prover,
    questions: &[ListedQuestion],
    files: &Texts,
    mut said: impl FnMut(&ListedProof),
) -> Result<Vec<ListedProof>, ProveError> {
    let scratch = ScratchFolder::new()?;
    let rtl = YosysFiles::of(files, scratch.path().join("rtl"))?;
    let work = |question: &ListedQuestion| -> Result<ListedProof, ProveError> {
        let begun = Instant::now();
        let &ListedQuestion { program, subject, ref right, ref wrong, width } = question;
        let folder = scratch.path().join(&right.module);
        let fault = wrong.as_ref().map(|wrong| prover.refute(&rtl, wrong, &folder.join("wrong"))).transpose()?;
        let verdict = prover.prove(&rtl, right, &folder.join("right"))?;
        let (steps, assertions, time) = (right.steps, right.assertions, begun.elapsed());
        Ok(ListedProof { program, subject, steps, assertions, width, verdict, fault, time })
    };
    let proofs = pool::in_order(questions, work, |_, proof| {
        if let Ok(proof) = proof {
            said(proof);
        }
    });
    proofs.into_iter().collect()
}

/// Proves what stands at the ports of boards: a part is that of the links, or none of it.
pub fn links(prover: &Prover, design: &ListDesign<'_>, part: ProofPart) -> Result<Vec<ProofResult>, ProveError> {
    let of_crossings = |fault| listed::crossings(design, fault);
    let of_receivers = |fault| Vec::from_iter(listed::receivers(design, fault));
    let (right, mistaken) = match part {
        ProofPart::Crossing => (of_crossings(None), of_crossings(Some(formal::exchanged_pointers))),
        ProofPart::Receiver => (of_receivers(None), of_receivers(Some(formal::later_numbers))),
        ProofPart::Classes | ProofPart::Fabric | ProofPart::Whole => return Ok(Vec::new()),
    };
    let subject = if part == ProofPart::Crossing { ProofSubject::Crossing } else { ProofSubject::Receiver };
    let scratch = ScratchFolder::new()?;
    let proof = |(right, mistaken): (&Induction, &Induction)| {
        let begun = Instant::now();
        let ending = induced(prover, right, mistaken, scratch.path())?;
        Ok(ProofResult { subject: subject(right.claim), ending, time: begun.elapsed() })
    };
    right.iter().zip(&mistaken).map(proof).collect()
}
