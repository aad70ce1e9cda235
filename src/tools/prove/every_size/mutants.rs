//! Obligations with a fault put in: the proofs are worth something only if they refute each of them.

use super::obligation::Obligation;
use super::plane;
use super::scheme::{ProvedScheme, empty_phase, plane_obligations, same_rule};

/// A fault, and the obligations that it changes.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Description of the fault and its place.
    pub what: String,
    /// Obligations of which at least one must fail.
    pub obligations: Vec<Obligation>,
    /// For a fault that changes nothing: why, and the obligations that prove it.
    pub equivalent: Option<(&'static str, Vec<Obligation>)>,
}

/// One condition for another.
type Swap = (&'static str, &'static str);

const IN_EVEN_COLUMNS: [Swap; 4] = [
    ("(not (= j (- n 1)))", "true"),
    ("(not (= i (- m 1)))", "true"),
    ("(= i 1)", "(= i 2)"),
    ("(not (= j 0))", "true"),
];
const IN_ODD_COLUMNS: [Swap; 5] = [
    ("(not (= i (- m 1)))", "true"),
    ("(not (= j (- n 1)))", "true"),
    ("(<= i 1)", "(<= i 2)"),
    ("(<= j 1)", "(<= j 0)"),
    ("(not (odd (+ i j)))", "(odd (+ i j))"),
];

/// Faults that change nothing, by their kind of sides and the condition, and why.
const EQUIVALENT: [(&str, &str, &str); 3] = [
    ("odd-even", "(not (= i (- m 1)))", "m - 1 is even, and i is odd there"),
    ("three-odd", "(<= i 1)", "i = 2 is the last row, which is excluded anyhow"),
    ("three-odd", "(<= j 1)", "i is 0 or 1 there, which is enough"),
];

const STAIRCASE: [Swap; 4] = [
    ("(and (odd j) (< j (- n 1)))", "(and (odd j) (< j n))"),
    ("(ite (odd j) (= o (* 2 j)) (= o (- (* 2 j) 1)))", "(ite (odd j) (= o (- (* 2 j) 1)) (= o (* 2 j)))"),
    ("(+ q (* 2 b) (climb o))", "(+ q b (climb o))"),
    ("(ite (= o (- (* 2 n) 3)) 0 1)", "(ite (= o (- (* 2 n) 2)) 0 1)"),
];
const ZIGZAG: [Swap; 5] = [
    ("(+ q (* 2 b) (ite (= o 0) 0", "(+ q (* 2 b) (ite (= o 0) 1"),
    ("(+ q (* 2 b) (ite", "(+ q b (ite"),
    ("(ite (<= o 2) 1 2)", "(ite (<= o 1) 1 2)"),
    ("(or (= o 0) (= o 2))", "(or (= o 0) (= o 3))"),
    ("(ite (<= o 2) 1 (- o 2))", "(ite (<= o 2) 1 (- o 1))"),
];
const SWITCHING: [Swap; 2] = [("(<= (* 2 D) L)", "(<= D L)"), ("(- t (- D 1))", "(- t D)")];

/// The mutants of a scheme.
pub fn mutants(scheme: ProvedScheme) -> Vec<Mutant> {
    match scheme {
        ProvedScheme::Hamiltonian => {
            plane::all().iter().flat_map(|sides| of_rule(sides).into_iter().chain(of_places(sides))).collect()
        }
        ProvedScheme::Staircase => of_text(scheme, &STAIRCASE),
        ProvedScheme::Zigzag => of_text(scheme, &ZIGZAG),
        ProvedScheme::Switching => of_text(scheme, &SWITCHING),
    }
}

/// A condition of the text is another one.
fn of_text(scheme: ProvedScheme, swaps: &[Swap]) -> Vec<Mutant> {
    let text = scheme.text();
    let mutant = |&(from, to): &Swap| {
        assert_eq!(text.matches(from).count(), 1, "{scheme}: `{from}` stands there once");
        let obligations = changed(Obligation::all_of(scheme.name(), &text.replace(from, to)), &scheme.obligations());
        Mutant { what: format!("{scheme}: {to} for {from}"), obligations, equivalent: None }
    };
    swaps.iter().map(mutant).collect()
}

/// A condition of the rule is dropped or another one.
fn of_rule(sides: &plane::PlaneSides) -> Vec<Mutant> {
    let original = plane_obligations(sides);
    let swaps: &[Swap] = if sides.switched.contains("(odd (+ i j))") { &IN_ODD_COLUMNS } else { &IN_EVEN_COLUMNS };
    let mutant = |&(from, to): &Swap| {
        let switched = sides.switched.replacen(from, to, 1);
        assert_ne!(switched, sides.switched, "{}: `{from}` stands there", sides.name);
        let mut mutated = sides.clone();
        mutated.switched = switched;
        let reason = EQUIVALENT.iter().find(|(name, condition, _)| *name == sides.name && *condition == from);
        Mutant {
            what: format!("{}: {to} for {from} in the rule", sides.name),
            obligations: changed(plane_obligations(&mutated), &original),
            equivalent: reason.map(|&(.., why)| (why, same_rule(sides, &mutated))),
        }
    };
    swaps.iter().map(mutant).collect()
}

/// The last line of a phase is one row further down.
fn of_places(sides: &plane::PlaneSides) -> Vec<Mutant> {
    let original = plane_obligations(sides);
    let mut mutants = Vec::new();
    for (cycle, phases) in sides.cycles.iter().enumerate() {
        for (s, phase) in phases.iter().enumerate() {
            let mut mutated = sides.clone();
            mutated.cycles[cycle][s] = phase.with_last_line_shifted();
            // the only phase without blocks at every size of its kind: for m = 3 the one of k - 1 pairs of rows
            let is_empty = sides.name == "three-odd" && phase.blocks() == "(+ k (- 1))";
            mutants.push(Mutant {
                what: format!("{}: cycle {cycle}, phase {s} a row further down", sides.name),
                obligations: changed(plane_obligations(&mutated), &original),
                equivalent: is_empty.then(|| ("the phase has no block", empty_phase(sides, cycle, s))),
            });
        }
    }
    mutants
}

/// Obligations that a fault changes; all others are proved already.
fn changed(mutated: Vec<Obligation>, original: &[Obligation]) -> Vec<Obligation> {
    mutated.into_iter().filter(|obligation| !original.contains(obligation)).collect()
}
