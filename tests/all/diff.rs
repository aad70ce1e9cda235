//! What `torusweave diff` says about one scheme at two sizes.

use torusweave::show::diff::{Subject, diff};

use crate::fixtures::designs::design;

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

#[test]
fn the_same_as_json() {
    let (from, to) = (
        design(&[8, 6], &["scheme=zigzag", "switching=memory"]),
        design(&[16, 12], &["scheme=zigzag", "switching=memory"]),
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&diff(&Subject::of(&from), &Subject::of(&to))).unwrap());
}
