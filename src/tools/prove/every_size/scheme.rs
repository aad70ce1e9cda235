//! Proof obligations of each scheme, and those left to paper.

use std::fmt;

use askama::Template;

use super::obligation::Obligation;
use super::{places, plane};

/// Something that holds at all sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProvedScheme {
    /// The cycles of the staircase, both sides even.
    Staircase,
    /// The two hamiltonian cycles of any torus of two axes with sides of at least 3, one of them 4 or more.
    Hamiltonian,
    /// The zigzag cycles of section 4.1, and who supplies the nodes off them.
    Zigzag,
    /// The times at which two supporters that switch supply a node off a cycle.
    Switching,
}

/// The text of the switching lemma and the like, which no size changes.
const STAIRCASE: &str = include_str!("../../../../templates/prove/staircase.smt2");
const ZIGZAG: &str = include_str!("../../../../templates/prove/zigzag.smt2");
const SWITCHING: &str = include_str!("../../../../templates/prove/switching.smt2");

impl ProvedScheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Staircase, Self::Hamiltonian, Self::Zigzag, Self::Switching];

    /// Name on the command line and in file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Staircase => "staircase",
            Self::Hamiltonian => "hamiltonian",
            Self::Zigzag => "zigzag",
            Self::Switching => "switching",
        }
    }

    /// Obligations that prove the scheme.
    pub fn obligations(self) -> Vec<Obligation> {
        match self {
            Self::Hamiltonian => plane::all().iter().flat_map(plane_obligations).collect(),
            _ => Obligation::all_of(self.name(), self.text()),
        }
    }

    /// Steps that are proved by hand only.
    pub const fn on_paper(self) -> &'static [&'static str] {
        const CYCLE: &str = "that the next place, taken over and over, makes one cycle of all of them";
        match self {
            Self::Staircase => &[
                CYCLE,
                "sides of 2, whose links are parallel",
                "one odd side, with two places at some nodes (section 3.2)",
            ],
            Self::Hamiltonian => &[CYCLE, "3x3, which `check` executes", "three and more axes (products of cycles)"],
            Self::Zigzag => &[
                CYCLE,
                "sides of 2, whose links are parallel; with n1 = 2 both supporters are one node",
                "two odd sides, three and more axes (sections 4.1 to 4.3)",
            ],
            Self::Switching => &["from half a cycle's length to ticks: the rounding of arcs that both ways share"],
        }
    }

    /// The text, where there is one for all sizes.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Staircase => STAIRCASE,
            Self::Zigzag => ZIGZAG,
            Self::Switching => SWITCHING,
            Self::Hamiltonian => "",
        }
    }
}

impl fmt::Display for ProvedScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One cycle on one kind of sides.
#[derive(Template)]
#[template(path = "prove/plane.smt2", escape = "none")]
struct PlaneText<'s> {
    sides: &'s str,
    cycle: usize,
    rows: String,
    columns: String,
    sizes: [&'s str; 2],
    switched: &'s str,
    phases: usize,
    blocks: String,
    length: String,
    row_of: String,
    column_of: String,
    next_phase: String,
    count: String,
}

fn plane_text(sides: &plane::PlaneSides, cycle: usize) -> String {
    let phases = &sides.cycles[cycle];
    let counts: Vec<String> = phases.iter().map(places::BlockPhase::count).collect();
    let text = PlaneText {
        sides: sides.what,
        cycle,
        rows: sides.rows.to_string(),
        columns: sides.columns.to_string(),
        sizes: sides.sizes,
        switched: &sides.switched,
        phases: phases.len(),
        blocks: places::by_phase(phases, |_, phase| phase.blocks()),
        length: places::by_phase(phases, |_, phase| phase.length().to_string()),
        row_of: places::by_phase(phases, |_, phase| phase.row()),
        column_of: places::by_phase(phases, |_, phase| phase.column()),
        next_phase: places::by_phase(phases, |s, _| places::phase_after(phases, s)),
        count: format!("(+ {})", counts.join(" ")),
    };
    text.render().expect("the template has no fault of its own")
}

/// Obligations for both cycles on one kind of sides.
pub fn plane_obligations(sides: &plane::PlaneSides) -> Vec<Obligation> {
    let of_cycle = |cycle| {
        let prefix = format!("hamiltonian-{}-{cycle}", sides.name);
        Obligation::all_of(&prefix, &plane_text(sides, cycle))
    };
    [0, 1].into_iter().flat_map(of_cycle).collect()
}

/// Obligations that two rules switch the same squares of the torus.
pub fn same_rule(sides: &plane::PlaneSides, other: &plane::PlaneSides) -> Vec<Obligation> {
    let text = plane_text(sides, 0);
    let shared = text.split("\n;; ").next().unwrap_or_default();
    let section = format!(
        "\n;; same-rule: the fault changes no square\n(declare-const x Int)\n(declare-const y Int)\n\
         (define-fun mutant ((i Int) (j Int)) Bool {})\n(assert (and (>= x 0) (< x m) (>= y 0) (< y n)))\n\
         (assert (not (= (switched x y) (mutant x y))))\n",
        other.switched
    );
    Obligation::all_of(&format!("hamiltonian-{}", sides.name), &format!("{shared}{section}"))
}

/// Obligations that a phase has no place.
pub fn empty_phase(sides: &plane::PlaneSides, cycle: usize, s: usize) -> Vec<Obligation> {
    let text = plane_text(sides, cycle);
    let shared = text.split("\n;; ").next().unwrap_or_default();
    let section = format!("\n;; empty-phase: phase {s} has no block\n(assert (not (= (blocks {s}) 0)))\n");
    Obligation::all_of(&format!("hamiltonian-{}-{cycle}", sides.name), &format!("{shared}{section}"))
}
