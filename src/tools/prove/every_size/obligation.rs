//! An obligation: a file in SMT-LIB that asks whether the hypotheses can hold (they must) and the claim fail (it must not).

use std::io;
use std::path::Path;

use super::super::z3::Z3;

/// Claim that must be proved once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Name of the obligation, for example `hamiltonian-odd-even-0-step`.
    pub name: String,
    /// Claim in words.
    pub claim: String,
    text: String,
}

/// Answer of the solver to an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The hypotheses can hold, and the claim cannot fail.
    Proved,
    /// The claim fails somewhere.
    Refuted,
    /// Vacuous: the hypotheses cannot be fulfilled, so the obligation proves nothing.
    Vacuous,
    /// The solver does not know; what it said.
    Unknown(String),
}

/// Begins a section of a text that holds several obligations: `;; range: every place is at a node of the torus`.
const SECTION: &str = "\n;; ";
/// Begins the last line of an obligation.
const NEGATED: &str = "(assert (not ";

impl Obligation {
    /// The obligations of a text: what they share, and a section each, whose last line denies the claim.
    pub fn all_of(prefix: &str, text: &str) -> Vec<Self> {
        let mut parts = text.split(SECTION);
        let shared = parts.next().unwrap_or_default();
        parts.map(|section| Self::of(prefix, shared, section)).collect()
    }

    fn of(prefix: &str, shared: &str, section: &str) -> Self {
        let (title, body) = section.split_once('\n').expect("a title has a line of its own");
        let (name, claim) = title.split_once(": ").expect("a title has a name and a claim");
        let body = body.trim_end();
        let at = body.rfind(NEGATED).expect("the last line of a section denies its claim");
        assert!(!body[at..].contains('\n'), "{prefix}-{name}: the claim is not on the last line");
        let (hypotheses, denied) = body.split_at(at);
        let text = format!(
            "{shared}\n; {name}: {claim}\n{hypotheses}; the hypotheses can hold: sat\n(check-sat)\n\
             ; and the claim fails nowhere: unsat\n{denied}\n(check-sat)\n"
        );
        Self { name: format!("{prefix}-{name}"), claim: claim.to_owned(), text }
    }

    /// Name of its file.
    pub fn file(&self) -> String {
        format!("{}.smt2", self.name)
    }

    /// Contents of its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Asks the solver, with the file in `folder`.
    pub(super) fn ask(&self, z3: &Z3, folder: &Path) -> io::Result<Answer> {
        let file = folder.join(self.file());
        std::fs::write(&file, &self.text)?;
        let answers = z3.ask(&file)?;
        Ok(match answers.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["sat", "unsat"] => Answer::Proved,
            ["sat", "sat"] => Answer::Refuted,
            ["unsat", ..] => Answer::Vacuous,
            said => Answer::Unknown(said.join(" ")),
        })
    }
}
