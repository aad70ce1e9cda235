//! What `torusweave diff` says about one scheme at two sizes.

use torusweave::show::diff::{Change, Subject, diff};

use crate::fixtures::designs::design;
use crate::fixtures::mutants::wrong_operands;
use crate::trees::{wrong_orders, wrong_results};

fn text(from: &[u32], to: &[u32], settings: &[&str]) -> String {
    let (from, to) = (design(from, settings), design(to, settings));
    diff(&Subject::of(&from), &Subject::of(&to)).to_string()
}

#[test]
fn staircase_keeps_its_classes_and_their_map() {
    insta::assert_snapshot!(text(&[6, 8], &[12, 16], &["scheme=staircase"]));
}

#[test]
fn staircase_on_one_odd_side() {
    insta::assert_snapshot!(text(&[6, 7], &[10, 9], &["scheme=staircase", "switching=memory"]));
}

#[test]
fn zigzag_with_memory_changes_the_switch_and_not_the_classes() {
    insta::assert_snapshot!(text(&[8, 6], &[16, 12], &["scheme=zigzag", "switching=memory"]));
}

#[test]
fn zigzag_with_periodic_switching() {
    insta::assert_snapshot!(text(&[16, 12], &[32, 24], &["scheme=zigzag", "switching=periodic"]));
}

#[test]
fn zigzag_in_three_dimensions() {
    insta::assert_snapshot!(text(&[3, 3, 4], &[6, 6, 5], &["scheme=zigzag"]));
}

#[test]
fn hamiltonian_on_two_odd_sides() {
    insta::assert_snapshot!(text(&[7, 7], &[9, 9], &["scheme=hamiltonian"]));
}

#[test]
fn one_torus_with_and_without_memory() {
    let (none, memory) = (design(&[8, 6], &["scheme=zigzag"]), design(&[8, 6], &["scheme=zigzag", "switching=memory"]));
    insta::assert_snapshot!(diff(&Subject::of(&none), &Subject::of(&memory)));
}

/// Lanes are outputs of their own.
#[test]
fn lanes_are_told_apart() {
    let said = text(&[4, 6], &[6, 8], &["scheme=hamiltonian", "link.lanes=2"]);
    assert!(said.contains("T lane 1 <- R lane 1"), "{said}");
    assert!(said.contains("output T x1- lane 1: falls silent after 12 -> 24 ticks"), "{said}");
}

#[test]
fn the_same_as_json() {
    let (from, to) = (
        design(&[8, 6], &["scheme=zigzag", "switching=memory"]),
        design(&[16, 12], &["scheme=zigzag", "switching=memory"]),
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&diff(&Subject::of(&from), &Subject::of(&to))).unwrap());
}

#[test]
fn an_all_reduce_keeps_its_classes_and_what_completes_them() {
    let settings = ["scheme=staircase", "collective=all-reduce", "operation=sum"];
    insta::assert_snapshot!(text(&[6, 8], &[12, 16], &settings));
}

#[test]
fn packets_of_an_all_reduce_may_be_longer_and_its_links_too() {
    let short = design(&[4, 6], &["scheme=zigzag", "collective=all-reduce", "operation=sum"]);
    let settings = ["scheme=zigzag", "collective=all-reduce", "operation=sum", "link.flits=3", "link.latency=2"];
    let long = design(&[4, 6], &settings);
    let difference = diff(&Subject::of(&short), &Subject::of(&long));
    assert!(difference.classes.iter().all(|class| class.change == Change::Equal), "{difference}");
    assert!(!difference.is_empty());
}

/// Whatever is wrong with a reduction is a difference, and nothing else is.
#[test]
fn every_mutant_of_a_reduction_differs_from_it() {
    let right = design(&[4, 5], &["scheme=optimal", "collective=reduce-scatter", "operation=sum"]);
    let subject = Subject::of(&right);
    assert!(diff(&subject, &subject).is_empty());
    let wrong = [wrong_operands, wrong_orders, wrong_results].map(|mutants| mutants(&right.program));
    for (what, program) in wrong.iter().flatten() {
        let difference = diff(&subject, &Subject { program, ..subject.clone() });
        // an entry may be the same as the next but one
        assert_eq!(difference.is_empty(), *program == right.program, "{what}");
    }
    let product = design(&[4, 5], &["scheme=optimal", "collective=reduce-scatter", "operation=max"]);
    let difference = diff(&subject, &Subject::of(&product));
    assert!(!difference.is_empty() && difference.to_string().contains("~ operation sum -> max"), "{difference}");
}
